"""The privacy models of a job: which keys make which, and what of them does not go together."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

import kohort
from kohort.errors import JobError, UsageError
from kohort.job.request import question
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.delta_disclosure import DeltaDisclosure
from kohort.models.delta_presence import DeltaPresence
from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_e_anonymity import KEAnonymity
from kohort.models.k_map import KMap
from kohort.models.maximum_risk import MaximumRisk
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from tests.job_sides import table_request as parse

if TYPE_CHECKING:
    from kohort.models.base import PrivacyModel

HEAD = 'input.path = "people.csv"\noutput.path = "release.csv"\n'

QUASI = "columns.age.role = 'quasi'\n"

EVERY = """\
input.path = "people.csv"
output.path = "release.csv"
population.path = "register.csv"
person.key = "tax code"

[privacy]
k = 3
k-map = 5
presence = [0, "1/2"]
max-risk = 0.2
average-risk = "0.1"

[columns.income]
role = "sensitive"
hierarchy = "intervals:10,20"
missing = "suppress"
k-e = { k = 3, e = "7.5" }
enhanced-beta = 2
beta = 1.5
delta = 1
alpha = 0.5
t = 0.2
distance = "hierarchical"
recursive = { c = 0.5, l = 2 }
entropy-l = 1.5
l = 2

[columns]
age = { role = "quasi" }
illness = { role = "sensitive", t = "0.3" }
"tax code" = { role = "identifying" }
"""

SAID: tuple[PrivacyModel, ...] = (
    kohort.KAnonymity(3),
    kohort.DistinctLDiversity("income", 2),
    EntropyLDiversity("income", Fraction(3, 2)),
    RecursiveLDiversity("income", Fraction(1, 2), 2),
    kohort.TCloseness("income", Fraction(1, 5), "hierarchical"),
    AlphaKAnonymity("income", Fraction(1, 2), 3),
    DeltaDisclosure("income", Fraction(1)),
    BasicBetaLikeness("income", Fraction(3, 2)),
    EnhancedBetaLikeness("income", Fraction(2)),
    KEAnonymity("income", 3, Fraction(15, 2)),
    kohort.TCloseness("illness", Fraction(3, 10)),
    KMap(5),
    DeltaPresence(Fraction(0), Fraction(1, 2)),
    MaximumRisk(Fraction(1, 5)),
    AverageRisk(Fraction(1, 10)),
)


def faults(text: str) -> list[UsageError]:
    """The faults of a job, which must be there."""
    with pytest.raises(JobError) as caught:
        parse(text)
    assert caught.value.exit_status == 2
    return caught.value.faults


def test_every_key_makes_its_model() -> None:
    """First k, then the models of each column, then those of the whole table, whatever the order of the keys."""
    made = parse(EVERY)
    assert made.job.models == SAID
    assert made.population == "register.csv"
    assert made.job.schema.person == "tax code"
    assert made.job.k == 5
    assert [one.missing for one in made.job.schema.sensitive] == ["suppress", "own-value"]


def test_a_described_job_says_every_parameter_exactly() -> None:
    """The certificate keeps fractions as text: equal jobs are described alike."""
    job = parse(EVERY).job
    assert parse(EVERY.replace('"1/2"', "0.5").replace("0.2\n", '"0.20"\n')).job.described() == job.described()
    for said in ('"alpha": "0.5"', '"distance": "hierarchical"', '["0", "0.5"]', '{"key": "tax code"}', '"k": 3'):
        assert said in job.described()


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("privacy.max-risk = 0.1", 1),
        ("privacy.average-risk = 0.1", 1),
        ("columns.s = { role = 'sensitive', l = 3 }", 1),
        ("columns.s = { role = 'sensitive', l = 3, t = 0.5 }\nprivacy = {}", 2),
    ],
)
def test_k_may_be_left_out_where_another_model_is_asked_for(line: str, count: int) -> None:
    """The classes are then only as large as that model makes them."""
    assert len(parse(HEAD + QUASI + line).job.models) == count


@pytest.mark.parametrize(
    ("line", "what", "where"),
    [
        ("", "the table [privacy] is missing", "job"),
        ("privacy = {}", "k is missing", "job, line 4 (privacy)"),
        ("privacy.max-suppression = 0\nmethod.name = 'optimal'", "k is missing", "job, line 4 (privacy)"),
        ("privacy.kay = 5", "unknown key kay", "job, line 4 (privacy.kay)"),
        ("privacy = 5", "privacy must be a table", "job, line 4 (privacy)"),
    ],
)
def test_some_model_must_be_asked_for(line: str, what: str, where: str) -> None:
    """A job without any says that k is missing; how else it is wrong has its own place."""
    hierarchy = "columns.age.hierarchy = 'suppress'\n"
    found = [(fault.what, fault.where) for fault in faults(HEAD + QUASI[:-1] + "\n" + line + "\n" + hierarchy)]
    assert (what, where) in found


@pytest.mark.parametrize(
    ("keys", "place", "what"),
    [
        ("l = 1", "l", "l must be"),
        ("l = 1.5", "l", "l must be"),
        ("l = true", "l", "l must be"),
        ("l = 'two'", "l", "l must be"),
        ("l = '02'", "l", "l must be"),
        ("entropy-l = 1", "entropy-l", "l must be"),
        ("entropy-l = nan", "entropy-l", "l must be"),
        ("recursive = { c = 0, l = 2 }", "recursive.c", "c must be"),
        ("recursive = { c = 1, l = 1 }", "recursive.l", "l must be"),
        ("recursive = { c = 1 }", "recursive", "l is missing"),
        ("recursive = 5", "recursive", "recursive must be a table"),
        ("recursive = { c = 1, l = 2, m = 3 }", "recursive.m", "unknown key m"),
        ("t = 1", "t", "t must be"),
        ("t = -0.1", "t", "t must be"),
        ("t = 'near'", "t", "t must be"),
        ("t = [0.1]", "t", "t must be"),
        ("t = 1e-400", "t", "t must be"),
        ("t = 0.1, distance = 'euclid'", "distance", "distance must be one of"),
        ("alpha = 0", "alpha", "alpha must be"),
        ("alpha = 1e99", "alpha", "alpha must be"),
        ("delta = 0", "delta", "delta must be"),
        ("delta = inf", "delta", "delta must be"),
        ("beta = -1", "beta", "beta must be"),
        ("enhanced-beta = 0", "enhanced-beta", "beta must be"),
        ("enhanced-betta = 1", "enhanced-betta", "unknown key"),
    ],
)
def test_a_parameter_that_cannot_be_is_refused_where_it_is_said(keys: str, place: str, what: str) -> None:
    """Every model says itself what its parameter must be; the job says where it stands."""
    [fault] = faults(f"{HEAD}{QUASI}privacy.k = 5\ncolumns.s = {{ role = 'sensitive', {keys} }}")
    assert fault.what.startswith(what)
    assert fault.where == f"job, line 5 (columns.s.{place})"


@pytest.mark.parametrize(
    ("key", "what"),
    [
        ("k-map = 1", "k must be"),
        ("presence = 0.5", "presence is two shares"),
        ("presence = [0.5]", "presence is two shares"),
        ("presence = [0.9, 0.1]", "presence must be two shares"),
        ("presence = [0, 'half']", "presence must be two shares"),
        ("max-risk = 0", "a maximum risk must be"),
        ("max-risk = 10", "a maximum risk must be"),
        ("average-risk = '10%'", "an average risk must be"),
    ],
)
def test_a_parameter_of_the_whole_table_is_refused_where_it_is_said(key: str, what: str) -> None:
    """The same of the keys that are of no column."""
    [fault] = faults(f"{HEAD}{QUASI}privacy.k = 5\nprivacy.{key}\npopulation.path = 'r.csv'\n")[:1]
    assert fault.what.startswith(what)
    assert fault.where == f"job, line 5 (privacy.{key.split(maxsplit=1)[0]})"


@pytest.mark.parametrize(
    ("lines", "place", "what"),
    [
        ("columns.s = { role = 'quasi', l = 2 }", "columns.s.l", "the column is quasi, but distinct 2-diversity of s"),
        ("columns.s = { role = 'identifying', t = 0.2 }", "columns.s.t", "the column is identifying"),
        ("columns.s = { role = 'insensitive', beta = 1 }", "columns.s.beta", "the column is insensitive"),
        ("columns.s = { role = 'sensitive', l = 6 }", "columns.s.l", "distinct 6-diversity of s needs classes of 6"),
        ("columns.s = { role = 'sensitive', entropy-l = 5.5 }", "columns.s.entropy-l", "entropy 5.5-diversity of s"),
        ("columns.s = { role = 'sensitive', recursive = { c = 1, l = 6 } }", "columns.s.recursive", "recursive (1, 6)"),
        (
            "columns.s = { role = 'sensitive', distance = 'equal' }",
            "columns.s.distance",
            "distance is given without t",
        ),
        (
            "columns.s = { role = 'sensitive', t = 0.2, distance = 'hierarchical' }",
            "columns.s.t",
            "a hierarchical distance needs a hierarchy",
        ),
        ("privacy.k-map = 5", "privacy.k-map", "k-map needs a population table"),
        ("privacy.presence = [0, 0.5]", "privacy.presence", "presence needs a population table"),
        ("population.path = 'r.csv'", "population.path", "no privacy model needs a population table"),
        ("person.key = 'age'", "person.key", "the person key is not an identifying column"),
        ("columns.s.role = 'sensitive'\nperson.key = 's'", "person.key", "the person key is not an identifying column"),
    ],
)
def test_what_does_not_go_together_is_refused_where_it_is_said(lines: str, place: str, what: str) -> None:
    """Nothing is passed over that would have no effect, or could not have the one that is meant."""
    [fault] = faults(f"{HEAD}{QUASI}privacy.k = 5\n{lines}")
    assert fault.what.startswith(what)
    assert fault.where.endswith(f"({place})")
    assert fault.hint


def test_alpha_needs_a_k() -> None:
    """(alpha,k)-anonymity has two parameters, and the second is the job's."""
    [fault] = faults(f"{HEAD}{QUASI}columns.s = {{ role = 'sensitive', alpha = 0.5, l = 2 }}")
    assert (fault.what, fault.where) == ("alpha needs k", "job, line 4 (columns.s.alpha)")


def test_all_faults_of_models_come_at_once() -> None:
    """A wrong parameter of one column hides no misfit of another, nor of the whole table."""
    found = faults(
        f"{HEAD}privacy = {{ k = 1, k-map = 5 }}\ncolumns.a = {{ role = 'quasi', l = 2 }}\n"
        "columns.b = { role = 'sensitive', t = 2 }\ncolumns.c = { role = 'quasi', label = 'grid', l = 3 }\n"
    )
    assert [fault.where.partition("(")[2] for fault in found] == [
        "privacy.k)",
        "privacy.k-map)",
        "columns.a.l)",
        "columns.b.t)",
        "columns.c)",
    ]


def test_a_question_has_the_models_and_what_they_need() -> None:
    """A file that is only judged is asked by the same keys, without input, output and method."""
    raw = {
        "privacy": {"k-map": "5"},
        "person": {"key": "id"},
        "population": {"path": "r.csv"},
        "rest": "drop",
        "columns": {"s": {"role": "sensitive", "l": "2", "t": None}},
    }
    made = question(raw, where=".".join)
    assert made.models == (kohort.DistinctLDiversity("s", 2), KMap(5))
    assert (made.population, made.schema.person, made.inputs) == ("r.csv", "id", ())
    with pytest.raises(JobError) as caught:
        question({"columns": {"s": {"role": "quasi", "l": 1.5}}, "input": {}}, where=".".join)
    assert {fault.where for fault in caught.value.faults} == {"columns.s.l", "input"}


@pytest.mark.parametrize(
    ("schema", "models", "what"),
    [
        (kohort.Schema.of(quasi=["a"]), [kohort.DistinctLDiversity("b", 2)], "that is not in the schema"),
        (kohort.Schema.of(quasi=["a"]), [kohort.DistinctLDiversity("a", 2)], "the column is quasi"),
        (kohort.Schema.of(quasi=["a"], sensitive=["bee"]), [kohort.DistinctLDiversity("be", 2)], "mean bee"),
        (
            kohort.Schema.of(quasi=["a"], sensitive=["b"]),
            [kohort.TCloseness("b", Fraction(1, 2), "hierarchical")],
            "needs a hierarchy",
        ),
        (
            kohort.Schema.of(quasi=["a"], sensitive=["b"]),
            [kohort.KAnonymity(2), kohort.DistinctLDiversity("b", 3), EntropyLDiversity("b", Fraction(5, 2))],
            "the models do not fit the schema",
        ),
    ],
)
def test_a_job_in_python_is_refused_for_the_same(schema: kohort.Schema, models: list[PrivacyModel], what: str) -> None:
    """The library raises what the command line tells."""
    with pytest.raises(UsageError, match=what):
        kohort.Job.of(schema, *models)


def test_more_values_than_k_may_be_asked_of_people() -> None:
    """Where people have several records, fewer people than values can make a class."""
    schema = kohort.Schema.of(identifying=["p"], quasi=["a"], sensitive=["b"], person="p")
    assert kohort.Job.of(schema, kohort.KAnonymity(2), kohort.DistinctLDiversity("b", 3)).k == 2
    lines = "columns.b = { role = 'sensitive', l = 3 }\ncolumns.p.role = 'identifying'\nperson.key = 'p'"
    assert parse(f"{HEAD}{QUASI}privacy.k = 2\n{lines}").job.k == 2


def test_a_model_may_be_about_a_column_of_the_rest() -> None:
    """Where the rest is sensitive, a column that is not listed is."""
    schema = kohort.Schema((kohort.Attribute("a", kohort.Role.QUASI),), rest=kohort.Role.SENSITIVE)
    assert kohort.Job.of(schema, kohort.DistinctLDiversity("b", 2)).models[0].declared.sensitive == "b"
    with pytest.raises(UsageError, match="needs a hierarchy"):
        kohort.Job.of(schema, kohort.TCloseness("b", Fraction(1, 2), "hierarchical"))
