"""Forgeries by somebody who knows the format by heart: digests, counts and order are those of the forged file.

And certificates that are made to stop, or to keep busy, whoever checks them.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from kohort.certificate.again import PartOutcome
from kohort.certificate.form import digest
from kohort.engines.pipeline import anonymize
from kohort.io.forms import Format
from kohort.models.k_anonymity import KAnonymity
from kohort.perturbation.pseudonyms import Key
from kohort.release import Job, Writing
from kohort.schema import Attribute, Label, Role, Schema
from kohort.transactions.coherence import Coherence
from kohort.transactions.pipeline import anonymize_transactions
from kohort.transactions.release import TransactionJob
from kohort.transactions.roles import Listed
from tests.jobs import freely
from tests.unit.certificate.test_every_field import (
    PEOPLE,
    PRIVATE,
    TOWNS,
    Parts,
    again,
    attribute,
    baskets,
    beside,
    by_level,
    changed,
    table,
)
from tools.check_release import faults

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore:.* can be guessed from:kohort.errors.SourceNote")

#: The generalized columns of `table`.
QUASI = ("age", "height", "town", "job")


def with_cells(column: str, new: Callable[[str], str]) -> Callable[[list[str]], list[str]]:
    """Other cells of a column, and the records in their order again."""

    def change(lines: list[str]) -> list[str]:
        header, *rows = csv.reader(lines)
        at, first = header.index(column), [header.index(name) for name in QUASI]
        order = [*first, *(place for place in range(len(header)) if place not in first)]
        for row in rows:
            row[at] = new(row[at])
        rows.sort(key=lambda row: [row[place].encode() for place in order])
        file = io.StringIO()
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
        return file.getvalue().splitlines()

    return change


def differing(path: Path, parts: Parts, folder: Path, **brought: Any) -> set[str] | None:  # noqa: ANN401  as it is brought
    """The parts that differ; `None` where this is no certificate."""
    parts["job_sha256"] = digest(parts["job"])
    found = again(path, parts, folder, **brought)
    return None if found is None else {part.name for part in found.parts if part.outcome is PartOutcome.DIFFERENT}


def by_a_stranger(path: Path, parts: Parts) -> list[str]:
    """What differs for who checks without kohort."""
    return [*faults(path.read_bytes(), f"{json.dumps(parts, indent=2, sort_keys=True, ensure_ascii=False)}\n".encode())]


def parts_of(path: Path) -> Parts:
    """The parts of its certificate."""
    parts: Parts = json.loads(beside(path).read_bytes())
    return parts


# ── labels ───────────────────────────────────────────────────────────────────────────────────────


def backwards(label: str) -> str:
    """A range from its end to its beginning."""
    low, _, high = label.strip("[]").partition("-")
    return f"[{high}-{low}]"


#: Columns, and what their labels are made.
NOTHING: list[tuple[str, Callable[[str], str]]] = [
    ("height", backwards),
    ("height", lambda label: label.replace("-", "-0")),
    ("height", lambda label: label.replace("[150-158]", "[150-150]")),
    ("height", lambda label: label.replace("158]", f"{'9' * 5000}]")),
    ("age", lambda label: label.replace("[20-40)", "[40-40)")),
    ("age", lambda label: label.replace("[20-40)", "[40-20)")),
]


@pytest.mark.parametrize(("column", "new"), NOTHING)
def test_ranges_of_nothing(column: str, new: Callable[[str], str], tmp_path: Path) -> None:
    """A range that ends before it begins, or where it begins, and one of no number, are no labels."""
    path = table(tmp_path)
    parts = changed(path, with_cells(column, new))
    found = differing(path, parts, tmp_path)
    assert found is not None
    assert f"labels of {column}" in found


def test_a_stranger_sees_ranges_that_run_backwards(tmp_path: Path) -> None:
    """So does who checks without kohort."""
    path = table(tmp_path)
    assert by_a_stranger(path, changed(path, with_cells("height", backwards))) == ["labels of height"]


def test_labels_that_the_job_calls_missing(tmp_path: Path) -> None:
    """Whoever reads the release by its job would take these people for people without a value; `*` is anything."""
    path = table(tmp_path)
    parts = parts_of(path)
    label = next(csv.DictReader(io.StringIO(path.read_text())))["height"]
    parts["job"]["input"]["missing"] = ["", "*", label]
    assert differing(path, parts, tmp_path) == {"labels of height"}
    assert by_a_stranger(path, parts) == ["labels of height"]
    parts["job"]["input"]["missing"] = ["", "*", "none"]
    assert differing(path, parts, tmp_path) == set()
    assert by_a_stranger(path, parts) == []


#: What a certificate says of a perturbed column, and the file shows otherwise; or cells that it says otherwise of.
PERTURBED: list[tuple[str, Callable[[Parts], object] | None]] = [
    ("records", lambda effect: effect.update(records=effect["records"] - 1)),
    ("some cells have more decimals than claimed", lambda effect: effect.update(decimals=-1)),
    ("some cells lie outside the bounds", lambda effect: effect["bounds"].__setitem__(0, 10**300)),
    ("some cells are not plain numbers, twice", None),
]


@pytest.mark.parametrize(("what", "change"), PERTURBED)
def test_a_perturbed_column_shows_what_it_is(
    what: str, change: Callable[[Parts], object] | None, tmp_path: Path
) -> None:
    """How many have a value, how it is written, and within which bounds."""
    path = table(tmp_path)
    parts = parts_of(path)
    if change is None:
        made = "none" if "plain" in what else "1000"
        parts = changed(path, with_cells("income", lambda _: made))
    else:
        change(parts["perturbed"]["income"])
    differ = differing(path, parts, tmp_path)
    assert differ is not None
    assert "cells of income" in differ
    found = again(path, parts, tmp_path)
    assert found is not None
    (told,) = [part.told for part in found.parts if part.name == "cells of income"]
    assert told == f"not as certified: {what.removesuffix(', twice')}"


#: What a certificate tells instead of whom each column singles out.
SINGLED: list[Callable[[list[Parts]], object]] = [
    lambda told: told.clear(),
    lambda told: told.pop(0),
    lambda told: told[0].update(columns=["another"]),
    lambda told: told[0].update(columns="town"),
    lambda told: told[0].update(unique=told[0]["people"] + 1),
    lambda told: told[0].update(unique="0"),
    lambda told: told[0].update(people=0),
    lambda told: told.append({"columns": [["a"], {}], "people": told[0]["people"], "unique": 0}),
    lambda told: told.append({}),
]


@pytest.mark.parametrize("change", SINGLED)
def test_whom_columns_single_out_is_told_of_each_column(
    change: Callable[[list[Parts]], object], tmp_path: Path
) -> None:
    """How many people these are is not shown where a person has several records, but which columns must be told of."""
    path = by_level(tmp_path)
    parts = parts_of(path)
    assert parts["people"] is not None
    assert differing(path, parts, tmp_path) == set()
    change(parts["released_unchanged"])
    assert differing(path, parts, tmp_path) in ({"singled out"}, None)
    found = again(path, parts, tmp_path)
    for part in () if found is None else found.parts:
        if part.outcome is PartOutcome.DIFFERENT:
            assert part.told == "not every released column, pair and all columns together, counted for these people"
            assert part.fields == ("released_unchanged", "released_together")


def test_a_check_that_compared_nothing(tmp_path: Path) -> None:
    """How much was compared with identifying cells is not shown by the file, but that something was is."""
    path = table(tmp_path)
    parts = parts_of(path)
    parts["checks"]["identifiers"] = 0
    assert differing(path, parts, tmp_path) == {"checks"}
    assert by_a_stranger(path, parts) == ["check identifiers"]


@pytest.mark.parametrize("kind", ["range", "set", "mean", "ancestor"])
def test_labels_of_a_column_that_there_is_not(kind: str, tmp_path: Path) -> None:
    """A column that the release has not is told, and does not stop whoever checks."""
    path = table(tmp_path)
    parts = parts_of(path)
    parts["labels"]["another"] = kind
    assert differing(path, parts, tmp_path) == {"labels", "labels of another"}


@pytest.mark.parametrize("name", ["labels", "levels", "perturbed", "refined"])
def test_columns_that_are_not_due_are_told(name: str, tmp_path: Path) -> None:
    """With those that are."""
    path = table(tmp_path)
    parts = parts_of(path)
    due = sorted(parts[name])
    parts[name]["zeal"] = "set" if name == "labels" else 1
    found = again(path, parts, tmp_path)
    assert found is not None
    told = next(part.told for part in found.parts if part.name == name)
    assert told == f"{', '.join([*due, 'zeal'])}, found {', '.join(due) or 'none'}"


def test_nodes_that_no_hierarchy_has(tmp_path: Path) -> None:
    """Whoever brings the hierarchy sees that labels are none of its nodes; nobody else is told that they are."""
    path = table(tmp_path)
    names = {"*": "Rome", "north": "Turin", "south": "Udine"}
    parts = changed(path, with_cells("town", names.__getitem__))
    assert differing(path, parts, tmp_path, hierarchies={"town": TOWNS}) == {"nodes of town"}
    found = again(path, parts, tmp_path)
    assert found is not None
    assert [part.told for part in found.parts if part.name == "nodes of town"] == [
        "give the hierarchy of town with --hierarchy"
    ]


def test_nodes_of_a_missing_value(tmp_path: Path) -> None:
    """The empty label is a node where it stands for the missing value."""
    people = PEOPLE.select("town", "illness").with_columns(
        pl.when(pl.int_range(pl.len()) % 4 == 0).then(None).otherwise("town").alias("town")
    )
    schema = Schema((Attribute("town", Role.QUASI, hierarchy=TOWNS), Attribute("illness", Role.SENSITIVE)))
    people.write_csv(tmp_path / "people.csv")
    anonymize(tmp_path / "people.csv", freely(Job.of(schema, KAnonymity(2))), target=tmp_path / "r.csv")
    assert "\n,flu" in (tmp_path / "r.csv").read_text()
    parts = parts_of(tmp_path / "r.csv")
    found = again(tmp_path / "r.csv", parts, tmp_path, hierarchies={"town": TOWNS})
    assert found is not None
    assert [(part.outcome.value, part.told) for part in found.parts if part.name == "nodes of town"] == [
        ("same", "nodes")
    ]


def test_sets_that_are_not_spelled_as_sets(tmp_path: Path) -> None:
    """Members in another order are of no set: it is told that these must be values of the input."""
    path = table(tmp_path)
    parts = changed(path, with_cells("job", lambda label: label.replace("{clerk, smith}", "{smith, clerk}")))
    found = again(path, parts, tmp_path)
    assert found is not None
    assert [(part.outcome.value, part.told) for part in found.parts if part.name == "sets of job"] == [
        ("not checked", "1 label in braces, not spelled as sets are, must be values as they are")
    ]


def test_names_in_the_place_of_pseudonyms(tmp_path: Path) -> None:
    """What is not spelled as a pseudonym is none, for kohort as for who checks without it."""
    path = table(tmp_path)
    parts = changed(path, with_cells("who", lambda text: f"Rossi {text[1:5]}"))
    assert differing(path, parts, tmp_path) == {"cells of who"}
    assert by_a_stranger(path, parts) == ["pseudonyms of who"]


def test_pseudonyms_that_are_said_to_link_others(tmp_path: Path) -> None:
    """How many records share a pseudonym is counted, and so is that each was compared."""
    path = table(tmp_path)
    parts = parts_of(path)
    parts["pseudonyms"]["who"] += 2
    assert differing(path, parts, tmp_path) == {"pseudonyms"}
    assert by_a_stranger(path, parts) == ["pseudonyms"]
    parts = parts_of(path)
    parts["checks"]["cells"] += parts["checks"].pop("pseudonyms")
    assert differing(path, parts, tmp_path) == {"checks"}
    assert by_a_stranger(path, parts) == ["check pseudonyms", "checks of columns that are not generalized"]


def test_pseudonyms_of_nobody(tmp_path: Path) -> None:
    """Where an identifier is missing there is no pseudonym, and no name either."""
    people = pl.DataFrame({"who": ["a", None, "b", "?"], "age": ["31"] * 4})
    people.write_csv(tmp_path / "people.csv")
    schema = Schema(
        (Attribute("who", Role.IDENTIFYING, pseudonym=True), Attribute("age", Role.QUASI)), frozenset({"", "?"})
    )
    job = freely(Job.of(schema, KAnonymity(2), key=Key(bytes(32))))
    anonymize(tmp_path / "people.csv", job, target=tmp_path / "r.csv")
    found = again(tmp_path / "r.csv", parts_of(tmp_path / "r.csv"), tmp_path)
    assert found is not None
    assert [part.outcome.value for part in found.parts if part.name == "cells of who"] == ["same"]
    assert by_a_stranger(tmp_path / "r.csv", parts_of(tmp_path / "r.csv")) == []


# ── kinds of releases ────────────────────────────────────────────────────────────────────────────


def test_levels_that_the_method_does_not_give(tmp_path: Path) -> None:
    """Mondrian gives no levels, and a full-domain method always does."""
    path = table(tmp_path)
    parts = parts_of(path)
    levels = dict.fromkeys(sorted(QUASI), 1)
    assert "levels" in (differing(path, parts | {"levels": levels}, tmp_path) or ())
    (tmp_path / "levels").mkdir()
    path = by_level(tmp_path / "levels")
    without: Parts = parts_of(path) | {"levels": {}}
    without["checks"]["ends"] = without["records"]
    assert differing(path, without, tmp_path) == {"levels", "metrics"}  # a height without levels


def test_levels_of_a_method_that_is_not_known(tmp_path: Path) -> None:
    """Of a method that this version does not know levels are believed, if there is one for each quasi-identifier."""
    path = by_level(tmp_path)
    parts = parts_of(path)
    parts["job"]["method"]["name"] = "another"
    assert differing(path, parts, tmp_path) == set()
    parts["levels"].pop("age")
    assert "levels" in (differing(path, parts, tmp_path) or ())
    parts["levels"] = {}
    parts["checks"]["ends"] = parts["records"]
    del parts["metrics"]["height"]
    assert differing(path, parts, tmp_path) == set()


def test_text_that_is_certified_as_another_format(tmp_path: Path) -> None:
    """Text cannot hide needless bytes by being called Parquet."""
    path = table(tmp_path)
    for change in ({"release": "r.parquet"}, {}):
        parts: Parts = parts_of(path) | change
        if not change:
            parts["job"]["output"]["format"] = "parquet"
        parts["job_sha256"] = digest(parts["job"])
        found = again(path, parts, tmp_path)
        assert found is not None
        assert "the file is text, and the certificate is of another format (parquet)" in found.parts[-1].told


def test_nobody_in_a_folder_of_parts(tmp_path: Path) -> None:
    """A release without records is one in parts, too."""
    (tmp_path / "people.csv").write_text("age,s\n")
    job = freely(Job.of(Schema.of(quasi=["age"], sensitive=["s"]), KAnonymity(3)))
    job = replace(job, reading=replace(job.reading, allow_empty=True), writing=Writing(Format.CSV, records_per_part=9))
    anonymize(tmp_path / "people.csv", job, target=f"{tmp_path}/r/")
    parts: Parts = json.loads((tmp_path / "r" / "certificate.json").read_bytes())
    assert differing(tmp_path / "r", parts, tmp_path) == set()


def test_a_class_that_is_too_small_for_people(tmp_path: Path) -> None:
    """A class has no more people than records: where it has fewer than k, its people are too few, whoever they are."""
    path = by_level(tmp_path)
    lines = path.read_text().splitlines()
    sizes = {line.rsplit(",", 2)[0]: 0 for line in lines[1:]}
    first = next(iter(sizes))
    parts = changed(path, lambda lines: [lines[0], *[one for one in lines[1:] if one.startswith(first)][:3]])
    found = differing(path, parts | {"k": 3}, tmp_path)
    assert found is not None
    assert "k" in found


# ── transactions ─────────────────────────────────────────────────────────────────────────────────


def test_items_of_a_line_in_another_order(tmp_path: Path) -> None:
    """The order of items within a line could tell anything: it is that of the items."""
    path = baskets(tmp_path)
    parts = changed(path, lambda lines: [" ".join(reversed(line.split())) for line in lines])
    assert differing(path, parts, tmp_path) == {"plain bytes"}


def test_items_that_stood_among_others(tmp_path: Path) -> None:
    """Numbers alone stand by their value; as they stood among names of another kind, they are in order, too."""
    (tmp_path / "in.dat").write_text("9 10\n9 10\n9 10 tea\n")
    job = TransactionJob(coherence=Coherence.of(h="0.5", k=2, p=1), roles=Listed(private=("jam",), absent=True))
    anonymize_transactions(tmp_path / "in.dat", job, target=tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == "10 9\n10 9\n10 9\n"
    assert differing(tmp_path / "r.csv", parts_of(tmp_path / "r.csv"), tmp_path) == set()


def test_names_that_are_never_written(tmp_path: Path) -> None:
    """An item whose name kohort does not write was not written by it."""
    path = baskets(tmp_path)
    parts = changed(path, lambda lines: [line.replace("2", "\ufeff2") for line in lines])
    found = differing(path, parts, tmp_path)
    assert found is not None
    assert "plain bytes" in found


# ── what would stop or delay whoever checks ──────────────────────────────────────────────────────

#: A number of ten billion digits, if it were written out.
BOMB = "1e9999999999"

BOMBS: dict[str, Callable[[Parts], object]] = {
    "a step": lambda parts: attribute(parts, "age").update(grid=BOMB),
    "cuts": lambda parts: attribute(parts, "age").update(grid=["1", BOMB]),
    "a step of 0": lambda parts: attribute(parts, "age").update(grid="1/0"),
    "a share": lambda parts: attribute(parts, "illness").update(t=BOMB),
    "k": lambda parts: parts["job"]["privacy"].update(k=1 << 62),
    "suppressed": lambda parts: parts.update(suppressed=1 << 62),
}


@pytest.mark.parametrize("name", BOMBS)
def test_numbers_of_a_table_without_end(name: str, tmp_path: Path) -> None:
    """A number that no release has is refused before anything is computed with it."""
    path = table(tmp_path)
    parts = parts_of(path)
    BOMBS[name](parts)
    found = differing(path, parts, tmp_path)
    assert found is None or "models" in found


def test_the_largest_numbers(tmp_path: Path) -> None:
    """Whole numbers that fit a machine's are compared, and do not stop anything."""
    path = table(tmp_path)
    found = differing(path, parts_of(path) | {"size": (1 << 62) - 1, "suppressed": (1 << 62) - 1}, tmp_path)
    assert found is not None
    assert "size" in found


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ({"h": "1e-9999999999"}, None),
        ({"h": "1/0"}, None),
        ({"h": "2"}, None),
        ({"confidence_exact": BOMB}, {"confidence", "confidence as a fraction"}),
        ({"confidence_exact": "1/0"}, {"confidence", "confidence as a fraction"}),
        ({"confidence_exact": "3/2"}, {"confidence", "confidence as a fraction"}),
        ({"confidence_exact": f"{'1' * 1001}/2"}, {"confidence", "confidence as a fraction"}),
    ],
)
def test_numbers_of_transactions_without_end(change: Parts, differs: set[str] | None, tmp_path: Path) -> None:
    """The same of a model's share and of the share of what can be inferred."""
    path = baskets(tmp_path)
    parts: Parts = {**parts_of(path), **change}
    if "h" in change:
        parts["job"]["privacy"]["h"] = parts["h"]
    assert differing(path, parts, tmp_path, roles=PRIVATE) == differs


def test_as_many_items_as_nobody_knows(tmp_path: Path) -> None:
    """Sets of more items than there are are not looked for, and their sizes are not listed."""
    path = baskets(tmp_path)
    most = (1 << 62) - 1
    parts: Parts = parts_of(path) | {"p": most, "model": f"(0.5, 3, {most})-coherence"}
    parts["job"]["privacy"]["p"] = most
    found = differing(path, parts, tmp_path, roles=PRIVATE)
    assert found is not None


def test_labels_that_the_job_asks_for(tmp_path: Path) -> None:
    """A column of names that is said to be released as means can only be one of numbers."""
    path = table(tmp_path)
    parts = parts_of(path)
    attribute(parts, "height")["label"] = Label.MEAN.value
    found = differing(path, parts, tmp_path)
    assert found is not None
    assert "labels of height" in found
