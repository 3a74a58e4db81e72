"""`topple dataset`: build data sets of attempts and check them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from topple.cli import complete
from topple.cli.errors import resumable
from topple.cli.groups import App, Flag
from topple.cli.options import Backend, Cluster, Seed, out_folder
from topple.cli.output import Output, listing
from topple.cli.progress import progress_bar
from topple.cli.runner import executor_of
from topple.datasets.builder import Progress, estimate, read_manifest
from topple.datasets.builder import build as build_dataset
from topple.datasets.checker import check as check_dataset
from topple.datasets.plan import choose_backend
from topple.datasets.presets import about, find_spec, preset_names
from topple.datasets.spec import parse_values
from topple.phyre.engine.backend import check_backend
from topple.threads import default_threads

app = App(
    """Build data sets of PHYRE and I-PHYRE attempts, and check them.

    A spec is a TOML file or a preset. It names tasks, how attempts are drawn,
    what is kept of them and the format: Parquet, WebDataset, HDF5 or Minari.

    Examples:
      topple dataset build states --out data/states --dry-run
      topple dataset check data/states
    """
)

_MEGABYTE = 1e6
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the data set.")]


@app.command()
@resumable()
def build(
    *,
    spec: Annotated[
        str, typer.Argument(metavar="SPEC", autocompletion=complete.one_of(complete.presets))
    ],
    out: Annotated[Path, out_folder("the data set")],
    fields: Annotated[list[str] | None, typer.Option("--field", "-f")] = None,
    workers: Annotated[int | None, typer.Option(min=1)] = None,
    backend: Backend = "cpu",
    cluster: Cluster,
    dry_run: Flag = False,
) -> Output:
    """Build a data set.

    An interrupted build resumes with the first unfinished shard and gives the
    same bytes, on any number of workers.

    Options:
        spec: TOML file, or name of a preset listed by `topple dataset presets`.
        fields: Value of a field of the spec as NAME=VALUE, such as keep.rgb=128. Can be repeated.
        workers: Number of processes. The default is one per core.
        dry_run: Estimate size and time from a few attempts, and stop.

    Examples:
      topple dataset build states --out data/states --dry-run
      topple dataset build my_spec.toml --out data/mine --workers 8
      topple dataset build states --out data/small -f tasks.limit=10 -f keep.rgb=64
    """
    chosen = find_spec(spec).with_values(parse_values(fields or []))
    device = choose_backend(chosen, check_backend(backend))
    workers = 1 if device == "cuda" else workers or default_threads()
    if dry_run:
        expected = estimate(chosen, workers, backend=device)
        return _estimate_output(expected._asdict())
    with executor_of(cluster, workers) as executor, progress_bar("attempts") as bar:

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
    return _split_listing(out, manifest)


def _estimate_output(expected: dict[str, Any]) -> Output:
    minutes = expected["seconds"] / 60
    return Output(
        expected,
        f"at most {expected['samples']:,} attempts in {expected['shards']:,} shards, about "
        f"{expected['size'] / _MEGABYTE:,.1f} MB, about {minutes:,.1f} minutes with "
        f"{expected['workers']} workers",
    )


def _split_listing(folder: Path, manifest: dict[str, Any]) -> Output:
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
    return listing(f"Data set {folder}", header, rows)


@app.command()
def check(
    folder: Folder,
    attempts: Annotated[int, typer.Option(min=0)] = 64,
    seed: Seed = 0,
) -> Output:
    """Compare a data set with its checksums and, for a sample, with the engine.

    Every kept array of the sampled attempts is compared to the bit. The exit
    status is 1 if anything differs.

    Options:
        attempts: Number of attempts to simulate again.

    Examples:
      topple dataset check data/states --attempts 1000
    """
    with progress_bar("shards", stays=False) as bar:
        report = check_dataset(folder, attempts, seed, progress=bar.report)
    faults = [{"where": fault.where, "what": fault.what} for fault in report.faults]
    return Output(
        {**report._asdict(), "faults": faults},
        *(f"{fault.where}: {fault.what}" for fault in report.faults),
        f"{report.shards} shards, {report.samples} attempts simulated again, "
        f"{report.arrays} fields compared, {len(faults)} faults",
        failed=bool(faults),
    )


@app.command()
def card(folder: Folder) -> Output:
    """Print the splits of a data set with their counts.

    Examples:
      topple dataset card data/states
    """
    manifest = read_manifest(folder)
    return Output(manifest, *_split_listing(folder, manifest).parts)


@app.command()
def presets() -> Output:
    """List the presets: specs with the shape of data sets that papers used.

    Examples:
      topple dataset presets
    """
    rows = [(name, find_spec(name).format, about(name)) for name in preset_names()]
    return listing("Presets", ("preset", "format", "contents"), rows)
