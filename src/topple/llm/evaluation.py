"""The puzzles of a run, for harnesses that open them one by one and in any order.

Our own harness works through all of them; others, such as a server that a desktop assistant talks
to, open a puzzle when somebody asks for it, and want a record of what has happened so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from topple import paths
from topple.iphyre.results import GameResults
from topple.iphyre.selection import GameSelection
from topple.llm.iphyre.agent import IphyreLlm
from topple.llm.phyre.agent import PhyreLlm
from topple.llm.phyre.feedback import Attempts
from topple.llm.presets import preset_attempts
from topple.llm.puzzle import Puzzle
from topple.phyre.fold import Setup
from topple.phyre.selection import TaskSelection
from topple.runs.agent import Setting
from topple.runs.benchmark import find_benchmark
from topple.runs.config import RunConfig
from topple.runs.record import RunRecord
from topple.runs.registry import create_agent
from topple.runs.runner import Runner

LLM = "llm"


def task_selection(
    setup: str, fold: int = 0, tasks: int | tuple[str, ...] | None = None
) -> TaskSelection:
    """The test tasks of a fold, or some of them."""
    return TaskSelection(Setup.parse(setup), fold, tasks=tasks)


def run_config(
    selection: TaskSelection | GameSelection,
    settings: Mapping[str, Setting],
    attempts: int | None = None,
    label: str = "",
    default: int = 0,
) -> RunConfig[Any]:
    """The config of a language model.

    Args:
        selection: the tasks or games.
        settings: settings of the agent.
        attempts: attempts allowed on each; by default those of its preset.
        label: label of the run.
        default: attempts if its preset leaves them open; 0: the benchmark's default.
    """
    preset = settings.get("preset")
    allowed = attempts or preset_attempts(selection.benchmark, preset) or default
    return RunConfig(LLM, selection, dict(settings), attempts=allowed, label=label)


class Evaluation:
    """The puzzles of a run.

    Args:
        config: the run; its agent is "llm".
        cache: the folder of caches; by default the user's.

    Attributes:
        agent: the settings of the model.
        subjects: the scored tasks or games by name.
    """

    def __init__(self, config: RunConfig[Any], cache: Path | None = None) -> None:
        self.config = config
        self._runner = Runner(cache or paths.cache_folder())
        self._benchmark = find_benchmark(config.benchmark)
        self.agent: Any = create_agent(config.benchmark, LLM, config.settings)
        testing: Any = self._benchmark.testing(config, self._runner)
        self._testing = testing
        self.attempts: Attempts | None = None
        if isinstance(self.agent, PhyreLlm):
            self.subjects: dict[str, Any] = {str(task.id): task for task in testing.tasks}
            self.attempts = Attempts(testing.tasks)
        else:
            assert isinstance(self.agent, IphyreLlm)
            self.subjects = {game.name: game for game in testing.games}

    def puzzle(self, name: str) -> Puzzle[Any]:
        """A fresh puzzle.

        Raises:
            LookupError: it is not among those of the run.
        """
        if name not in self.subjects:
            raise LookupError(
                f"there is no puzzle {name!r} here; there is {next(iter(self.subjects))!r}"
            )
        shared = () if self.attempts is None else (self.attempts,)
        puzzle: Puzzle[Any] = self.agent.puzzle(self._testing, self.subjects[name], *shared)
        return puzzle

    def record(self, puzzles: Iterable[Puzzle[Any]]) -> RunRecord[Any, Any]:
        """The record of some puzzles, each as far as it has come; the others were not tried.

        Raises:
            ValueError: a puzzle is not among those of the run.
        """
        made = {puzzle.name: puzzle for puzzle in puzzles}
        testing: Any = self._benchmark.testing(self.config, self._runner)
        for name in self.subjects:
            if name in made:
                testing.join(made[name].testing)
        # Language models do not train.
        training: Any = SimpleNamespace(
            learned_from=0, simulator_calls=0, scenes_drawn=0, puzzles=0, seconds=0.0
        )
        results = GameResults(tuple(testing.log)) if self.attempts is None else testing.results()
        return self._runner.record(self.config, self.agent, training, testing, results)
