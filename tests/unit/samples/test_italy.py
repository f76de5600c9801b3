"""The register has the declared odds, is a function of seed and row, and fits the hierarchies beside it."""

from __future__ import annotations

import json
from math import sqrt
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import FileError, TargetError, UsageError
from kohort.samples.italy import HIERARCHIES, ROLES, italy, italy_batches, italy_hierarchies, write_italy
from kohort.samples.population import (
    AGE_GROUPS,
    EDUCATION_BY_AGE,
    EDUCATIONS,
    GENDER_ODDS,
    GENDERS,
    Population,
    RandomDraw,
    population,
)
from kohort.schema.hierarchies.tree import from_tree
from kohort.schema.hierarchies.view import findings
from tests.unit.samples.odds import fits, tally

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kohort.samples.population import Tree

RECORDS = 200_000


@pytest.fixture(scope="module")
def register() -> pl.DataFrame:
    """One register for all that only looks at it."""
    return italy(RECORDS, seed=2024)


@pytest.fixture(scope="module")
def people() -> Population:
    """What it was drawn from."""
    return population()


def leaves(tree: Tree, above: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each leaf with the path of labels and level names above it, by a walk that knows no key but `name`."""
    name = cast("str", tree["name"])
    levels = [key for key in tree if key != "name"]
    if not levels:
        yield name, above
    for level in levels:
        for child in cast("list[Tree]", tree[level]):
            yield from leaves(child, (*above, name))


def test_chi_square_tells_wrong_odds() -> None:
    """The bound used below accepts the declared odds and refuses ones a hundredth away."""
    assert fits([48_100, 51_900], GENDER_ODDS)
    assert not fits([49_000, 51_000], GENDER_ODDS)
    assert not fits([10, 1], (1, 0))


def test_columns(register: pl.DataFrame) -> None:
    """The register has exactly the nine declared columns, numbers as integers, and nothing is missing."""
    assert register.columns == list(ROLES)
    numeric = {"age", "annual_income"}
    assert {name for name, dtype in register.schema.items() if dtype == pl.Int64} == numeric
    assert all(dtype == pl.String for name, dtype in register.schema.items() if name not in numeric)
    assert sum(register.null_count().row(0)) == 0


def test_ids_are_opaque_and_unique(register: pl.DataFrame) -> None:
    """Every person has an id of their own: a prefix and nine digits with leading zeros."""
    ids = register["person_id"]
    assert ids.n_unique() == RECORDS
    assert ids.str.contains(r"^IT\d{9}$").all()
    assert ids[0] == "IT000000001"


def test_gender_odds(register: pl.DataFrame) -> None:
    """48 of 100 people are male."""
    assert fits(tally(register["gender"], GENDERS), GENDER_ODDS)


def test_age_group_odds(register: pl.DataFrame) -> None:
    """Age groups have their declared weights, which add up to 100 percent."""
    ages = register["age"]
    observed = [int(ages.is_in(years).sum()) for years, _ in AGE_GROUPS]
    assert sum(observed) == RECORDS
    assert sum(weight for _, weight in AGE_GROUPS) == 100_00
    assert fits(observed, [weight for _, weight in AGE_GROUPS])


@pytest.mark.parametrize("years", [years for years, _ in AGE_GROUPS])
def test_ages_are_uniform_inside_a_group(register: pl.DataFrame, years: range) -> None:
    """Within a group every year of age is as likely as the others."""
    inside = register["age"].filter(register["age"].is_in(years))
    assert fits(tally(inside, years), [1] * len(years))


@pytest.mark.parametrize(("years", "odds"), EDUCATION_BY_AGE)
def test_education_odds_by_age(register: pl.DataFrame, years: range, odds: tuple[int, ...]) -> None:
    """Education follows its odds at every age; nobody under 25 holds a Master or a doctorate."""
    inside = register["education"].filter(register["age"].is_in(years))
    assert fits(tally(inside, EDUCATIONS), odds)


def test_city_odds(register: pl.DataFrame, people: Population) -> None:
    """Cities occur in proportion to their inhabitants."""
    inhabitants = [city["inhabitants"] for city in people.cities]
    assert fits(tally(register["city"], [city["name"] for city in people.cities]), inhabitants)


@pytest.mark.parametrize("education", EDUCATIONS)
def test_profession_odds_by_education(register: pl.DataFrame, people: Population, education: str) -> None:
    """Professions follow their odds among the holders of each education; none is held without a possible one."""
    inside = register["profession"].filter(register["education"] == education)
    odds = [profession["holders"].get(education, 0) for profession in people.professions]
    assert fits(tally(inside, [profession["name"] for profession in people.professions]), odds)


def test_incomes_lie_in_their_profession_s_range(register: pl.DataFrame, people: Population) -> None:
    """Every income is one of its profession's range, and each quarter of the range is as likely as the others."""
    for profession in people.professions:
        low, high = profession["income"]
        incomes = register["annual_income"].filter(register["profession"] == profession["name"])
        assert incomes.is_between(low, high).all()
        span = high - low + 1
        assert fits(tally((incomes - low) * 4 // span, range(4)), [1, 1, 1, 1])


def test_first_names_follow_gender(register: pl.DataFrame, people: Population) -> None:
    """Men and women have names of their own lists, each name as likely as the others of its list."""
    for gender, names in zip(GENDERS, (people.male_names, people.female_names), strict=True):
        inside = register["first_name"].filter(register["gender"] == gender)
        assert fits(tally(inside, names), [1] * len(names))
    assert not set(people.male_names) & set(people.female_names)


def test_last_names_are_uniform(register: pl.DataFrame, people: Population) -> None:
    """Every last name is as likely as the others."""
    assert fits(tally(register["last_name"], people.last_names), [1] * len(people.last_names))


def test_attributes_without_a_common_condition_are_independent(register: pl.DataFrame) -> None:
    """Gender says nothing of age, nor the first name of the last: their words of a row are not the same."""
    table = register.select(pl.col("gender") == "male", pl.col("age"), pl.col("last_name").rank("dense"))
    correlations = np.corrcoef(table.to_numpy().astype(float), rowvar=False)
    assert np.abs(correlations - np.eye(3)).max() < 7 / sqrt(RECORDS)


@pytest.mark.parametrize("gender", GENDERS)
def test_what_is_declared_decides_alone(register: pl.DataFrame, people: Population, gender: str) -> None:
    """Among men as among women age and education have their odds, and so have, at any age, city and profession."""
    inside = register.filter(gender=gender)
    cities = [city["name"] for city in people.cities]
    professions = [profession["name"] for profession in people.professions]
    assert fits([int(inside["age"].is_in(years).sum()) for years, _ in AGE_GROUPS], [odds for _, odds in AGE_GROUPS])
    for years, odds in EDUCATION_BY_AGE:
        of_age = inside.filter(pl.col("age").is_in(years))
        assert fits(tally(of_age["city"], cities), [city["inhabitants"] for city in people.cities])
        assert fits(tally(of_age["education"], EDUCATIONS), odds)
        for education, held in zip(EDUCATIONS, odds, strict=True):
            weights = [profession["holders"].get(education, 0) for profession in people.professions]
            assert not held or fits(tally(of_age.filter(education=education)["profession"], professions), weights)


def test_same_seed_same_people() -> None:
    """A seed decides every cell; another seed gives other people."""
    assert italy(500, seed=3).equals(italy(500, seed=3))
    assert not italy(500, seed=3).drop("person_id").equals(italy(500, seed=4).drop("person_id"))


def test_known_first_people() -> None:
    """The people of a seed stay the same from version to version, since papers and demos will quote them."""
    text = italy(2, seed=7).write_csv(include_header=False)
    assert text == (
        "IT000000001,Filippo,Ferrari,male,Savona,31,High School,Plumber,39705\n"
        "IT000000002,Massimo,Ricci,male,Civitanova Marche,28,High School,Factory worker,18309\n"
    )


@given(
    records=st.integers(0, 400),
    batch=st.integers(1, 150),
    seed=st.integers(0, 2**130),
)
def test_batch_size_does_not_matter(records: int, batch: int, seed: int) -> None:
    """Batches of any size put together are the same register, and a shorter register is the start of a longer."""
    frames = list(italy_batches(records, seed=seed, batch=batch))
    assert pl.concat(frames).equals(italy(records, seed=seed))
    assert all(len(frame) == batch for frame in frames[:-1])
    assert len(frames[-1]) <= batch
    assert italy(records + 7, seed=seed).head(records).equals(italy(records, seed=seed))


def test_no_records_still_has_columns() -> None:
    """A register of nobody has the columns and types of any other."""
    assert italy(0, seed=1).schema == italy(1, seed=1).schema
    assert len(italy(0, seed=1)) == 0


def test_impossible_sizes_are_refused() -> None:
    """Negative records or seed and empty batches are errors at the call, not at the first batch."""
    with pytest.raises(UsageError, match="records must be at least 0"):
        italy_batches(-1, seed=0)
    with pytest.raises(UsageError, match="seed must be at least 0"):
        italy(5, seed=-1)
    with pytest.raises(UsageError, match="batch must be at least 1"):
        italy_batches(5, seed=0, batch=0)


@given(odds=st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=5).filter(any), min_size=1, max_size=4))
def test_a_draw_is_its_inverse_distribution(odds: list[list[int]]) -> None:
    """A draw picks the first outcome whose cumulated share exceeds the word, as the plain definition does."""
    words = np.random.default_rng(5).integers(0, 2**64, 64, dtype=np.uint64)
    extremes = np.array([0, 2**64 - 1], dtype=np.uint64)
    words = np.concatenate([words, extremes])
    for condition, row in enumerate(odds):
        drawn = RandomDraw.of(odds)(words, given=np.full(len(words), condition))
        for word, outcome in zip(words.tolist(), drawn.tolist(), strict=True):
            share = (word >> 16) / 2**48
            assert row[outcome] > 0
            assert sum(row[:outcome]) / sum(row) <= share + 1e-12
            assert share <= sum(row[: outcome + 1]) / sum(row) + 1e-12


@pytest.mark.parametrize(("column", "depth"), [("city", 4), ("profession", 3), ("education", 2)])
def test_hierarchies_cover_the_column(register: pl.DataFrame, column: str, depth: int) -> None:
    """Every value is a leaf, all leaves are at one depth under labels of their own, and `check` finds nothing."""
    found = list(leaves(italy_hierarchies()[column]))
    names = [name for name, _ in found]
    labels = {label for _, above in found for label in above}
    assert len(set(names)) == len(names)
    assert {len(above) for _, above in found} == {depth}
    assert set(register[column]) <= set(names)
    assert not labels & set(names)
    assert "*" not in labels
    assert findings(from_tree(italy_hierarchies()[column])) == ()


def test_the_country_is_whole() -> None:
    """Italy has its 5 macro-areas, 20 regions and 107 provinces, each with two cities or more."""
    above = [path for _, path in leaves(italy_hierarchies()["city"])]
    assert [len({path[:level] for path in above}) for level in (1, 2, 3, 4)] == [1, 5, 20, 107]
    assert min(above.count(path) for path in set(above)) >= 2


def test_professions_can_be_earned(people: Population) -> None:
    """Every profession has holders of a known education, and every income range is two integers in order."""
    for profession in people.professions:
        low, high = profession["income"]
        assert set(profession["holders"]) <= set(EDUCATIONS)
        assert profession["holders"]
        assert 0 < low < high < 2**31


def test_write_leaves_the_register_and_its_hierarchies(tmp_path: Path) -> None:
    """The files hold the register and trees of the Python API, and every hierarchy file promised for a column."""
    seen: list[int] = []
    folder = tmp_path / "new" / "italy"
    paths = write_italy(folder, 70_000, seed=5, progress=seen.append)
    assert [path.name for path in paths] == ["people.csv", "city.json", "profession.json", "education.json"]
    assert {path.name for path in folder.iterdir()} == {path.name for path in paths}
    assert pl.read_csv(paths[0]).equals(italy(70_000, seed=5))
    for path in paths[1:]:
        assert json.loads(path.read_text(encoding="utf-8")) == italy_hierarchies()[path.stem]
        assert HIERARCHIES[path.stem] == path.name
    assert sum(seen) == 70_000
    assert len(seen) == 2


def test_write_keeps_what_is_there(tmp_path: Path) -> None:
    """A file of one of the names is replaced only when asked, and until then nothing is written."""
    (tmp_path / "city.json").write_text("mine")
    with pytest.raises(TargetError, match=r"city\.json"):
        write_italy(tmp_path, 10, seed=1)
    assert [path.name for path in tmp_path.iterdir()] == ["city.json"]
    write_italy(tmp_path, 10, seed=1, overwrite=True)
    assert (tmp_path / "city.json").read_text(encoding="utf-8") != "mine"


def test_failed_write_leaves_no_part(tmp_path: Path) -> None:
    """When writing stops halfway no file of the register has its name, and no part of any stays."""

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(FileError, match="No space left"):
        write_italy(tmp_path, 10, seed=1, progress=full)
    assert not [*tmp_path.iterdir()]


def test_quasi_identifiers_generalize() -> None:
    """Every quasi-identifier of the register, and no other column, says how it generalizes."""
    assert set(HIERARCHIES) == {name for name, role in ROLES.items() if role == "quasi"}
