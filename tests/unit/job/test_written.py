"""A job as a job file: reading what was written gives the job again."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort import Attribute, Job, KAnonymity, ReadOptions, Role, Schema, TCloseness
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.method import METHODS, Choices, choices_of, on_cells
from kohort.algorithms.mondrian.dimension import AtRandom, MostValues, Widest
from kohort.algorithms.mondrian.ordered import Ordered
from kohort.core.suppression import SuppressionLimit
from kohort.models.base import models, variants
from kohort.perturbation.noise import Noise
from kohort.perturbation.pseudonyms import write_key
from kohort.perturbation.text import perturbation_of
from kohort.release.job import Purpose, Writing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kohort.algorithms.method import Method
    from kohort.models.base import PrivacyModel

LEVELS = Schema(
    (Attribute("age", Role.QUASI, hierarchy="intervals:5,10"), Attribute("zip", Role.QUASI, hierarchy="mask:right"))
)
PLAIN = Schema.of(quasi=["age", "zip"], sensitive=["illness"], identifying=["id"], drop=["x"], insensitive=["y"])

#: Everything that the form has, each key at least once.
WHOLE = """
    rest = "drop"
    [input]
    path = "in.tsv"
    separator = "\\t"
    quote = ""
    encoding = "cp1252"
    header = false
    names = ["a", "b"]
    trim = true
    skip-blank = true
    allow-empty = true
    missing = ["", "?", "NA"]
    complete-records = ["age"]
    [output]
    path = "out.tsv"
    format = "tsv"
    separator = ";"
    excel-safe = true
    [privacy]
    k = 5
    presence = [0.1, "0.9"]
    [population]
    path = "register.csv"
    [person]
    key = "id"
    [method]
    cut = "median"
    [purpose]
    purpose = "a study"
    legal-basis = "a law"
    [perturb.columns.income]
    method = "microaggregation"
    k = 3
    together = ["wealth"]
    [columns]
    id.role = "identifying"
    age = { role = "quasi", weight = 0.5, bounds = [0, 120], grid = [18, 30, 65], missing = "suppress" }
    zip = { role = "quasi", hierarchy = "mask:right", scale = "categorical", order = "sorted", label = "set" }
    size = { role = "quasi", grid = "round" }
    illness = { role = "sensitive", t = 0.2, distance = "equal", recursive = { c = 2, l = 3 }, alpha = 0.5 }
    "net income" = { role = "sensitive", no-model = true, allow-singling = true }
    income = { role = "sensitive", no-model = true }
    wealth = { role = "insensitive" }
"""


def again(job: Job) -> Job:
    """The job of its own job file."""
    return Job.from_toml(job.to_toml())


def test_everything_that_a_job_file_says_is_written() -> None:
    """The job of the file that it is written to is the same, and so is its text."""
    job = Job.from_toml(WHOLE)
    assert again(job) == job
    assert again(job).to_toml() == job.to_toml()


@pytest.mark.parametrize("key", models())
def test_every_model_is_written(key: str) -> None:
    """With every example of its parameters; one that goes with a k has that k."""
    kind = models()[key]
    for one in variants(kind, "illness"):
        k: tuple[PrivacyModel, ...] = () if key == "k" else (KAnonymity(getattr(one.model, "k", 12)),)
        tree = "suppress" if one.model.declared.needs_hierarchy else None
        schema = PLAIN.changed([Attribute("illness", Role.SENSITIVE, hierarchy=tree)])
        job = Job.of(schema, one.model, *k)
        assert set(again(job).models) == set(job.models)


#: The values of each choice; a method takes some of the choices.
CHOICES: Mapping[str, tuple[object, ...]] = {
    "cut": (None, "nearest", "median", "loss"),
    "limit": (None, SuppressionLimit(20), SuppressionLimit.of("5%")),
    "objective": (None, "c_dm", "first"),
    "node": (None, (0, 0), (1, 2)),
    "dimension": (None, MostValues(), AtRandom(7), Widest()),
    "local": (None, True),
}


def choices_for(method: Method) -> Iterator[Choices]:
    """Every combination of the choices that a method takes."""
    taken = [name for name in CHOICES if method.takes(name)]
    for values in product(*(CHOICES[name] for name in taken)):
        if method.first or "first" not in values:
            yield Choices(**dict(zip(taken, values, strict=True)))  # type: ignore[arg-type]  # any value


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_the_method_and_choices_of_an_algorithm_make_it_again(method: Method) -> None:
    """For every method and all its choices."""
    for choices in choices_for(method):
        algorithm = method(choices)
        name, found = choices_of(algorithm)
        assert METHODS[name](found) == algorithm
        assert choices_of(METHODS[name](found)) == (name, found)
        assert name == method.name or choices.node is not None


def test_an_algorithm_of_no_method_has_no_choices() -> None:
    """As one that differs from what its method makes."""
    with pytest.raises(kohort.UsageError, match="no method of a job file is ordered"):
        choices_of(Ordered(finer=1))


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_every_method_is_written(method: Method) -> None:
    """With the choices that it takes."""
    for choices in choices_for(method):
        limit = 7.0 if method.takes("time_limit") and choices.node is None else None
        schema = PLAIN if on_cells(method(Choices())) else LEVELS
        job = Job.of(schema, KAnonymity(5), algorithm=method(choices), time_limit=limit)
        written = again(job)
        assert choices_of(written.algorithm) == choices_of(job.algorithm)
        if choices.node is None:
            assert written == job


def test_a_node_is_written_by_its_names() -> None:
    """In the order of the quasi-identifiers, if it names none."""
    job = Job.of(LEVELS, KAnonymity(5), algorithm=GivenNode((1, 2), SuppressionLimit(20)))
    assert again(job).algorithm == GivenNode((1, 2), SuppressionLimit(20), names=("age", "zip"))
    turned = Job.of(LEVELS, KAnonymity(5), algorithm=GivenNode((2, 1), names=("zip", "age")))
    assert Job.from_toml(turned.to_toml()).algorithm == GivenNode((1, 2), names=("age", "zip"))


def test_reading_and_writing_are_written() -> None:
    """Whatever differs from the usual; limits of memory are the machine's, and stand in no job file."""
    job = Job(PLAIN, (KAnonymity(5),), reading=ReadOptions(quote=None, max_ratio=7), writing=Writing(excel_safe=True))
    assert again(job).reading == ReadOptions(quote=None)
    assert again(job).writing == Writing(excel_safe=True)
    everywhere = Job.of(PLAIN, KAnonymity(5), complete="all", purpose=Purpose(recipient="an office"))
    assert again(everywhere) == everywhere


def test_secrets_are_written_nowhere(tmp_path: Path) -> None:
    """A seed is refused, a key is named by its file."""
    schema = Schema((Attribute("age", Role.QUASI), Attribute("income", Role.SENSITIVE)))
    noisy = Job.of(schema, KAnonymity(5), perturbations=(Noise("income"),), seed=7, insecure_reproducible=True)
    with pytest.raises(kohort.UsageError, match="a seed is never written"):
        noisy.to_toml()
    write_key(tmp_path / "key.json")
    text = 'privacy.k = 5\ninput.path = "in.csv"\ninput.key-file = "key.json"\noutput.path = "out.csv"\n'
    text += 'columns.age.role = "quasi"\ncolumns.id = { role = "identifying", pseudonym = true }\n'
    (tmp_path / "job.toml").write_text(text)
    job = Job.from_toml(tmp_path / "job.toml")
    with pytest.raises(kohort.UsageError, match="key_file"):
        job.to_toml()
    job.to_toml(tmp_path / "again.toml", key_file="key.json")
    assert Job.from_toml(tmp_path / "again.toml") == job
    found = kohort.sweep(_people(), job, vary={"k": [2]})
    assert found.points[0].found


def test_paths_are_those_that_are_asked_for() -> None:
    """The table, the release and the population are named; a population that is not has a name to correct."""
    register = Job.from_toml(WHOLE)
    assert 'path = "population.csv"' in register.to_toml()
    text = register.to_toml(source="a.csv", target="b.tsv", population="c.csv")
    assert all(f'path = "{name}"' in text for name in ("a.csv", "b.tsv", "c.csv"))


numbers = st.integers(1, 10**5).map(lambda cents: Fraction(cents, 100))
names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1)


@given(names, numbers, st.integers(2, 10**6))
def test_names_and_numbers_survive(name: str, number: Fraction, k: int) -> None:
    """Whatever a column is called, and exactly."""
    schema = Schema((Attribute("age", Role.QUASI, weight=number, grid=number), Attribute(f"{name}_", Role.SENSITIVE)))
    close = TCloseness(f"{name}_", number / 10**4)
    job = Job.of(schema, KAnonymity(k), close, perturbations=(perturbation_of(f"q=rounding:step={float(number)}"),))
    assert again(job) == job


def _people() -> object:
    from polars import DataFrame  # noqa: PLC0415  one test needs it

    return DataFrame({"age": [1, 2, 3, 4], "id": ["a", "b", "c", "d"]})
