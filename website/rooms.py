"""The rooms of the package: which of their modules the reference shows."""

from __future__ import annotations

from typing import NamedTuple


class Room(NamedTuple):
    """What the page of a room shows."""

    title: str
    modules: str  # of the room, in order, between spaces

    def full_names(self, name: str) -> list[str]:
        """The modules with the package and the room in front."""
        return [f"topple.{name}.{module}" for module in self.modules.split()]


#: Every folder of the package, the bottom layer first. What is not listed here of a room is
#: its own business.
ROOMS = {
    "scene": Room("Scenes", "shapes body goal scene codec"),
    "physics": Room(
        "Physics",
        "params trajectory native balls world edits backend munk munk_scene munk_world munk_edits",
    ),
    "observe": Room(
        "Observation",
        "raster features palette frames frame_files sheet iphyre_table iphyre_frames",
    ),
    "phyre": Room(
        "PHYRE",
        "tier task fold simulator task_set result action attempt auccess authoring builder draft "
        "shapes own templates picture action_cache outcome_table engine_hash analysis.difficulty "
        "analysis.solvability analysis.diversity",
    ),
    "iphyre": Room(
        "I-PHYRE",
        "game games split rules plan episode strategy score branches variants game_file picture "
        "sampling dataset play_log analysis.oracle analysis.timing analysis.solvability "
        "analysis.failures analysis.random_agent",
    ),
    "envs": Room(
        "Environments",
        "registration phyre phyre_vector phyre_stage iphyre iphyre_vector iphyre_stage",
    ),
    "agents": Room(
        "Agents",
        "base registry settings phase phyre.rand phyre.mem phyre.optimal phyre.object_prior "
        "phyre.dqn iphyre.base iphyre.rand iphyre.rl_agents iphyre.fusion iphyre.outcome_data "
        "iphyre.world_model iphyre.decision_transformer iphyre.planner iphyre.learned_planner "
        "iphyre.gpt llm.settings llm.chat llm.endpoint llm.gap llm.limits llm.phyre.agent "
        "llm.iphyre.agent llm.iphyre.gpt4_preset llm.scripted",
    ),
    "experiments": Room(
        "Experiments",
        "config run sweep store training table2 row_file executors executors.local executors.ray "
        "game_config game_run game_training game_store classifiers studies",
    ),
    "reports": Room(
        "Reports",
        "table tables statistics breakdown figures analyses clips html published published_phyre "
        "game_tables iphyre_results iphyre_figures studies transcripts",
    ),
    "compat": Room(
        "Original names",
        "phyre phyre.action_simulator phyre.metrics phyre.simulation phyre.simulation_cache "
        "phyre.objects_util phyre.vis iphyre iphyre.simulator iphyre.games iphyre.utils "
        "iphyre.wrappers",
    ),
}
#: Rooms whose pages are of another kind; see player_pages and command_pages.
OTHER_ROOMS = ("player", "cli")
