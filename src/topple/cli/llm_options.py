"""Options of `topple evaluate` for language models, and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topple import paths
from topple.cli.messages import Cell, show
from topple.progress import Progress
from topple.runs.agent import Setting
from topple.runs.config import RunConfig
from topple.runs.record import conversation_folder, record_path
from topple.runs.registry import create_agent
from topple.runs.runner import MakeAgent

if TYPE_CHECKING:
    from topple.llm.accounting import Account, Price
    from topple.llm.chat import Link

LLM = "llm"
KEY_VARIABLE = "TOPPLE_API_KEY"
_PANEL = "Language models (--agent llm)"
# The options that are settings of the agent.
_SETTINGS = (
    "model",
    "images",
    "keyframes",
    "tools",
    "simulations",
    "grid",
    "strategy",
    "every",
    "preset",
    "temperature",
    "max_tokens",
)


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
class LlmOptions:
    """The options of language models."""

    base_url: BaseUrl = None
    model: Model = None
    key_variable: KeyVariable = KEY_VARIABLE
    images: Images = False
    keyframes: Keyframes = None
    tools: Tools = False
    simulations: Simulations = None
    grid: GridText = None
    strategy: StrategyName = None
    every: Every = None
    preset: Preset = None
    temperature: Temperature = None
    max_tokens: MaxTokens = None
    concurrency: Concurrency = 1
    rpm: RequestRate = None
    tpm: TokenRate = None
    timeout: Timeout = 120.0
    retries: Retries = 5
    prices: Prices = None
    resume: Resume = True

    def settings(self) -> dict[str, Setting]:
        """The settings of the agent that were given."""
        given = {name: getattr(self, name) for name in _SETTINGS}
        return {name: value for name, value in given.items() if value not in (None, False)}

    def refuse(self, agent: str) -> None:
        """Refuse options that another agent has no use for.

        Raises:
            ValueError: One was given.
        """
        ways = [name for name in ("base_url", "prices", "rpm", "tpm") if getattr(self, name)]
        for name in (*ways, *self.settings()):
            option = f"--{name.replace('_', '-')}"
            raise ValueError(f"{option} is for --agent {LLM}, not {agent!r}")

    def label(self, settings: Mapping[str, Setting]) -> str:
        """A name for runs with some settings, so that reports can tell them apart."""
        others = [
            name if value is True else f"{name}={value}"
            for name, value in sorted(settings.items())
            if name != "model"
        ]
        return " ".join([LLM, str(settings["model"]), *others])

    def start(self, runs: Path) -> LlmRun:
        """Runs with these options, whose conversations are kept in a folder of runs."""
        return LlmRun(self, runs)


@dataclass(frozen=True)
class LlmRun:
    """How a model is reached, and where its conversations are kept."""

    options: LlmOptions
    runs: Path

    @property
    def resume(self) -> bool:
        """Whether an earlier run is resumed."""
        return self.options.resume

    def folder(self, config: RunConfig[Any]) -> Path:
        """The folder of a run's conversations."""
        return conversation_folder(record_path(self.runs, config))

    def connect(self, config: RunConfig[Any], progress: Progress) -> Link:
        """Get ready for a run.

        Raises:
            ValueError: an option is wrong, or the key is missing.
        """
        from topple.llm.chat import Link
        from topple.llm.endpoint import Connection
        from topple.llm.exchanges import put_aside

        if self.options.base_url is None:
            raise ValueError("agent 'llm' has no endpoint to talk to; give --base-url")
        key = paths.secret(self.options.key_variable)
        if not key and self.options.key_variable != KEY_VARIABLE:
            raise ValueError(
                f"the environment variable {self.options.key_variable!r} holds no key; set it"
            )
        connection = Connection(
            self.options.base_url,
            key,
            timeout=self.options.timeout,
            retries=self.options.retries,
            concurrency=self.options.concurrency,
            requests_per_minute=self.options.rpm,
            tokens_per_minute=self.options.tpm,
        )
        self._price_table(str(config.settings["model"]))  # better now than when all is paid
        if not self.resume:
            put_aside(self.folder(config))
        return Link(connection, self.folder(config), progress)

    def make(self, progress: Progress) -> MakeAgent:
        """A function that makes agents with a connection to the model."""
        return lambda config: create_agent(
            config.benchmark,
            config.agent,
            {**config.settings, "link": self.connect(config, progress)},
        )

    def account(self, config: RunConfig[Any]) -> Account:
        """What a run took, written beside its record."""
        from topple.llm.accounting import write_accounting

        model = str(config.settings["model"])
        return write_accounting(self.folder(config), model, self._price_table(model))

    def _price_table(self, model: str) -> dict[str, Price] | None:
        from topple.llm.accounting import read_prices

        if self.options.prices is None:
            return None
        prices = read_prices(self.options.prices)
        if model not in prices:
            raise ValueError(
                f"{self.options.prices} has no price of {model!r}; it has {', '.join(prices)}"
            )
        return prices


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
