"""A run on a cluster whose processes are killed while they work, in a process of its own: that of the driver."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from kohort.engines.pipeline import anonymize
from kohort.errors import KohortError
from kohort.io.forms import Format
from kohort.job.keywords import job_from
from kohort.job.request import Request
from kohort.release import Writing
from kohort.sql.remote import RemoteEngine
from kohort.sql.spark import Spark
from kohort.sql.spark_session import Cluster

if TYPE_CHECKING:
    from collections.abc import Sequence


def below(process: int) -> list[int]:
    """A process and those that it started."""
    found = [process]
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in (task / "children").read_text(encoding="utf-8").split():
            found += below(int(child))
    return found


def kill_during(context: Any, workers: Sequence[int], proof: dict[str, Any]) -> None:  # noqa: ANN401  PySpark's own
    """Kill processes as soon as some tasks of a stage are done and others run: its numbers are the proof."""
    tracker = context.statusTracker()
    while True:
        for stage in tracker.getActiveStageIds():
            seen = tracker.getStageInfo(stage)
            if seen and seen.numTasks > 2 and seen.numCompletedTasks and seen.numActiveTasks:
                for worker in workers:
                    for process in below(worker):
                        os.kill(process, signal.SIGKILL)
                proof |= {"tasks": seen.numTasks, "done": seen.numCompletedTasks, "running": seen.numActiveTasks}
                return
        time.sleep(0.005)


def main(told: dict[str, Any]) -> int:
    """Make the release; when a stage of the pipeline begins whose victims are named, kill them in it."""
    base = Spark.opened(Cluster(told["master"], told["conf"]))
    engine = RemoteEngine(base)
    made = job_from(None, told["options"])
    assert isinstance(made, Request)
    job = replace(made.job, writing=Writing(Format.CSV, records_per_part=told["each"]))
    context: Any = base.session.sparkContext
    proofs: dict[str, dict[str, Any]] = {}

    def on_progress(stage: str) -> None:
        print(stage, flush=True)  # noqa: T201  the test waits for it
        if stage in told["victims"]:
            victims: list[int] = told["victims"][stage]
            proofs[stage] = {}
            Thread(target=kill_during, args=(context, victims, proofs[stage]), daemon=True).start()

    try:
        anonymize(told["source"], job, target=told["target"], engine=engine, on_progress=on_progress)
    except KohortError as error:
        print(json.dumps({"proofs": proofs, "error": str(error)}))  # noqa: T201  as above
        return error.exit_status
    print(json.dumps({"proofs": proofs}))  # noqa: T201  as above
    return 0


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
