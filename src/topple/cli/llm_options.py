"""Options of `topple evaluate` for language models, and what they mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topple import paths
from topple.cli.messages import Cell, show
from topple.iphyre.phases import GameAgent
from topple.progress import Progress
from topple.runs.agent import Agent
from topple.runs.config import RunConfig, Setting
from topple.runs.game_config import GameRunConfig
from topple.runs.record_files import beside
from topple.runs.registry import create_agent, create_game_agent

if TYPE_CHECKING:
    from topple.llm.accounting import Account, Price
    from topple.llm.chat import Link

LLM = "llm"
KEY_VARIABLE = "TOPPLE_API_KEY"
_PANEL = "Language models (--agent llm)"


def _option(*names: str, **words: Any) -> Any:
    return typer.Option(*names, rich_help_panel=_PANEL, **words)


BaseUrl = Annotated[
    str | None,
    _option(
        "--base-url", help="URL of an OpenAI-compatible endpoint; /v1 is added if it has no path."
    ),
]
Model = Annotated[str | None, _option("--model", help="Name of the model at the endpoint.")]
KeyVariable = Annotated[
    str,
    _option(
        "--key-variable", help="Environment variable that contains the API key, if one is needed."
    ),
]
Images = Annotated[bool, _option("--images", help="Also send pictures of the scenes.")]
Keyframes = Annotated[
    int | None,
    _option("--keyframes", help="Number of pictures of the last attempt to send with --images."),
]
Tools = Annotated[
    bool, _option("--tools", help="Let the model call the tools inspect and propose.")
]
Simulations = Annotated[
    int | None,
    _option("--simulations", help="Number of simulate calls allowed on each task with --tools."),
]
GridText = Annotated[
    str | None, _option("--grid", help="PHYRE grid of actions to choose from, such as 5x5x5.")
]
StrategyName = Annotated[
    str | None, _option("--strategy", help="I-PHYRE strategy: in_advance, combined or on_the_fly.")
]
Every = Annotated[
    float | None,
    _option("--every", help="Seconds between two I-PHYRE questions with the strategy on_the_fly."),
]
Preset = Annotated[
    str | None, _option("--preset", help="I-PHYRE preset: iphyre-gpt4, the baseline of the paper.")
]
Temperature = Annotated[
    float | None,
    _option("--temperature", help="Sampling temperature. The default is that of the server."),
]
MaxTokens = Annotated[
    int | None, _option("--max-tokens", help="Maximum number of tokens of an answer.")
]
Concurrency = Annotated[
    int, _option("--concurrency", min=1, help="Number of tasks or games to work on concurrently.")
]
RequestRate = Annotated[
    int | None, _option("--rpm", min=1, help="Maximum number of requests per minute.")
]
TokenRate = Annotated[
    int | None, _option("--tpm", min=1, help="Maximum number of tokens per minute.")
]
Timeout = Annotated[float, _option("--timeout", help="Seconds to wait for an answer.")]
Retries = Annotated[
    int, _option("--retries", help="Number of times to repeat a request that failed temporarily.")
]
Prices = Annotated[
    Path | None,
    _option("--prices", help="JSON file that maps each model to its prices per million tokens."),
]
Resume = Annotated[
    bool,
    _option(
        "--resume/--no-resume", help="Whether to resume an earlier run or to ask everything again."
    ),
]


@dataclass(frozen=True)
class LlmRun:
    """How a model is reached, and where what it says is kept."""

    base_url: str | None
    key_variable: str
    concurrency: int
    requests_per_minute: int | None
    tokens_per_minute: int | None
    timeout: float
    retries: int
    prices: Path | None
    resume: bool
    runs: Path

    def folder(self, config: RunConfig | GameRunConfig) -> Path:
        """Of a run's exchanges."""
        return beside(self.runs / config.name)

    def start(self, config: RunConfig | GameRunConfig, progress: Progress) -> Link:
        """Get ready for a run.

        Raises:
            ValueError: an option is wrong, or the key is missing.
        """
        from topple.llm.chat import Link
        from topple.llm.endpoint import Connection
        from topple.llm.exchanges import put_aside

        if self.base_url is None:
            raise ValueError("agent 'llm' has no endpoint to talk to; give --base-url")
        key = paths.secret(self.key_variable)
        if not key and self.key_variable != KEY_VARIABLE:
            raise ValueError(f"the environment variable {self.key_variable!r} holds no key; set it")
        connection = Connection(
            self.base_url,
            key,
            timeout=self.timeout,
            retries=self.retries,
            concurrency=self.concurrency,
            requests_per_minute=self.requests_per_minute,
            tokens_per_minute=self.tokens_per_minute,
        )
        self._price_table(str(config.settings["model"]))  # better now than when all is paid
        if not self.resume:
            put_aside(self.folder(config))
        return Link(connection, self.folder(config), progress)

    def phyre(self, progress: Progress) -> Callable[[RunConfig], Agent]:
        """Makes agents of PHYRE."""
        return lambda config: create_agent(
            config.agent, {**config.settings, "link": self.start(config, progress)}
        )

    def iphyre(self, progress: Progress) -> Callable[[GameRunConfig], GameAgent]:
        """Makes agents of I-PHYRE."""
        return lambda config: create_game_agent(
            config.agent, {**config.settings, "link": self.start(config, progress)}
        )

    def account(self, config: RunConfig | GameRunConfig) -> Account:
        """What a run took, written beside its record."""
        from topple.llm.accounting import write_accounting

        model = str(config.settings["model"])
        return write_accounting(self.folder(config), model, self._price_table(model))

    def _price_table(self, model: str) -> dict[str, Price] | None:
        from topple.llm.accounting import read_prices

        if self.prices is None:
            return None
        prices = read_prices(self.prices)
        if model not in prices:
            raise ValueError(f"{self.prices} has no price of {model!r}; it has {', '.join(prices)}")
        return prices


def llm_settings(given: Mapping[str, Setting]) -> dict[str, Setting]:
    """The settings among some options: those that were given."""
    return {
        name: value for name, value in given.items() if value is not None and value is not False
    }


def llm_label(settings: Mapping[str, Setting]) -> str:
    """A name for runs with some settings, so that reports can tell them apart."""
    others = [
        name if value is True else f"{name}={value}"
        for name, value in sorted(settings.items())
        if name != "model"
    ]
    return " ".join([LLM, str(settings["model"]), *others])


def show_accounts(accounts: Mapping[str, Account]) -> None:
    """Print what runs took, by their names."""
    rows: list[list[Cell]] = []
    for name in ("calls", "requests", "prompt_tokens", "completion_tokens", "turns", "passed"):
        rows.append([name.replace("_", " "), *(getattr(each, name) for each in accounts.values())])
    rows.append(["failed replies", *(account.failures for account in accounts.values())])
    rows.append(["model seconds", *(account.model_seconds for account in accounts.values())])
    rows.append(["wall seconds", *(account.wall_seconds for account in accounts.values())])
    for tool in sorted({tool for account in accounts.values() for tool in account.tool_calls}):
        used = (account.tool_calls.get(tool, 0) for account in accounts.values())
        rows.append([f"calls of {tool}", *used])
    if any(account.cost is not None for account in accounts.values()):
        rows.append(["cost", *(account.cost for account in accounts.values())])
    show("What the model took", ("", *accounts), rows)
