"""Runs: agents on tasks and games of any benchmark, executed anywhere, kept as records."""

from topple.runs.agent import Agent, Learner, Observation, Report, Traits
from topple.runs.benchmark import find_benchmark
from topple.runs.config import RunConfig
from topple.runs.record import RecordError, RunRecord, find_records, read_record, write_record
from topple.runs.registry import create_agent
from topple.runs.runner import Runner
from topple.runs.spec import AgentSpec, find_spec

__all__ = [
    "Agent",
    "AgentSpec",
    "Learner",
    "Observation",
    "RecordError",
    "Report",
    "RunConfig",
    "RunRecord",
    "Runner",
    "Traits",
    "create_agent",
    "find_benchmark",
    "find_records",
    "find_spec",
    "read_record",
    "write_record",
]
