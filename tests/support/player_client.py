"""What tests of the player share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi.testclient import TestClient

#: From the third version of the tables to the second, for SQLite.
TO_SECOND_VERSION = """
DROP TABLE events;
DROP INDEX participants_by_number;
DROP INDEX participants_by_free_player;
ALTER TABLE studies DROP COLUMN design;
ALTER TABLE players DROP COLUMN number;
ALTER TABLE players DROP COLUMN group_name;
ALTER TABLE players DROP COLUMN schedule;
ALTER TABLE players DROP COLUMN free_id;
ALTER TABLE players DROP COLUMN consented;
ALTER TABLE players DROP COLUMN ended;
ALTER TABLE players DROP COLUMN withdrawn;
UPDATE meta SET value = '2' WHERE name = 'schema';
"""

MakeClient = Callable[..., TestClient]


def blank(client: TestClient, benchmark: str) -> dict[str, Any]:
    """A simple puzzle to start from."""
    puzzle: dict[str, Any] = client.get(
        "/api/puzzles/blank", params={"benchmark": benchmark}
    ).json()
    return puzzle
