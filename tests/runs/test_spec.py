"""Agents as TOML files: those of the repository, and mistakes in one's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from topple.phyre.agents.dqn import Dqn
from topple.phyre.agents.dqn_network import QNetwork
from topple.phyre.agents.dqn_updates import Batches, Updates
from topple.phyre.dev_figures import VARIANTS
from topple.phyre.fold import Setup, Split
from topple.phyre.rows import SETUPS
from topple.phyre.selection import TaskSelection
from topple.phyre.tier import Tier
from topple.runs.agent import Setting
from topple.runs.benchmark import find_benchmark
from topple.runs.registry import create_agent
from topple.runs.spec import SpecError, find_spec, load_spec

FOLDER = Path(__file__).resolve().parents[2] / "configs" / "phyre"
FILES = sorted(FOLDER.glob("dqn*.toml"))
RANKED = {
    Setup.BALL_CROSS_TEMPLATE: 1_000,
    Setup.BALL_WITHIN_TEMPLATE: 10_000,
    Setup.TWO_BALLS_CROSS_TEMPLATE: 100_000,
    Setup.TWO_BALLS_WITHIN_TEMPLATE: 100_000,
}
# What each ablation changes, and nothing else.
ABLATIONS: dict[str, dict[str, Setting]] = {
    "dqn-no-balancing": {"balance_classes": False},
    "dqn-act1024": {"action_hidden_size": 1024},
    "dqn-act1024x2": {"action_hidden_size": 1024, "action_layers": 2},
    "dqn-fuse-first": {"fusion_place": "first"},
    "dqn-fuse-all": {"fusion_place": "all"},
    "dqn-fuse-global": {"fusion_place": "last-single"},
}
FELT: dict[str, Setting] = {"failure_penalty": 4.0, "failure_radius": 0.1}  # our own variant


def made(path: Path, setup: Setup) -> Dqn:
    config = find_spec(str(path), "phyre").config(TaskSelection(setup))
    agent = create_agent("phyre", config.agent, config.settings)
    assert isinstance(agent, Dqn)
    return agent


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_settings_are_the_published_ones(path: Path, setup: Setup) -> None:
    across = setup.split is not Split.WITHIN_TEMPLATE
    expected = {
        **Dqn().settings,
        "rank_size": RANKED[setup],
        "online_updates": 5 if path.stem == "dqn-o" and across else 0,
        **{"dqn-felt": FELT, **ABLATIONS}.get(path.stem, {}),
    }
    assert made(path, setup).settings == expected


def test_all_files_are_known() -> None:
    assert {path.stem for path in FILES} == {"dqn", "dqn-o", "dqn-felt", *ABLATIONS}
    specs = {path.stem: find_spec(str(path), "phyre") for path in FILES}
    assert specs.pop("dqn-o").label == "DQN-O"
    assert specs.pop("dqn-felt").variant == "failures felt"
    assert {spec.label for spec in specs.values()} == {"DQN"}
    assert {spec.variant for spec in specs.values()} == set(VARIANTS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_row_builds_and_makes_updates(path: Path) -> None:
    """The network of the row but for its width, on random outcomes."""
    agent = made(path, Setup.TWO_BALLS_CROSS_TEMPLATE)
    rng = np.random.default_rng(0)
    network = QNetwork(
        Tier.TWO_BALLS.action_size,
        agent.action_hidden_size,
        agent.action_layers,
        agent.fusion_place,
        width=8,
    )
    before = [weights.clone() for weights in network.parameters()]
    updates = Updates(
        network,
        torch.randint(0, 7, (5, 32, 32), dtype=torch.uint8),
        torch.rand(20, Tier.TWO_BALLS.action_size),
        Batches(
            rng.choice(np.array([-1, 1], np.int8), (5, 20)),
            8,
            balanced=agent.balance_classes,
            seed=0,
        ),
    )
    loss = updates.run(2, np.full(2, 1e-3, np.float32))
    assert np.isfinite(loss)
    assert updates.done == 2
    changed = [
        not torch.equal(old, new) for old, new in zip(before, network.parameters(), strict=True)
    ]
    assert all(changed)


def test_an_agent_is_a_name_or_a_file() -> None:
    selection = TaskSelection(Setup.BALL_CROSS_TEMPLATE)
    by_name = find_spec("dqn", "phyre").config(selection, {"updates": 7})
    assert (by_name.agent, by_name.label, by_name.settings) == ("dqn", "dqn", {"updates": 7})
    by_file = find_spec(str(FOLDER / "dqn.toml"), "phyre").config(selection, {"updates": 7})
    assert (by_file.agent, by_file.label) == ("dqn", "DQN")
    assert (by_file.settings["updates"], by_file.settings["rank_size"]) == (7, 1_000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("label = ", "is no TOML"),
        ('label = "X"', "names no agent"),
        ('agent = "mem"\nlabl = "X"', "unknown key 'labl': use label, agent"),
        ('agent = "mem"\npublished = 1', "published is 1; it has to be true or false"),
        ('agent = "mem"\nsettings = 3', "settings is 3; it has to be a table"),
        ('agent = "mem"\n[settings]\nactions = [1]', r"actions in settings is \[1\]"),
        ('agent = "mem"\n[setups.ball]\nrank = 1', "unknown setup 'ball'"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "row.toml"
    file.write_text(text)
    with pytest.raises(SpecError, match=message):
        load_spec(file, find_benchmark("phyre").groups())


def test_settings_of_the_wrong_kind_are_named(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="No such file"):
        load_spec(tmp_path / "none.toml")
    with pytest.raises(
        ValueError, match="'updates' of agent 'dqn' is 'many'; it has to be a whole"
    ):
        create_agent("phyre", "dqn", {"updates": "many"})
    with pytest.raises(
        ValueError, match="'balance_classes' of agent 'dqn' is 1; it has to be a truth"
    ):
        create_agent("phyre", "dqn", {"balance_classes": 1})
    assert create_agent("phyre", "mem", {"weight": 1}).traits.online
