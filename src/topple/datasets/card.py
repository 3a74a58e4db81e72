"""Data cards: what a data set holds, for people, and for the Hub of Hugging Face."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_PICTURES = {"parquet": ".parquet", "arrow": ".arrow", "webdataset": ".tar"}


def card_text(manifest: Mapping[str, Any]) -> str:
    """The card of a data set, in Markdown; the same for the same data set."""
    spec, splits = manifest["spec"], manifest["splits"]
    benchmark = {"phyre": "PHYRE", "iphyre": "I-PHYRE"}[spec["benchmark"]]
    lines = [
        *_front_matter(manifest),
        f"# {manifest['name']}",
        "",
        f"Attempts on {benchmark} puzzles, simulated by Topple {manifest['topple']} "
        f"(engine {manifest['engine']}), in the format `{spec['format']}`, seed {spec['seed']}.",
        "",
        "| split | tasks | attempts | solved | invalid | size |",
        "|---|---|---|---|---|---|",
        *(_split_row(name, split) for name, split in splits.items()),
        "",
        _honesty(spec),
        "",
        "How attempts were drawn: "
        + "; ".join(f"{name}: {_draws(split)}" for name, split in splits.items())
        + ".",
        "",
        "## Fields",
        "",
        "| field | type | shape | contents |",
        "|---|---|---|---|",
        *(_field_row(name, field) for name, field in manifest["fields"].items()),
        "",
        "## Spec",
        "",
        "```json",
        json.dumps(spec, indent=2),
        "```",
        "",
        "## Check",
        "",
        "`topple dataset check DIR` compares the checksums below, which `dataset.json` lists in "
        "full, and simulates some attempts again to compare every array to the bit.",
        "",
        "| files | attempts | SHA-256 |",
        "|---|---|---|",
        *(
            f"| {', '.join(shard['files'])} | {shard['samples']} | {shard['sha256'][:16]}… |"
            for shard in manifest["shards"][:20]
        ),
        "",
        *([f"… and {len(manifest['shards']) - 20} more."] if len(manifest["shards"]) > 20 else []),
        "## Licence",
        "",
        f"{manifest['licence']}, like Topple. The puzzles are those of {benchmark}; please cite "
        "its paper.",
        "",
    ]
    return "\n".join(lines)


def _front_matter(manifest: Mapping[str, Any]) -> list[str]:
    """What ``datasets.load_dataset`` has to know to find the splits."""
    ending = _PICTURES.get(manifest["spec"]["format"])
    lines = ["---", "license: apache-2.0", f"pretty_name: {manifest['name']}"]
    if ending:
        lines += ["configs:", "- config_name: default", "  data_files:"]
        for split in manifest["splits"]:
            lines += [f"  - split: {split}", f"    path: {split}-*{ending}"]
    return [*lines, "---", ""]


def _split_row(name: str, split: Mapping[str, Any]) -> str:
    count = max(1, split["samples"])
    shares = [
        f"{100 * split['outcomes'].get(word, 0) / count:.1f} %" for word in ("solved", "invalid")
    ]
    size = split["bytes"] / 1e6
    return (
        f"| {name} | {split['tasks']} | {split['samples']} | {' | '.join(shares)} | {size:.1f} MB |"
    )


def _honesty(spec: Mapping[str, Any]) -> str:
    tasks = spec["tasks"]
    if tasks["setup"]:
        return (
            f"Splits are the parts of fold {tasks['fold']} of {tasks['setup']}, so no task, and "
            "across templates no template, is in two of them."
        )
    return "Splits were named task by task; no task is in two of them."


def _draws(split: Mapping[str, Any]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in split["draws"].items()) or "none"


def _field_row(name: str, field: Mapping[str, Any]) -> str:
    sizes = ["any" if size is None else str(size) for size in field["shape"]]
    return f"| `{name}` | {field['dtype']} | {' x '.join(sizes)} | {field['about']} |"
