"""Is this the package, and is it sound? For an installed wheel, with the base dependencies alone.

`python tests/smoke.py` from anywhere; it needs no test framework and takes about ten seconds.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import topple

CHECKOUT = Path(__file__).resolve().parents[1]
#: What extras bring and nothing of the base may load.
EXTRAS = {"torch", "stable_baselines3", "httpx", "fastapi", "sqlalchemy", "uvicorn", "ray", "av"}
EXTRAS |= {"transformers", "matplotlib", "pymunk", "cupy"}


def imported() -> None:
    """The package is the installed one, under its own version."""
    home = Path(topple.__file__).resolve().parent
    assert CHECKOUT not in home.parents or "site-packages" in home.parts, home
    assert topple.__version__ == version("topple")
    assert (home / "py.typed").exists()
    assert (home / "native" / "include" / "topple" / "phyre" / "world.h").exists()


def puzzle_is_solved() -> None:
    """A puzzle has its published outcome, to the step."""
    task = topple.load_task("00002:007")
    result = topple.Simulator(task).attempt(task, [0.82, 0.56, 0.53])
    assert (result.outcome, result.steps) == (topple.Outcome.SOLVED, 611), result


def engines_are_exact() -> None:
    """The bits of both engines are those of the original simulators."""
    from topple.iphyre import engine_hash as games
    from topple.iphyre.rules import AT_10_HZ, AT_60_HZ
    from topple.phyre.engine_hash import FAITHFUL, engine_hash

    assert engine_hash() == FAITHFUL
    for rules in (AT_60_HZ, AT_10_HZ):
        assert games.engine_hash(rules) == games.FAITHFUL[rules.hz]


def game_is_played() -> None:
    """A game earns what it should."""
    from topple.iphyre import game_named, plan_from_seconds, play

    game = game_named("seesaw")
    score = play(game, plan_from_seconds(game, [None, 4.821]))
    assert score == (981.0, True, 540, 1), score


def environments_step() -> None:
    """Every environment can be made and stepped, alone and in a batch."""
    import gymnasium as gym

    from topple.envs import ENVIRONMENTS, register_all

    register_all()
    for name, *_ in ENVIRONMENTS:
        alone: Any = gym.make(name)
        alone.reset(seed=0)
        alone.step(alone.action_space.sample())
        batch: Any = gym.make_vec(name, num_envs=2)
        batch.reset(seed=0)
        batch.step(batch.action_space.sample())


def originals_names_are_there() -> None:
    """Code written for the original packages finds their names."""
    from topple.compat import iphyre, phyre

    assert len(phyre.get_fold("ball_within_template", 0)) == 3
    assert callable(iphyre.simulator.IPHYRE)


def commands_answer() -> None:
    """Every command has help without extras; some do their work."""
    from typer.testing import CliRunner

    from topple.cli.main import COMMANDS, app

    for name in COMMANDS:
        result = CliRunner().invoke(app, [name, "--help"])
        assert result.exit_code == 0, (name, result.output, result.exception)
    for words in ("doctor --json", "agents --json", "tasks --tier ball --json"):
        assert json.loads(program(*words.split()))
    with tempfile.TemporaryDirectory() as folder:
        runs = ("--runs", f"{folder}/runs", "--cache", f"{folder}/cache")
        slice_ = ("--setup", "ball_within", "--tasks", "2", "--attempts", "2", "--json")
        [run] = json.loads(program("evaluate", "--agent", "rand", *slice_, *runs))
        assert run["tasks"] == 2
        picture = Path(folder) / "task.gif"
        program("show", "00002:007", "--solve", "--size", "64", "--out", str(picture))
        assert picture.stat().st_size > 1000


def program(*words: str) -> str:
    """What the installed program prints."""
    path = shutil.which("topple", path=sysconfig.get_path("scripts"))
    assert path is not None, "the program is not installed"
    done = subprocess.run([path, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


CHECKS = (
    imported,
    puzzle_is_solved,
    engines_are_exact,
    game_is_played,
    environments_step,
    originals_names_are_there,
    commands_answer,
)


def main() -> None:
    """Run all checks; the first that fails ends it."""
    for check in CHECKS:
        check()
        print(f"ok   {check.__name__.replace('_', ' ')}")
    loaded = sorted(EXTRAS & {name.partition(".")[0] for name in sys.modules})
    assert not loaded, f"the base loads {', '.join(loaded)}"


if __name__ == "__main__":
    main()
