"""I-PHYRE as a benchmark of runs: what is selected, what comes out, and under which protocol."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from topple.arrays import Arrays
from topple.iphyre.engine_hash import engine_hash
from topple.iphyre.phases import Testing, Training
from topple.iphyre.play_log import PAPER_PLAYS
from topple.iphyre.results import GameResults, IPhyreConfig, IPhyreRecord
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ
from topple.iphyre.selection import GameSelection
from topple.iphyre.split import Split
from topple.runs.agent import Traits
from topple.runs.benchmark import Benchmark
from topple.runs.registry import create_agent

if TYPE_CHECKING:
    from topple.runs.runner import Runner

STOCHASTIC = "stochastic"  # the setting of learners that can sample actions from their policy


class IPhyreBenchmark(Benchmark):
    """I-PHYRE."""

    name = "iphyre"
    title = "I-PHYRE"
    agents: Mapping[str, str] = {
        "random": "topple.iphyre.agents.rand:Random",
        "ppo-i": "topple.iphyre.agents.rl_agents:PpoI",
        "ppo-o": "topple.iphyre.agents.rl_agents:PpoO",
        "ppo-c": "topple.iphyre.agents.rl_agents:PpoC",
        "a2c-i": "topple.iphyre.agents.rl_agents:A2cI",
        "a2c-o": "topple.iphyre.agents.rl_agents:A2cO",
        "a2c-c": "topple.iphyre.agents.rl_agents:A2cC",
        "sac-i": "topple.iphyre.agents.rl_agents:SacI",
        "sac-o": "topple.iphyre.agents.rl_agents:SacO",
        "sac-c": "topple.iphyre.agents.rl_agents:SacC",
        "ddpg-i": "topple.iphyre.agents.rl_agents:DdpgI",
        "dqn-o": "topple.iphyre.agents.rl_agents:DqnO",
        "llm": "topple.llm.iphyre.agent:IphyreLlm",
        "fusion-global": "topple.iphyre.agents.fusion:Fusion",
        "fusion-object": "topple.iphyre.agents.fusion:ObjectFusionAgent",
        "fusion-vision": "topple.iphyre.agents.fusion:VisionFusionAgent",
        "fusion-attention": "topple.iphyre.agents.attention_fusion:AttentionFusionAgent",
        "world-model-ppo": "topple.iphyre.agents.world_model:WorldModelPpo",
        "world-model-a2c": "topple.iphyre.agents.world_model:WorldModelA2c",
        "world-model-sac": "topple.iphyre.agents.world_model:WorldModelSac",
        "decision-transformer": "topple.iphyre.agents.decision_transformer:DecisionTransformer",
        "planner": "topple.iphyre.agents.planner:Planner",
        "imagine": "topple.iphyre.agents.imagine:Imagine",
        "planner-learned": "topple.iphyre.agents.learned_planner:LearnedPlanner",
    }

    @cache  # noqa: B019 - there is one benchmark, which lives as long as the program
    def engine_hash(self) -> str:
        """The hash of the engine's behaviour at both rates; takes about half a second once."""
        both = "".join(engine_hash(rules) for rules in (AT_60_HZ, AT_10_HZ))
        return hashlib.blake2b(both.encode(), digest_size=8).hexdigest()

    def selection_from_data(self, data: Mapping[str, Any]) -> GameSelection:
        """The selection with these plain values."""
        games, split = tuple(data["games"]), Split(data["trained_on"])
        return GameSelection(games, split, data["hz"], data.get("study", ""))

    def results_from_data(self, data: Mapping[str, Any], arrays: Arrays | None) -> GameResults:
        """The results with these plain values."""
        return GameResults.from_data(data)

    def training(self, config: IPhyreConfig, runner: Runner) -> Training:
        """The training phase of a run."""
        selection = config.selection
        return Training(selection.trained_on.games, selection.rules, config.generators()[0])

    def testing(self, config: IPhyreConfig, runner: Runner) -> Testing:
        """The scored phase of a run."""
        selection = config.selection
        rng = config.generators()[1]
        return Testing(selection.scored(), selection.rules, rng, config.attempts)

    def protocol(
        self,
        config: IPhyreConfig,
        traits: Traits,
        training: Training,
        testing: Testing,
        runner: Runner,
    ) -> dict[str, Any]:
        """The strategy, the training games, and the plays."""
        return {
            "strategy": traits.strategy,
            "trained_on": config.selection.trained_on.value,
            "plays_per_game": config.attempts,
            "plays": len(testing.log),
            **({} if traits.imagination is None else {"imagined_plays": testing.imagined}),
        }

    def scored_configs(self, config: IPhyreConfig) -> list[IPhyreConfig]:
        """The runs that score a trained agent: by its best actions, and by sampling them."""
        agent: Any = create_agent(self.name, config.agent, config.settings)
        if STOCHASTIC not in agent.settings:
            return [config]
        sampled = {**config.settings, STOCHASTIC: True}
        return [config, replace(config, settings=sampled, attempts=PAPER_PLAYS)]

    def headline(self, record: IPhyreRecord) -> str:
        """The mean reward."""
        return f"reward {record.results.average.reward:.1f}"


IPHYRE = IPhyreBenchmark()
