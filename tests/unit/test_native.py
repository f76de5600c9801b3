"""The compiled core: each loop does what its plain twin does, and whatever it is given, it touches nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.core.frequency import shared
from kohort.errors import MissingExtraError
from kohort.io.dictionary import Known
from kohort.io.records import KEEP, NONE, REFUSE, SKIP
from kohort.io.records import scan as compiled_scan
from kohort.native import build, library
from kohort.native.library import CARVE, COMPARE, FIT, GROUP, LOOK_UP, MEMBERS, ONLY, REHASH, SCAN, SHARED, WRITE
from tests.reference import loops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: Texts of marks and little else, long enough to reach beyond one step of the scan.
TEXTS: Final = st.lists(st.sampled_from([b",", b'"', b'""', b"\n", b"\r", b"\r\n", b"a", b"x" * 70])).map(b"".join)

DIALECTS: Final = st.builds(
    loops.Dialect,
    st.sampled_from([*b",;"]),
    st.sampled_from([-1, ord('"')]),
    st.sampled_from([*b"\n\r"]),
    st.sampled_from([KEEP, REFUSE, SKIP]),
    st.sampled_from([3, 1 << 20]),
)

#: Values that differ early, late, in length alone.
CELLS: Final = st.sampled_from([b"", b"a", b"b", b"12345678", b"123456789", b"12345678a", b"\0", b"x" * 40, b"x" * 41])


def array(values: Sequence[Any], kind: type[np.generic] = np.int64) -> NDArray[Any]:
    """An array of some values."""
    return np.array(values, kind)


@given(data=TEXTS, dialect=DIALECTS, columns=st.integers(1, 3), room=st.integers(1, 4), share=st.floats(0, 1))
def test_a_scan_finds_cells_and_faults(
    data: bytes, dialect: loops.Dialect, columns: int, room: int, share: float
) -> None:
    """Byte by byte, by the same rules."""
    at = int(share * (len(data) + 1))  # behind a header without a line end there is not even the end
    starts, lengths = np.zeros((columns, room), np.int64), np.zeros((columns, room), np.int32)
    told = np.zeros(5, np.int64)
    found = compiled_scan(np.frombuffer(data, np.uint8), at, *dialect, starts, lengths, told)
    expected = loops.scan(data, at, dialect, columns, room)
    cells = np.stack([starts, lengths], axis=2).transpose(1, 0, 2)[:found]
    assert [[tuple(cell) for cell in record] for record in cells.tolist()] == expected.records
    assert (told[0], told[4]) == (expected.told[0], expected.told[4])
    if told[0] != NONE:
        assert tuple(told.tolist()) == expected.told


@given(cells=st.lists(CELLS, max_size=80), room=st.integers(1, 8), size=st.integers(1, 200))
def test_values_are_coded_as_they_come(cells: list[bytes], room: int, size: int) -> None:
    """Each once, until one more does not fit in; put into a larger table, they are found again."""
    data = b"".join(cells)
    lengths = array([len(cell) for cell in cells], np.int32)
    starts = np.cumsum([0, *lengths.tolist()])[:-1].astype(np.int64)
    slots, used, codes = np.zeros(16, np.uint64), np.zeros(1, np.int64), np.zeros(len(cells), np.uint32)
    kept = np.zeros(room, np.int64), np.zeros(room, np.uint64), np.zeros(room + 1, np.int64), np.zeros(size, np.uint8)
    text = np.frombuffer(data, np.uint8)
    done = LOOK_UP(text, starts, lengths, 0, slots, *kept, used, codes, 1)
    values: list[bytes] = []
    assert codes[:done].tolist() == loops.look_up(cells, values, room, size)
    first, _, ends, own = kept
    assert own[: ends[used[0]]].tobytes() == b"".join(value + b"\0" for value in values)
    assert first[: used[0]].tolist() == [int(starts[cells.index(value)]) for value in values]
    more = np.zeros(64, np.uint64)
    REHASH(slots, more)
    again = np.zeros(done, np.uint32)
    assert LOOK_UP(text, starts[:done], lengths[:done], 0, more, *kept, used, again, 1) == done
    assert (again == codes[:done]).all()
    every = np.zeros(len(cells), np.uint32)
    assert LOOK_UP(text, starts, lengths, 0, more, *kept, used, every, 0) == len(cells)
    assert every.tolist() == [values.index(cell) if cell in values else (1 << 32) - 1 for cell in cells]


@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=90),
    room=st.integers(1, 12),
    kind=st.sampled_from([np.uint32, np.int64]),
)
def test_equal_rows_are_a_group(rows: list[tuple[int, int]], room: int, kind: type[np.generic]) -> None:
    """Numbered as they appear, until there is no room for one more."""
    words = np.array(rows, np.uint64).reshape(len(rows), 2)
    of, first, done = np.zeros(len(rows), kind), np.zeros(room, np.int64), np.zeros(2, np.int64)
    GROUP(words, 2, of, first, np.full(16, -1, np.int32), done)
    heads, groups = loops.group(rows, room)
    assert done.tolist() == [len(groups), len(heads)]
    assert (first[: done[1]].tolist(), of[: done[0]].tolist()) == (heads, groups)


#: What sets are made of, and what a set is not.
PARTS: Final = st.sampled_from([b"a", b"bc", b"123456789", b"d,", b" e", b"", b"x"])
LABELS: Final = st.one_of(
    st.lists(PARTS, max_size=4).map(lambda parts: b"{" + b", ".join(parts) + b"}"),
    st.lists(st.sampled_from([b"{", b"}", b",", b" ", b"a", b"bc"]), max_size=6).map(b"".join),
)


@given(labels=st.lists(LABELS, max_size=9), values=st.lists(PARTS, max_size=7, unique=True))
def test_members_of_sets_are_looked_up(labels: list[bytes], values: list[bytes]) -> None:
    """Those that ascend and are all known, of sets spelled as they are printed."""
    texts = pl.Series([value.decode() for value in values], dtype=pl.String)
    found, sizes = Known(texts).members(pl.Series([label.decode() for label in labels], dtype=pl.String))
    expected = [loops.members(label, values) for label in labels]
    assert sizes.tolist() == [-1 if codes is None else len(codes) for codes in expected]
    assert found.tolist() == [code for codes in expected for code in codes or ()]


@given(
    values=st.lists(st.integers(0, 5), max_size=30),
    cuts=st.lists(st.integers(0, 30), max_size=5),
    size=st.integers(0, 6),
    kind=st.sampled_from([np.uint8, np.uint16, np.uint32]),
)
def test_records_share_values_with_their_group(
    values: list[int], cuts: list[int], size: int, kind: type[np.unsignedinteger]
) -> None:
    """Whatever other groups have; values beyond those that are counted are none."""
    starts = [0, *sorted(min(cut, len(values)) for cut in cuts), len(values)]
    assert shared(np.array(values, kind), array(starts), size).tolist() == loops.shared(values, starts, size)


@st.composite
def meanings(draw: st.DrawFn) -> loops.Meaning:
    """What one to four labels stand for, where there are one to five values."""
    ranks = draw(st.lists(st.integers(-2, 5), min_size=1, max_size=5))
    count = draw(st.integers(1, 4))
    spans = draw(st.lists(st.tuples(st.integers(-1, 5), st.integers(-1, 6)), min_size=count, max_size=count))
    some = st.sets(st.integers(0, len(ranks) - 1)).map(sorted)
    return loops.Meaning(ranks, spans, draw(st.lists(some, min_size=count, max_size=count)))


@given(meaning=meanings(), data=st.data())
def test_records_fit_into_what_their_labels_stand_for(meaning: loops.Meaning, data: st.DataObject) -> None:
    """A span, or listed values; and who stands at the ends of a span is told by a bit."""
    size = data.draw(st.integers(0, 20))
    kinds = st.sampled_from([np.uint8, np.uint16, np.uint32])

    def drawn(count: int) -> list[int]:
        return data.draw(st.lists(st.integers(0, count - 1), min_size=size, max_size=size))

    source, labels = drawn(len(meaning.ranks)), drawn(len(meaning.spans))
    lineage = data.draw(st.permutations(range(size)))
    low, high = np.array(meaning.spans, np.int32).T
    first, listed = np.cumsum([0, *map(len, meaning.listed)]), array([*chain.from_iterable(meaning.listed)], np.uint32)
    stands_for = array(meaning.ranks, np.int32), np.ascontiguousarray(low), np.ascontiguousarray(high), first, listed
    ends = np.zeros((2, -(-size // 8)), np.uint8)
    records = (
        np.array(source, data.draw(kinds)),
        np.array(lineage, data.draw(st.sampled_from([np.uint32, np.int64]))),
        np.array(labels, data.draw(kinds)),
    )
    outside = FIT(*records, stands_for, *ends)
    bits = [np.unpackbits(end, count=size).astype(bool).tolist() for end in ends]
    assert (outside, *bits) == loops.fit([source[row] for row in lineage], labels, meaning)


@given(bits=st.lists(st.booleans(), max_size=30), data=st.data())
def test_the_only_one_of_a_group_is_told(bits: list[bool], data: st.DataObject) -> None:
    """Groups stand in any order; who was marked before stays it."""
    of = data.draw(st.lists(st.integers(0, 3), min_size=len(bits), max_size=len(bits)))
    found, marks = np.zeros(4, np.uint8), np.zeros(len(bits), np.uint8)
    ONLY(
        np.packbits(np.array(bits, np.bool_)),
        np.array(of, data.draw(st.sampled_from([np.uint32, np.int64]))),
        found,
        marks,
    )
    assert (found.tolist(), marks.astype(bool).tolist()) == loops.only(bits, of, 4)
    marked = np.ones(len(bits), np.uint8)
    ONLY(np.packbits(np.array(bits, np.bool_)), np.array(of, np.uint32), np.zeros(4, np.uint8), marked)
    assert marked.all()


def columns_of(cells: Sequence[Sequence[bytes]], codes: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Columns as the core takes them."""
    found: list[NDArray[Any]] = []
    for texts, held in zip(cells, codes, strict=True):
        ends = np.cumsum([0, *map(len, texts)]).astype(np.int64)
        found += [np.frombuffer(b"".join(texts), np.uint8), ends, held]
    return found


@st.composite
def records(draw: st.DrawFn) -> tuple[list[list[bytes]], list[NDArray[Any]], int]:
    """Cells of one to three columns, or of some 40, codes of up to nine records in any width, and their number."""
    count, size = draw(st.integers(1, 3)), draw(st.integers(0, 9))
    cells = [draw(st.lists(CELLS, min_size=1, max_size=4)) for _ in range(count)]
    kinds = [draw(st.sampled_from([np.uint8, np.uint16, np.uint32])) for _ in range(count)]
    codes = [
        np.array(draw(st.lists(st.integers(0, len(texts) - 1), min_size=size, max_size=size)), kind)
        for texts, kind in zip(cells, kinds, strict=True)
    ]
    times = draw(st.sampled_from([1, 1, 40]))
    return cells * times, codes * times, size


@given(table=records(), room=st.integers(0, 300), row=st.integers(0, 9))
def test_records_are_written_whole(
    table: tuple[list[list[bytes]], list[NDArray[Any]], int], room: int, row: int
) -> None:
    """As many as there is room for, from any one on."""
    cells, codes, size = table
    row = min(row, size)
    out, filled = np.zeros(room, np.uint8), np.zeros(1, np.int64)
    reached = WRITE(columns_of(cells, codes), row, size, out, filled)
    lines = loops.text([(texts, held.tolist()) for texts, held in zip(cells, codes, strict=True)], row, size)
    fit = [len(b"".join(lines[: each + 1])) <= room for each in range(len(lines))]
    assert reached == row + sum(fit)
    assert out[: filled[0]].tobytes() == b"".join(lines[: sum(fit)])


@given(table=records(), before=st.binary(max_size=3), change=st.integers(0, 400), byte=st.integers(1, 255))
def test_a_text_that_differs_is_told(
    table: tuple[list[list[bytes]], list[NDArray[Any]], int], before: bytes, change: int, byte: int
) -> None:
    """The first record that is not as it should be, wherever a byte is changed or missing; none where all are."""
    cells, codes, size = table
    lines = loops.text([(texts, held.tolist()) for texts, held in zip(cells, codes, strict=True)], 0, size)
    columns, text, met = (
        columns_of(cells, codes),
        before + b"".join(lines),
        [np.zeros(len(one), np.uint8) for one in cells],
    )
    ends = [len(before) + len(b"".join(lines[:each])) for each in range(size + 1)]
    place = array([len(before)])
    assert COMPARE(np.frombuffer(text, np.uint8), columns, met, 0, size, place) == size
    assert place[0] == len(text)
    assert [np.flatnonzero(one).tolist() for one in met] == [sorted({*held.tolist()}) for held in codes]
    for wrong in (
        text[:change],
        text[:change] + bytes([text[change] ^ byte]) + text[change + 1 :] if change < len(text) else b"",
    ):
        if len(before) <= change < len(text):
            differs = next(each for each in range(size) if ends[each + 1] > change)
            place = array([len(before)])
            assert COMPARE(np.frombuffer(wrong, np.uint8), columns, met, 0, size, place) == differs
            assert place[0] == ends[differs]


# ── What does not fit ────────────────────────────────────────────────────────────────────────────

#: Numbers that lead beyond arrays of some tens of items, or nearly.
WILD: Final = st.one_of(
    st.integers(-3, 70), st.sampled_from([-(1 << 63), (1 << 63) - 1, 1 << 62, 1 << 32, (1 << 31) - 1, -(1 << 31)])
)

#: The library as it is built for everybody.
LIBRARY: Final = build.LIBRARY

#: Bytes on either side of an array, which nobody may change.
GUARD: Final = 64


class Guarded:
    """Arrays between bytes that are looked at afterwards."""

    def __init__(self, draw: st.DataObject) -> None:
        """Nothing yet."""
        self._draw = draw
        self._wholes: list[NDArray[np.uint8]] = []

    def array(self, kind: np.dtype[Any], size: int | None = None) -> NDArray[Any]:
        """One of wild numbers."""
        draw, item = self._draw.draw, kind.itemsize
        size = draw(st.sampled_from([0, 1, 2, 4, 5, 8, 16, 32])) if size is None else size
        whole = np.full(2 * GUARD + size * item, 0xA5, np.uint8)
        self._wholes.append(whole)
        inside: NDArray[Any] = whole[GUARD : GUARD + size * item].view(kind)
        numbers = draw(st.lists(WILD, min_size=size, max_size=size)) if draw(st.booleans()) else [0] * size
        inside[:] = np.array(numbers, np.int64).astype(kind)
        return inside

    def check(self) -> None:
        """Nothing round them was changed."""
        for whole in self._wholes:
            assert (whole[:GUARD] == 0xA5).all()
            assert (whole[-GUARD:] == 0xA5).all()


U8, U16, U32, U64 = np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.uint32), np.dtype(np.uint64)
I32, I64, F64 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float64)

#: The types that codes of records, of quasi-identifiers and numbers of groups may have.
CODES: Final[list[np.dtype[Any]]] = [U8, U16, U32]
QUASI: Final[list[np.dtype[Any]]] = [U16, U32]
GROUPS: Final[list[np.dtype[Any]]] = [U32, I64]


@given(data=st.data())
@pytest.mark.filterwarnings("ignore:overflow")
def test_no_argument_leads_beyond_an_array(data: st.DataObject) -> None:
    """Every function returns, or says that what it was given does not fit; nothing outside of the arrays is changed."""
    made = Guarded(data)
    of = made.array

    def wild() -> int:
        return data.draw(WILD)

    size = data.draw(st.sampled_from([4, 8, 16]))
    code = data.draw(st.sampled_from(QUASI))
    some = data.draw(st.integers(1, 2))
    columns = [of(kind) for _ in range(some) for kind in (U8, I64, data.draw(st.sampled_from(CODES)))]
    calls = (
        (
            SCAN,
            of(U8),
            wild(),
            *(data.draw(st.integers(-1, 255)) for _ in range(4)),
            wild(),
            of(I64, 8),
            of(I32, 8),
            wild(),
            of(I64, 5),
        ),
        (
            LOOK_UP,
            of(U8),
            of(I64, size),
            of(I32, size),
            wild(),
            of(U64, 16),
            of(I64, 8),
            of(U64, 8),
            of(I64, 9),
            of(U8),
            of(I64, 1),
            of(U32, size),
            data.draw(st.integers(0, 1)),
        ),
        (
            MEMBERS,
            *(of(U8), of(I64, size + 1), of(U64, 16), of(I64, 8), of(U64, 8), of(I64, 9), of(U8), of(I64, 1)),
            *(of(U32), of(I64, size)),
        ),
        (SHARED, of(data.draw(st.sampled_from(CODES)), size), of(I64), of(U64), of(U32, size)),
        (
            FIT,
            *(of(data.draw(st.sampled_from(CODES))), of(data.draw(st.sampled_from(GROUPS)), size)),
            of(data.draw(st.sampled_from(CODES)), size),
            (of(I32), of(I32, size), of(I32, size), of(I64, size + 1), of(U32)),
            *(of(U8, -(-size // 8)), of(U8, -(-size // 8))),
        ),
        (ONLY, of(U8, -(-size // 8)), of(data.draw(st.sampled_from(GROUPS)), size), of(U8), of(U8, size)),
        (REHASH, of(U64), of(U64)),
        (GROUP, of(U64, 8), wild(), of(data.draw(st.sampled_from(GROUPS))), of(I64), of(I32), of(I64, 2)),
        (WRITE, columns, wild(), wild(), of(U8), of(I64, 1)),
        (COMPARE, of(U8), columns, [of(U8, max(one.size - 1, 0)) for one in columns[1::3]], wild(), wild(), of(I64, 1)),
        (
            CARVE,
            (of(code, 8 * size), of(U64, 0), of(U32, 2 * size), of(I64, data.draw(st.sampled_from([0, 2 * size])))),
            (of(I64, 16), of(I64, 2), of(F64, 2), of(I64, 8)),
            *(wild(), 1, data.draw(st.integers(0, 2)), 7),
            (of(code, 4), of(code, 4), of(I64, 2), of(code, size), of(I64, size), of(I64, 16), of(I64, 4 * size)),
            (of(I64, size), of(I64, size), of(code, 4 * size), of(code, 4 * size)),
            *(wild(), wild(), wild(), wild()),
        ),
    )
    for function, *arguments in cast("Any", calls):
        try:
            function(*arguments)
        except IndexError as refused:
            assert "does not fit" in str(refused)  # noqa: PT017  either is right
        made.check()


def test_arrays_of_another_kind_are_not_handed_over() -> None:
    """C would take their bytes for something else, or write where nobody may."""
    words = np.zeros(4, np.uint64)
    fixed = words.copy()
    fixed.flags.writeable = False
    askew = np.zeros(33, np.uint8)[1:].view(np.uint64)
    for one, other in ((words.view(np.int64), words), (words[::2], words), (words, fixed), (askew, words)):
        with pytest.raises(Exception, match="cannot be handed"):
            REHASH(one, other)


# ── The library ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def _unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is looked for anew."""
    monkeypatch.setattr(library, "library", library.library.__wrapped__)


@pytest.mark.usefixtures("_unloaded")
def test_a_checkout_builds_the_library_when_the_c_is_newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation has no C, and takes the library that it has."""
    made: list[str] = []
    monkeypatch.setattr(build, "build", lambda: made.append("built"))
    source, target = tmp_path / "core.c", tmp_path / "core.so"
    monkeypatch.setattr(build, "SOURCES", (source,))
    monkeypatch.setattr(build, "LIBRARY", target)
    shutil.copy(LIBRARY, target)
    assert hasattr(library.library(), "kohort_scan")
    assert not made
    source.touch()
    os.utime(target, (1, 1))
    assert hasattr(library.library(), "kohort_scan")
    assert made == ["built"]


@pytest.mark.usefixtures("_unloaded")
def test_without_library_and_compiler_there_is_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to install."""
    monkeypatch.setattr(build, "LIBRARY", tmp_path / "core.so")
    monkeypatch.setattr(build, "compilers", lambda: iter(()))
    monkeypatch.setattr(build.build, "__defaults__", (tmp_path / "core.so", build.FLAGS))
    with pytest.raises(MissingExtraError, match="there is no C compiler") as refused:
        library.library()
    assert "ziglang" in str(refused.value.hint)


def test_the_compiler_that_works_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that CC names, then the system's, then that of ziglang; what each of them said is told at last."""
    monkeypatch.setenv("CC", f"{tmp_path}/none -x")
    monkeypatch.setattr(shutil, "which", {"cc": "/bin/false"}.get)
    monkeypatch.setattr(build, "find_spec", dict[str, None]().get)
    assert [*build.compilers()] == [[f"{tmp_path}/none", "-x"], ["/bin/false"]]
    with pytest.raises(OSError, match="cannot be built: /bin/false"):
        build.build(tmp_path / "core.so")
    monkeypatch.delenv("CC")
    monkeypatch.setattr(build, "find_spec", str)
    assert [*build.compilers()][-1][:4] == [sys.executable, "-m", "ziglang", "cc"]
    fake = tmp_path / "cc"
    fake.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho made > "$2"\n')
    fake.chmod(0o700)
    monkeypatch.setattr(shutil, "which", {"cc": str(fake)}.get)
    build.build(tmp_path / "core.so")
    assert (tmp_path / "core.so").read_text() == "made\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cc", "core.so"]


#: Runs the tests of a process with another library.
_CHILD: Final = """
import sys
from pathlib import Path
from kohort.native import build
build.LIBRARY = Path(sys.argv[1])
import pytest
sys.exit(pytest.main(["-qs", "-p", "no:cacheprovider", "-p", "no:randomly", *sys.argv[2:]]))
"""


@pytest.mark.slow
def test_sanitizers_find_nothing(tmp_path: Path) -> None:
    """With -fsanitize=address,undefined all tests of the core, and those of readers and Mondrian, run to their end."""
    gcc = shutil.which("gcc")
    runtime = gcc and subprocess.run(
        [gcc, "-print-file-name=libasan.so"], stdout=subprocess.PIPE, text=True, check=True
    )
    if not runtime or not Path(runtime.stdout.strip()).exists():
        pytest.skip("this machine has no gcc with sanitizers")
    made = tmp_path / "core.so"
    strict = (*build.MEANING, "-O1", "-g", "-Wall", "-Wextra", "-Wconversion", "-Werror")
    os.environ["CC"], before = str(gcc), os.environ.get("CC")
    try:
        build.build(made, (*strict, "-fsanitize=address,undefined", "-fno-sanitize-recover=all"))
    finally:
        os.environ.pop("CC")
        os.environ |= {} if before is None else {"CC": before}
    names = [str(path) for path in sorted(Path("tests/unit").glob("test_native*.py")) if "analysis" not in path.name]
    names += ["tests/unit/io/test_text.py", "tests/unit/algorithms/test_mondrian.py"]
    names += ["tests/laws/test_loss_kernel_laws.py", "tests/laws/test_loss_laws.py"]
    environment = os.environ | {
        "LD_PRELOAD": f"{runtime.stdout.strip()} libstdc++.so.6",  # whose exceptions DuckDB throws
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONMALLOC": "malloc",
        "HYPOTHESIS_PROFILE": "few",
    }
    command = [sys.executable, "-c", _CHILD, str(made), "-m", "not slow", *names]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
