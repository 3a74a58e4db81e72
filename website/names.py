"""Links from names of the package in written pages to the reference."""

from __future__ import annotations

import re

FENCE = re.compile(r"^( *)(```+|~~~+).*?^\1\2", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"(?<![\[`])`(topple(?:\.\w+)+)`(?!`)")
MEMBER = re.compile(r"(\.[A-Z]\w*[a-z]\w*)\.[A-Z_]+$")  # of an enum: its class describes it


def link_names(text: str) -> str:
    """Link inline code such as `topple.phyre.scene.Scene`, if the reference has the name."""
    done, parts = 0, []
    for fence in FENCE.finditer(text):
        parts += [NAME.sub(_link, text[done : fence.start()]), fence[0]]
        done = fence.end()
    return "".join([*parts, NAME.sub(_link, text[done:])])


def _link(match: re.Match[str]) -> str:
    shown = match[1].replace(".", ".<wbr>")  # long names may be cut at their dots
    target = MEMBER.sub(r"\1", match[1])
    return f'<autoref identifier="{target}" optional><code>{shown}</code></autoref>'
