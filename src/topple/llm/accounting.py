"""Accounting of a run: calls, tokens, time and cost.

It is computed from the stored exchanges, so interrupted runs are counted completely, and stored
beside the record in ``accounting.json``: times and costs are not part of a record.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from topple.files import write_whole
from topple.llm.exchanges import Exchange, by_subject, read_exchanges, sent_again
from topple.llm.turns import TurnNote, read_turns

ACCOUNTING = "accounting.json"
PER = 1_000_000  # tokens that a price is for


@dataclass(frozen=True)
class Price:
    """Prices of a model for a million tokens, in any currency."""

    prompt: float
    completion: float


@dataclass
class Account:
    """The resources that a run or a part of it used.

    Attributes:
        calls: exchanges with the model.
        requests: requests sent, retries included.
        sent_again: requests that were in progress when a run was killed, and were sent again when
            it was resumed; a server without idempotency keys charges for them twice.
        prompt_tokens: prompt tokens as the server counted them.
        completion_tokens: completion tokens as the server counted them.
        uncounted: calls whose tokens the server did not report; they cost nothing here.
        model_seconds: sum of the durations of all calls.
        wall_seconds: time during which at least one call was running.
        cost: cost according to the price table; None without one.
        turns: finished turns, passed ones included.
        passed: turns without a usable answer.
        failures: replies that could not be used.
        tool_calls: number of tool calls by name.
    """

    calls: int = 0
    requests: int = 0
    sent_again: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    uncounted: int = 0
    model_seconds: float = 0.0
    wall_seconds: float = 0.0
    cost: float | None = None
    turns: int = 0
    passed: int = 0
    failures: int = 0
    tool_calls: dict[str, int] = field(default_factory=dict)


def read_prices(path: Path) -> dict[str, Price]:
    """A price table: JSON, a model's name to its prices of prompt and completion.

    Example: ``{"some-model": {"prompt": 2.5, "completion": 10.0}}``, for a million tokens each.

    Raises:
        ValueError: it is none.
    """
    form = '{"model": {"prompt": 2.5, "completion": 10}}, for a million tokens'
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        prices = {
            str(model): Price(float(row["prompt"]), float(row["completion"]))
            for model, row in data.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} is no price table; write {form}") from None
    for model, price in prices.items():
        if not (0 <= price.prompt < PER and 0 <= price.completion < PER):
            raise ValueError(f"{path}: the prices of {model!r} are no prices; write {form}")
    return prices


def account_of(
    exchanges: Iterable[Exchange], turns: Iterable[TurnNote] = (), price: Price | None = None
) -> Account:
    """Add up exchanges and turns."""
    account = Account()
    spans = []
    for exchange in exchanges:
        account.calls += 1
        account.requests += exchange.requests
        account.model_seconds += exchange.seconds
        spans.append((exchange.ended - exchange.seconds, exchange.ended))
        if exchange.reply.usage is None:
            account.uncounted += 1
        else:
            account.prompt_tokens += exchange.reply.usage.prompt
            account.completion_tokens += exchange.reply.usage.completion
    account.model_seconds = round(account.model_seconds, 3)
    account.wall_seconds = round(_covered(spans), 3)
    if price is not None:
        paid = account.prompt_tokens * price.prompt + account.completion_tokens * price.completion
        account.cost = round(paid / PER, 6)
    called: Counter[str] = Counter()
    for turn in turns:
        account.turns += 1
        account.passed += turn.answer is None
        account.failures += len(turn.failures)
        called.update(turn.calls)
    account.tool_calls = dict(sorted(called.items()))
    return account


def _covered(spans: list[tuple[float, float]]) -> float:
    """The length of time that some spans cover together."""
    total, until = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total


def write_accounting(folder: Path, model: str, prices: Mapping[str, Price] | None) -> Account:
    """Write the accounting of a run: its total, and each task or game.

    Args:
        folder: folder of the exchanges.
        model: name of the model.
        prices: price table that contains the model; None: no costs.
    """
    price = None if prices is None else prices[model]
    exchanges, turns = read_exchanges(folder), read_turns(folder)
    everything = account_of(exchanges, (turn for each in turns.values() for turn in each), price)
    everything.sent_again = sent_again(folder)
    data: dict[str, Any] = {
        "model": model,
        "answered_by": sorted({exchange.reply.model for exchange in exchanges}),
        "price": None if price is None else asdict(price),
        "total": asdict(everything),
        "subjects": {
            subject: asdict(account_of(own, turns.get(subject, ()), price))
            for subject, own in by_subject(exchanges)
        },
    }
    write_whole(folder / ACCOUNTING, json.dumps(data, indent=1) + "\n")
    return everything


def read_accounting(folder: Path) -> dict[str, Account]:
    """The accounts of a folder: "total" and each subject; empty if there are none.

    Raises:
        ValueError: the file is damaged.
    """
    path = folder / ACCOUNTING
    if not path.exists():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        rows = {"total": data["total"], **data["subjects"]}
        return {name: Account(**row) for name, row in rows.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is damaged: {error}; run the same evaluation again") from None
