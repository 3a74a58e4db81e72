"""`topple dataset`: build data sets of attempts and check them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from topple.cli import complete
from topple.cli.errors import CHECK_FAILED, needs_extra, resumable, user_errors
from topple.cli.groups import HelpfulGroup
from topple.cli.options import Backend, Cluster, Json, Seed, option_groups, out_folder
from topple.cli.output import show, show_json
from topple.cli.progress import progress_bar
from topple.datasets.builder import Progress, estimate, read_manifest
from topple.datasets.builder import build as build_dataset
from topple.datasets.checker import check as check_dataset
from topple.datasets.plan import choose_backend
from topple.datasets.presets import about, find_spec, preset_names
from topple.datasets.spec import parse_values
from topple.phyre.engine.backend import check_backend
from topple.runs.executors import Executor
from topple.runs.executors.local import LocalExecutor
from topple.runs.executors.processes import ProcessExecutor
from topple.threads import default_threads

app = typer.Typer(cls=HelpfulGroup, add_completion=False)

_MEGABYTE = 1e6
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the data set.")]


@app.callback()
def _group() -> None:
    """Build data sets of PHYRE and I-PHYRE attempts, and check them.

    A spec is a TOML file or a preset. It names tasks, how attempts are drawn,
    what is kept of them and the format: Parquet, WebDataset, HDF5 or Minari.

    Examples:
      topple dataset build states --out data/states --dry-run

      topple dataset check data/states
    """


@app.command()
@option_groups
def build(
    *,
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help="TOML file, or name of a preset listed by `topple dataset presets`.",
            autocompletion=complete.one_of(complete.presets),
        ),
    ],
    out: Annotated[Path, out_folder("the data set")],
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--field",
            "-f",
            help="Value of a field of the spec as NAME=VALUE, such as keep.rgb=128. Can be "
            "repeated.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Number of processes. The default is one per core."),
    ] = None,
    backend: Backend = "cpu",
    cluster: Cluster,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Estimate size and time from a few attempts, and stop."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Build a data set.

    An interrupted build resumes with the first unfinished shard and gives the
    same bytes, on any number of workers.

    Examples:
      topple dataset build states --out data/states --dry-run

      topple dataset build my_spec.toml --out data/mine --workers 8

      topple dataset build states --out data/small -f tasks.limit=10 -f keep.rgb=64
    """
    with user_errors(), resumable():
        chosen = find_spec(spec).with_values(parse_values(fields or []))
        device = choose_backend(chosen, check_backend(backend))
        count = workers or default_threads()
        if dry_run:
            expected = estimate(chosen, 1 if device == "cuda" else count, backend=device)
            _show_estimate(expected._asdict(), as_json)
            return
        alone = device == "cuda" or (count == 1 and not cluster.remote)
        executor = _executor(cluster, None if alone else count)
        try:
            with progress_bar("attempts") as bar:

                def report(progress: Progress) -> None:
                    bar.describe(f"attempts, {progress.size / _MEGABYTE:,.1f} MB")
                    bar.report(progress.samples, progress.places)

                manifest = build_dataset(
                    chosen,
                    out,
                    executor=executor,
                    backend=device,
                    threads=None if device == "cuda" else 1,
                    progress=report,
                )
        finally:
            executor.close()
    _show_splits(out, manifest, as_json)


def _executor(cluster: Cluster, workers: int | None) -> Executor:
    """Open the executor that makes the shards: this process, some processes, or a cluster."""
    if cluster.remote:
        with needs_extra("a Ray cluster", "ray"):
            from topple.runs.executors.ray import RayExecutor
        return RayExecutor(cluster.address)
    return LocalExecutor() if workers is None else ProcessExecutor(workers)


def _show_estimate(expected: dict[str, Any], as_json: bool) -> None:
    if as_json:
        show_json(expected)
        return
    minutes = expected["seconds"] / 60
    typer.echo(
        f"at most {expected['samples']:,} attempts in {expected['shards']:,} shards, about "
        f"{expected['size'] / _MEGABYTE:,.1f} MB, about {minutes:,.1f} minutes with "
        f"{expected['workers']} workers"
    )


def _show_splits(folder: Path, manifest: dict[str, Any], as_json: bool) -> None:
    rows = [
        (
            name,
            split["tasks"],
            split["samples"],
            split["outcomes"].get("solved", 0),
            split["outcomes"].get("invalid", 0),
            split["bytes"],
        )
        for name, split in manifest["splits"].items()
    ]
    header = ("split", "tasks", "attempts", "solved", "invalid", "bytes")
    show(f"Data set {folder}", header, rows, as_json)


@app.command()
def check(
    folder: Folder,
    attempts: Annotated[
        int, typer.Option("--attempts", min=0, help="Number of attempts to simulate again.")
    ] = 64,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Compare a data set with its checksums and, for a sample, with the engine.

    Every kept array of the sampled attempts is compared to the bit. The exit
    status is 1 if anything differs.

    Examples:
      topple dataset check data/states --attempts 1000
    """
    with user_errors(), progress_bar("shards", stays=False) as bar:
        report = check_dataset(folder, attempts, seed, progress=bar.report)
    faults = [{"where": fault.where, "what": fault.what} for fault in report.faults]
    if as_json:
        show_json({**report._asdict(), "faults": faults})
    else:
        for fault in report.faults:
            typer.echo(f"{fault.where}: {fault.what}")
        typer.echo(
            f"{report.shards} shards, {report.samples} attempts simulated again, "
            f"{report.arrays} fields compared, {len(faults)} faults"
        )
    if faults:
        raise typer.Exit(CHECK_FAILED)


@app.command()
def card(folder: Folder, as_json: Json = False) -> None:
    """Print the splits of a data set with their counts.

    Examples:
      topple dataset card data/states
    """
    with user_errors():
        manifest = read_manifest(folder)
    if as_json:
        show_json(manifest)
    else:
        _show_splits(folder, manifest, as_json)


@app.command()
def presets(as_json: Json = False) -> None:
    """List the presets: specs with the shape of data sets that papers used.

    Examples:
      topple dataset presets
    """
    rows = [(name, find_spec(name).format, about(name)) for name in preset_names()]
    show("Presets", ("preset", "format", "contents"), rows, as_json)
