"""The page of an environment says what its code does, and its programs run as they stand there."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path

import gymnasium as gym
import pytest

from environment_pages import SHOWN, environment_index, environment_nav, environment_pages
from facts import best_plans
from hook import FACTS
from pages import Page, Pictures
from repository import repository_address, web_address
from support.lesson import Reader
from topple.envs import ENVIRONMENTS, VERSIONS

HEADINGS = [
    "Action space",
    "Observation space",
    "Rewards",
    "Episode end",
    "Info",
    "Arguments",
    "Use",
    "Vectorized environment",
    "Versions",
]
NAMES = [name for name, *_ in ENVIRONMENTS]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    pictures = Pictures(tmp_path_factory.mktemp("pictures"))
    made = environment_pages(FACTS, best_plans(FACTS), pictures)
    assert [page.uri for page in made] == environment_nav()
    assert {f"{Path(page.uri).with_suffix('.gif')}" for page in made} == set(pictures.files)
    for file in pictures.files.values():
        assert file.stat().st_size > 5_000
    return dict(zip(NAMES, made, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_the_page_tells_everything(name: str, pages: dict[str, Page]) -> None:
    text = pages[name].text
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == HEADINGS
    env = gym.make(name)
    for space in (env.action_space, env.observation_space):
        assert f"`{space}`" in text
    parts = dict(zip(HEADINGS, re.split(r"^## .*$", text, flags=re.MULTILINE)[1:], strict=True))
    _, info = env.reset(seed=0)
    *_, later = env.step(env.action_space.sample())
    told = re.findall(r"^\| `(\w+)` \|", parts["Info"], re.MULTILINE)
    assert set(told) == {*info, *later}
    arguments = re.findall(r"^\| `(\w+)` \|", parts["Arguments"], re.MULTILINE)
    gym.make(name, **{argument: None for argument in arguments if argument in ("fold", "split")})
    assert {"observation", "render_mode"} <= set(arguments)
    assert f"`{gym.spec(name).id.rpartition('-')[2]}`" in parts["Versions"]


@pytest.mark.parametrize("name", NAMES)
def test_its_programs_run(name: str, pages: dict[str, Page], tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text(pages[name].text)
    with ExitStack() as servers:
        reader = Reader(file, tmp_path, servers)
        reader.follow()
    assert reader.compared == 2


def test_the_index_lists_all() -> None:
    assert re.findall(r"\[`(.*?)`\]", environment_index()) == NAMES
    assert {name.partition("/")[2].rpartition("-")[0] for name in NAMES} == set(SHOWN)
    assert {name.rpartition("-")[2] for name in NAMES} == set(VERSIONS)


@pytest.mark.parametrize(
    ("remote", "page"),
    [
        ("https://example.org/team/topple.git", "https://example.org/team/topple"),
        ("git@example.org:team/topple.git", "https://example.org/team/topple"),
        ("ssh://git@example.org:22/team/topple", "https://example.org/team/topple"),
        ("https://user:secret@example.org/team/topple", "https://example.org/team/topple"),
        ("/srv/repositories/topple.git", None),
        ("../topple", None),
    ],
)
def test_the_page_of_a_clone(remote: str, page: str | None) -> None:
    assert web_address(remote) == page


def test_the_repository_of_a_ci_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://example.org")
    monkeypatch.setenv("GITHUB_REPOSITORY", "team/topple")
    assert repository_address(tmp_path) == "https://example.org/team/topple"
    monkeypatch.delenv("GITHUB_REPOSITORY")
    assert repository_address(tmp_path) is None
