"""The navigation of the site: the order of its pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple


class Folder(NamedTuple):
    """The pages of a folder: those listed here in this order, then the others by name."""

    path: str
    first: tuple[str, ...] = ()

    def pages(self, docs: Path) -> list[str]:
        """Their paths in `docs`."""
        there = sorted(path.stem for path in (docs / self.path).glob("*.md"))
        order = [*(name for name in self.first if name in there)]
        order += [name for name in there if name not in order]
        return [f"{self.path}/{name}.md" for name in order]


TUTORIALS = Folder(
    "tutorials",
    (
        "index",
        "first_attempt",
        "first_agent",
        "own_learner",
        "first_game",
        "first_template",
        "scoring",
        "world_model",
        "human_study",
        "language_model",
        "cluster",
    ),
)
GUIDES = Folder(
    "guides",
    (
        "phyre",
        "iphyre",
        "interventions",
        "own_puzzles",
        "own_agent",
        "evaluation",
        "dqn",
        "transformer",
        "iphyre_learners",
        "iphyre_models",
        "datasets",
        "llm",
        "cluster",
        "gpu",
        "player",
        "site",
        "studies",
        "player_api",
        "browser_engine",
        "command_line",
    ),
)
RESULTS = Folder(
    "results",
    (
        "index",
        "phyre_baselines",
        "dqn",
        "transformer",
        "imagine",
        "iphyre_agents",
        "iphyre_models",
        "iphyre_imagine",
        "oracle_and_timing",
        "per_game",
    ),
)
MIGRATING = Folder("migrating", ("phyre", "iphyre"))
DECISIONS = Folder("decisions")


def site_nav(
    docs: Path, environments: list[Any], puzzles: list[Any], reference: list[Any]
) -> list[Any]:
    """The value of `nav` for MkDocs; a folder without pages has no entry."""
    sections: dict[str, Any] = {
        "Home": "index.md",
        "Tutorials": TUTORIALS.pages(docs),
        "Guides": GUIDES.pages(docs),
        "Environments": environments,
        "Puzzles": puzzles,
        "Migrating": MIGRATING.pages(docs),
        "Physics and exactness": "physics.md",
        "Performance": "performance.md",
        "Reliability": "reliability.md",
        "Results": RESULTS.pages(docs),
        "Differences": "differences.md",
        "Architecture": "architecture.md",
        "Reference": reference,
        "Decisions": DECISIONS.pages(docs),
    }
    return [{title: pages} for title, pages in sections.items() if pages]
