"""The packages of Topple: which of their modules the reference shows."""

from __future__ import annotations

from typing import NamedTuple


class Package(NamedTuple):
    """What the page of a package shows."""

    title: str
    modules: str = ""  # in order, separated by spaces; none: the name is that of a module
    itself: bool = False  # whether the package has definitions of its own

    def full_names(self, name: str) -> list[str]:
        """The modules with the names of their packages in front."""
        modules = [f"topple.{name}.{module}" for module in self.modules.split()]
        return [f"topple.{name}", *modules] if self.itself or not modules else modules


#: Packages by their names in `topple`, the top layer last. Modules that are not listed here
#: are internal.
PACKAGES = {
    "edits": Package("Edits"),
    "media": Package("Media", "files sheet"),
    "runs": Package(
        "Runs",
        "benchmark agent registry settings spec config runner record training executors "
        "executors.ray",
    ),
    "reports": Package("Reports", "table statistics html"),
    "phyre": Package(
        "PHYRE",
        "tier task fold simulator task_set action attempt auccess authoring builder draft "
        "shapes own puzzle_file scramble templates features palette frames pictures engine_hash "
        "env vector_env env_slots benchmark selection results phases rows tables figures "
        "dev_figures report published",
    ),
    "phyre.scene": Package("PHYRE scenes", "codec", itself=True),
    "phyre.engine": Package(
        "PHYRE engine", "request result physics native balls world edits backend"
    ),
    "phyre.cache": Package("PHYRE outcome cache", "action_cache table grid index"),
    "phyre.agents": Package(
        "PHYRE agents",
        "rand mem optimal object_prior imagine minds dqn belief transformer scene_tokens",
    ),
    "phyre.analysis": Package("PHYRE analysis", "difficulty solvability diversity"),
    "iphyre": Package(
        "I-PHYRE",
        "game games split rules plan episode strategy score branches variants scramble game_file "
        "observe pictures sampling dataset play_log engine_hash env vector_env "
        "env_slots benchmark selection results phases tables figures report published",
    ),
    "iphyre.engine": Package("I-PHYRE engine", "scene batch native world edits"),
    "iphyre.agents": Package(
        "I-PHYRE agents",
        "rand rl_agents fusion attention_fusion outcome_data world_model decision_transformer "
        "planner learned_planner imagine classifier_accuracy sac_discrete vec_env",
    ),
    "iphyre.analysis": Package("I-PHYRE analysis", "oracle timing solvability failures"),
    "envs": Package("Environments"),
    "datasets": Package("Data sets", "spec presets builder checker read torch sample card"),
    "llm": Package(
        "Language models",
        "settings session chat endpoint limits gap transcripts verifiers_env phyre.agent "
        "iphyre.agent iphyre.gpt4_preset scripted",
    ),
    "compat": Package(
        "Original names",
        "phyre phyre.action_simulator phyre.metrics phyre.simulation phyre.simulation_cache "
        "phyre.loader phyre.simulator phyre.interface.scene.ttypes phyre.interface.task.ttypes "
        "phyre.interface.shared.ttypes phyre.creator.constants phyre.action_mappers phyre.util "
        "phyre.objects_util phyre.vis iphyre iphyre.simulator iphyre.space iphyre.games "
        "iphyre.utils iphyre.wrappers",
    ),
}
#: Packages whose pages are not made from docstrings; see player_pages and command_pages.
OTHER_PACKAGES = ("player", "cli")
