"""Whether the tests notice a change of the code: mutants of a room, drawn at random, given to the tests that run them.

    python -m bench.mutation                          all rooms, 150 mutants of each; some hours
    python -m bench.mutation verify publish --draw 40
    python -m bench.mutation certificate/again        one file
    python -m bench.mutation verify --seed 8          others
    python -m bench.mutation verify --tests tests/unit/verify      by these tests alone, for less time

The mutants are mutmut's, but for types in a `cast` and the `strict` of a `zip`, without which nothing runs otherwise.
Those that change only what a message says are counted and left out; of compiled loops, which laws compare with plain
versions, mutmut makes none. A mutant is written into a copy of the tree, and the tests of the room that run a changed
line are tried on it, quickest first, until one fails; then all tests of files whose import runs it, or a fixture of
which does, for these may look at what was kept. Of the share that is killed a 95 % interval (Wilson) is given, since
not all mutants were tried; those that live are printed.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import unified_diff
from importlib import import_module
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import libcst
from coverage import Coverage, CoverageData
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider
from mutmut.mutation.file_mutation import Mutation, create_mutations, deep_replace

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Mapping, Sequence

    from pytest import Collector  # noqa: PT013  a type alone

#: The tests about each room: files and folders.
ROOMS: Final[Mapping[str, tuple[str, ...]]] = {
    "verify": (
        "tests/unit/verify",
        "tests/unit/transactions/test_verify.py",
        "tests/unit/pipeline/test_altered.py",
        "tests/unit/pipeline/test_dates.py",
        "tests/unit/pipeline/test_parts.py",
        "tests/unit/pipeline/test_safe_defaults.py",
        "tests/faults/test_verify_defects.py",
        "tests/faults/test_full_domain_defects.py",
        "tests/faults/test_local_defects.py",
        "tests/faults/test_altered_defects.py",
        "tests/faults/test_transaction_defects.py",
        "tests/faults/test_aggregated_transaction_defects.py",
        "tests/faults/test_model_defects.py",
        "tests/faults/test_folder_defects.py",
        "tests/faults/test_format_defects.py",
        "tests/laws/test_aggregated_laws.py",
    ),
    "publish": (
        "tests/unit/publish",
        "tests/unit/pipeline/test_parts.py",
        "tests/unit/pipeline/test_stores.py",
        "tests/unit/io/test_stored.py",
        "tests/faults/test_publish_faults.py",
        "tests/faults/test_folder_faults.py",
        "tests/faults/test_store_faults.py",
        "tests/faults/test_noticed.py",
    ),
    "certificate": (
        "tests/unit/certificate",
        "tests/unit/io/test_stored.py",
        "tests/unit/pipeline/test_altered.py",
        "tests/unit/test_signing.py",
        "tests/unit/verify/test_certificate.py",
        "tests/unit/transactions/test_certificate.py",
        "tests/unit/transactions/test_recheck.py",
    ),
    "models": (
        "tests/unit/models",
        "tests/laws/test_model_laws.py",
        "tests/laws/test_achieved_laws.py",
        "tests/papers/test_models_papers.py",
    ),
    "metrics": ("tests/unit/metrics", "tests/laws/test_loss_laws.py", "tests/laws/test_loss_edges.py"),
    "algorithms": (
        "tests/unit/algorithms",
        "tests/laws/test_all_small_tables.py",
        "tests/laws/test_bound_laws.py",
        "tests/laws/test_every_method.py",
        "tests/laws/test_lattice_laws.py",
        "tests/laws/test_lattice_models_laws.py",
        "tests/laws/test_local_laws.py",
        "tests/laws/test_loss_edges.py",
        "tests/laws/test_loss_kernel_laws.py",
        "tests/laws/test_loss_laws.py",
        "tests/laws/test_mondrian_laws.py",
        "tests/laws/test_mondrian_models_laws.py",
        "tests/laws/test_ordered_laws.py",
        "tests/laws/test_parts_laws.py",
        "tests/laws/test_suppressed_by_schema.py",
    ),
    "transactions": ("tests/unit/transactions", "tests/laws/test_transactions_laws.py"),
}

#: What the copy of the tree holds.
_COPIED: Final = ("src", "tests", "bench", "tools", "docs", "pyproject.toml", "README.md", "CONTRIBUTING.md")

#: How pytest is called, whatever the tests; it finds its plugins imported already.
_PYTEST: Final = (
    *("-q", "--tb=no", "-m", "not slow", "-W", "ignore::pytest.PytestAssertRewriteWarning"),
    *("-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist"),
)

#: What every process imports before the code under test, once for all of them; none starts a thread at import.
_WARM: Final = ("pytest", "hypothesis", "numpy", "polars", "pydantic", "click", "tomlkit", "jinja2")

#: A test that pytest timed.
_TIMED: Final = re.compile(r"^([\d.]+)s call +(.+?)\s*$", re.MULTILINE)

#: Whatever is made here is for a message only: `DataError(…)`, `SourceNote(…)`, `fault(…)`, `many(…)`.
_MESSAGE: Final = r"(Error|Note|Warning|fault|_refused|^reporting|^many)$"

#: The ending of a file that is changed for a while.
_ORIGINAL: Final = ".original"

#: Seconds of a processor that a mutant is given at least, and at most, unless its tests take longer by themselves.
_PATIENCE: Final = (30.0, 240.0)

#: How much longer one may wait, for others that use the processors or for what never comes.
_WAITING: Final = 10


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change of one file.

    Attributes:
        file: Its path in the tree.
        number: Its place among mutmut's mutants of the file.
        first: The first line of what differs from the original.
        last: Its last one.
        end: The last line of its function.
    """

    file: Path
    number: int
    first: int
    last: int
    end: int


@dataclass(frozen=True, slots=True)
class Tests:
    """The tests of a room, as they ran on the original.

    Attributes:
        seconds: What each test took.
        ran: The tests that ran each line of each file, and the test files that did by being imported, or in a fixture.
    """

    seconds: Mapping[str, float]
    ran: Mapping[Path, Mapping[int, Collection[str]]]

    def of(self, mutant: Mutant) -> list[str]:
        """Those that run what differs, quickest first, then those of files that do; of a default, its function's."""
        lines = self.ran.get(mutant.file, {})
        some = {test for line in range(mutant.first, mutant.last + 1) for test in lines.get(line, ())}
        if not any("::" in test for test in some):
            some = {test for line in range(mutant.first, mutant.end + 1) for test in lines.get(line, ())}
        every = (test for test in self.seconds if not some.isdisjoint({test, _file(test)}))
        return sorted(every, key=lambda test: (test not in some, self.seconds[test], test))


def _file(test: str) -> str:
    """The file of a test."""
    return test.partition("::")[0]


def _runners(context: str) -> set[str]:
    """Who runs a line in a context of coverage: a test; and its file, which may share what a fixture makes."""
    test, _, phase = context.partition("|")
    return {test, _file(test)} if phase == "setup" else {test}


class Importing:
    """Names to coverage the test file that is being imported, as pytest-cov does the test that runs."""

    @staticmethod
    def pytest_collectstart(collector: Collector) -> None:
        """Begin with a file, or with what it holds."""
        if coverage := Coverage.current():
            coverage.switch_context(_file(collector.nodeid))


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file, and what mutmut would change in its functions.

    Attributes:
        module: Its syntax.
        changes: All of mutmut's.
        mutants: Those that are of interest.
        messages: How many others only change a message.
    """

    module: libcst.Module
    changes: Sequence[Mutation]
    mutants: Sequence[Mutant]
    messages: int

    def code(self, mutant: Mutant) -> str:
        """The file's text with one change."""
        change = self.changes[mutant.number]
        changed = deep_replace(self.module, change.original_node, change.mutated_node)
        assert isinstance(changed, libcst.Module)  # noqa: S101  for the type checker
        return changed.code


def mutants(file: Path) -> Parsed:
    """Read a file."""
    module, changes, _, _ = create_mutations(str(file), file.read_text())
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    place, above = wrapper.resolve(PositionProvider), wrapper.resolve(ParentNodeProvider)
    some, messages = list[Mutant](), 0
    for number, change in enumerate(changes):
        function = change.contained_by_top_level_function
        if not isinstance(function, libcst.FunctionDef):
            continue
        if _is_idle(change, above):
            continue
        if _is_message(change, above):
            messages += 1
            continue
        node, whole = place[change.original_node], place[function]
        some.append(Mutant(file, number, node.start.line, node.end.line, whole.end.line))
    return Parsed(module, changes, some, messages)


def _is_message(change: Mutation, above: Mapping[libcst.CSTNode, libcst.CSTNode]) -> bool:
    """Whether the change is of a sentence, of a text put together, or of what is made for a message."""
    node: libcst.CSTNode | None = change.original_node
    if isinstance(node, libcst.SimpleString) and " " in node.value.strip("\"' "):
        return True
    while node is not None:
        if isinstance(node, libcst.FormattedString) or _is_call(node, _MESSAGE) or _is_told(node):
            return True
        node = above.get(node)
    return False


def _is_told(node: libcst.CSTNode) -> bool:
    """Whether words are given a name: `hint = …`."""
    targets = [one.target for one in node.targets] if isinstance(node, libcst.Assign) else []
    return any(isinstance(one, libcst.Name) and one.value in {"hint", "what", "told"} for one in targets)


def _is_idle(change: Mutation, above: Mapping[libcst.CSTNode, libcst.CSTNode]) -> bool:
    """Whether nothing runs otherwise: a type in a `cast`, or that `zip` checks lengths, which are equal."""
    old, new = change.original_node, change.mutated_node
    if isinstance(old, libcst.Call) and isinstance(new, libcst.Call):
        same = len(old.args) == len(new.args) and [*old.args[1:]] == [*new.args[1:]]
        checked = [one for one in new.args if one.keyword is None] == [one for one in old.args if one.keyword is None]
        return (_is_call(old, r"^cast$") and same) or (_is_call(old, r"^zip$") and checked)
    around = above.get(above[old])
    typed = isinstance(old, libcst.SimpleString) and _is_call(around, r"^cast$")
    return typed or (isinstance(old, libcst.Name) and _is_call(around, r"^zip$"))


def _is_call(node: libcst.CSTNode | None, name: str) -> bool:
    """Whether something is called whose name is like this."""
    return (
        isinstance(node, libcst.Call) and isinstance(node.func, libcst.Name) and bool(re.search(name, node.func.value))
    )


def observed(place: Path, room: str, names: Sequence[str]) -> Tests:
    """Run a room's tests on the original, noting what each runs and how long it takes."""
    output = place / "tmp" / "observed"
    timed = ("--durations=0", "--durations-min=0", "-vv", f"--cov=kohort.{room}", "--cov-context=test", "--cov-report=")
    child = _started(place, [*timed, *names], output)
    if os.waitpid(child, 0)[1]:
        raise SystemExit(f"{room}: its tests fail on the original:\n{output.read_text()[-3000:]}")
    data = CoverageData(str(place / ".coverage"))
    data.read()
    ran = {
        Path(file).relative_to(place): {
            line: {one for context in contexts if context for one in _runners(context)}
            for line, contexts in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    return Tests({name: float(seconds) for seconds, name in _TIMED.findall(output.read_text())}, ran)


def ended(place: Path, tests: Sequence[str], seconds: float) -> str:
    """How tests that take so long end on what lies there: `passed`, `failed` or `slow`."""
    patience = min(max(_PATIENCE[0], 5 * seconds), max(_PATIENCE[1], seconds))
    child = _started(place, ["-x", *tests], Path(os.devnull), int(patience))
    until, done, status = time.monotonic() + _WAITING * patience, 0, 0
    while not done and time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # also what a test started
    if not done:
        os.waitpid(child, 0)
    if not done or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
        return "slow"
    return "failed" if status else "passed"


def _started(place: Path, words: Sequence[str], output: Path, patience: int = resource.RLIM_INFINITY) -> int:
    """Call pytest in a process that has imported all but the code under test, for some seconds of it; its number."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (patience, resource.RLIM_INFINITY))
        own = {"PYTHONPATH": str(place / "src"), "HYPOTHESIS_PROFILE": "ci", "POLARS_MAX_THREADS": "1"}
        os.environ.update(own, TMPDIR=str(place / "tmp"))
        os.chdir(place)
        sys.path[:0] = [str(place / "src"), str(place)]
        with output.open("wb") as told, Path(os.devnull).open("rb") as nothing:
            os.dup2(nothing.fileno(), 0)
            os.dup2(told.fileno(), 1)
            os.dup2(told.fileno(), 2)
        status = int(import_module("pytest").main([*_PYTEST, *words], [Importing]))
    except BaseException:  # noqa: BLE001  nobody above could tell of it
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


def tried(place: Path, where: str, names: Sequence[str], *, draw: int, seed: int) -> None:
    """Try mutants of a room, or of one of its files, by these tests, and print what was found."""
    room, _, file = where.partition("/")
    began, tests = time.monotonic(), observed(place, room, names or ROOMS[room])
    print(f"{room}: {len(tests.seconds)} tests, {sum(tests.seconds.values()):.0f} s", flush=True)
    parsed = {path: mutants(path) for path in sorted(Path("src/kohort", room).rglob("*.py")) if file in ("", path.stem)}
    everyone = [mutant for one in parsed.values() for mutant in one.mutants]
    chosen = random.Random(seed).sample(everyone, min(draw, len(everyone)))  # noqa: S311  a sample, no secret
    found = Counter[str]()
    for number, mutant in enumerate(chosen):
        target = place / mutant.file
        original = target.read_text()
        with _changed(target, parsed[mutant.file].code(mutant), number):
            named = tests.of(mutant)
            how = ended(place, named, sum(tests.seconds.get(one, 0.1) for one in named)) if named else "passed"
            found[how] += 1
            if how != "failed":
                _tell_mutant(mutant, f"{how}, {len(named)} tests", original, target.read_text())
    messages, minutes = sum(one.messages for one in parsed.values()), (time.monotonic() - began) / 60
    dead = found["failed"] + found["slow"]
    low, high = wilson(dead, len(chosen))
    print(
        f"\n| {where} | {len(everyone)} | {messages} | {len(chosen)} | {dead} | {found['slow']} |"
        f" {100 * dead / len(chosen):.1f} % | {100 * low:.0f}–{100 * high:.0f} % | seed {seed}, {minutes:.0f} min",
        flush=True,
    )


@contextmanager
def _changed(file: Path, content: str, number: int) -> Generator[None]:
    """A file with another content, for a while; Python tells by the time of its change that it has to be read anew."""
    stat, original = file.stat(), file.rename(file.with_suffix(_ORIGINAL))
    file.write_text(content)
    os.utime(file, (stat.st_atime, stat.st_mtime + 10 + number))
    try:
        yield
    finally:
        original.replace(file)


def _tell_mutant(mutant: Mutant, how: str, before: str, after: str) -> None:
    """Print the lines that differ."""
    print(f"\n{mutant.file}:{mutant.first}: {how}")
    for line in unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""):
        if not line.startswith(("---", "+++", "@@")):
            print(f"  {line}", flush=True)


def wilson(dead: int, tried: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    z, share = 1.96, dead / tried
    middle = share + z * z / (2 * tried)
    reach = z * sqrt(share * (1 - share) / tried + z * z / (4 * tried * tried))
    return (middle - reach) / (1 + z * z / tried), (middle + reach) / (1 + z * z / tried)


def main() -> None:
    """Try mutants of rooms."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rooms", nargs="*", default=list(ROOMS))
    parser.add_argument("--tests", nargs="+", default=[], help="in place of all tests of the room")
    parser.add_argument("--draw", type=int, default=150, help="so many mutants of each")
    parser.add_argument("--seed", type=int, default=7, help="of the draw")
    words = parser.parse_args()
    for name in _WARM:
        import_module(name)
    print("| room | mutants | of messages | drawn | killed | by time | share | 95 % interval |", flush=True)
    for name in words.rooms:
        with TemporaryDirectory(prefix="kohort-mutation-") as folder:
            place = Path(folder).resolve()
            for copied in map(Path, _COPIED):
                (shutil.copytree if copied.is_dir() else shutil.copy2)(copied, place / copied)
            (place / "tmp").mkdir()
            tried(place, name, words.tests, draw=words.draw, seed=words.seed)


if __name__ == "__main__":
    main()
