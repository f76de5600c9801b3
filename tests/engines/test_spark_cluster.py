"""A cluster of real processes, some of which are killed: the same bytes, or nothing; and no cell where none belongs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

import kohort
from bench.cluster import SMALL, Cluster, cluster

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("java") is None or find_spec("pyspark") is None or not Path("/proc").is_dir(),
        reason="needs Java 17, PySpark, and processes that tell their children",
    ),
]

#: What is in every record of the source, and is not released; as it is, and as names and texts go into statements.
CANARY = "Lovelace"
CANARIES = CANARY, CANARY.encode().hex()

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


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of many records, each with a name that nobody may find elsewhere."""
    path = tmp_path_factory.mktemp("in") / "people.csv"
    lines = (
        f"{CANARY}{at:06},{20 + at * 7 % 50},{('Bari', 'Lecce', 'Roma')[at * 11 % 3]},{at * 13 % 97},{'x' * 40}\n"
        for at in range(RECORDS)
    )
    path.write_text("name,age,city,visit,note\n" + "".join(lines), encoding="utf-8")
    return path


def started(source: Path, target: Path, where: Cluster, victims: Mapping[str, list[int]], **conf: str) -> Any:  # noqa: ANN401  a process
    """A run in a process of its own."""
    events, temporary = where.folder / "events", where.folder / "temporary"
    events.mkdir()
    temporary.mkdir()
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
        [sys.executable, child, json.dumps(told)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )


def found(folder: Path, *texts: str) -> set[str]:
    """The files below a folder that hold one of some texts."""
    return {path.name for path, content in contents(folder) if any(text.encode() in content for text in texts)}


def blocks(folder: Path) -> int:
    """The bytes of Spark's own blocks: what is shuffled, spilled or kept."""
    return sum(len(content) for path, content in contents(folder) if path.parent.parent.name.startswith("blockmgr-"))


def contents(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """The files below a folder; some of them, and of the folders, may just be going."""
    for inner, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                yield Path(inner, name), Path(inner, name).read_bytes()


class Searched(Thread):
    """Looks for canaries below a folder, as long as a process runs.

    Attributes:
        holding: The files that had one.
        blocks: The most bytes of Spark's own blocks that were there at once: so many were looked into.
    """

    def __init__(self, folder: Path, run: subprocess.Popen[str]) -> None:
        """Begin at once."""
        super().__init__(daemon=True)
        self.folder, self.process = folder, run
        self.holding: set[str] = set()
        self.blocks = 0
        self.start()

    def run(self) -> None:
        """Look until the process has ended."""
        while self.process.poll() is None:
            self.holding |= found(self.folder, *CANARIES)
            self.blocks = max(self.blocks, blocks(self.folder))
            time.sleep(0.1)


def test_killed_workers_make_no_difference(source: Path, tmp_path: Path) -> None:
    """One dies while records are counted and one while they are written."""
    kohort.anonymize(source, target=tmp_path / "local.csv", **OPTIONS)
    target = tmp_path / "out" / "release"
    target.parent.mkdir()
    with cluster(tmp_path, 3) as where:
        one, other, _ = where.workers
        run = started(source, target, where, {"count": [one], "write": [other]})
        searched = Searched(tmp_path, run)
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
    refuse_canaries(tmp_path, searched)
    assert searched.blocks > RECORDS  # of names, which are counted, there is a byte each at least


def refuse_canaries(folder: Path, searched: Searched) -> None:
    """No name was or is in Spark's folders, in what was published, in logs of processes and events."""
    searched.join()
    assert searched.blocks  # there was something to look into
    assert searched.holding == found(folder, *CANARIES) == set()
    assert found(folder / "events", "SparkListenerTaskEnd")  # it is no packed file, in which nothing would be found


def test_without_workers_nothing_is_published(source: Path, tmp_path: Path) -> None:
    """All die while records are counted, the master too: the run ends with a reason."""
    target = tmp_path / "out" / "release"
    target.parent.mkdir()
    with cluster(tmp_path, 1) as where:
        run = started(source, target, where, {"count": where.everybody}, **IMPATIENT)
        searched = Searched(tmp_path, run)
        out, err = run.communicate(timeout=500)
    assert (run.returncode, err) == (6, ""), out + err
    told = json.loads(out.splitlines()[-1])
    assert "no Spark worker was available for 11 seconds" in told["error"], told
    assert told["proofs"]["count"]["running"] >= 1
    assert not [*target.parent.iterdir()]
    refuse_canaries(tmp_path, searched)


def test_a_killed_driver_leaves_nothing_to_read(source: Path, tmp_path: Path) -> None:
    """Killed while it writes, it leaves a folder that nobody looks for, and the next run removes it."""
    target = tmp_path / "out" / "release"
    target.parent.mkdir()
    run = started(source, target, Cluster("local[2]", (), tmp_path), {})
    searched = Searched(tmp_path, run)
    for line in run.stdout:
        if line == "write\n":
            break
    held = 0
    for _ in range(2000):
        held = blocks(tmp_path)
        if held > RECORDS and [*target.parent.rglob("_temporary")]:
            break
        time.sleep(0.01)
    run.kill()
    run.communicate()
    assert held > RECORDS  # there is something to search, until Java notices and removes it
    assert not target.exists()
    left = [path.name for path in target.parent.iterdir()]
    assert len(left) == 1
    assert left[0].startswith(".kohort-")
    assert not [*target.parent.glob("*")] or not [*target.parent.glob("part-*")]
    refuse_canaries(tmp_path, searched)
    kohort.anonymize(source, target=f"{target}/", format="csv", **OPTIONS)
    assert [path.name for path in target.parent.iterdir()] == ["release"]
