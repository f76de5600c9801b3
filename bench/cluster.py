"""A cluster of Spark on this machine: a master, three workers, a table, its release and its check; then all is stopped.

    python -m bench.cluster [--workers 3] [--records 200000]

Everything is in a temporary folder, which goes at the end, also after Ctrl-C. Nobody else can reach the cluster: it
listens on the loopback address.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.errors import FileError, KohortError
from kohort.sql.spark_session import module, refuse_old_java

if TYPE_CHECKING:
    from collections.abc import Generator

#: Java that neither takes much memory nor compiles for long.
SMALL: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

#: Seconds in which a process must say that it has started.
STARTING: Final = 120.0

#: The release of the demonstration, after its input and output.
RELEASE: Final = "--format csv --records-per-part 50000 --quasi gender,city,age --rest drop --k 10 --engine spark"


class Cluster(NamedTuple):
    """A master and its workers.

    Attributes:
        master: Its address.
        processes: The master's, then those of the workers.
        folder: Where their logs (`0.log` …), their working folders (`work`) and what they spill (`spill`) are.
    """

    master: str
    processes: tuple[subprocess.Popen[bytes], ...]
    folder: Path

    @property
    def everybody(self) -> list[int]:
        """The numbers of all processes."""
        return [one.pid for one in self.processes]

    @property
    def workers(self) -> list[int]:
        """Those of the workers."""
        return self.everybody[1:]


@contextmanager
def cluster(folder: Path, workers: int) -> Generator[Cluster]:
    """A master and workers of one core as processes of this machine, until the end of the block.

    Raises:
        FileError: one of them does not start.
    """
    home, address = Path(module().__file__).parent, f"spark://127.0.0.1:{_free()}"
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": SMALL,
        "SPARK_LOCAL_DIRS": str(folder / "spill"),
        "SPARK_WORKER_DIR": str(folder / "work"),
    }
    (folder / "spill").mkdir()
    master = ["master.Master", "--host", "127.0.0.1", "--port", address.rpartition(":")[2], "--webui-port", "0"]
    worker = ["worker.Worker", "--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "1g", address]
    started: list[subprocess.Popen[bytes]] = []
    try:
        for place, (name, *more) in enumerate([master, *[worker] * workers]):
            command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *more]
            with (folder / f"{place}.log").open("wb") as log:
                started.append(
                    subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
                )
            if not place:
                _wait_for(folder / "0.log", "I have been elected leader")
        for place in range(1, workers + 1):
            _wait_for(folder / f"{place}.log", "Successfully registered with master")
        yield Cluster(address, tuple(started), folder)
    finally:
        for one in started:
            if one.poll() is None:
                os.killpg(one.pid, signal.SIGTERM)  # with the executors
        for one in started:
            one.wait()


def _free() -> int:
    """A port that nobody listens at."""
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return int(some.getsockname()[1])


def _wait_for(log: Path, told: str) -> None:
    """Wait until a process has told something."""
    until = time.monotonic() + STARTING
    while told not in log.read_text(encoding="utf-8", errors="replace"):
        if time.monotonic() > until:
            raise FileError(f"a process of Spark did not start within {STARTING:.0f} seconds", where=str(log))
        time.sleep(0.1)


def _typed(line: str, folder: Path) -> None:
    """Run a line that a user would type, and show it.

    Raises:
        SystemExit: it failed.
    """
    print(f"$ {line}", flush=True)
    command = [sys.executable, "-m", *shlex.split(line)]
    status = subprocess.run(command, cwd=folder, check=False).returncode
    if status:
        raise SystemExit(status)


def _stopped(number: int, _: object) -> None:
    """End as an interrupted program does, with all that it started."""
    raise SystemExit(128 + number)


def main() -> None:
    """Show a release on a cluster."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--records", type=int, default=200_000)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, _stopped)
    try:
        refuse_old_java()
        with TemporaryDirectory(prefix="kohort-cluster-") as name, cluster(Path(name), given.workers) as made:
            print(f"{made.master}: {given.workers} workers", flush=True)
            _typed(f"kohort generate italy --out . --records {given.records}", made.folder)
            _typed(f"kohort anonymize people.csv --out release/ {RELEASE} --master {made.master}", made.folder)
            _typed("kohort check release/ --certificate release/certificate.json", made.folder)
    except KohortError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    print("The cluster is stopped.")


if __name__ == "__main__":
    main()
