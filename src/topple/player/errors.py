"""The errors of the player: what was asked for cannot be done, and the message says why.

They know nothing of HTTP. The application turns each into an answer of the server, and the
command line prints their messages as it does those of any other `ValueError`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class PlayerError(ValueError):
    """A request cannot be fulfilled; the message is one sentence for people."""


class InvalidError(PlayerError):
    """What was given breaks a rule."""


class UnknownPlayerError(PlayerError):
    """The request does not say who plays, or names a player who does not exist."""


class ForbiddenError(PlayerError):
    """The caller is not allowed to do this."""


class NotFoundError(PlayerError):
    """There is nothing by that name."""


class ConflictError(PlayerError):
    """The request is valid, but not in the present state, such as after the last attempt."""


class StorageFullError(PlayerError):
    """The disk of the server is full."""

    def __init__(self) -> None:
        super().__init__(
            "the disk of this server is full, so nothing was stored; the owner of the server has "
            "to free some space, and then you can try again"
        )


class DamagedError(PlayerError):
    """The database holds something that it cannot have been given."""

    def __init__(self, database: str, reason: object) -> None:
        super().__init__(
            f"{database} is damaged ({reason}); the owner of the server has to stop it and put a "
            "copy of the database in its place"
        )


class BusyError(PlayerError):
    """The server cannot do this now; the caller may try again after some seconds."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class TooManyCallsError(BusyError):
    """The caller makes too many calls."""

    def __init__(self, wait: float) -> None:
        super().__init__(f"too many calls; wait {wait:.1f} s", max(1, round(wait + 0.5)))


@contextmanager
def raised_as(error: type[ValueError], *kinds: type[Exception]) -> Iterator[None]:
    """Raise errors of some kinds as another one with the same message."""
    try:
        yield
    except kinds as found:
        raise error(str(found)) from None
