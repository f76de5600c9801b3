"""Every way in which a written folder, or what is said of it, can be wrong is found by aggregation."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from kohort.errors import FileError, LimitError, UnsupportedError, VerificationError
from kohort.io.forms import Format
from kohort.io.typed import from_frame
from kohort.io.write import write
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.perturbation.effect import Effect
from kohort.perturbation.pseudonyms import Key
from kohort.schema import Attribute, Role, Schema
from kohort.sql.verify import WrittenParts
from kohort.sql.verify.aggregated import Destinations, verify_by_aggregation
from kohort.verify import Claim
from kohort.verify.aggregates import Hashed, hashes
from tests.reference.destinations import table_of
from tests.reference.relation import TableRelation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kohort.verify.aggregates import Tuples

#: Twelve people: name, age, city, illness, income, note.
PEOPLE = [
    ("Ada Rossi", "31", "Rome", "flu", "1000", "a"),
    ("Bo Verdi", "33", "Rome", "gout", "2000", "b"),
    ("Cy Bianchi", "35", "Rome", "flu", "3000", "c"),
    ("Di Neri", "35", "Rome", "cold", "4000", "d"),
    ("Ed Gallo", "41", "Bari", "flu", "5000", "e"),
    ("Flo Ricci", "45", "Bari", "gout", "6000", "f"),
    ("Gus Conti", "45", "Bari", "cold", "7000", "g"),
    ("Hal Greco", "48", "Bari", "flu", "8000", "h"),
    ("Ivo Riva", "31", "Bari", "flu", "9000", "i"),
    ("Jo Villa", "35", "Bari", "gout", "10000", "j"),
    ("Kim Longo", "99", "Oslo", "rare", "99999", "k"),
    ("Leo Serra", "31", "Bari", "cold", "11000", "l"),
]
COLUMNS = ["name", "age", "city", "illness", "income", "note"]
SCHEMA = Schema(
    (
        Attribute("name", Role.IDENTIFYING),
        Attribute("age", Role.QUASI),
        Attribute("city", Role.QUASI),
        Attribute("illness", Role.SENSITIVE),
        Attribute("income", Role.INSENSITIVE),
        Attribute("note", Role.INSENSITIVE),
    )
)
MODELS = (KAnonymity(3), DistinctLDiversity("illness", 2))

#: Where tuples go; Kim's is left out.
WHERE = {
    ("31", "Rome"): ("[31-35]", "Rome"),
    ("33", "Rome"): ("[31-35]", "Rome"),
    ("35", "Rome"): ("[31-35]", "Rome"),
    ("41", "Bari"): ("[41-48]", "Bari"),
    ("45", "Bari"): ("[41-48]", "Bari"),
    ("48", "Bari"): ("[41-48]", "Bari"),
    ("31", "Bari"): ("[31-35]", "Bari"),
    ("35", "Bari"): ("[31-35]", "Bari"),
}

Lines = list[str]


def source(rows: Sequence[Sequence[str]] = PEOPLE) -> TableRelation:
    """The input, as a relation."""
    return TableRelation(from_frame(pl.DataFrame(rows, COLUMNS, orient="row")))


def destinations(where: dict[tuple[str, str], tuple[str, str]] | None = None) -> Destinations:
    """Where the tuples go."""
    known = where or WHERE
    names = ["age", "city"]
    return Destinations(table_of([*known], names), table_of([*known.values()], names))


def claim(**changed: object) -> Claim:
    """What the release says of itself."""
    said = Claim(SCHEMA, MODELS, source(), np.empty(0, np.int64), suppressed=1, limit=1)
    return replace(said, **changed)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def lines(where: dict[tuple[str, str], tuple[str, str]] | None = None) -> Lines:
    """The lines of the release, in order."""
    known = where or WHERE
    return sorted(",".join([*known[row[1], row[2]], *row[3:]]) for row in PEOPLE if (row[1], row[2]) in known)


HEADER = "age,city,illness,income,note"


def written(folder: Path, parts: Sequence[Sequence[str]], header: str = HEADER) -> list[Path]:
    """The parts with these lines."""
    paths = [folder / f"part-{number:05}.csv" for number in range(len(parts))]
    for path, part in zip(paths, parts, strict=True):
        path.write_text("\n".join([header, *part, ""]), encoding="utf-8")
    return paths


def packed(folder: Path, parts: Sequence[Sequence[str]], header: str = HEADER) -> list[Path]:
    """The parts with these records, as Parquet."""
    paths = [folder / f"part-{number:05}.parquet" for number in range(len(parts))]
    for path, part in zip(paths, parts, strict=True):
        with path.open("wb") as file:
            write(table_of([tuple(line.split(",")) for line in part], header.split(",")), file, Format.PARQUET)
    return paths


#: How parts are written, and what their release says of it.
FORMATS: dict[str, Callable[..., list[Path]]] = {"csv": written, "parquet": packed}


def cut(whole: Lines) -> list[Lines]:
    """The lines in three parts."""
    return [whole[:4], whole[4:7], whole[7:]]


def test_the_folder_is_right(tmp_path: Path) -> None:
    """Before anything is changed: the verdict tells of the parts, of the joined bytes, and how it was found."""
    paths = written(tmp_path, cut(lines()))
    found = verify_by_aggregation(paths, source(), claim(), destinations())
    assert (found.records, found.suppressed, found.classes, found.smallest) == (11, 1, 3, 3)
    assert [(part.name, part.records) for part in found.parts] == [
        ("part-00000.csv", 4),
        ("part-00001.csv", 3),
        ("part-00002.csv", 4),
    ]
    assert len({part.sha256 for part in found.parts}) == 3
    (whole,) = written(tmp_path, [lines()])
    assert verify_by_aggregation([whole], source(), claim(), destinations()).sha256 == found.sha256
    assert found.way == "by aggregation"


def swapped(parts: list[Lines], one: tuple[int, int], other: tuple[int, int], start: int) -> list[Lines]:
    """Two records' cells from a column on, exchanged."""
    first, second = (parts[part][line].split(",") for part, line in (one, other))
    first[start:], second[start:] = second[start:], first[start:]
    parts[one[0]][one[1]], parts[other[0]][other[1]] = ",".join(first), ",".join(second)
    return parts


def in_order(parts: list[Lines]) -> list[Lines]:
    """The parts with their lines in order again: what a fault leaves of it, order must not tell."""
    return cut(sorted(line for part in parts for line in part))


#: What is done to the parts, and the check that finds it.
MUTANTS: dict[str, tuple[Callable[[list[Lines]], list[Lines]], str]] = {
    "a record dropped": (lambda parts: [parts[0][1:], *parts[1:]], "records"),
    "a record doubled": (lambda parts: [[parts[0][0], *parts[0]], *parts[1:]], "records"),
    "a record doubled, another dropped": (
        lambda parts: [[parts[0][0], *parts[0][:1], *parts[0][2:]], *parts[1:]],
        "lineage",
    ),
    "a record in another class": (
        lambda parts: in_order([[parts[0][0].replace("Bari", "Rome"), *parts[0][1:]], *parts[1:]]),
        "lineage",
    ),
    "sensitive values swapped between two classes": (
        lambda parts: in_order(swapped(parts, (0, 0), (1, 0), 2)),
        "lineage",
    ),
    "other cells swapped between two classes": (lambda parts: swapped(parts, (0, 2), (2, 1), 3), "cells"),
    "one other column swapped within a class": (lambda parts: swapped(parts, (0, 0), (0, 1), 4), "cells"),
    "a label widened": (
        lambda parts: in_order([[line.replace("[41-48]", "[31-48]") for line in part] for part in parts]),
        "lineage",
    ),
    "a part missing": (lambda parts: parts[:-1], "records"),
    "no part": (lambda _: [], "bytes"),
    "a part added": (lambda parts: [*parts, parts[-1][-1:]], "records"),
    "a part for another": (lambda parts: [parts[0], parts[0][1:], parts[2]], "order"),
    "parts reordered": (lambda parts: [parts[1], parts[0], parts[2]], "order"),
    "records reordered": (lambda parts: [parts[0][::-1], *parts[1:]], "order"),
    "a number spelled otherwise": (
        lambda parts: [[parts[0][0].replace("11000", "11000.0"), *parts[0][1:]], *parts[1:]],
        "cells",
    ),
    "a needless quote": (lambda parts: [[parts[0][0].replace("11000", '"11000"'), *parts[0][1:]], *parts[1:]], "bytes"),
    "another cell": (lambda parts: [[parts[0][0].replace(",l", ",Ada Rossi"), *parts[0][1:]], *parts[1:]], "cells"),
}


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("mutant", MUTANTS)
def test_every_mutant_is_found(tmp_path: Path, mutant: str, format_: str) -> None:
    """And named by the check that it fails. A quote is needless in CSV alone; in Parquet it is part of the cell."""
    change, check = MUTANTS[mutant]
    check = "cells" if (mutant, format_) == ("a needless quote", "parquet") else check
    paths = FORMATS[format_](tmp_path, change(cut(lines())))
    with pytest.raises(VerificationError, match=f"check {check}"):
        verify_by_aggregation(paths, source(), claim(format=format_), destinations())


@pytest.mark.parametrize("format_", FORMATS)
def test_a_column_is_renamed(tmp_path: Path, format_: str) -> None:
    """In one part alone."""
    whole = cut(lines())
    paths = FORMATS[format_](tmp_path, whole)
    (tmp_path / "other").mkdir()
    (other,) = FORMATS[format_](tmp_path / "other", whole[1:2], HEADER.replace("note", "name"))
    other.rename(paths[1])
    with pytest.raises(VerificationError, match="check columns"):
        verify_by_aggregation(paths, source(), claim(format=format_), destinations())


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("cut_off", [1, 3, 40])
def test_a_part_is_truncated(tmp_path: Path, cut_off: int, format_: str) -> None:
    """Within a record, at its end, or in a footer."""
    paths = FORMATS[format_](tmp_path, cut(lines()))
    content = paths[2].read_bytes()
    paths[2].write_bytes(content[:-cut_off])
    with pytest.raises(VerificationError, match=r"check (bytes|records)"):
        verify_by_aggregation(paths, source(), claim(format=format_), destinations())


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("more", [b"\n", b"11000,l\n", b"PAR1"])
def test_a_part_goes_on(tmp_path: Path, more: bytes, format_: str) -> None:
    """After its last record, or its footer."""
    paths = FORMATS[format_](tmp_path, cut(lines()))
    with paths[2].open("ab") as file:
        file.write(more)
    with pytest.raises(VerificationError, match="check bytes"):
        verify_by_aggregation(paths, source(), claim(format=format_), destinations())


#: What is said of the folder, and the check that finds it wrong, though the files are what is said.
LIES: dict[str, tuple[dict[tuple[str, str], tuple[str, str]], str]] = {
    "a label that is not true": (WHERE | {("48", "Bari"): ("[41-45]", "Bari")}, "regions"),
    "an end that nobody has": (
        {key: ("[31-41]" if label == ("[31-35]", "Rome") else label[0], label[1]) for key, label in WHERE.items()},
        "ends",
    ),
    "a label of no schema": (WHERE | {("48", "Bari"): ("forties", "Bari")}, "labels"),
    "a class that is too small": (
        WHERE
        | {("41", "Bari"): ("41", "Bari"), ("45", "Bari"): ("[45-48]", "Bari"), ("48", "Bari"): ("[45-48]", "Bari")},
        "classes",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_is_written_as_it_is_said_is_judged(tmp_path: Path, lie: str) -> None:
    """The files hold what the release says, and that is wrong."""
    where, check = LIES[lie]
    paths = written(tmp_path, cut(lines(where)))
    with pytest.raises(VerificationError, match=f"check {check}"):
        verify_by_aggregation(paths, source(), claim(), destinations(where))


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    """As many as are said, no more than are allowed, and all tuples are the input's."""
    paths = written(tmp_path, cut(lines()))
    with pytest.raises(VerificationError, match="check records"):
        verify_by_aggregation(paths, source(), claim(suppressed=2), destinations())
    with pytest.raises(VerificationError, match="the limit is 0"):
        verify_by_aggregation(paths, source(), claim(limit=0), destinations())
    with pytest.raises(VerificationError, match="1 tuple does not come from the input"):
        verify_by_aggregation(paths, source(), claim(), destinations(WHERE | {("7", "Bari"): ("[31-35]", "Bari")}))


def test_no_tuple_goes_twice(tmp_path: Path) -> None:
    """Neither wholly to two places, nor more of its records than there are."""
    paths = written(tmp_path, cut(lines()))
    there = destinations()
    twice = Destinations(there.tuples.take(np.array([0, *range(8)])), there.labels.take(np.array([0, *range(8)])))
    with pytest.raises(VerificationError, match="1 record repeats an input record"):
        verify_by_aggregation(paths, source(), claim(), twice)
    rows = [row[1:] for row in PEOPLE if row[0] != "Kim Longo"]
    labels = [WHERE[row[0], row[1]] for row in rows]
    every = Destinations(table_of(rows, COLUMNS[1:]), table_of(labels, ["age", "city"]), np.ones(11, np.int64))
    assert every.counts is not None
    assert verify_by_aggregation(paths, source(), claim(allowed=("note",)), every).records == 11
    with pytest.raises(VerificationError, match="2 records repeat an input record"):
        verify_by_aggregation(paths, source(), claim(), replace(every, counts=every.counts + (np.arange(11) < 2)))


def test_names_in_other_columns_are_found(tmp_path: Path) -> None:
    """By the values of each column alone where that tells, else by the cells of the same records."""
    told = [(*row[:5], f"for {row[0]}") for row in PEOPLE]
    parts = cut(sorted(",".join([*WHERE[row[1], row[2]], *row[3:]]) for row in told if (row[1], row[2]) in WHERE))
    with pytest.raises(VerificationError, match="check identifiers, column note"):
        verify_by_aggregation(written(tmp_path, parts), source(told), claim(), destinations())
    whole = [(row[5] * 3, *row[1:5], row[5] * 3) for row in PEOPLE]
    parts = cut(sorted(",".join([*WHERE[row[1], row[2]], *row[3:]]) for row in whole if (row[1], row[2]) in WHERE))
    paths = written(tmp_path, parts)
    with pytest.raises(VerificationError, match="check identifiers, column note"):
        verify_by_aggregation(paths, source(whole), claim(), destinations())
    rows = [row[1:] for row in whole if row[1:3] in WHERE]
    labels = [WHERE[row[0], row[1]] for row in rows]
    every = Destinations(table_of(rows, COLUMNS[1:]), table_of(labels, ["age", "city"]), np.ones(11, np.int64))
    with pytest.raises(VerificationError, match="check identifiers, column note"):
        verify_by_aggregation(paths, source(whole), claim(), every)
    assert verify_by_aggregation(paths, source(whole), claim(allowed=("note",)), destinations()).records == 11


def test_cells_of_no_column_of_the_input_are_no_names(tmp_path: Path) -> None:
    """A release without an identifying column, and one of nothing but quasi-identifiers."""
    schema = replace(SCHEMA, attributes=(Attribute("name", Role.DROP), *SCHEMA.attributes[1:]))
    paths = written(tmp_path, cut(lines()))
    assert "identifiers" not in verify_by_aggregation(paths, source(), claim(schema=schema), destinations()).checks
    only = [Attribute(one.name, one.role if one.role is Role.QUASI else Role.DROP) for one in SCHEMA.attributes]
    few = claim(schema=replace(SCHEMA, attributes=tuple(only)), models=(KAnonymity(3),))
    whole = sorted(",".join(WHERE[row[1], row[2]]) for row in PEOPLE if (row[1], row[2]) in WHERE)
    found = verify_by_aggregation(written(tmp_path, cut(whole), "age,city"), source(), few, destinations())
    assert found.singling == ()


def test_perturbed_columns_are_told_of_records(tmp_path: Path) -> None:
    """So they are refused, with what can be done."""
    effect = Effect("income", "rounding", 11, 0)
    with pytest.raises(UnsupportedError, match="perturbed"):
        verify_by_aggregation([tmp_path], source(), claim(effects=(effect,)), destinations())


def test_pseudonyms_are_those_of_the_key(tmp_path: Path) -> None:
    """Each stands for its record's identifier; a missing one stays missing."""
    key = Key(bytes(32))
    people = [("" if row[0] == "Leo Serra" else row[0], *row[1:]) for row in PEOPLE]
    schema = replace(SCHEMA, attributes=(replace(SCHEMA.attributes[0], pseudonym=True), *SCHEMA.attributes[1:]))
    said = claim(schema=schema, key=key)
    named = [(*WHERE[row[1], row[2]], key.pseudonym("name", row[0]) if row[0] else "", *row[3:]) for row in people[:10]]
    named.append((*WHERE["31", "Bari"], "", *people[11][3:]))
    whole = sorted(",".join([row[2], *row[:2], *row[3:]]) for row in named)
    whole.sort(key=lambda line: (line.split(",")[1:3], line.split(",")[0], line.split(",")[3:]))
    header = "name,age,city,illness,income,note"
    found = verify_by_aggregation(written(tmp_path, cut(whole), header), source(people), said, destinations())
    assert found.checks["pseudonyms"] == found.records == 11
    other = replace(said, key=Key(bytes([1]) * 32))
    with pytest.raises(VerificationError, match="check lineage"):
        verify_by_aggregation(written(tmp_path, cut(whole), header), source(people), other, destinations())


def test_a_part_that_changes_is_noticed(tmp_path: Path) -> None:
    """Between one look at it and the next; one that is gone, too."""
    paths = written(tmp_path, cut(lines()))
    found = WrittenParts.read(paths, claim(), ["age"], None)
    assert sum(table.records for table in found.tables()) == 11
    assert source().collect() is not None
    assert sorted(found.distinct("city").counts.tolist()) == [4, 7]
    paths[2].write_text("\n".join([HEADER, *lines()[7:10], ""]), encoding="utf-8")
    with pytest.raises(VerificationError, match="changed"):
        deque(found.tables(), maxlen=0)
    paths[2].unlink()
    with pytest.raises(FileError, match="reading the release failed"):
        deque(found.tables(), maxlen=0)


def test_a_footer_holds_no_note(tmp_path: Path) -> None:
    """Parts of Parquet are as kohort writes them: a note, or another writer's form, is found."""
    said = claim(format="parquet")
    paths = packed(tmp_path, cut(lines()))
    assert verify_by_aggregation(paths, source(), said, destinations()).records == 11
    note = {"note": "Kim Longo earns 99999"}
    pl.read_parquet(paths[1]).write_parquet(paths[1], metadata=note)
    with pytest.raises(VerificationError, match="check bytes"):
        verify_by_aggregation(paths, source(), said, destinations())


def test_the_hash_is_the_one_that_is_told() -> None:
    """Cells that only together are alike differ, and so do null and the empty text where a release has both."""
    same = Hashed(("a", "b"), key="k", nulls=False)
    other = Hashed(("a", "b"), key="k")
    cells = [pl.Series(["ab", "a", "", None, "'=x"]), pl.Series(["c", "bc", "", None, "=x"])]
    first, second = hashes(cells, same), hashes(cells, other)
    assert len({*second.tolist()}) == 5
    assert first[2] == first[3]
    assert hashes([pl.Series(["'=x"]), pl.Series(["'=x"])], same)[0] != first[4]
    assert Hashed(("a",)).key != Hashed(("a",)).key


def test_sums_tell_of_a_relation_that_cannot_hold_its_tuples(tmp_path: Path) -> None:
    """What the relation refuses is told as it is."""

    class Large(TableRelation):
        """A relation of too many tuples."""

        def tuples(self, columns: Sequence[str], hashed: Hashed | None = None) -> Tuples:
            """Too many."""
            raise LimitError(f"{len(columns)} columns have too many tuples, {hashed is not None}")

    with pytest.raises(LimitError, match="3 columns have too many tuples, True"):
        verify_by_aggregation(written(tmp_path, cut(lines())), Large(source().table), claim(), destinations())
