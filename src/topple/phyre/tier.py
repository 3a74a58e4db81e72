"""Tiers: what the player may place in a PHYRE scene."""

from __future__ import annotations

from enum import Enum

TEMPLATES_PER_TIER = 25
COMPONENTS_PER_BALL = 3  # x, y and radius, each from 0 to 1


class Tier(Enum):
    """A family of puzzles that share one kind of action."""

    BALL = "ball"
    TWO_BALLS = "two_balls"

    @classmethod
    def parse(cls, text: str) -> Tier:
        """The tier with this name, in upper or lower case."""
        try:
            return cls(text.lower())
        except ValueError:
            names = " or ".join(repr(tier.value) for tier in cls)
            raise ValueError(f"unknown tier {text!r}: use {names}") from None

    @property
    def balls(self) -> int:
        """How many balls an action places."""
        return 1 if self is Tier.BALL else 2

    @property
    def action_size(self) -> int:
        """How many numbers an action has."""
        return COMPONENTS_PER_BALL * self.balls

    @property
    def template_ids(self) -> tuple[str, ...]:
        """The tier's published templates, in order."""
        first = 0 if self is Tier.BALL else 100
        return tuple(f"{first + i:05d}" for i in range(TEMPLATES_PER_TIER))
