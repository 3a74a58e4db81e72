"""Scripted models behind the same API as real ones: examples, and a way to try things out."""

from topple.llm.scripted.scripts import heuristic, rand
from topple.llm.scripted.server import Script, ScriptServer

#: By the names a request gives as its model.
SCRIPTS: dict[str, Script] = {"random": rand, "heuristic": heuristic}

__all__ = ["SCRIPTS", "Script", "ScriptServer"]
