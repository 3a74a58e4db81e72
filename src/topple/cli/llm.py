"""Language models in `topple evaluate`: their options, connections and accounts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topple import paths
from topple.cli.output import Cell, show
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
# The options that are settings of the agent, and those that say how it is reached.
_SETTINGS = (
    "model",
    "images",
    "labels",
    "keyframes",
    "keyframes_by",
    "feedback",
    "dialogue",
    "tools",
    "simulations",
    "grid",
    "strategy",
    "every",
    "preset",
    "temperature",
    "max_tokens",
)
_CONNECTION = ("base_url", "prices", "rpm", "tpm")


def _option(help: str, *names: str, min: int | None = None) -> Any:
    return typer.Option(*names, help=help, min=min, rich_help_panel="Language models (--agent llm)")


@dataclass(frozen=True)
class LlmOptions:
    """The options of language models."""

    base_url: Annotated[
        str | None,
        _option("URL of an OpenAI-compatible endpoint; /v1 is added if it has no path."),
    ] = None
    model: Annotated[str | None, _option("Name of the model at the endpoint.")] = None
    key_variable: Annotated[
        str, _option("Environment variable that contains the API key, if one is needed.")
    ] = KEY_VARIABLE
    images: Annotated[bool, _option("Also send pictures of the scenes.", "--images")] = False
    keyframes: Annotated[
        int | None, _option("Number of pictures of the last attempt to send with --images.")
    ] = None
    labels: Annotated[
        bool, _option("Add a grid and the names of bodies to pictures.", "--labels")
    ] = False
    keyframes_by: Annotated[
        str | None,
        _option("Choice of keyframes: time, evenly spaced, or contacts, when bodies touch."),
    ] = None
    feedback: Annotated[
        str | None,
        _option(
            "What the model is told of its attempts: outcome, what_happened, or events (all of it)."
        ),
    ] = None
    dialogue: Annotated[
        bool,
        _option("Go on in one conversation instead of summing up earlier attempts.", "--dialogue"),
    ] = False
    tools: Annotated[
        bool, _option("Let the model call tools: inspect, contacts, look, propose.", "--tools")
    ] = False
    simulations: Annotated[
        int | None, _option("Number of simulate calls allowed on each task with --tools.")
    ] = None
    grid: Annotated[str | None, _option("PHYRE grid of actions to choose from, such as 5x5x5.")] = (
        None
    )
    strategy: Annotated[
        str | None, _option("I-PHYRE strategy: in_advance, combined or on_the_fly.")
    ] = None
    every: Annotated[
        float | None,
        _option("Seconds between two I-PHYRE questions with the strategy on_the_fly."),
    ] = None
    preset: Annotated[
        str | None,
        _option(
            "Protocol: topple, or that of a paper: deepphy-5x5x5 or deepphy-8x8x8 for PHYRE, "
            "deepphy or iphyre-gpt4 for I-PHYRE."
        ),
    ] = None
    temperature: Annotated[
        float | None, _option("Sampling temperature. The default is that of the server.")
    ] = None
    max_tokens: Annotated[int | None, _option("Maximum number of tokens of an answer.")] = None
    concurrency: Annotated[
        int, _option("Number of tasks or games to work on concurrently.", min=1)
    ] = 1
    rpm: Annotated[int | None, _option("Maximum number of requests per minute.", min=1)] = None
    tpm: Annotated[int | None, _option("Maximum number of tokens per minute.", min=1)] = None
    timeout: Annotated[float, _option("Seconds to wait for an answer.")] = 120.0
    retries: Annotated[
        int, _option("Number of times to repeat a request that failed temporarily.")
    ] = 5
    prices: Annotated[
        Path | None, _option("JSON file that maps each model to its prices per million tokens.")
    ] = None
    resume: Annotated[
        bool, _option("Whether to resume an earlier run or to ask everything again.")
    ] = True

    def settings(self) -> dict[str, Setting]:
        """Return the settings of the agent that were given."""
        given = {name: getattr(self, name) for name in _SETTINGS}
        # A temperature of 0 is given, though it equals False.
        return {
            name: value for name, value in given.items() if value is not None and value is not False
        }

    def refuse(self, agent: str) -> None:
        """Refuse these options for an agent that has no use for them.

        Raises:
            ValueError: One of them was given.
        """
        for name in (*(name for name in _CONNECTION if getattr(self, name)), *self.settings()):
            raise ValueError(f"--{name.replace('_', '-')} is for --agent {LLM}, not {agent!r}")


def llm_label(settings: Mapping[str, Setting]) -> str:
    """Return a label that distinguishes runs with different settings in reports."""
    others = [
        name if value is True else f"{name}={value}"
        for name, value in sorted(settings.items())
        if name != "model"
    ]
    return " ".join([LLM, str(settings["model"]), *others])


@dataclass(frozen=True)
class LlmRun:
    """How a model is reached, and where its conversations are stored."""

    options: LlmOptions
    runs: Path

    def folder(self, config: RunConfig[Any]) -> Path:
        """Return the folder of a run's conversations."""
        return conversation_folder(record_path(self.runs, config))

    def connect(self, config: RunConfig[Any], progress: Progress) -> Link:
        """Connect to the model for a run.

        Raises:
            ValueError: An option is wrong, or the key is missing.
        """
        from topple.llm.exchanges import put_aside

        try:
            from topple.llm.chat import Link
            from topple.llm.endpoint import Connection
        except ImportError as error:
            raise ValueError(str(error)) from None

        if self.options.base_url is None:
            raise ValueError("agent 'llm' needs an endpoint; give --base-url")
        key = paths.secret(self.options.key_variable)
        if not key and self.options.key_variable != KEY_VARIABLE:
            raise ValueError(
                f"the environment variable {self.options.key_variable!r} is empty; set it"
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
        self._price_table(str(config.settings["model"]))  # so that a missing price costs no request
        if not self.options.resume:
            put_aside(self.folder(config))
        return Link(connection, self.folder(config), progress)

    def make(self, progress: Progress) -> MakeAgent:
        """Return a function that creates agents connected to the model."""
        return lambda config: create_agent(
            config.benchmark,
            config.agent,
            {**config.settings, "link": self.connect(config, progress)},
        )

    def account(self, config: RunConfig[Any]) -> Account:
        """Count the requests, tokens and cost of a run, and write them beside its record."""
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
                f"{self.options.prices} has no price for {model!r}, only for {', '.join(prices)}"
            )
        return prices


def show_accounts(accounts: Mapping[str, Account]) -> None:
    """Print the requests, tokens, seconds and cost of runs by their names."""
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
    show("Use of the model", ("", *accounts), rows)
