"""Releases with perturbed columns and pseudonyms: what is released, in which order, and what is told of it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort import Attribute, DistinctLDiversity, Job, KAnonymity, Role, Schema
from kohort.certificate.again import read_certificate
from kohort.certificate.table import Certificate, Described, not_promised
from kohort.certificate.table_again import check_table_again
from kohort.certificate.table_shown import RecheckInputs
from kohort.engines.local import altered
from kohort.engines.pipeline import dry_run, save
from kohort.errors import InputError, JobError, KohortError, SchemaError, UsageError
from kohort.io.typed import from_frame
from kohort.perturbation.noise import Noise
from kohort.perturbation.pseudonyms import Key
from kohort.release import Writing, plain
from kohort.samples.italy import italy
from kohort.tables.coded import Recoded
from kohort.verify import Claim
from tests.jobs import freely

if TYPE_CHECKING:
    from kohort.release import Release

KEY = Key(bytes(range(32)))
NOISE = Noise("annual_income", decimals=0)


def schema(*, pseudonym: bool = False, person: str | None = None) -> Schema:
    """The schema of a register."""
    identifying = (Attribute("person_id", Role.IDENTIFYING, pseudonym=pseudonym),)
    quasi = (Attribute("gender", Role.QUASI), Attribute("age", Role.QUASI))
    others = (Attribute("annual_income", Role.SENSITIVE), Attribute("profession", Role.SENSITIVE))
    return Schema((*identifying, *quasi, *others), rest=Role.IDENTIFYING, person=person)


def job(**parts: Any) -> Job:  # noqa: ANN401  whatever a job may be told
    """A job with noise on incomes."""
    told: dict[str, Any] = {"perturbations": (NOISE,), "seed": 1, "insecure_reproducible": True} | parts
    return freely(Job.of(told.pop("schema", schema()), KAnonymity(5), **told))


PEOPLE = italy(400, seed=5)


def made(**parts: Any) -> Release:  # noqa: ANN401  likewise
    """A release of a small register."""
    return kohort.anonymize(PEOPLE, job(**parts))


def frame(release: Release) -> pl.DataFrame:
    """Its records."""
    found = release.frame()
    assert isinstance(found, pl.DataFrame)
    return found


def test_a_perturbed_column_keeps_mean_and_variance() -> None:
    """The released incomes are others; their mean and variance are those of the released records' true incomes."""
    release = made()
    before = PEOPLE["annual_income"].gather(release.lineage)
    after = frame(release)["annual_income"]
    assert (before != after).sum() > 360
    (effect,) = release.effects
    assert effect.unchanged == (before == after).sum()
    assert effect.mean is not None
    assert math.isclose(effect.mean[0], sum(before) / 400, rel_tol=1e-12)
    assert math.isclose(effect.mean[1], sum(after) / 400, rel_tol=1e-12)
    assert abs(effect.mean[1] / effect.mean[0] - 1) < 1e-3
    assert effect.reproducible


def test_other_columns_stay() -> None:
    """Whatever is perturbed, the other columns hold what a release without perturbation holds, class by class."""
    names = ["gender", "age", "profession"]
    assert (
        frame(made())
        .select(names)
        .equals(frame(made(perturbations=(), seed=None, insecure_reproducible=False)).select(names).sort(names))
    )


def test_order_tells_nothing() -> None:
    """Records stand in the order of what is released: that of the true values or identifiers is gone."""
    release = made(schema=schema(pseudonym=True), key=KEY)
    names = ["gender", "age", "person_id", "annual_income", "profession"]
    found = frame(release).cast(pl.String)
    assert found.select(names).equals(found.select(names).sort(names))
    within = pl.DataFrame(
        {"class": found["gender"] + found["age"], "true": PEOPLE["person_id"].gather(release.lineage)}
    )
    assert not within.equals(within.sort("class", "true"))


def test_noise_is_new_each_time() -> None:
    """Without a seed no two releases have the same noise; with one they are the same bytes."""
    unseeded: dict[str, Any] = {"seed": None, "insecure_reproducible": False}
    assert not frame(made(**unseeded)).equals(frame(made(**unseeded)))
    assert frame(made()).equals(frame(made()))
    assert not frame(made()).equals(frame(made(seed=2)))


def test_seeded_noise_does_not_depend_on_the_order_of_records() -> None:
    """The same multiset of records and seed give the same release."""
    shuffled = kohort.anonymize(
        PEOPLE.sample(fraction=1, shuffle=True, seed=4), job(schema=schema(pseudonym=True), key=KEY)
    )
    assert frame(shuffled).equals(frame(made(schema=schema(pseudonym=True), key=KEY)))


def test_pseudonyms_stand_for_identifiers() -> None:
    """Every released record has the pseudonym of its own identifier, and no identifier is released."""
    release = made(schema=schema(pseudonym=True), key=KEY)
    identifiers = PEOPLE["person_id"].gather(release.lineage).to_list()
    assert frame(release)["person_id"].to_list() == [KEY.pseudonym("person_id", one) for one in identifiers]
    assert release.linked[0].records == 400
    assert release.linked[0].linked == 0


def test_missing_identifiers_stay_missing() -> None:
    """Who has no identifier gets no pseudonym, and who has several records is linked by it."""
    people = pl.DataFrame({"id": ["a", "a", "b", None, ""], "age": ["1"] * 5})
    attributes = (Attribute("id", Role.IDENTIFYING, pseudonym=True), Attribute("age", Role.QUASI))
    release = kohort.anonymize(people, freely(Job.of(Schema(attributes), KAnonymity(5), key=KEY)))
    a, b = (KEY.pseudonym("id", one) for one in "ab")
    assert sorted(frame(release)["id"].to_list(), key=str) == sorted([None, "", a, a, b], key=str)
    assert (release.linked[0].records, release.linked[0].linked) == (3, 2)


def test_missing_tokens_are_no_numbers_to_perturb() -> None:
    """A token of the schema stays in its records, however much like a number it is."""
    people = pl.DataFrame({"age": ["1"] * 8, "annual_income": [*map(str, range(10, 17)), "999"]})
    attributes = (Attribute("age", Role.QUASI), Attribute("annual_income", Role.SENSITIVE))
    told = Schema(attributes, frozenset({"", "999"}))
    release = kohort.anonymize(people, job(schema=told, perturbations=(Noise("annual_income", scale=Fraction(1)),)))
    incomes = frame(release)["annual_income"].to_list()
    assert incomes.count("999") == 1
    assert sum(map(int, incomes)) == sum(range(10, 17)) + 999
    assert release.effects[0].records == 7


def test_a_person_key_may_be_released_as_a_pseudonym() -> None:
    """The person key can have pseudonyms, since people are still counted; as it is it cannot be released."""
    release = made(schema=schema(pseudonym=True, person="person_id"), key=KEY)
    assert release.people == 400


def test_a_certificate_tells_effects_and_no_secret(tmp_path: Path) -> None:
    """The certificate says what was perturbed and linked, what does not follow, and neither the seed nor the key."""
    seed = 987654321
    release = save(made(schema=schema(pseudonym=True), key=KEY, seed=seed), tmp_path / "safe.csv")
    assert isinstance(release.certificate, Path)
    text = release.certificate.read_text()
    assert str(seed) not in text
    assert KEY.secret.hex() not in text
    known = read_certificate(release.certificate)
    assert isinstance(known, Certificate)
    told = known.perturbed["annual_income"]
    assert isinstance(told, dict)
    assert (told["records"], told["method"]) == (release.effects[0].records, "noise of 0.1 variances")
    assert "unchanged" not in told
    assert known.pseudonyms == {"person_id": 0}
    assert any("Anonymity of pseudonyms" in one for one in known.not_promised)
    assert any("perturbed values" in one for one in known.not_promised)
    assert (known.checks["perturbation"], known.checks["pseudonyms"]) == (400, 400)
    assert isinstance(release.path, Path)
    assert check_table_again(release.path, known, RecheckInputs()).met


def test_secrets_are_not_described() -> None:
    """A job tells neither its key nor its seed, in no form; its description names no file either."""
    told = job(schema=schema(pseudonym=True), key=KEY, seed=987654321)
    assert "stewards.pem" not in replace(told, writing=Writing(sign_key="stewards.pem")).described()
    for text in (told.described(), repr(told), json.dumps(plain(told))):
        assert "987654321" not in text
        assert KEY.secret.hex() not in text
        assert repr(KEY.secret)[2:-1] not in text


def test_a_release_is_told_in_a_line() -> None:
    """What a prompt shows of a release is a line of counts, and nothing of its records."""
    assert repr(made()).startswith("<Release, verified; records: 400 of 400; suppressed: 0; classes: 61;")
    rehearsed = repr(dry_run(PEOPLE, job()))
    assert rehearsed.startswith("<Release, dry run, not verified; records: 400 of 400;")


def test_range_ends_are_told_where_there_are_some() -> None:
    """A certificate speaks of secret range ends only where labels were chosen by looking at records."""
    for grid, said in ((None, True), (Fraction(5), False)):
        attributes = (Attribute("age", Role.QUASI, grid=grid), Attribute("annual_income", Role.SENSITIVE))
        release = kohort.anonymize(PEOPLE, freely(Job.of(Schema(attributes, rest=Role.IDENTIFYING), KAnonymity(5))))
        assert release.verdict is not None
        told = not_promised(
            Described.of(release.job), data_dependent=release.verdict.data_dependent, engine=release.verdict.engine
        )
        assert any("Secret range ends" in one for one in told) is said


def test_empty_tables_are_released_as_they_are() -> None:
    """Of a table without records nothing is perturbed, and its columns are released."""
    attributes = (Attribute("id", Role.IDENTIFYING, pseudonym=True), Attribute("age", Role.QUASI))
    reading = kohort.ReadOptions(allow_empty=True)
    asked = freely(Job(Schema(attributes), (KAnonymity(2),), reading=reading, key=KEY))
    release = kohort.anonymize(pl.DataFrame({"id": [], "age": []}, schema={"id": pl.String, "age": pl.String}), asked)
    assert release.table.names == ("id", "age")
    assert release.effects == ()


# ── what does not go together ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("parts", "what"),
    [
        ({"insecure_reproducible": False}, "reproducible"),
        ({"seed": -1}, "whole number"),
        ({"perturbations": ()}, "seed has no effect"),
        ({"seed": None}, "no seed is given"),
        ({"perturbations": (NOISE, NOISE)}, "perturbed twice"),
        ({"perturbations": (Noise("age"),)}, "the column is quasi"),
        ({"perturbations": (Noise("person_id"),)}, "the column is identifying"),
        ({"schema": schema(pseudonym=True)}, "need a key"),
        ({"key": KEY}, "no column gets pseudonyms"),
    ],
)
def test_what_does_not_go_together_is_refused(parts: dict[str, Any], what: str) -> None:
    """A seed that is not said to be insecure, a pseudonym without a key, and the like are refused, before any work."""
    with pytest.raises(UsageError, match=what):
        job(**parts)


def test_several_faults_are_told_at_once() -> None:
    """All that does not go together is told at once."""
    with pytest.raises(JobError) as told:
        job(perturbations=(NOISE, NOISE), insecure_reproducible=False)
    assert len(told.value.exceptions) == 2


def test_models_of_perturbed_columns_are_refused() -> None:
    """No model can be promised of values that nobody will see."""
    with pytest.raises(UsageError, match="distinct 2-diversity of annual_income"):
        freely(Job.of(schema(), KAnonymity(5), DistinctLDiversity("annual_income", 2), perturbations=(NOISE,)))


def test_columns_that_are_not_released_are_not_perturbed() -> None:
    """A column that only the rest names and drops is refused with its name."""
    with pytest.raises(UsageError, match="the column is identifying") as told:
        made(perturbations=(Noise("city"),))
    assert "city" in told.value.where


def test_columns_that_are_not_there_are_not_perturbed() -> None:
    """Columns that the table has not are refused, all at once, each with the nearest names."""
    with pytest.raises(SchemaError, match="no column is called anual_income") as told:
        made(perturbations=(Noise("anual_income"),))
    assert "annual_income" in told.value.hint
    with pytest.raises(JobError):
        made(perturbations=(Noise("anual_income"), Noise("salary")))


def test_pseudonyms_are_for_identifiers() -> None:
    """Only identifying columns get pseudonyms."""
    with pytest.raises(SchemaError, match="only identifying columns"):
        Attribute("age", Role.QUASI, pseudonym=True)


def test_a_claim_of_pseudonyms_needs_the_key() -> None:
    """Pseudonyms are not verified without their key."""
    release = made(schema=schema(pseudonym=True), key=KEY)
    with pytest.raises(UsageError, match="without their key"):
        Claim(release.job.schema, release.job.models, release.source, release.lineage)


def test_names_cannot_be_perturbed_as_numbers() -> None:
    """Noise on a column of names is an error of the input that tells no name."""
    with pytest.raises(InputError) as told:
        made(perturbations=(Noise("profession"),))
    assert not any(one in str(told.value) for one in PEOPLE["profession"].unique())


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.none() | st.integers(-50, 50), st.none() | st.sampled_from("abc")),
        min_size=4,
        max_size=30,
    ),
    st.integers(0, 2**31),
)
def test_every_altered_release_passes_verification(rows: list[tuple[int, int | None, str | None]], seed: int) -> None:
    """Whatever the columns hold, missing values too, what is perturbed and has pseudonyms is verified."""
    columns = zip(*rows, strict=True)
    people = pl.DataFrame(
        dict(zip(("age", "income", "id"), columns, strict=True)),
        schema={"age": pl.Int64, "income": pl.Int64, "id": pl.String},
    )
    attributes = (
        Attribute("age", Role.QUASI),
        Attribute("income", Role.SENSITIVE),
        Attribute("id", Role.IDENTIFYING, pseudonym=True),
    )
    noise = Noise("income", scale=Fraction(2))
    asked = freely(
        Job.of(
            Schema(attributes), KAnonymity(2), perturbations=(noise,), key=KEY, seed=seed, insecure_reproducible=True
        )
    )
    try:
        release = kohort.anonymize(people, asked)
    except KohortError as fault:
        assert "noise" in str(fault) or "step" in str(fault)  # less than the rounding step hides nothing  # noqa: PT017
        return
    assert release.verdict is not None
    assert release.verdict.checks["perturbation"] == len(rows)


def test_nothing_is_altered_where_nothing_is_asked() -> None:
    """Without perturbations and pseudonyms the records are the very ones that were recoded."""
    plain_job = job(perturbations=(), seed=None, insecure_reproducible=False)
    table = from_frame(pl.DataFrame({"gender": ["f"]}))
    recoded = Recoded(table, frame(made())["age"].arg_sort().to_numpy(), np.zeros(1))
    assert altered(recoded, plain_job, table)[0] is recoded


@pytest.mark.parametrize("decimals", [None, 0, 1, 3])
@pytest.mark.parametrize("kind", [pl.Float64, pl.Int64, pl.String])
def test_typed_files_are_verified(kind: type[pl.DataType], decimals: int | None, tmp_path: Path) -> None:
    """Whatever type a column has and however it is rounded, what stands in a Parquet file is verified."""
    people = PEOPLE.with_columns(pl.col("annual_income").cast(kind))
    asked = job(perturbations=(Noise("annual_income", scale=Fraction(1, 2), decimals=decimals),))
    release = kohort.anonymize(people, asked, target=tmp_path / "safe.parquet")
    assert release.verdict is not None
    assert release.verdict.checks["perturbation"] == 400
