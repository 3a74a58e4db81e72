"""Links out of docs/: the files of the repository that they point to become pages of the site.

On GitHub the same links point to the files themselves.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

from pages import Page

LINK = re.compile(r"(?<=\]\()[\w.][^)#\s:]*")  # to a file, as opposed to a host
LANGUAGES = {
    ".cpp": "cpp",
    ".cu": "cpp",
    ".h": "cpp",
    ".json": "json",
    ".py": "python",
    ".toml": "toml",
}
#: Files and folders that the site has pages for.
HOME = {
    "README.md": "index.md",
    "docs": "index.md",
    "src/topple/phyre/templates": "puzzles/templates/index.md",
}


def repository_address(root: Path) -> str | None:
    """Where people find the repository, as its CI or its clone tells; None if nowhere."""
    server, name = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_REPOSITORY")
    if server and name:
        return f"{server}/{name}"
    command = ["git", "-C", str(root), "remote", "get-url", "origin"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
    return web_address(told)


def web_address(remote: str) -> str | None:
    """The page of a repository that is cloned from an address, if that is on a host."""
    match = re.fullmatch(
        r"(?:(?:https?|ssh|git)://)?(?:[^@/]+@)?([\w.-]+\.\w+)[:/](?:\d+/)?(.+?)(?:\.git)?/?",
        remote,
    )
    return f"https://{match[1]}/{match[2]}" if match else None


class Repository:
    """The checkout around docs/."""

    def __init__(self, root: Path, docs: Path) -> None:
        self.root, self.docs = root, docs
        self.linked: set[Path] = set()

    def rewrite(self, uri: str, text: str, file: Path | None = None) -> str:
        """The text of a page in which links out of docs/ point to pages of the site.

        Args:
            uri: of the page.
            text: in Markdown.
            file: where the text comes from, if not from the page's place in docs/.
        """
        here = (file or self.docs / uri).parent

        def lead(match: re.Match[str]) -> str:
            target = Path(os.path.normpath(here / match[0]))
            if not target.exists() or not target.is_relative_to(self.root):
                return match[0]
            return os.path.relpath(self._uri(target), os.path.dirname(uri))

        return LINK.sub(lead, text)

    def pages(self) -> list[Page]:
        """The pages of all files linked so far, and of the files that those link to."""
        made: dict[Path, Page] = {}
        while waiting := sorted(self.linked - made.keys()):
            for target in waiting:
                uri = self._uri(target)
                made[target] = Page(uri, self._text(target, uri))
        return list(made.values())

    def _uri(self, target: Path) -> str:
        if target.is_relative_to(self.docs) and target != self.docs:
            return target.relative_to(self.docs).as_posix()
        name = target.relative_to(self.root).as_posix()
        if name in HOME:
            return HOME[name]
        self.linked.add(target)
        return f"repository/{name.removesuffix('.md')}.md"

    def _text(self, target: Path, uri: str) -> str:
        name = target.relative_to(self.root).as_posix()
        if target.is_dir():
            return f"# {name}\n\n{self._listing(target, uri)}\n"
        if target.suffix == ".ipynb":
            return f"# {name}\n\n{_notebook(target)}\n"
        text = target.read_text(encoding="utf-8")
        if target.suffix == ".md":
            return self.rewrite(uri, text, target)
        return f"# {name}\n\n````{LANGUAGES.get(target.suffix, 'text')}\n{text.rstrip()}\n````\n"

    def _listing(self, folder: Path, uri: str) -> str:
        lines = []
        for path in sorted(folder.iterdir()):
            if not path.name.startswith((".", "__pycache__")):
                address = os.path.relpath(self._uri(path), os.path.dirname(uri))
                lines.append(f"- [{path.name}{'/' * path.is_dir()}]({address})")
        return "\n".join(lines)


def _notebook(file: Path) -> str:
    """The text and the code of a notebook."""
    parts = []
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"]).strip()
        if cell["cell_type"] == "code":
            parts.append(f"````python\n{source}\n````")
        elif cell["cell_type"] == "markdown":
            # The page has a title of its own.
            parts.append(re.sub(r"^# ", "## ", source, flags=re.MULTILINE))
    return "\n\n".join(parts)
