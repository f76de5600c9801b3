"""Whatever is changed in a certificate, or in its release, is found, or told as what the file does not show.

The forger here knows all that stands in the open: the digests are those of the changed files.
"""

from __future__ import annotations

import copy
import hashlib
import json
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import polars as pl
import pytest

from kohort.certificate.again import Again, PartOutcome, checked_signature, read_certificate
from kohort.certificate.form import digest
from kohort.certificate.table import Certificate
from kohort.certificate.table_again import check_table_again
from kohort.certificate.table_shown import RecheckInputs
from kohort.engines.pipeline import anonymize
from kohort.errors import InputError
from kohort.io.forms import Format
from kohort.io.manifest import CERTIFICATE, MANIFEST, ListedPart, digest_of, read_manifest
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.perturbation.pseudonyms import Key
from kohort.perturbation.rounding import Rounding
from kohort.release import Job, Writing
from kohort.schema import Attribute, Role, Schema
from kohort.schema.hierarchy import Hierarchy
from kohort.transactions.cells import LocalSuppression
from kohort.transactions.certificate import CoherenceCertificate
from kohort.transactions.coherence import Coherence
from kohort.transactions.io.options import BasketOptions
from kohort.transactions.pipeline import anonymize_transactions
from kohort.transactions.recheck import check_transactions_again
from kohort.transactions.release import TransactionJob
from kohort.transactions.roles import Listed
from tests.jobs import freely
from tests.quick import some

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

#: What repeats in this table tells something else of it.
pytestmark = pytest.mark.filterwarnings("ignore:.* can be guessed from:kohort.errors.SourceNote")

#: A certificate, as JSON has it.
Parts: TypeAlias = dict[str, Any]

#: A key or a place of a list, and those below.
Place: TypeAlias = tuple[str | int, ...]

TOWNS = Hierarchy.from_rows(
    [["Asti", "north", "*"], ["Como", "north", "*"], ["Bari", "south", "*"], ["Enna", "south", "*"]]
)
PEOPLE = pl.DataFrame(
    {
        "who": [f"IT{at:06d}" for at in range(24)],
        "age": [str(20 + at * 7 % 40) for at in range(24)],
        "height": [str(150 + at * 5 % 31) for at in range(24)],
        "town": [("Asti", "Como", "Bari", "Enna")[at * 3 % 4] for at in range(24)],
        "job": [("smith", "cook", "clerk")[at % 3] for at in range(24)],
        "illness": [("flu", "gout", "ache")[at * 5 % 3] for at in range(24)],
        "income": [str(1000 + 137 * at) for at in range(24)],
    }
)


def table(folder: Path) -> Path:
    """A release with grid, ranges, nodes, sets, a perturbed column and pseudonyms."""
    schema = Schema(
        (
            Attribute("who", Role.IDENTIFYING, pseudonym=True),
            Attribute("age", Role.QUASI, grid=Fraction(10)),
            Attribute("height", Role.QUASI),
            Attribute("town", Role.QUASI, hierarchy=TOWNS),
            Attribute("job", Role.QUASI),
            Attribute("illness", Role.SENSITIVE),
            Attribute("income", Role.INSENSITIVE),
        )
    )
    rounded = (Rounding("income", Fraction(500)),)
    job = Job.of(schema, KAnonymity(4), DistinctLDiversity("illness", 2), perturbations=rounded, key=Key(bytes(32)))
    PEOPLE.write_csv(folder / "people.csv")
    anonymize(folder / "people.csv", replace(job, allow_singling=("income",)), target=folder / "r.csv")
    return folder / "r.csv"


def parts(folder: Path, format_: Format = Format.CSV) -> Path:
    """A folder of parts with pseudonyms."""
    schema = Schema(
        (
            Attribute("who", Role.IDENTIFYING, pseudonym=True),
            Attribute("age", Role.QUASI, grid=Fraction(10)),
            Attribute("town", Role.QUASI, hierarchy=TOWNS),
            *(Attribute(name, Role.DROP) for name in ("height", "income", "job")),
            Attribute("illness", Role.SENSITIVE),
        )
    )
    job = freely(Job.of(schema, KAnonymity(4), key=Key(bytes(32))))
    PEOPLE.write_csv(folder / "people.csv")
    job = replace(job, writing=Writing(format=format_, records_per_part=7))
    anonymize(folder / "people.csv", job, target=f"{folder / 'r'}/")
    return folder / "r"


def by_level(folder: Path) -> Path:
    """A full-domain release of complete records, some of which are suppressed, with a person key."""
    from kohort.algorithms.lattice.optimal import Optimal  # noqa: PLC0415  the other tests need no lattice
    from kohort.core.suppression import SuppressionLimit  # noqa: PLC0415

    frame = pl.concat([PEOPLE, PEOPLE.head(3), PEOPLE.tail(1).with_columns(town=pl.lit("Asti"), job=pl.lit(""))])
    schema = Schema(
        (
            Attribute("who", Role.IDENTIFYING),
            Attribute("town", Role.QUASI, hierarchy=TOWNS),
            Attribute("age", Role.QUASI, hierarchy="intervals:20..60:10,20"),
            *(Attribute(name, Role.DROP) for name in ("height", "income")),
            Attribute("job", Role.INSENSITIVE),
            Attribute("illness", Role.SENSITIVE),
        ),
        person="who",
    )
    frame.write_csv(folder / "people.csv")
    method = Optimal(SuppressionLimit(6))
    job = freely(Job.of(schema, KAnonymity(4), algorithm=method, complete=("job",)))
    anonymize(folder / "people.csv", job, target=folder / "r.csv")
    return folder / "r.csv"


#: Example 1 of the tests of certificates.
BASKETS = ("0 2 6", "0 2 5", "1 2", "0 1 5", "0 1 2", "0 1 2 3 4 5")
PRIVATE = Listed(private=("3", "4"), absent=True)


def baskets(folder: Path, *, cells: bool = False) -> Path:
    """A coherent release of items, or of single cells."""
    (folder / "in.dat").write_text("".join(f"{row}\n" for row in BASKETS))
    job = TransactionJob(coherence=Coherence.of(h="0.5", k=3, p=2), roles=PRIVATE)
    if cells:
        job = TransactionJob(coherence=job.coherence, roles=PRIVATE, algorithm=LocalSuppression())
    anonymize_transactions(folder / "in.dat", job, target=folder / "r.csv")
    return folder / "r.csv"


MADE: dict[str, Callable[[Path], Path]] = {
    "table": table,
    "levels": by_level,
    "parts": parts,
    "parts of Parquet": lambda folder: parts(folder, Format.PARQUET),
    "items": baskets,
    "cells": lambda folder: baskets(folder, cells=True),
}


@pytest.fixture(scope="module", params=MADE)
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of each kind."""
    return MADE[request.param](tmp_path_factory.mktemp(request.param))


@pytest.fixture
def release_by_level(tmp_path: Path) -> Path:
    """A full-domain release."""
    return by_level(tmp_path)


def beside(path: Path) -> Path:
    """Where the certificate is."""
    inside = path / CERTIFICATE
    return inside if inside.exists() else path.with_name(f"{path.name}.kohort.json")


def again(path: Path, parts: Parts, folder: Path, roles: Listed | None = None, **brought: object) -> Again | None:
    """What of a certificate of these parts is true of the release; `None` where it is none."""
    forged = folder / "forged.kohort.json"
    forged.write_text(json.dumps(parts, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    try:
        known = read_certificate(forged)
        if isinstance(known, Certificate):
            found = check_table_again(path, known, RecheckInputs(**cast("Any", brought)))
        else:
            assert isinstance(known, CoherenceCertificate)
            found = check_transactions_again(path, known, BasketOptions(), roles)
        return replace(found, parts=(checked_signature(known, path, None), *found.parts))
    except InputError:
        return None


def unseen(found: Again) -> set[str]:
    """The fields that are told as not shown by the file."""
    return {field for part in found.parts if part.outcome is PartOutcome.UNCHECKED for field in part.fields}


# ── parts, and what lies beside them ─────────────────────────────────────────────────────────────


def listed_again(folder: Path) -> Parts:
    """The parts of a certificate of changed parts; the manifest and it list what is there now."""
    old = read_manifest(folder)
    paths = sorted(folder.glob("part-*"))
    tables = [pl.read_csv(path) if path.suffix == ".csv" else pl.read_parquet(path) for path in paths]
    sizes = [(path.read_bytes(), table.height) for path, table in zip(paths, tables, strict=True)]
    listed = tuple(
        ListedPart(path.name, records, len(text), hashlib.sha256(text).hexdigest())
        for path, (text, records) in zip(paths, sizes, strict=True)
    )
    (folder / MANIFEST).write_bytes(replace(old, parts=listed).encode())
    made: Parts = json.loads(beside(folder).read_bytes())
    made["parts"] = [{"name": one.name, "records": one.records, "sha256": one.sha256} for one in listed]
    made["sha256"], made["size"] = digest_of(paths, text=bool(old.separator))
    made["checks"]["bytes"] = made["size"]
    return made


def _moved(folder: Path) -> None:
    """The first record of the second part is the last of the first one."""
    one, other = sorted(folder.glob("part-*"))[:2]
    header, record, *rest = other.read_bytes().splitlines(keepends=True)
    one.write_bytes(one.read_bytes() + record)
    other.write_bytes(b"".join([header, *rest]))


def _exchanged(folder: Path) -> None:
    one, other = sorted(folder.glob("part-*"))[:2]
    texts = one.read_bytes(), other.read_bytes()
    other.write_bytes(texts[0])
    one.write_bytes(texts[1])


def _in_last(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    def changed_last(folder: Path) -> None:
        last = max(folder.glob("part-*"))
        last.write_bytes(change(last.read_bytes()))

    return changed_last


PARTED: dict[str, Callable[[Path], object]] = {
    "one left out": lambda folder: max(folder.glob("part-*")).unlink(),
    "an empty one": lambda folder: (folder / "part-00004.csv").write_bytes(
        (folder / "part-00003.csv").read_bytes().splitlines(keepends=True)[0]
    ),
    "one twice": lambda folder: (folder / "part-00004.csv").write_bytes((folder / "part-00003.csv").read_bytes()),
    "exchanged": _exchanged,
    "a record moved": _moved,
    "another header": _in_last(lambda text: text.replace(b"illness", b"Illness")),
    "a mark": _in_last(lambda text: b"\xef\xbb\xbf" + text),
    "quotes": _in_last(lambda text: text.replace(b"flu", b'"flu"')),
    "carriage returns": _in_last(lambda text: text.replace(b"\n", b"\r\n")),
    "no last line end": _in_last(bytes.rstrip),
    "another pseudonym": _in_last(lambda text: text.replace(b"p", b"q", 1)),
}


@pytest.mark.parametrize("name", PARTED)
def test_every_kind_of_change_of_parts_is_found(name: str, tmp_path: Path) -> None:
    """Though manifest and certificate list the parts as they are then."""
    folder = parts(tmp_path)
    PARTED[name](folder)
    found = again(folder, listed_again(folder), tmp_path)
    assert found is None or not found.met


def test_what_lies_beside_parts_is_told(tmp_path: Path) -> None:
    """Of other files in the folder, hidden ones too, nothing is known; of pseudonyms not whose they are."""
    folder = parts(tmp_path)
    known = json.loads(beside(folder).read_bytes())
    found = again(folder, known, tmp_path)
    assert found is not None
    assert "other files" not in unseen(found)
    assert "pseudonyms of who" in unseen(found)
    (folder / "names.txt").touch()
    (folder / ".more").mkdir()
    found = again(folder, known, tmp_path)
    assert found is not None
    (told,) = [part.told for part in found.parts if part.name == "other files"]
    assert told == "2 files not in the certificate: .more, names.txt"


# ── every change of a certificate ────────────────────────────────────────────────────────────────


def other(value: object) -> Iterator[object]:
    """Other values of the same kind."""
    match value:
        case bool():
            yield not value
        case int():
            yield value + 1
            yield value + 2
        case float():
            yield value + 1
        case str():
            yield f"{value}x"
        case None:
            yield 1
            yield "x"
        case _:
            return


def places(value: object, above: Place = ()) -> Iterator[Place]:
    """The place of everything in a certificate, from the outside."""
    pairs: Sequence[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        pairs = [*cast("Parts", value).items()]
    elif isinstance(value, list):
        pairs = [*enumerate(cast("list[object]", value))]
    for key, one in pairs:
        yield (*above, key)
        yield from places(one, (*above, key))


def changes(parts: Parts) -> Iterator[tuple[Place, Parts]]:
    """Each single thing of a certificate as another one, emptied, left out, once more, or with something beside it."""
    for place in places(parts):
        value: Any = parts
        for key in place:
            value = value[key]
        for new in other(value):
            yield place, _with(parts, place, partial(_put, new))
        yield place, _with(parts, place, _drop)
        if value and isinstance(value, dict | list):
            yield place, _with(parts, place, partial(_put, {} if isinstance(value, dict) else []))
        if isinstance(value, dict):
            yield (*place, "more"), _with(parts, (*place, "more"), partial(_put, 1))
        elif isinstance(place[-1], int):
            yield place, _with(parts, place, _double)


def _put(new: object, holder: Any, key: str | int) -> None:  # noqa: ANN401  a dict or a list
    holder[key] = new


def _drop(holder: Any, key: str | int) -> None:  # noqa: ANN401
    del holder[key]


def _double(holder: Any, key: int) -> None:  # noqa: ANN401
    holder.insert(key, copy.deepcopy(holder[key]))


def _with(parts: Parts, place: Place, change: Callable[[Any, Any], object]) -> Parts:
    made = copy.deepcopy(parts)
    holder: Any = made
    for key in place[:-1]:
        holder = holder[key]
    change(holder, place[-1])
    return made


def test_a_certificate_is_true_of_its_release(release: Path, tmp_path: Path) -> None:
    """Nothing differs where nobody changed anything."""
    found = again(release, json.loads(beside(release).read_bytes()), tmp_path)
    assert found is not None
    assert [part for part in found.parts if part.outcome is PartOutcome.DIFFERENT] == []


def test_every_change_is_found_or_told_as_not_shown(release: Path, tmp_path: Path) -> None:
    """A field that can be another without being found out is in the list of what the file does not show."""
    parts = json.loads(beside(release).read_bytes())
    silent: list[Place] = []
    for place, made in some(changes(parts), 40):
        if place[0] == "job" and isinstance(made.get("job"), dict):
            made["job_sha256"] = digest(made["job"])
        found = again(release, made, tmp_path)
        names = {str(place[0]), ".".join(map(str, place[:2]))}
        if found is not None and found.met and not names & unseen(found):
            silent.append(place)
    assert silent == []


#: What the file does not show of the table above: other fields are found again, whatever is written in them.
NOT_SHOWN = {
    *("job", "libraries", "release", "kohort", "signature", "suppressed", "checks.cells"),
    *("perturbed", "perturbed.income", "verified", "engine"),
    *("nodes of town", "checks without evidence", "pseudonyms of who"),
}


def test_little_is_not_shown(tmp_path: Path) -> None:
    """The list of what the file does not show is as short as it can be."""
    found = again(path := table(tmp_path), json.loads(beside(path).read_bytes()), tmp_path)
    assert found is not None
    assert {field for field in unseen(found) if not field.startswith(("job.", "libraries."))} == NOT_SHOWN


# ── what of the job must be found ────────────────────────────────────────────────────────────────


def attribute(parts: Parts, name: str) -> Parts:
    """What the job says of a column."""
    return cast("Parts", parts["job"]["columns"][name])


def without_permission(parts: Parts) -> None:
    """Let no column be allowed to single people out."""
    for column in parts["job"]["columns"].values():
        column.pop("allow-singling", None)


#: What else a job could say, and the release shows that it does not.
UNFIT: list[Callable[[Parts], object]] = [
    lambda parts: parts["job"]["privacy"].update(k=5),
    lambda parts: attribute(parts, "illness").pop("l"),
    lambda parts: attribute(parts, "income").update(l=attribute(parts, "illness").pop("l")),
    lambda parts: attribute(parts, "age").update(role="insensitive"),
    lambda parts: attribute(parts, "town").update(role="drop"),
    lambda parts: attribute(parts, "income").update(role="quasi"),
    lambda parts: attribute(parts, "income").update(role="sensitive"),
    lambda parts: attribute(parts, "age").update(grid="30"),
    lambda parts: attribute(parts, "age").pop("grid"),
    lambda parts: attribute(parts, "height").update(grid=["150", "170"]),
    lambda parts: attribute(parts, "height").update(scale="categorical"),
    lambda parts: attribute(parts, "job").update(label="ancestor"),
    lambda parts: attribute(parts, "who").pop("pseudonym"),
    without_permission,
    lambda parts: parts["job"].pop("perturb"),
    lambda parts: parts["job"]["input"].update({"complete-records": ["job"]}),
    lambda parts: parts["job"].update(person={"key": "who"}),
    lambda parts: parts["job"]["output"].update(separator=";"),
]


@pytest.mark.parametrize("change", UNFIT)
def test_a_job_that_the_release_does_not_fit(change: Callable[[Parts], object], tmp_path: Path) -> None:
    """Who says that something else was asked for is found out where the release or the figures do not fit that."""
    parts = json.loads(beside(path := table(tmp_path)).read_bytes())
    change(parts)
    parts["job_sha256"] = digest(parts["job"])
    found = again(path, parts, tmp_path)
    assert found is None or not found.met


def test_a_sensitive_column_without_a_model(release_by_level: Path, tmp_path: Path) -> None:
    """A sensitive column needs a model, or leave to have none."""
    parts = json.loads(beside(release_by_level).read_bytes())
    for column in parts["job"]["columns"].values():
        column.pop("no-model", None)
    parts["job_sha256"] = digest(parts["job"])
    found = again(release_by_level, parts, tmp_path)
    assert found is not None
    assert [part.name for part in found.parts if part.outcome is PartOutcome.DIFFERENT] == ["sensitive columns"]


# ── every kind of change of a release ────────────────────────────────────────────────────────────


def _cell(lines: list[str], column: str, new: Callable[[str], str], only: int | None = None) -> list[str]:
    at = lines[0].split(",").index(column)
    rows = [line.split(",") for line in lines]
    for place, row in enumerate(rows[1:]):
        row[at] = new(row[at]) if only in {None, place} else row[at]
    return [",".join(row) for row in rows]


#: Changes of the lines of the release; those that the file shows, and those that only the input does.
FOUND: dict[str, Callable[[list[str]], list[str]]] = {
    "reversed": lambda lines: [lines[0], *reversed(lines[1:])],
    "two records exchanged": lambda lines: [*lines[:3], lines[10], *lines[4:10], lines[3], *lines[11:]],
    "a record left out": lambda lines: lines[:-1],
    "a record twice": lambda lines: [*lines[:2], lines[1], *lines[2:]],
    "a class left out": lambda lines: [lines[0], *lines[5:]],
    "another name": lambda lines: [lines[0].replace("income", "wage"), *lines[1:]],
    "a column left out": lambda lines: [",".join(line.split(",")[1:]) for line in lines],
    "another column": lambda lines: [f"{lines[0]},note", *(f"{line},x" for line in lines[1:])],
    "another label": lambda lines: _cell(lines, "town", lambda _: "north", 0),
    "a label off the grid": lambda lines: _cell(lines, "age", lambda text: text.replace("20", "23")),
    "no label": lambda lines: _cell(lines, "height", lambda _: "tall"),
    "an exact value": lambda lines: _cell(lines, "height", lambda _: "151", 0),
    "an illness for all": lambda lines: _cell(lines, "illness", lambda _: "flu"),
    "a note": lambda lines: [*lines, ""],
    "quotes": lambda lines: _cell(lines, "illness", lambda text: f'"{text}"', 0),
    "carriage returns": lambda lines: [f"{line}\r" for line in lines],
    "pseudonyms": lambda lines: _cell(lines, "who", lambda _: "p" * 33),
}


def changed(path: Path, change: Callable[[list[str]], list[str]]) -> Parts:
    """Change the release; the parts of its certificate, in which the digests and sizes are those of the new file."""
    text = ("\n".join(change(path.read_text().splitlines())) + "\n").encode()
    assert text != path.read_bytes()
    path.write_bytes(text)
    parts = json.loads(beside(path).read_bytes())
    parts |= {"sha256": hashlib.sha256(text).hexdigest(), "size": len(text)}
    parts["checks"]["bytes"] = len(text)
    return cast("Parts", parts)


@pytest.mark.parametrize("name", FOUND)
def test_every_kind_of_change_of_a_release_is_found(name: str, tmp_path: Path) -> None:
    """A release that is another one is found out, though the digest is its own."""
    path = table(tmp_path)
    found = again(path, changed(path, FOUND[name]), tmp_path)
    assert found is not None
    assert not found.met


def test_cells_that_only_the_input_has(tmp_path: Path) -> None:
    """Incomes of nobody are told as not shown; with the input they are found, and suppressed records counted."""
    folder = tmp_path
    schema = Schema.of(quasi=["age"], insensitive=["income"])
    people = PEOPLE.select("age", "income")
    people.write_csv(folder / "people.csv")
    anonymize(folder / "people.csv", freely(Job.of(schema, KAnonymity(4))), target=folder / "r.csv")
    parts = changed(folder / "r.csv", lambda lines: sorted_after(_cell(lines, "income", lambda _: "0")))
    for one in (*parts["released_unchanged"], *parts["released_together"]):
        one["unique"] = 0
    found = again(folder / "r.csv", parts, tmp_path)
    assert found is not None
    assert (found.met, "checks.cells" in unseen(found)) == (True, True)
    found = again(folder / "r.csv", parts, tmp_path, reference=people)
    assert found is not None
    (part,) = [part for part in found.parts if part.outcome is PartOutcome.DIFFERENT]
    assert part.told == "24 records have cells that no input record has together"
    found = again(folder / "r.csv", parts, tmp_path, reference=people.head(20))
    assert found is not None
    assert {part.name for part in found.parts if part.outcome is PartOutcome.DIFFERENT} == {
        "suppressed",
        "unchanged cells",
    }
    found = again(folder / "r.csv", parts, tmp_path, reference=people.select("age"))
    assert found is not None
    (part,) = [part for part in found.parts if part.told == "the input has no column income"]
    assert (part.name, part.outcome.value, part.fields) == ("unchanged cells", "not checked", ("checks.cells",))


def sorted_after(lines: list[str]) -> list[str]:
    """The records in order."""
    return [lines[0], *sorted(lines[1:])]


def test_transactions_that_are_others(tmp_path: Path) -> None:
    """Transactions in another order, and lines that hold more than items, are found out."""
    others: list[Callable[[list[str]], list[str]]] = [
        lambda lines: [*reversed(lines)],
        lambda lines: [f"{line} " for line in lines],
    ]
    for change in others:
        path = baskets(tmp_path)
        found = again(path, changed(path, change), tmp_path)
        assert found is not None
        assert not found.met
        for file in (path, beside(path)):
            file.unlink()


def test_coherence_is_counted_where_the_items_are_brought(tmp_path: Path) -> None:
    """With the private items cohorts, the greatest share and the cells of other items are compared, too."""
    parts = json.loads(beside(path := baskets(tmp_path)).read_bytes())
    for name in ("cohorts", "smallest"):
        found = again(path, parts | {name: parts[name] + 1}, tmp_path, PRIVATE)
        assert found is not None
        assert name in {part.name for part in found.parts if part.outcome is PartOutcome.DIFFERENT}
    found = again(path, parts, tmp_path, PRIVATE)
    assert found is not None
    assert found.met
    assert not {"cohorts", "smallest", "confidence", "checks.private"} & unseen(found)
