"""How a player does in the I-PHYRE games, beside people and agents of the paper."""

from __future__ import annotations

from statistics import fmean

from topple.iphyre.published import (
    IPHYRE_CITATION,
    IPHYRE_HUMAN,
    IPHYRE_ORACLE,
    IPHYRE_TABLE_A2,
    IPHYRE_TABLE_A4_PLAYERS,
    iphyre_table_a4,
)
from topple.iphyre.split import Split
from topple.player.games import counted_rewards
from topple.player.models.base import Benchmark
from topple.player.models.iphyre import GameStanding, SplitStanding
from topple.player.people import Person, tallies
from topple.player.store import Store


def published_rewards(split: Split) -> dict[str, float]:
    """Mean rewards over a split, as the paper has them: Table 2, A4 or A2."""
    table = iphyre_table_a4()
    if any(game.name not in table for game in split.games):
        return {name: row[split] for name, row in IPHYRE_TABLE_A2.items() if split in row}
    rewards = {"Human": IPHYRE_HUMAN[split], "Oracle": IPHYRE_ORACLE[split]}
    for name in IPHYRE_TABLE_A4_PLAYERS:
        if name not in rewards:
            rewards[name] = round(fmean(table[game.name][name] for game in split.games), 2)
    return rewards


def game_standing(store: Store, person: Person) -> GameStanding:
    """A player's averages by split, over the games they played."""
    with store.reading() as session:
        rewards = counted_rewards(session, person)
        done = tallies(session, person.id, Benchmark.IPHYRE)
    splits = []
    for split in Split:
        names = [game.name for game in split.games if rewards.get(game.name)]
        played = [rewards[name] for name in names]
        splits.append(
            SplitStanding(
                split=split.value,
                games=len(names),
                of=len(split.games),
                mean_reward=fmean(map(fmean, played)) if played else None,
                best_reward=fmean(map(max, played)) if played else None,
                success_rate=fmean(done[name].solved for name in names) if names else None,
                others=published_rewards(split),
            )
        )
    return GameStanding(splits=splits, source=IPHYRE_CITATION)
