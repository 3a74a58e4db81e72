"""Language models in `topple evaluate`: their options, connections and accounts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer
from rich.table import Table

from topple import paths
from topple.cli.groups import Flag
from topple.cli.output import Cell, rich_table
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
_CONNECTION = ("base_url", "prices", "rpm", "tpm")


@dataclass(frozen=True)
class LlmSettings:
    """The options of language models that are settings of the agent.

    Options:
        model: Name of the model at the endpoint.
        images: Also send pictures of the scenes.
        keyframes: Number of pictures of the last attempt to send with --images.
        labels: Add a grid and the names of bodies to pictures.
        keyframes_by: Choice of keyframes: time, evenly spaced, or contacts, when bodies touch.
        feedback: What the model is told of its attempts: outcome, what_happened, or events (all of
            it).
        dialogue: Go on in one conversation instead of summing up earlier attempts.
        tools: Let the model call tools: inspect, contacts, look, propose.
        simulations: Number of simulate calls allowed on each task with --tools.
        grid: PHYRE grid of actions to choose from, such as 5x5x5.
        strategy: I-PHYRE strategy: in_advance, combined or on_the_fly.
        every: Seconds between two I-PHYRE questions with the strategy on_the_fly.
        preset: Protocol: topple, or that of a paper: deepphy-5x5x5 or deepphy-8x8x8 for PHYRE,
            deepphy or iphyre-gpt4 for I-PHYRE.
        temperature: Sampling temperature. The default is that of the server.
        max_tokens: Maximum number of tokens of an answer.
    """

    panel: ClassVar[str] = "Language models (--agent llm)"

    model: str | None = None
    images: Flag = False
    keyframes: int | None = None
    labels: Flag = False
    keyframes_by: str | None = None
    feedback: str | None = None
    dialogue: Flag = False
    tools: Flag = False
    simulations: int | None = None
    grid: str | None = None
    strategy: str | None = None
    every: float | None = None
    preset: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True)
class LlmOptions(LlmSettings):
    """All options of language models: the settings, and how the model is reached.

    Options:
        base_url: URL of an OpenAI-compatible endpoint; /v1 is added if it has no path.
        key_variable: Environment variable that contains the API key, if one is needed.
        concurrency: Number of tasks or games to work on concurrently.
        rpm: Maximum number of requests per minute.
        tpm: Maximum number of tokens per minute.
        timeout: Seconds to wait for an answer.
        retries: Number of times to repeat a request that failed temporarily.
        prices: JSON file that maps each model to its prices per million tokens.
        resume: Whether to resume an earlier run or to ask everything again.
    """

    base_url: str | None = None
    key_variable: str = KEY_VARIABLE
    concurrency: Annotated[int, typer.Option(min=1)] = 1
    rpm: Annotated[int | None, typer.Option(min=1)] = None
    tpm: Annotated[int | None, typer.Option(min=1)] = None
    timeout: float = 120.0
    retries: int = 5
    prices: Path | None = None
    resume: bool = True

    def settings(self) -> dict[str, Setting]:
        """Return the settings of the agent that were given."""
        given = {field.name: getattr(self, field.name) for field in fields(LlmSettings)}
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


def account_table(accounts: Mapping[str, Account]) -> Table:
    """Return the requests, tokens, seconds and cost of runs by their names."""
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
    return rich_table("Use of the model", ("", *accounts), rows)
