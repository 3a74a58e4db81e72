"""Known outcomes of actions on PHYRE's tasks: looked up, or simulated once and kept."""

from topple.phyre.cache.action_cache import ACTION_CACHE, ActionCache
from topple.phyre.cache.index import SolutionIndex, read_index
from topple.phyre.cache.shard import UNKNOWN, CacheError, Outcomes
from topple.phyre.cache.table import OutcomeTable, TableBuilder, TableError, load_table

__all__ = [
    "ACTION_CACHE",
    "UNKNOWN",
    "ActionCache",
    "CacheError",
    "OutcomeTable",
    "Outcomes",
    "SolutionIndex",
    "TableBuilder",
    "TableError",
    "load_table",
    "read_index",
]
