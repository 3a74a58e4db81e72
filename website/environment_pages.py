"""A page for every Gymnasium environment, made from the code, and the index of them."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any, get_args

import gymnasium as gym
from griffe import Docstring, DocstringSectionKind
from gymnasium.envs.registration import EnvSpec

from pages import FILM, FPS, Page, Pictures, table
from topple.envs import ENVIRONMENTS, VERSIONS
from topple.iphyre import game_named, plan_from_ticks
from topple.iphyre.pictures import picture_episode
from topple.phyre import Simulator, load_task
from topple.phyre.engine_hash import engine_hash
from topple.phyre.pictures import film

FOLDER = "environments"
INDEX = f"{FOLDER}/index.md"
GUIDES = {"phyre": "PHYRE in Python", "iphyre": "I-PHYRE"}
#: What the picture of an environment shows: a template, whose first task is solved, or a game.
SHOWN = {
    "PhyreBall": "00002",
    "PhyreTwoBalls": "00101",
    "IPhyreInAdvance": "hole",
    "IPhyreOnTheFly": "angle",
    "IPhyreCombined": "fill",
}


def environment_nav() -> list[str]:
    """The pages, for the nav."""
    return [_uri(name) for name, *_ in ENVIRONMENTS]


def environment_index() -> str:
    """A table of all environments for the page that introduces them."""
    rows = []
    for name, *_ in ENVIRONMENTS:
        env = gym.make(name)
        (summary, *_), _ = _documentation(env)
        address = _uri(name).removeprefix(f"{FOLDER}/")
        rows.append((f"[`{name}`]({address})", summary, f"`{env.action_space}`"))
    return table(("name", "an agent has to", "action space"), rows)


def environment_pages(
    facts: dict[str, Any], best: dict[str, Any], pictures: Pictures
) -> list[Page]:
    """All pages; their pictures are added to `pictures`.

    Args:
        facts: solutions of the templates.
        best: the best plan of each game: a tick per gray block at 60 Hz, None for never.
        pictures: where pictures go.
    """
    return [_page(name, facts, best, pictures) for name, *_ in ENVIRONMENTS]


def _uri(name: str) -> str:
    return f"{FOLDER}/{_stem(name)}.md"


def _stem(name: str) -> str:
    """The name as words of a file: `topple/IPhyreOnTheFly-v0` is `iphyre_on_the_fly`."""
    words = re.findall(r"IPhyre|[A-Z][a-z]+", _short(name))
    return "_".join(words).lower()


def _short(name: str) -> str:
    return name.removeprefix("topple/").rpartition("-")[0]


def _documentation(env: gym.Env[Any, Any]) -> tuple[list[str], dict[str, str]]:
    """Paragraphs of a class that describe it, and those of it and its module with a heading."""
    kind = type(env.unwrapped)
    module = inspect.getdoc(import_module(kind.__module__)) or ""
    plain, headed = [], {}
    for text in (inspect.getdoc(kind) or "", module):
        for paragraph in text.split("\n\n"):
            line = " ".join(paragraph.split())
            match = re.match(r"(Action|Observation|Reward|End): (.*)", line)
            if match:
                headed[match[1]] = match[2][0].upper() + match[2][1:]
            else:
                plain.append(line)
    return plain, headed


def _arguments(env: gym.Env[Any, Any]) -> str:
    """The arguments of `gymnasium.make`, from the class that has them all."""
    base = next(kind for kind in type(env.unwrapped).__mro__ if "Args:" in (kind.__doc__ or ""))
    sections = Docstring(inspect.getdoc(base) or "").parse("google")
    listed = next(s for s in sections if s.kind is DocstringSectionKind.parameters)
    defaults = inspect.signature(base).parameters
    rows = []
    for argument in listed.value:
        default = defaults[argument.name].default
        if default is not inspect.Parameter.empty:  # the others are decided by the environment
            text = argument.description.replace("\n", " ")
            rows.append((f"`{argument.name}`", f"`{_default(default)}`", _sentence(text)))
    return table(("argument", "default", "meaning"), rows)


def _default(value: Any) -> str:
    return "AT_10_HZ" if type(value).__name__ == "Rules" else repr(value)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


def _kinds(env: gym.Env[Any, Any]) -> tuple[str, ...]:
    """The kinds of observation, the default first."""
    module = import_module(type(env.unwrapped).__module__)
    kinds: tuple[str, ...] = get_args(module.ObservationKind)
    return kinds


def _page(name: str, facts: dict[str, Any], best: dict[str, Any], pictures: Pictures) -> Page:
    env = gym.make(name)
    (summary, *_), about = _documentation(env)
    module = import_module(type(env.unwrapped).__module__)
    benchmark = module.__name__.split(".")[1]
    spaces = [(f"`{kind}`", f"`{_space(name, kind)}`") for kind in _kinds(env)]
    caption = _picture(name, facts, best, pictures)
    vector = gym.make_vec(name, num_envs=8, vectorization_mode="vector_entry_point")
    text = f"""# {_title(name)}

{summary}

![{caption}]({_stem(name)}.gif)

{caption}. Its benchmark is described in [{GUIDES[benchmark]}](../guides/{benchmark}.md).

{
        table(
            ("", ""),
            [
                ("import", f'`gymnasium.make("{name}")` after `import topple.envs`'),
                ("action space", f"`{env.action_space}`"),
                ("observation space", spaces[0][1]),
                ("reward range", "0 or 1" if benchmark == "phyre" else "-75.1 to 1000 an episode"),
                ("render modes", f"`{env.metadata['render_modes']}`"),
                ("class", f"[`{type(env.unwrapped).__name__}`][{_path(env)}]"),
            ],
        )
    }

## Action space

`{env.action_space}`: {about["Action"]}

## Observation space

{about["Observation"]}

{table(("`observation=`", "space"), spaces)}

## Rewards

{about["Reward"]}

## Episode end

{about["End"]}

## Info

What `reset` and `step` return as `info`; in a vectorized environment each entry is an array, with
an entry per environment.

{table(("key", "meaning"), [(f"`{key}`", text) for key, text in module.INFO.items()])}

## Arguments

{_arguments(env)}

## Use

```python
import gymnasium
import topple.envs

env = gymnasium.make("{name}")
observation, info = env.reset(seed=0)
for step in range(3):
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    if terminated or truncated:
        observation, info = env.reset()
print(observation.shape, observation.dtype)
```

```text
{env.observation_space.shape} {env.observation_space.dtype}
```

## Vectorized environment

The native vector environment steps many episodes in one call, on all cores. Finished episodes start
anew at the next step (`AutoresetMode.NEXT_STEP`) or at once (`AutoresetMode.SAME_STEP`).

```python
envs = gymnasium.make_vec("{name}", num_envs=8, vectorization_mode="vector_entry_point")
observations, infos = envs.reset(seed=0)
for step in range(3):
    observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
print(observations.shape, rewards.shape, envs.action_space.shape)
```

```text
{vector.observation_space.shape} (8,) {vector.action_space.shape}
```

## Versions

{_versions(name)}
"""
    return Page(_uri(name), text)


def _title(name: str) -> str:
    return (
        re.sub(r"(?<=[a-z])(?=[A-Z])", " ", _short(name))
        .replace("IPhyre", "I-PHYRE")
        .replace("Phyre", "PHYRE")
    )


def _path(env: gym.Env[Any, Any]) -> str:
    return f"{type(env.unwrapped).__module__}.{type(env.unwrapped).__name__}"


def _space(name: str, kind: str) -> Any:
    return gym.make(name, observation=kind).observation_space


def _versions(name: str) -> str:
    specs: list[EnvSpec] = [spec for spec in gym.registry.values() if spec.namespace == "topple"]
    named = sorted(f"v{spec.version}" for spec in specs if spec.name == _short(name))
    return table(("version", ""), [(f"`{version}`", VERSIONS[version]) for version in named])


def _picture(name: str, facts: dict[str, Any], best: dict[str, Any], pictures: Pictures) -> str:
    """Add the picture of an environment; returns what it shows."""
    uri, shown = f"{FOLDER}/{_stem(name)}.gif", SHOWN[_short(name)]
    if shown in facts["solutions"]:
        known = facts["solutions"][shown]
        task, action = load_task(known["task"]), known["action"]
        steps = Simulator(task).attempt(task, action).steps + 1
        key = (str(task.id), action, engine_hash(), FILM, "environment")
        pictures.add(uri, key, lambda: film(task.scene, action, FILM, FPS, steps).frames)
        return f"An attempt that solves task {task.id}"
    game = game_named(shown)
    plan = plan_from_ticks(game, best[shown])
    played = (shown, game.scene, plan, FILM, "environment")
    pictures.add(uri, played, lambda: picture_episode(game, plan, fps=FPS, size=FILM))
    return f"An episode that solves the game {game.title}"
