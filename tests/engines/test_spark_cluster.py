"""A cluster of real processes, some of which are killed: the same bytes, or nothing; and no cell where none belongs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import kohort

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("java") is None or find_spec("pyspark") is None or not Path("/proc").is_dir(),
        reason="needs Java 17, PySpark, and processes that tell their children",
    ),
]

#: Java that neither takes much memory nor compiles for long.
SMALL = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

#: What is in every record of the source, and is not released.
CANARY = "Lovelace"

OPTIONS: dict[str, Any] = {
    "quasi": ["age", "city"],
    "identifying": ["name"],
    "rest": "insensitive",
    "k": 5,
    "allow_singling": ["visit"],
}

RECORDS = 30_000

#: A cluster without workers is given up soon.
IMPATIENT = {"spark.network.timeout": "11s", "spark.network.timeoutInterval": "5s"}


class Cluster(NamedTuple):
    """A master and its workers."""

    master: str
    processes: tuple[subprocess.Popen[bytes], ...]
    folder: Path

    @property
    def workers(self) -> list[int]:
        """The workers' processes."""
        return [one.pid for one in self.processes[1:]]

    @property
    def everybody(self) -> list[int]:
        """All of them."""
        return [one.pid for one in self.processes]


def _free() -> int:
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return int(some.getsockname()[1])


def _wait_for(log: Path, told: str) -> None:
    for _ in range(1200):
        if log.exists() and told in log.read_text(encoding="utf-8", errors="replace"):
            return
        time.sleep(0.1)
    pytest.fail(f"{log.name} never told: {told}")


@contextmanager
def cluster(folder: Path, workers: int) -> Generator[Cluster]:
    """A master and workers of one core as processes of this machine."""
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    home, port = Path(spec.origin).parent, _free()
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
    address = f"spark://127.0.0.1:{port}"
    commands = [["master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]]
    each = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "1g", address]
    commands += [["worker.Worker", *each]] * workers
    started: list[subprocess.Popen[bytes]] = []
    try:
        for place, (name, *more) in enumerate(commands):
            log = folder / f"{place}.log"
            with log.open("wb") as out:
                command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *more]
                started.append(
                    subprocess.Popen(command, env=environment, stdout=out, stderr=out, start_new_session=True)
                )
            if not place:
                _wait_for(log, "I have been elected leader")
        for place in range(1, len(commands)):
            _wait_for(folder / f"{place}.log", "Successfully registered with master")
        yield Cluster(address, tuple(started), folder)
    finally:
        for one in started:
            if one.poll() is None:
                os.killpg(one.pid, signal.SIGTERM)  # with the executors
            one.wait()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A table of many records, each with a name that nobody may find elsewhere."""
    path = tmp_path / "people.csv"
    lines = (
        f"{CANARY}{at:06},{20 + at * 7 % 50},{('Bari', 'Lecce', 'Roma')[at * 11 % 3]},{at * 13 % 97},{'x' * 40}\n"
        for at in range(RECORDS)
    )
    path.write_text("name,age,city,visit,note\n" + "".join(lines), encoding="utf-8")
    return path


def started(source: Path, target: Path, where: Cluster, victims: Mapping[str, list[int]], **conf: str) -> Any:  # noqa: ANN401  a process
    """A run in a process of its own."""
    events = where.folder / "events"
    events.mkdir(exist_ok=True)
    told = {
        "master": where.master,
        "source": str(source),
        "target": f"{target}/",
        "options": OPTIONS,
        "each": 8_000,
        "victims": victims,
        "conf": {
            "spark.driver.extraJavaOptions": SMALL,
            "spark.driver.memory": "1g",
            "spark.executor.extraJavaOptions": SMALL,
            "spark.executor.memory": "512m",
            "spark.sql.adaptive.enabled": "false",
            "spark.sql.files.maxPartitionBytes": "100k",
            "spark.sql.files.openCostInBytes": "1k",
            "spark.sql.shuffle.partitions": "4",
            "spark.eventLog.compress": "false",
            "spark.eventLog.dir": events.as_uri(),
            "spark.eventLog.enabled": "true",
            **conf,
        },
    }
    child = Path(__file__).with_name("spark_child.py")
    return subprocess.Popen(
        [sys.executable, child, json.dumps(told)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def found(folder: Path, text: str) -> list[str]:
    """The files below a folder that hold a text."""
    return [path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def test_killed_workers_make_no_difference(source: Path, tmp_path: Path) -> None:
    """One dies while records are counted and one while they are written."""
    kohort.anonymize(source, target=tmp_path / "local.csv", **OPTIONS)
    target = tmp_path / "out" / "release"
    target.parent.mkdir()
    with cluster(tmp_path, 3) as where:
        one, other, _ = where.workers
        run = started(source, target, where, {"count": [one], "write": [other]})
        out, err = run.communicate(timeout=500)
        assert (run.returncode, err) == (0, ""), out + err
        proofs = json.loads(out.splitlines()[-1])["proofs"]
        for stage in ("count", "write"):
            assert proofs[stage]["done"] >= 1
            assert proofs[stage]["running"] >= 1
        lines = [path.read_bytes().splitlines(keepends=True) for path in sorted(target.glob("part-*.csv"))]
        assert [len(some) for some in lines] == [8_001, 8_001, 8_001, 6_001]
        joined = b"".join([lines[0][0], *(line for some in lines for line in some[1:])])
        assert joined == (tmp_path / "local.csv").read_bytes()
    refuse_canaries(tmp_path)


def refuse_canaries(folder: Path) -> None:
    """No name is in what Spark left, in what was published, or in the logs."""
    places = [folder / name for name in ("spill", "work", "out", "events")]
    for text in (CANARY, CANARY.encode().hex()):
        assert [found(place, text) for place in places] == [[], [], [], []]
    assert found(folder / "events", "SparkListenerTaskEnd")  # it is no packed file, in which nothing would be found


def test_without_workers_nothing_is_published(source: Path, tmp_path: Path) -> None:
    """All die while records are counted, the master too: the run ends with a reason."""
    target = tmp_path / "out" / "release"
    target.parent.mkdir()
    with cluster(tmp_path, 1) as where:
        run = started(source, target, where, {"count": where.everybody}, **IMPATIENT)
        out, err = run.communicate(timeout=500)
    assert (run.returncode, err) == (6, ""), out + err
    told = json.loads(out.splitlines()[-1])
    assert "for 11 seconds there was no worker" in told["error"], told
    assert told["proofs"]["count"]["running"] >= 1
    assert not [*target.parent.iterdir()]
    refuse_canaries(tmp_path)


def test_a_killed_driver_leaves_nothing_to_read(source: Path, tmp_path: Path) -> None:
    """Killed while it writes, it leaves a folder that nobody looks for, and the next run removes it."""
    target = tmp_path / "out" / "release"
    target.parent.mkdir()
    where = Cluster("local[2]", (), tmp_path)
    spill = tmp_path / "spill"
    spill.mkdir()
    run = started(source, target, where, {}, **{"spark.local.dir": str(spill)})
    for line in run.stdout:
        if line == "write\n":
            break
    for _ in range(2000):
        if [*target.parent.rglob("_temporary")]:
            break
        time.sleep(0.01)
    run.kill()
    run.communicate()
    assert not target.exists()
    left = [path.name for path in target.parent.iterdir()]
    assert len(left) == 1
    assert left[0].startswith(".kohort-")
    assert not [*target.parent.glob("*")] or not [*target.parent.glob("part-*")]
    assert found(target.parent, CANARY) == []
    assert found(spill, CANARY) == found(tmp_path / "events", CANARY) == []
    kohort.anonymize(source, target=f"{target}/", format="csv", **OPTIONS)
    assert [path.name for path in target.parent.iterdir()] == ["release"]
