"""Throughput of Verifiers rollouts: many at once with a scripted model of a given latency.

    python benchmarks/rollouts.py --rollouts 1000 --latency 2.0

A rollout takes turns until its puzzle is solved or its attempts are used up. The model takes
`latency` seconds for each reply, whatever is asked of it concurrently; the rest of the time is
ours. If turns do not take much longer than the model, the model is the limit.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from typing import Any

sys.path.append(sys.path.pop(0))  # or datasets.py beside this file hides the library of its name

from machine import processor
from topple.llm.verifiers_env import ScriptedClient, load_environment


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rollouts", type=int, default=1000)
    parser.add_argument("--attempts", type=int, default=5)
    parser.add_argument("--latency", type=float, default=2.0, help="seconds of a reply")
    parser.add_argument("--model", default="random")
    options = parser.parse_args()
    env = load_environment(tasks=options.rollouts, attempts=options.attempts)
    columns = ["attempts", "turns", "solved"]

    async def run() -> list[dict[str, Any]]:
        found = await env.generate(
            env.get_dataset(n=options.rollouts),
            ScriptedClient(options.latency),
            options.model,
            max_concurrent=-1,
            state_columns=columns,
            on_progress=lambda *_: None,
        )
        return list(found["outputs"])

    started, busy = time.perf_counter(), time.process_time()
    outputs = asyncio.run(run())
    seconds, cpu = time.perf_counter() - started, time.process_time() - busy
    replies = [len([m for m in each["completion"] if m["role"] == "assistant"]) for each in outputs]
    batches = env.batchers["train"].batches
    print(
        json.dumps(
            {
                "machine": processor(),
                "rollouts": len(outputs),
                "replies": sum(replies),
                "attempts": sum(batches),
                "seconds": round(seconds, 1),
                "model_seconds": round(max(replies) * options.latency, 1),
                "cpu_seconds": round(cpu, 1),
                "replies_per_cpu_second": round(sum(replies) / cpu, 1),
                "mean_batch": round(sum(batches) / len(batches), 1),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
