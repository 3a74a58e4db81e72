"""Reference: the comment after a field or a constant becomes its description.

The package writes `hz: int  # ticks per second`, and griffe reads docstrings only. Fields of a
record and members of an enum are listed in the description of their class.
"""

from __future__ import annotations

import ast
import io
import tokenize
from functools import cache
from pathlib import Path
from typing import Any

from griffe import Attribute, Class, Docstring, Extension

NOTHING = "\u200b"  # griffe requires a description


class Comments(Extension):
    """Turns comments into descriptions of attributes."""

    def on_attribute_instance(self, *, attr: Attribute, **kwargs: Any) -> None:
        """Describe a constant as its file is read; fields are described with their class."""
        text = _comment(attr)
        if text and attr.docstring is None and attr.parent and attr.parent.is_module:
            attr.docstring = Docstring(text, lineno=attr.lineno, parent=attr)

    def on_class_members(self, *, cls: Class, **kwargs: Any) -> None:
        """Describe the fields of a class when its members are known."""
        if cls.docstring is None or "Attributes:" in cls.docstring.value:
            return
        enum = any(str(base).endswith("Enum") for base in cls.bases)
        lines = []
        for name, member in cls.members.items():
            if not isinstance(member, Attribute) or name.startswith("_") or member.docstring:
                continue
            if "property" in member.labels or not (enum or member.annotation):
                continue
            text = _comment(member) or (_value(member) if enum else "")
            lines.append(f"    {name}: {text or NOTHING}")
        if lines:
            cls.docstring.value += "\n\n" + "\n".join(["Attributes:", *lines])


@cache
def _comments(path: str) -> dict[int, str]:
    """The comments of a file by line number."""
    text = Path(path).read_text(encoding="utf-8")
    return {
        token.start[0]: token.string
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    }


def _comment(attr: Attribute) -> str:
    """The comment after an attribute, or in `#:` lines before it."""
    comments = _comments(str(attr.filepath))
    found: list[str] = []
    number = (attr.lineno or 1) - 1
    while comments.get(number, "").startswith("#:"):
        found.insert(0, comments[number])
        number -= 1
    behind = comments.get(attr.endlineno or 0)
    return " ".join(text.lstrip("#: ") for text in (found or filter(None, [behind])))


def _value(attr: Attribute) -> str:
    """The value of a member of an enum."""
    try:
        return str(ast.literal_eval(str(attr.value)))
    except (SyntaxError, ValueError):
        return f"`{attr.value}`"
