"""A Spark session of kohort's own: what it needs, how it is set, and that it is not waited for without an end.

A session that somebody else made is used as it is; nothing here is about it.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import socket
import subprocess
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Final

from kohort import system
from kohort.errors import FileError, MissingExtraError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Spark on this machine, with all its cores.
LOCAL: Final = "local[*]"

#: The oldest versions.
_PYSPARK: Final = 4
_JAVA: Final = 17

#: Seconds in which a master must answer.
ANSWER: Final = 10.0

#: How long a cluster may be without a worker: Spark's own setting, which is longer by default.
PATIENCE: Final = ("spark.network.timeout", "60s")

#: Addresses that nobody else can reach.
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1", "[::1]")

#: What helps where there is no Java.
_GET_JAVA: Final = "apt-get install openjdk-17-jre-headless (macOS: brew install openjdk@17), or set JAVA_HOME"


@dataclass(frozen=True, slots=True)
class Cluster:
    """The session that is asked for.

    Attributes:
        master: Spark's master: `local[*]`, or `spark://HOST:PORT`.
        conf: Settings of Spark, besides ours and before them.
        memory: Bytes of memory that may be used; `None` for what Spark takes.
        spill: Where Spark's files go; `None` for the system's folder.
    """

    master: str = LOCAL
    conf: Mapping[str, str] = field(default_factory=dict[str, str])
    memory: int | None = None
    spill: Path | None = None

    @property
    def is_local(self) -> bool:
        """Whether it runs on this machine alone."""
        return self.master.startswith("local")

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """Where the masters of a standalone cluster are."""
        if not self.master.startswith("spark://"):
            return []
        parts = (one.rpartition(":") for one in self.master.removeprefix("spark://").split(","))
        return [(host, int(port)) for host, _, port in parts if port.isdigit()]

    def settings(self, folder: Path) -> dict[str, str]:
        """How its session is set: nothing is shown, and what is put on a disk is encrypted."""
        made = {
            "spark.app.name": "kohort",
            "spark.buffer.pageSize": _PAGE,
            "spark.master": self.master,
            "spark.driver.maxResultSize": "0",
            "spark.driver.memory": "2g" if self.memory is None else f"{max(self.memory >> 21, 512)}m",
            "spark.io.encryption.enabled": "true",
            "spark.local.dir": str(folder),
            "spark.sql.ansi.enabled": "true",
            "spark.sql.caseSensitive": "true",
            "spark.sql.execution.arrow.localRelationThreshold": _LOCAL,
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.variable.substitute": "false",
            "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        made |= dict([PATIENCE])
        if self.is_local:
            made["spark.sql.shuffle.partitions"] = str(4 * system.cores())
        if self.is_local or any(host in _LOOPBACK for host, _ in self.addresses):
            made |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        return {**made, **self.conf}


#: Memory that Spark takes at a time. By itself it takes some 64 MB for each small table that is joined, however small.
_PAGE: Final = "2m"

#: Up to this size, what is handed over is rows of Java's, of some sixty bytes each; beyond, columns as they are here.
_LOCAL: Final = "1m"

#: The session of this process, and what was asked for: Java runs one at a time.
_OWN: Final[dict[str, tuple[Cluster, Any]]] = {}


def session_of(asked: Cluster) -> Any:  # noqa: ANN401  a session of PySpark, which is optional
    """A session for this process, as it is asked for.

    Raises:
        MissingExtraError: PySpark or Java is not installed, or too old.
        UsageError: this process has another session, or a setting is none of Spark's.
        FileError: no master answers, or Spark does not start.
    """
    pyspark = module()
    running = pyspark.SparkContext._active_spark_context  # noqa: SLF001  nothing else tells
    if "session" in _OWN and running is not None:
        known, session = _OWN["session"]
        if known == asked and session.sparkContext is running:
            return session
    if running is not None:
        what = "this process has a Spark session already"
        raise UsageError(what, where="engine", hint="pass the session (engine=session), or start another process")
    refuse_wrong(asked)
    if pyspark.SparkContext._gateway is None:  # noqa: SLF001  the same
        refuse_old_java()
    refuse_silent(asked)
    session = _started(asked)
    _OWN["session"] = asked, session
    return session


def module() -> Any:  # noqa: ANN401  a module that may be absent
    """PySpark."""
    hint = "pip install 'kohort[spark]'"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it is told of libraries that are not used here
            found = import_module("pyspark")
            import_module("pyspark.sql")
    except ImportError:
        raise MissingExtraError("pyspark is needed for the engine spark and is not installed", hint=hint) from None
    if int(found.__version__.partition(".")[0]) < _PYSPARK:
        what = f"PySpark {found.__version__} is installed, and the engine spark needs {_PYSPARK} or later"
        raise MissingExtraError(what, hint=hint)
    return found


def part(name: str) -> Any:  # noqa: ANN401  as above
    """A module of PySpark, which is installed."""
    return import_module(f"pyspark.{name}")


def refuse_wrong(asked: Cluster) -> None:
    """Refuse settings that Spark would pass over, and masters that it does not know."""
    for name in asked.conf:
        if not name.startswith("spark."):
            hint = "such as --spark-conf spark.executor.memory=4g"
            raise UsageError("a setting of Spark begins with spark.", where=f"spark-conf {name}", hint=hint)
    known = asked.is_local or asked.addresses or asked.master.startswith(("yarn", "k8s://"))
    if not known:
        hint = "such as local[*], local[4], or spark://HOST:7077"
        raise UsageError("not a master of Spark", where="master", hint=hint)


def refuse_old_java() -> None:
    """Refuse to start without a Java that Spark can run on."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home, "bin"))) if home else shutil.which("java")
    if java is None:
        raise MissingExtraError("Java is needed for the engine spark and was not found", hint=_GET_JAVA)
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603  the Java that Spark would start
    version = re.search(r'version "(?:1\.)?(\d+)', told)
    if version is None or int(version[1]) < _JAVA:
        found = "of unknown version" if version is None else version[1]
        what = f"Java {found} is installed, and the engine spark needs {_JAVA} or later"
        raise MissingExtraError(what, where=java, hint=_GET_JAVA)


def refuse_silent(asked: Cluster) -> None:
    """Refuse a standalone cluster none of whose masters answers."""
    for address in asked.addresses:
        try:
            with socket.create_connection(address, timeout=ANSWER):
                return
        except OSError:
            continue
    if asked.addresses:
        what = f"no Spark master answered within {ANSWER:.0f} seconds"
        raise FileError(what, where=asked.master, hint="start the master, or name another (--master)")


def _started(asked: Cluster) -> Any:  # noqa: ANN401  a session
    pyspark = module()
    folder = mkdtemp(prefix="kohort-", dir=asked.spill)
    conf = pyspark.SparkConf().setAll(list(asked.settings(Path(folder)).items()))
    with ExitStack() as failed:
        failed.callback(shutil.rmtree, folder, ignore_errors=True)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                gateway = pyspark.SparkContext._gateway or _launched(conf)  # noqa: SLF001  as PySpark does
                pyspark.SparkContext(conf=conf, gateway=gateway)
                session = part("sql").SparkSession.builder.getOrCreate()
        except Exception as error:  # noqa: BLE001  whatever Java tells
            what = f"Spark did not start ({_first_cause(error)})"
            hint = "look at its settings (--spark-conf), memory and Java"
            raise FileError(what, where=asked.master, hint=hint) from None
        failed.pop_all()
    atexit.register(end, session, folder)
    return session


def _launched(conf: Any) -> Any:  # noqa: ANN401  as above
    """Java, waited for also where this process is interrupted: otherwise it would run on with nobody to end it."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}  # Spark's log quotes cells
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(part("java_gateway").launch_gateway, conf, quiet).result()


def _first_cause(error: Exception) -> str:
    """What Java said, or the name of the error: there are no cells yet that it could quote."""
    raised = getattr(error, "java_exception", None)
    if raised is None:
        return type(error).__name__
    while raised.getCause() is not None:
        raised = raised.getCause()
    return str(raised.getMessage() or raised.getClass().getSimpleName())


def end(session: Any, folder: str) -> None:  # noqa: ANN401  as above
    """Stop a session when the process ends, and remove what it leaves."""
    with suppress(Exception):  # it may have stopped, or Java may be gone
        session.stop()
    shutil.rmtree(folder, ignore_errors=True)
