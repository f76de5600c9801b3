"""A certificate of a table, checked again: what the file tells, and what would have to be brought."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import polars as pl
import pytest

from kohort.algorithms.lattice.local import LocalRecoding
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.method import METHODS, Choices
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import ORDERED, Ordered
from kohort.certificate.again import Again, PartOutcome, read_certificate
from kohort.certificate.form import digest, disks_of
from kohort.certificate.table import Certificate
from kohort.certificate.table_again import check_table_again
from kohort.certificate.table_shown import RecheckInputs
from kohort.engines.pipeline import anonymize
from kohort.errors import FileError, InputError
from kohort.io.forms import Format
from kohort.models.delta_presence import DeltaPresence
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.k_map import KMap
from kohort.models.t_closeness import TCloseness
from kohort.release import Job, Writing
from kohort.schema import Attribute, Label, Missing, Order, Role, Scale, Schema
from kohort.schema.hierarchy import Hierarchy
from kohort.verify.verdict import UNENCRYPTED
from tests.jobs import freely

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kohort.algorithms.problem import Algorithm
    from kohort.models.base import PrivacyModel
    from kohort.tables.complete import Complete

AGES = ["21", "24", "29", "31", "35", "38", "52", "57", "60", "71"]
ILLNESSES = ["flu", "gout", "flu", "gout", "flu", "gout", "flu", "gout", "flu", "gout"]
FRAME = pl.DataFrame({"who": [f"person {at}" for at in range(10)], "age": AGES, "s": ILLNESSES})
ILLS = Hierarchy.from_rows([["flu", "mild", "*"], ["gout", "mild", "*"], ["plague", "grave", "*"]])


@dataclass(frozen=True)
class Made:
    """A release with its certificate, and its input."""

    path: Path
    source: Path

    @property
    def known(self) -> Certificate:
        """The certificate."""
        known = read_certificate(self.beside)
        assert isinstance(known, Certificate)
        return known

    @property
    def beside(self) -> Path:
        """Where it is."""
        return self.path.with_name(f"{self.path.name}.kohort.json")

    def again(self, **brought: object) -> Again:
        """What of it is true."""
        return check_table_again(self.path, self.known, RecheckInputs(**brought))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    def forge(self, **changes: object) -> Certificate:
        """The certificate with other contents, which is one as to its form."""
        parts = json.loads(self.beside.read_bytes()) | changes
        parts["job_sha256"] = digest(parts["job"])
        self.beside.write_text(json.dumps(parts, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
        return self.known


def made(
    folder: Path,
    *models: PrivacyModel,
    name: str = "r.csv",
    writing: Writing | None = None,
    person: str | None = None,
    population: object = None,
    sensitive: Attribute | None = None,
    frame: pl.DataFrame = FRAME,
    complete: Complete = (),
    how: Algorithm | None = None,
    **age: object,
) -> Made:
    """A release of the ten people."""
    source = folder / "people.csv"
    frame.write_csv(source)
    columns = (
        Attribute("who", Role.IDENTIFYING),
        Attribute("age", Role.QUASI, **age),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        sensitive or Attribute("s", Role.SENSITIVE),
    )
    schema = Schema(columns, person=person)
    job = Job.of(schema, *models, algorithm=how, complete=complete)
    job = freely(replace(job, writing=writing or Writing()))
    anonymize(source, job, target=folder / name, population=population)
    return Made(folder / name, source)


def outcomes(again: Again) -> dict[str, str]:
    """What became of each part."""
    return {part.name: part.outcome.value for part in again.parts}


#: What the file does not show, among it whom sets and ranges expose exactly.
REST = {
    *("not shown by the file", "suppressed records", "whether cells are those of the input"),
    *("plain bytes", "checks without evidence"),
}


@pytest.mark.parametrize("name", ["r.csv", "r.tsv", "r.csv.gz", "r.parquet", "r.arrow"])
def test_a_release_is_what_its_certificate_says(tmp_path: Path, name: str) -> None:
    """Of a file that nobody changed everything is the same, but what only its input would tell."""
    release = made(tmp_path, KAnonymity(3), DistinctLDiversity("s", 2), TCloseness("s", Fraction(1, 2)), name=name)
    again = release.again()
    assert again.met
    found = outcomes(again)
    assert {name for name, outcome in found.items() if outcome == "not checked"} <= REST
    assert set(found.values()) == {"same", "not checked"}
    assert {"sha256", "size", "columns", "records", "classes", "class sizes", "k", "3-anonymity"} < found.keys()


def test_a_changed_byte(tmp_path: Path) -> None:
    """A file that differs in one cell has another digest; what it then lacks is told too."""
    release = made(tmp_path, KAnonymity(3), DistinctLDiversity("s", 2))
    text = release.path.read_text()
    release.path.write_text(text.replace("gout", "GOUT", 1))
    again = release.again()
    assert not again.met
    assert [part.name for part in again.parts if part.outcome is PartOutcome.DIFFERENT] == [
        *("sha256", "plain bytes", "singled out", "singled out together", "order"),
    ]
    release.path.write_text(text.replace("gout", "flu"))
    found = outcomes(release.again())
    assert (found["size"], found["distinct 2-diversity of s"], found["3-anonymity"]) == (
        "different",
        "different",
        "same",
    )


@pytest.mark.parametrize(
    ("text", "part"),
    [("age,illness\n1,flu\n", "columns"), ("age,s\n1,flu\n", "records"), ("age,s\n1\n", "table"), ("", "table")],
)
def test_another_file(tmp_path: Path, text: str, part: str) -> None:
    """A file with other columns or records, or one that is no table, differs there."""
    release = made(tmp_path, KAnonymity(3))
    release.path.write_text(text)
    assert outcomes(release.again())[part] == "different"


def test_sizes_of_classes_ascend(tmp_path: Path) -> None:
    """However many classes each band has."""
    ages = pl.Series("age", [*["21"] * 2, *["31"] * 2, *["41"] * 4, *["51"] * 9])
    frame = pl.DataFrame({"who": [str(at) for at in range(17)], "age": ages, "s": ["flu"] * 17})
    again = made(tmp_path, KAnonymity(2), frame=frame, scale=Scale.CATEGORICAL).again()
    assert {part.name: part.told for part in again.parts}["class sizes"] == "2 of 2..3, 1 of 4..7, 1 of 8..15"


def test_another_certificate(tmp_path: Path) -> None:
    """A certificate that says more than its job, or than the file holds, is found out, though its form is right."""
    release = made(tmp_path, KAnonymity(3))
    release.forge(models=["9-anonymity"], k=9)
    found = outcomes(release.again())
    assert (found["models"], found["k"], found["3-anonymity"]) == ("different", "different", "same")
    job = {**release.known.job, "privacy": {"k": 6}}
    release.forge(models=["6-anonymity"], job=job)
    assert outcomes(release.again())["6-anonymity"] == "different"


def test_a_model_that_this_version_does_not_know(tmp_path: Path) -> None:
    """It is said that it was not judged, and the sizes were not compared: the bands depend on it."""
    release = made(tmp_path, KAnonymity(3))
    release.forge(models=["Plugin"], job={**release.known.job, "privacy": {"Plugin": 3}})
    found = outcomes(release.again())
    assert (found["Plugin"], found["class sizes"]) == ("not checked", "not checked")


def test_an_engine_says_what_is_not_promised_of_its_disks(tmp_path: Path) -> None:
    """A certificate of an engine whose disks were not encrypted says so, or is found out."""
    release = made(tmp_path, KAnonymity(3))
    engine = f"Spark 4{UNENCRYPTED}"
    release.forge(engine=engine)
    assert outcomes(release.again())["not promised"] == "different"
    lines = release.known.not_promised
    release.forge(not_promised=[*lines[:-1], *disks_of(engine), lines[-1]])
    assert outcomes(release.again())["not promised"] == "same"


def test_a_model_of_a_column_that_is_not_sensitive(tmp_path: Path) -> None:
    """A model of a column that the job does not call sensitive makes the job none that kohort accepts."""
    release = made(tmp_path, KAnonymity(3), DistinctLDiversity("s", 2))
    columns = cast("dict[str, dict[str, object]]", release.known.job["columns"])
    release.forge(job={**release.known.job, "columns": columns | {"age": columns["age"] | {"l": 2}}})
    with pytest.raises(InputError, match="distinct 2-diversity of age is about a sensitive one"):
        release.again()


def test_a_job_that_is_none(tmp_path: Path) -> None:
    """A certificate whose job cannot be read cannot be checked."""
    release = made(tmp_path, KAnonymity(3))
    release.forge(job={"k": 3})
    with pytest.raises(InputError, match="would not accept the job"):
        release.again()


def test_no_such_file(tmp_path: Path) -> None:
    """A release that is not there is a failure to read."""
    release = made(tmp_path, KAnonymity(3))
    known = release.known
    with pytest.raises(FileError):
        check_table_again(tmp_path / "none.csv", known, RecheckInputs())


# ── what would have to be brought ────────────────────────────────────────────────────────────────


def test_values_of_the_input(tmp_path: Path) -> None:
    """Where records are missing from the release, only the input says how its values lay."""
    close = TCloseness("s", Fraction(1, 4))
    release = made(tmp_path, KAnonymity(3), close, hierarchy="intervals:10,20", label=Label.ANCESTOR)
    kept = release.known.records
    release.forge(suppressed=2)
    (part,) = [part for part in release.again().parts if part.name == close.name]
    assert part.told == "records were suppressed: give the input with --reference"
    release.forge(suppressed=10 - kept)
    assert outcomes(release.again(reference=release.source))[close.name] == "same"
    FRAME.with_columns(s=pl.Series(["flu", *["gout"] * 9])).write_csv(tmp_path / "another.csv")
    assert outcomes(release.again(reference=tmp_path / "another.csv"))[close.name] == "different"
    release.forge(suppressed=3)
    found = {part.name: part for part in release.again(reference=release.source).parts}[close.name]
    assert (found.outcome, "13" in found.told) == (PartOutcome.UNCHECKED, True)


def test_what_the_job_calls_missing_is_no_value(tmp_path: Path) -> None:
    """A certificate that says of a common illness that it is none has its models judged without it."""
    diverse = DistinctLDiversity("s", 2)
    release = made(tmp_path, KAnonymity(2), diverse)
    assert outcomes(release.again())[diverse.name] == "same"
    job = dict(release.known.job)
    release.forge(job=job | {"input": {"missing": ["", "gout"]}})
    assert outcomes(release.again())[diverse.name] == "different"


@pytest.mark.parametrize("suppressed", [0, 2])
@pytest.mark.parametrize("columns", [("s",), ("s", "t")])
def test_columns_that_single_out_need_permission(tmp_path: Path, columns: tuple[str, ...], suppressed: int) -> None:
    """Single ones are judged in the input, where there were more records; pairs are judged in what is released."""
    cells = {"s": [str(at) for at in range(10)]} if len(columns) == 1 else {"s": [*"0011223344"], "t": [*"0123401234"]}
    frame = pl.DataFrame({"age": AGES, **cells})
    schema = Schema.of(quasi=["age"], insensitive=columns)
    job = freely(Job.of(schema, KAnonymity(2)))
    frame.write_csv(source := tmp_path / "people.csv")
    anonymize(source, job, target=tmp_path / "r.csv")
    release = Made(tmp_path / "r.csv", source)
    part = "singling out most people"
    assert outcomes(release.again())[part] == "same"
    told: Any = release.known.job["columns"]
    bare = {"age": told["age"]} | {key: {"role": "insensitive"} for key in columns}
    release.forge(job={**release.known.job, "columns": bare}, suppressed=suppressed)
    judged_here = len(columns) == 2 or not suppressed
    assert outcomes(release.again())[part] == ("different" if judged_here else "same")


def test_metrics_count_the_suppressed_records(tmp_path: Path) -> None:
    """A certificate that says that as many records were suppressed as released has other metrics, and is found out."""
    release = made(tmp_path, KAnonymity(3))
    release.forge(suppressed=release.known.records)
    assert outcomes(release.again())["metrics"] == "different"


def test_complete_records(tmp_path: Path) -> None:
    """Models that look at the input look at its complete records; one without their columns is none of the release."""
    close = TCloseness("s", Fraction(1, 2))
    silent = pl.DataFrame({"who": ["k", "l"], "age": [AGES[0], AGES[0]], "s": ["", ""]})
    release = made(tmp_path, KAnonymity(3), close, frame=pl.concat([FRAME, silent.cast(FRAME.schema)]), complete=("s",))
    assert release.known.incomplete == 2
    assert release.again().met
    job = dict(release.known.job)
    release.forge(suppressed=2, records=8)
    assert outcomes(release.again(reference=release.source))[close.name] == "same"
    release.forge(job=job | {"input": {"complete-records": ["who"]}})
    parts = {part.name: part for part in release.again(reference=FRAME.drop("who")).parts}
    for name, fields in ((close.name, (close.name,)), ("input", ("incomplete", "suppressed"))):
        assert parts[name].told == "the input has no column who, which complete records need (reference)"
        assert (parts[name].outcome, parts[name].fields) == (PartOutcome.UNCHECKED, fields)
    release.forge(job=job | {"input": {"complete-records": "all"}})
    assert outcomes(release.again(reference=release.source))[close.name] == "same"


def test_people(tmp_path: Path) -> None:
    """A person key is never released, so that people cannot be counted again."""
    release = made(tmp_path, KAnonymity(3), DistinctLDiversity("s", 2), person="who")
    assert release.known.people == 10
    again = release.again()
    assert again.met
    found = outcomes(again)
    assert {found[name] for name in ("k", "people", "3-anonymity", "distinct 2-diversity of s")} == {"not checked"}
    assert (found["classes"], found["class sizes"]) == ("same", "same")


def test_a_population(tmp_path: Path) -> None:
    """Models of the population are judged where the table is brought."""
    known = pl.DataFrame({"age": [*AGES, *AGES]})
    release = made(tmp_path, KAnonymity(3), KMap(6), population=known)
    assert outcomes(release.again())["6-map"] == "not checked"
    assert outcomes(release.again(population=known))["6-map"] == "same"
    assert outcomes(release.again(population=known[:10]))["6-map"] == "different"


def test_a_population_below_nodes(tmp_path: Path) -> None:
    """Whom a node fits is seen by its hierarchy alone, though its name could be read as a range."""
    ages = Hierarchy.from_rows([[age, f"[{age[0]}0-{age[0]}5]", "*"] for age in AGES])
    known = pl.DataFrame({"age": [*AGES, *AGES]})
    release = made(tmp_path, KMap(6), population=known, hierarchy=ages, label=Label.ANCESTOR)
    (part,) = [part for part in release.again(population=known).parts if part.name == "6-map"]
    assert part.told == "give the hierarchy of age with --hierarchy"
    assert outcomes(release.again(population=known, hierarchies={"age": ages}))["6-map"] == "same"


def test_people_whom_the_schema_suppresses(tmp_path: Path) -> None:
    """Who lacks a value that suppresses a record is not of the population again, or the release would differ."""
    known = pl.DataFrame({"age": [*AGES, *[None] * 5]})
    hidden = DeltaPresence(Fraction(1, 2), Fraction(1))
    release = made(tmp_path, hidden, population=known, missing=Missing.SUPPRESS)
    assert outcomes(release.again(population=known))[hidden.name] == "same"


def test_means_do_not_tell_whom_they_fit(tmp_path: Path) -> None:
    """A mean is no range: nobody can tell again whom of the population a class fits."""
    known = pl.DataFrame({"age": AGES})
    release = made(tmp_path, KMap(3), population=known, label=Label.MEAN)
    assert outcomes(release.again(population=known))["3-map"] == "not checked"


def test_labels_that_cannot_be_read(tmp_path: Path) -> None:
    """A range of names cannot be read without their order, which the file does not say: the model is not judged."""
    towns = pl.DataFrame({"town": ["Asti", "Bari", "Como", "Enna", "Lodi", "Pisa"]})
    schema = Schema((Attribute("town", Role.QUASI, label=Label.RANGE, order=Order.SORTED),))
    towns.write_csv(tmp_path / "towns.csv")
    anonymize(tmp_path / "towns.csv", freely(Job.of(schema, KMap(3))), target=tmp_path / "r.csv", population=towns)
    again = Made(tmp_path / "r.csv", tmp_path / "towns.csv").again(population=towns)
    (part,) = [part for part in again.parts if part.name == "3-map"]
    assert (part.outcome, "cannot be read" in part.told) == (PartOutcome.UNCHECKED, True)


def test_hierarchies(tmp_path: Path) -> None:
    """A certificate has only the digest of a hierarchy; the very one must be brought, and no other.

    By the hierarchy two mild illnesses are half as far apart as without it, when a class would not be close enough.
    """
    close = TCloseness("s", Fraction(1, 10))
    release = made(tmp_path, KAnonymity(2), close, sensitive=Attribute("s", Role.SENSITIVE, hierarchy=ILLS))
    found = {part.name: part.told for part in release.again().parts}
    assert found[close.name] == "give the hierarchy of s with --hierarchy"
    assert outcomes(release.again(hierarchies={"s": ILLS}))[close.name] == "same"
    for name, other in (("s", Hierarchy.from_rows([["flu", "*"], ["gout", "*"]])), ("age", ILLS), ("x", ILLS)):
        with pytest.raises(InputError, match="not the hierarchy"):
            release.again(hierarchies={name: other})


def test_local_recoding_keeps_below_the_node_that_it_began_at(tmp_path: Path) -> None:
    """The certificate has the levels that local recoding began at; with the hierarchy no label is found above them."""
    ages = Hierarchy.from_rows([[age, f"{age[0]}0s", "young" if age < "50" else "old", "*"] for age in AGES])
    one = made(tmp_path, KAnonymity(2), how=LocalRecoding(Optimal()), hierarchy=ages)
    assert one.known.refined == {"age": 2}
    assert outcomes(one.again())["levels of age"] == "not checked"
    assert outcomes(one.again(hierarchies={"age": ages}))["levels of age"] == "same"
    one.forge(refined={"age": 0})
    assert outcomes(one.again(hierarchies={"age": ages}))["levels of age"] == "different"


def test_levels_are_met_where_the_hierarchies_are_brought(tmp_path: Path) -> None:
    """With its hierarchy every label of a full-domain release stands on the certified level, and on no other."""
    ages = Hierarchy.from_rows([[age, f"{age[0]}0s", "young" if age < "50" else "old", "*"] for age in AGES])
    one = made(tmp_path, KAnonymity(3), how=Optimal(), hierarchy=ages)
    assert one.known.levels == {"age": 2}
    assert outcomes(one.again())["levels of age"] == "not checked"
    assert outcomes(one.again(hierarchies={"age": ages}))["levels of age"] == "same"
    for level in (1, 3, 9):  # below, above, and higher than the hierarchy is
        one.forge(levels={"age": level})
        again = one.again(hierarchies={"age": ages})
        told = {part.name: part.told for part in again.parts}["levels of age"]
        assert told.endswith(f" not nodes of level {level}")
        assert not again
    root = made(tmp_path, KAnonymity(10), how=Optimal(), hierarchy=ages, name="root.csv")
    assert root.known.levels == {"age": 3}
    assert outcomes(root.again(hierarchies={"age": ages}))["levels of age"] == "same"


def test_missing_values_stand_on_every_level(tmp_path: Path) -> None:
    """A missing value is released as itself below the root; with its hierarchy brought, it is no label astray."""
    ages = Hierarchy.from_rows([[age, f"{age[0]}0s", "young" if age < "50" else "old", "*"] for age in AGES])
    frame = pl.concat([FRAME, FRAME.head(3).with_columns(age=pl.lit(""))])
    one = made(tmp_path, KAnonymity(3), how=Optimal(), hierarchy=ages, frame=frame)
    assert one.known.levels == {"age": 2}
    assert "\n,flu\n" in one.path.read_text()
    assert outcomes(one.again(hierarchies={"age": ages}))["levels of age"] == "same"


def test_levels_of_builders_are_met_where_the_input_is_brought(tmp_path: Path) -> None:
    """A builder makes its hierarchy again over the input, unless a population had values of its own."""
    one = made(tmp_path, KAnonymity(3), how=Optimal(), hierarchy="intervals:10,100")
    part = "levels of age"
    told = "give the input, from which that of age was built, with --reference"
    assert {found.name: found.told for found in one.again().parts}[part] == told
    assert outcomes(one.again(reference=one.source))[part] == "same"
    (level,) = one.known.levels.values()
    one.forge(levels={"age": level - 1})
    assert outcomes(one.again(reference=one.source))[part] == "different"
    assert outcomes(one.again(reference=FRAME[:9]))[part] == "not checked"
    known = pl.DataFrame({"age": [*AGES, *AGES]})
    one = made(tmp_path, KMap(6), how=Optimal(), hierarchy="intervals:10,100", population=known, name="p.csv")
    assert outcomes(one.again(reference=one.source, population=known))[part] == "not checked"


def test_levels_of_local_recoding_by_a_builder(tmp_path: Path) -> None:
    """The levels of local recoding are met as well."""
    one = made(tmp_path, KAnonymity(2), how=LocalRecoding(Optimal()), hierarchy="intervals:10,20,40,80")
    assert outcomes(one.again())["levels of age"] == "not checked"
    assert outcomes(one.again(reference=one.source))["levels of age"] == "same"
    one.forge(refined={"age": 0})
    assert outcomes(one.again(reference=one.source))["levels of age"] == "different"


def test_a_builder_that_counts_records_depends_on_the_data(tmp_path: Path) -> None:
    """Whoever joins rare values by their frequency looked at records, and cannot certify that nobody did."""
    one = made(tmp_path, KAnonymity(3), how=Optimal(), hierarchy="frequency:2")
    assert one.known.data_dependent_labels
    assert outcomes(one.again())["data-dependent labels"] == "same"
    one.forge(data_dependent_labels=False)
    assert outcomes(one.again())["data-dependent labels"] == "different"


def test_names_are_released_as_sets(tmp_path: Path) -> None:
    """Names with a hierarchy are its nodes, unless sets were asked for; without that they are not what is certified."""
    ages = Hierarchy.from_rows([[age, f"{age[0]}0s", "*"] for age in AGES])
    one = made(tmp_path, KAnonymity(3), hierarchy=ages, label=Label.NAMES, scale=Scale.CATEGORICAL)
    assert one.known.labels == {"age": "set"}
    assert outcomes(one.again())["labels of age"] == "same"
    one.forge(labels={"age": "ancestor"})
    assert outcomes(one.again())["labels of age"] == "different"


def test_ends_of_labels_are_cuts_of_the_grid(tmp_path: Path) -> None:
    """A grid may be several numbers: an interval that ends anywhere else is on none."""
    one = made(tmp_path, KAnonymity(3), grid=(Fraction(20), Fraction(40), Fraction(80)))
    assert one.known.labels == {"age": "grid"}
    assert outcomes(one.again())["labels of age"] == "same"
    job = json.loads(json.dumps(one.known.job).replace('["20", "40", "80"]', '["20", "50", "80"]'))
    assert job != one.known.job
    one.forge(job=job)
    assert outcomes(one.again())["labels of age"] == "different"


def test_what_the_method_does_not_promise(tmp_path: Path) -> None:
    """A certificate of the order cut says what its division tells; that of Mondrian has nothing to say of it."""
    ways: tuple[Algorithm, ...] = (Ordered(), Mondrian())
    told = [{*made(tmp_path, KAnonymity(2), name=f"{how.name}.csv", how=how).known.not_promised} for how in ways]
    assert told[0] - told[1] == {ORDERED.specification.not_promised}


@pytest.mark.parametrize(
    "choices", [Choices(), Choices(local=True), Choices(node=(2,))], ids=["plain", "local", "node"]
)
@pytest.mark.parametrize("name", METHODS)
def test_what_is_not_promised_follows_from_the_certificate(tmp_path: Path, name: str, choices: Choices) -> None:
    """Whatever a method makes of its choices: a local recoding, or a given node, is not the method by itself."""
    if not all(METHODS[name].takes(word) for word in ("local", "node") if getattr(choices, word) is not None):
        pytest.skip(f"{name} does not take it")
    ages = Hierarchy.from_rows([[age, f"{age[0]}0s", "young" if age < "50" else "old", "*"] for age in AGES])
    one = made(tmp_path, KAnonymity(2), how=METHODS[name](choices), hierarchy=ages)
    assert outcomes(one.again())["not promised"] == "same"
    assert one.again()


def test_a_builder_needs_no_file(tmp_path: Path) -> None:
    """The text of a builder is in the job."""
    known = pl.DataFrame({"age": [*AGES, *AGES]})
    release = made(tmp_path, KMap(3), population=known, hierarchy="intervals:20..80:10,20", label=Label.ANCESTOR)
    assert outcomes(release.again(population=known))["3-map"] == "same"


def test_apostrophes(tmp_path: Path) -> None:
    """What was made safe for spreadsheets is read without its apostrophes."""
    source = tmp_path / "signs.csv"
    FRAME.with_columns(s=pl.Series(["=flu", "@gout"] * 5)).write_csv(source)
    schema = Schema.of(identifying=["who"], quasi=["age"], sensitive=["s"])
    close = TCloseness("s", Fraction(1, 2))
    job = freely(Job(schema, (KAnonymity(3), DistinctLDiversity("s", 2), close), writing=Writing(excel_safe=True)))
    anonymize(source, job, target=tmp_path / "r.csv")
    assert "'=flu" in (tmp_path / "r.csv").read_text()
    again = Made(tmp_path / "r.csv", source).again(reference=source)
    assert (again.met, outcomes(again)[close.name]) == (True, "same")


@pytest.mark.parametrize("name", ["r.csv", "r.sqlite"])
def test_release_of_nobody(tmp_path: Path, name: str) -> None:
    """A release without records is what it says, too."""
    source = tmp_path / "nobody.csv"
    source.write_text("age,s\n")
    job = freely(Job.of(Schema.of(quasi=["age"], sensitive=["s"]), KAnonymity(3)))

    anonymize(source, replace(job, reading=replace(job.reading, allow_empty=True)), target=tmp_path / name)
    release = Made(tmp_path / name, source)
    assert {part.name: part.told for part in release.again().parts}["3-anonymity"] == "met: there are no records"
    assert release.again().met


@pytest.mark.parametrize("cells", [("7;8", "1;2", "3;4"), ("7", "1", "2")])
@pytest.mark.parametrize("name", ["r.csv", "r.tsv", "r.csv.gz", "r/"])
def test_a_release_is_read_as_its_job_wrote_it(tmp_path: Path, name: str, cells: tuple[str, ...]) -> None:
    """Nothing is guessed by its content: which sign parts its cells, and that its first line names its columns."""
    column, *values = cells
    job = freely(Job.of(Schema((Attribute(column, Role.QUASI, Scale.CATEGORICAL),)), KAnonymity(2)))
    anonymize(
        pl.DataFrame({column: values * 2}),
        replace(job, writing=Writing(Format.CSV) if name == "r/" else Writing()),
        target=f"{tmp_path}/{name}",
    )
    inside = tmp_path / name / "certificate.json"
    known = read_certificate(inside if inside.exists() else tmp_path / f"{name}.kohort.json")
    assert isinstance(known, Certificate)
    assert known.classes == 2
    assert check_table_again(tmp_path / name, known, RecheckInputs()).met


def test_a_folder_of_parts(tmp_path: Path) -> None:
    """The parts are those that the certificate lists, in their order; another list differs, and so does none."""
    job = freely(Job.of(Schema.of(quasi=["age"], sensitive=["s"], identifying=["who"]), KAnonymity(3)))
    job = replace(job, writing=Writing(Format.CSV, records_per_part=4))
    folder = tmp_path / "release"
    anonymize(FRAME, job, target=f"{folder}/")
    known = read_certificate(folder / "certificate.json")
    assert isinstance(known, Certificate)
    assert (known.verified, known.engine) == ("record by record", "local")
    assert [part["records"] for part in known.parts] == [4, 4, 2]

    def listed(*parts: Mapping[str, object]) -> str:
        again = check_table_again(folder, replace(known, parts=parts), RecheckInputs())
        (found,) = (part for part in again.parts if part.name == "listed parts")
        assert again.met is (found.outcome is PartOutcome.SAME)
        return found.told

    assert listed(*known.parts) == "3 in their order"
    assert listed(*known.parts[:2]) == "2, found 3, of which 2 are the same"
    assert listed(*known.parts[::-1]) == "3, found 3, of which 3 are the same"
    assert listed() == "0, found 3, of which 0 are the same"
