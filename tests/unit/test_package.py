"""The package as a whole: what importing it loads, and what it shows."""

from __future__ import annotations

import errno
import gc
import inspect
import os
import re
import resource
import runpy
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import kohort
from kohort.errors.calls import VERBS, verb

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The public names.
NAMES = [name for name in dir(kohort) if name != "__version__"]

HEAVY = {"jinja2", "matplotlib", "numpy", "pandas", "polars", "pyarrow", "pydantic", "rich"}


def _loaded_by(statement: str) -> set[str]:
    """The top-level packages that a fresh interpreter has loaded after `statement`."""
    code = f"{statement}; import sys; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_loads_no_heavy_library() -> None:
    """`import kohort` costs nobody a library that it may not need."""
    loaded = _loaded_by("import kohort")
    assert "kohort" in loaded
    assert not loaded & HEAVY


def test_values_load_no_room_above_them() -> None:
    """A job and a release know no function that reads, saves or reports them until it is called."""
    code = "import kohort.transactions.release; import sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "kohort.release.release" in loaded
    assert not {"kohort.api", "kohort.job", "kohort.engines.pipeline", "kohort.report"} & {*loaded}


def test_a_method_finds_its_function_wherever_its_class_comes_from() -> None:
    """A class that is imported from its own room has every method, and nothing else needs to be imported."""
    code = "from kohort.release import Job; from kohort import KAnonymity, Schema; import sys\n"
    code += "job = Job.of(Schema.of(quasi=['age']), KAnonymity(5))\nassert Job.from_toml(job.to_toml()) == job"
    subprocess.run([sys.executable, "-c", code], check=True)


#: Where the classes are whose methods are verbs of a room above.
ROOMS = (
    *(f"kohort.release.{name}" for name in ("job", "release")),
    "kohort.certificate.table",
    *(f"kohort.transactions.{name}" for name in ("release", "certificate")),
    *("kohort.assessment.comparison", "kohort.assessment.risk.overall", "kohort.job.sweeps.tables"),
    "kohort.transactions.sweep",
)


@pytest.mark.parametrize("name", VERBS)
def test_a_function_takes_what_its_method_passes(name: str) -> None:
    """Every parameter of the method is one of the function, with the same default where the function has one."""
    owner, _, attribute = name.partition(".")
    rooms = map(import_module, ROOMS)
    method = getattr(next(vars(one)[owner] for one in rooms if owner in vars(one)), attribute)
    passed = inspect.signature(method).parameters.values()
    named = {one.name: one.default for one in passed if one.kind is inspect.Parameter.KEYWORD_ONLY}
    function = inspect.signature(verb(method))
    function.bind(*range(len(passed) - len(named)), **named)
    assert all(function.parameters[key].default in (value, inspect.Parameter.empty) for key, value in named.items())


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_is_defined_in_the_package(name: str) -> None:
    """A public name is the object of that name that one of kohort's modules defines."""
    public = getattr(kohort, name)
    assert public.__name__ == name
    assert public.__module__.startswith("kohort.")


def test_every_public_name_is_documented() -> None:
    """The pages of the Python API have each public name; the errors stand there as one module."""
    pages = Path(__file__).parents[2].glob("docs/reference/api/*.md")
    page = "".join(one.read_text(encoding="utf-8") for one in pages)
    documented = set(re.findall(r"^\.\. auto(?:class|function):: kohort\.(\w+)$", page, re.MULTILINE))
    errors = {name for name in NAMES if getattr(kohort, name).__module__ == "kohort.errors"}
    assert {*NAMES} - errors == documented
    assert ".. automodule:: kohort.errors\n" in page


def test_public_names_are_sorted_and_listed() -> None:
    """A star import takes what `dir(kohort)` shows, each name once, before and after its first use."""
    taken: dict[str, object] = {}
    exec("from kohort import *", taken)  # noqa: S102  what a notebook may do
    assert sorted({*taken} - {"__builtins__"}) == NAMES == sorted({*NAMES})


def test_there_are_few_names() -> None:
    """What is at the top can be read in a minute; all else is imported from its room."""
    assert len(NAMES) <= 41


def test_unknown_name_is_an_attribute_error() -> None:
    """A misspelt name fails as it does for any module."""
    misspelt = "anonymise"
    with pytest.raises(AttributeError, match="'kohort' has no attribute 'anonymise'"):
        getattr(kohort, misspelt)


@pytest.fixture
def as_it_was() -> Iterator[None]:
    """The process's own: what `python -m kohort` changes for good."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    screen = os.dup(2)
    yield
    os.dup2(screen, 2)
    os.close(screen)
    for number, handler in handlers.items():
        signal.signal(number, handler)
    gc.unfreeze()
    gc.enable()


@pytest.mark.usefixtures("as_it_was")
@pytest.mark.parametrize("closed", [False, True])
def test_module_runs_as_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, closed: bool
) -> None:
    """`python -m kohort` is the command line, also where there is no standard error."""

    def refuse(_: int) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    if closed:
        monkeypatch.setattr(os, "dup", refuse)
        monkeypatch.delattr(signal, "pthread_sigmask")
    assert import_module("kohort.__main__").run  # importing it runs nothing
    monkeypatch.delitem(sys.modules, "kohort.__main__")
    monkeypatch.setattr(sys, "argv", ["kohort", "--help"])
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    told = {"_RJEM_MALLOC_CONF": "retain:false", "DUCKDB_JE_MALLOC_CONF": "retain:false"}
    due = told | {"ARROW_DEFAULT_MEMORY_POOL": "system", "RUST_BACKTRACE": "0", "OPENBLAS_NUM_THREADS": "1"}
    for name in due:
        monkeypatch.setenv(name, "")  # so that it is as before afterwards
        del os.environ[name]
    monkeypatch.setenv("RUST_BACKTRACE", "1")  # as developers have it: polars would look for memory where none is left
    with pytest.raises(SystemExit, match="0"):
        runpy.run_module("kohort", run_name="__main__")
    if not closed:
        sys.stderr.close()
    assert "anonymize" in capsys.readouterr().out
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # the process is about to end
    assert gc.get_freeze_count()  # and looks for no cycles as it does
    assert {name: os.environ[name] for name in due} == due


def _asked_at_most(depth: int) -> int:
    """How often at most, at any depth down to this, 50 calls ask the system for a page."""
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    for _ in range(50):
        _nothing()
    asked = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before
    return max(asked, _asked_at_most(depth - 1)) if depth else asked


def _nothing() -> None:
    pass


@pytest.mark.skipif(not hasattr(resource, "RUSAGE_THREAD"), reason="only Linux counts pages of a thread")
def test_calls_ask_for_no_memory_whatever_their_depth() -> None:
    """Where no room is made, there are depths at which each call does."""
    with ThreadPoolExecutor(1) as fresh:
        assert fresh.submit(_asked_at_most, 300).result() >= 50
    assert import_module("kohort.__main__").with_room(lambda: _asked_at_most(300)) < 50


def test_libraries_are_told_how_to_free_before_they_are_imported() -> None:
    """They look once, when they are loaded."""
    assert not {"polars", "pyarrow", "duckdb"} & {*_loaded_by("import kohort.__main__")}


#: What `kohort anonymize` of a CSV by Mondrian has no use for: methods, databases, stores, files and figures of others.
UNUSED = (
    {f"kohort.algorithms.lattice.{name}" for name in ("given", "judge", "local", "optimal", "suppress_cells")}
    | {f"kohort.algorithms.mondrian.{name}" for name in ("bound", "ordered", "top_down")}
    | {f"kohort.io.{name}" for name in ("databases", "excel", "objects", "statistics", "stored")}
    | {f"kohort.publish.{name}" for name in ("folder", "store", "tables")}
    | {f"kohort.sql.{name}" for name in ("duckdb", "gates", "relation", "remote", "spark", "queries")}
    | {
        "kohort.assessment.risk.attacks",
        "kohort.cli.risk",
        "kohort.job.document",
        "kohort.job.keywords",
        "kohort.transactions.form",
    }
    | {
        "kohort.engines.pricing",
        "kohort.report.mapping",
        "kohort.report.page",
        "kohort.release.homogeneity",
        "kohort.report.release",
        "kohort.schema.patterns",
        "kohort.certificate.signing",
        "kohort.sql.verify.aggregated",
    }
    | {"cryptography", "jinja2", "matplotlib", "pandas", "pyarrow", "rich", "tomlkit", "tomllib"}
)


def _modules_of(folder: Path, command: str) -> set[str]:
    """The modules that a fresh process has loaded after a command in `folder`, which must succeed."""
    ran = f"import os, sys; os.chdir({str(folder)!r})\nsys.stdout = open(os.devnull, 'w')\n"
    ran += f"from kohort.cli import main\nassert main({command.split()!r}) == 0\n"
    code = f"{ran}print(*sys.modules, file=sys.__stdout__)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_a_run_imports_what_it_needs(tmp_path: Path) -> None:
    """Reading, Mondrian, writing and verifying are in the compiled core; so is what inspects and checks a file."""
    (tmp_path / "a.csv").write_text("age,sex,ill\n" + "".join(f"{30 + n % 40},{n % 2},{n % 7}\n" for n in range(200)))
    anonymize = "anonymize a.csv --out r.csv --quasi age,sex --sensitive ill --no-model ill --k 5 --overwrite --quiet"
    loaded = _modules_of(tmp_path, anonymize)
    assert {"kohort.verify", "kohort.algorithms.mondrian.mondrian"} < loaded
    assert not loaded & UNUSED


#: Every library that `kohort anonymize` of a CSV with k alone may import.
LIBRARIES = {"_polars_runtime_32", "click", "kohort", "numpy", "polars", "typing_extensions"}

#: Parts of the standard library that take a millisecond or more, and that none of those libraries brings.
SLOW = {"asyncio", "http", "multiprocessing", "sqlite3", "ssl", "tomllib", "unittest", "urllib.request", "xml"}


def test_a_small_table_imports_no_other_library(tmp_path: Path) -> None:
    """Half of the time of a run of 300 records goes into imports: a library more is seen here."""
    (tmp_path / "a.csv").write_text("age,sex\n" + "".join(f"{30 + n % 40},{'fm'[n % 2]}\n" for n in range(300)))
    started = _modules_of(tmp_path, "--version")
    loaded = _modules_of(tmp_path, "anonymize a.csv --out r.csv --quasi age,sex --k 5 --quiet") - started
    packages = {name.partition(".")[0] for name in loaded if not name.startswith("_sysconfigdata")}
    packages -= sys.stdlib_module_names
    assert {"kohort", "polars"} <= packages <= LIBRARIES
    assert not loaded & SLOW


def test_what_no_table_needs_exists() -> None:
    """A module that was renamed would be missed by nobody."""
    ours = {name for name in UNUSED if name.startswith("kohort.")}  # others need not be installed
    assert not {name for name in ours if find_spec(name) is None}


def test_the_version_needs_no_library_but_click(tmp_path: Path) -> None:
    """The flags of commands are made when a command is run."""
    assert not {name.partition(".")[0] for name in _modules_of(tmp_path, "--version")} & HEAVY
