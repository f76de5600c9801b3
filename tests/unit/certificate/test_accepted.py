"""The job of a certificate: what kohort makes is accepted as it stands, and nothing else is."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import pytest

from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.method import METHODS, Choices
from kohort.certificate.accepted import refuse_transaction_job, table_job
from kohort.certificate.form import digest
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InputError
from kohort.io.baskets.options import Form
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.perturbation.microaggregation import Microaggregation
from kohort.perturbation.noise import Noise
from kohort.perturbation.pseudonyms import Key
from kohort.perturbation.rounding import Rounding
from kohort.release import Job, Writing
from kohort.release.job import Purpose
from kohort.release.transactions import BasketWriting, TransactionJob
from kohort.schema import Attribute, Label, Missing, Order, Role, Scale, Schema
from kohort.schema.dates import DateFormat, Period
from kohort.schema.hierarchy import Hierarchy
from kohort.transactions.coherence import Coherence
from kohort.transactions.methods import METHODS as SUPPRESSIONS
from kohort.transactions.roles import Drawn, Listed
from tests.command import kohort
from tests.unit.certificate.test_described import EVERY
from tests.unit.certificate.test_every_field import places

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: A description.
Parts: TypeAlias = dict[str, Any]

TOWNS = Hierarchy.from_rows([["Asti", "north", "*"], ["Bari", "south", "*"]])
COLUMNS = (
    Attribute("who", Role.IDENTIFYING, pseudonym=True),
    Attribute("name", Role.IDENTIFYING),
    Attribute("age", Role.QUASI, grid=Fraction(5), weight=Fraction(3, 2), bounds=(Fraction(0), Fraction(120))),
    Attribute("height", Role.QUASI, Scale.NUMERIC, grid=(Fraction(0), Fraction("150.5"))),
    Attribute("born", Role.QUASI, Scale.DATE, grid=Period.MONTH, date_format=DateFormat.DAY_FIRST),
    Attribute("town", Role.QUASI, hierarchy=TOWNS, max_level=1, missing=Missing.SUPPRESS, order=Order.HIERARCHY),
    Attribute("job", Role.QUASI, hierarchy="mask:right", label=Label.ANCESTOR),
    Attribute("s", Role.SENSITIVE, Scale.CATEGORICAL),
    Attribute("income", Role.SENSITIVE),
    Attribute("visits", Role.INSENSITIVE),
    Attribute("note", Role.DROP),
)
SCHEMA = Schema(COLUMNS, frozenset({"?", "n/a"}), person="who", undeclared=("visits", "note"))
JOB = Job(
    SCHEMA,
    (KAnonymity(5), DistinctLDiversity("s", 2)),
    writing=Writing(separator=";", excel_safe=True, records_per_part=20),
    allow_singling=("income",),
    no_model=("income",),
    answers=("visits",),
    complete=("age", "s"),
    perturbations=(Noise("income", decimals=0, lower=Fraction(0)), Rounding("visits", Fraction(2))),
    key=Key(bytes(32)),
    purpose=Purpose(purpose="a test", recipient="nobody"),
    time_limit=7.5,
    seed=7,
    insecure_reproducible=True,
)

MORE = replace(
    JOB,
    complete="all",
    perturbations=(Microaggregation(("income", "visits"), 4),),
    seed=None,
    insecure_reproducible=False,
)


def told(job: Job) -> Parts:
    """How a job is described."""
    return cast("Parts", json.loads(job.described()))


def refuse(parts: Parts) -> None:
    """Refuse the description, if it is of no job."""
    table_job(parts)


# ── what kohort describes ────────────────────────────────────────────────────────────────────────


def on_levels() -> list[Job]:
    """A job of every method, with columns that have hierarchies."""
    columns = (Attribute("town", Role.QUASI, hierarchy=TOWNS), Attribute("zip", Role.QUASI, hierarchy="mask:right"))
    schema, found = Schema(columns), [method(Choices()) for method in METHODS.values()]
    limit = SuppressionLimit.of("5%")
    found += [METHODS["optimal"](Choices(local=True, limit=limit)), GivenNode((1, 0), names=("zip", "town"))]
    found += [METHODS["samarati"](Choices(node=(0, 2))), METHODS["samarati"](Choices(objective="first"))]
    return [Job.of(schema, KAnonymity(2), algorithm=one) for one in found]


@pytest.mark.parametrize(
    "job",
    [
        JOB,
        MORE,
        Job.of(Schema((*COLUMNS[2:7], Attribute("s", Role.SENSITIVE))), *EVERY),
        Job.of(Schema((COLUMNS[2], Attribute("s", Role.SENSITIVE, hierarchy=TOWNS))), KAnonymity(2), no_model=("s",)),
        *on_levels(),
    ],
    ids=lambda job: f"{job.algorithm.name}-{len(job.models)}",
)
def test_what_kohort_describes_is_accepted(job: Job) -> None:
    """Every kind of job is read back as it is described."""
    refuse(told(job))


@pytest.mark.parametrize("algorithm", SUPPRESSIONS.values())
@pytest.mark.parametrize(
    "roles",
    [Listed(private=("a", "b")), Listed(private=("a",), public=("b",), absent=True), Drawn(delta=Fraction(2, 5))],
)
def test_what_kohort_describes_of_transactions_is_accepted(algorithm: Any, roles: Any) -> None:  # noqa: ANN401  of any
    """So is every kind of job on transactions; how many items have a role or a weight is no more than a count."""
    job = TransactionJob(
        coherence=Coherence.of(h="0.4", k=5, p=2),
        roles=roles,
        algorithm=algorithm,
        min_support=Fraction(1, 1000),
        weights=(("a", Fraction(2)),),
        writing=BasketWriting(form=Form.LONG, separator=";"),
        purpose=Purpose(purpose="a test"),
    )
    refuse_transaction_job(json.loads(job.described()))


# ── what it does not ─────────────────────────────────────────────────────────────────────────────


def column(parts: Parts, name: str) -> Parts:
    """What is said of a column."""
    (found,) = [one for one in parts["schema"]["attributes"] if one["name"] == name]
    return cast("Parts", found)


#: What no kohort would make of the job above.
UNFIT: dict[str, Callable[[Parts], object]] = {
    "a pseudonym that is a text": lambda parts: column(parts, "who").update(pseudonym="true"),
    "a pseudonym that is a number": lambda parts: column(parts, "who").update(pseudonym=1),
    "a pseudonym of a sensitive column": lambda parts: column(parts, "s").update(pseudonym=True),
    "a sensitive column that is generalized": lambda parts: column(parts, "s").update(grid="5"),
    "a dropped column with a grid": lambda parts: column(parts, "note").update(grid="5"),
    "an unknown key": lambda parts: parts.update(speed=7),
    "an unknown key of a column": lambda parts: column(parts, "age").update(secret=True),
    "an unknown key of the schema": lambda parts: parts["schema"].update(more=[]),
    "a key that is absent": lambda parts: parts.pop("insecure_reproducible"),
    "a role that there is not": lambda parts: column(parts, "age").update(role="Quasi"),
    "a column twice": lambda parts: parts["schema"]["attributes"].append(column(parts, "age")),
    "no quasi-identifier": lambda parts: parts["schema"].update(attributes=[column(parts, "s")]),
    "a rest": lambda parts: parts["schema"].update(rest="drop"),
    "no person of that name": lambda parts: parts["schema"].update(person="nobody"),
    "a person that is released": lambda parts: parts["schema"].update(person="visits"),
    "a person that is null": lambda parts: parts["schema"].update(person=None),
    "k = 1": lambda parts: parts["models"][0].update(k=1),
    "k = 5.0": lambda parts: parts["models"][0].update(k=5.0),
    "k = true": lambda parts: parts["models"][0].update(k=True),
    "l beyond k": lambda parts: parts["models"][1].update(l=0),
    "a model of no sensitive column": lambda parts: parts["models"][1].update(sensitive="visits"),
    "a model of no column": lambda parts: parts["models"][1].update(sensitive="nothing"),
    "a model with more": lambda parts: parts["models"][0].update(sensitive="s"),
    "no model": lambda parts: parts.update(models=[]),
    "an answer that is sensitive": lambda parts: parts.update(answers=["s"]),
    "an answer that there is not": lambda parts: parts.update(answers=["nothing"]),
    "an answer twice": lambda parts: parts.update(answers=["visits", "visits"]),
    "answers that are none": lambda parts: parts.update(answers=[]),
    "answers that are a text": lambda parts: parts.update(answers="visits"),
    "permission that nothing needs": lambda parts: parts.update(no_model=["income", "s"]),
    "permission of a dropped column": lambda parts: parts.update(allow_singling=["note"]),
    "complete records by no column": lambda parts: parts.update(complete=["nothing"]),
    "complete records by a word": lambda parts: parts.update(complete="some"),
    "noise in a dropped column": lambda parts: parts["perturbations"][0].update(column="note"),
    "noise in no column": lambda parts: parts["perturbations"][0].update(column="nothing"),
    "noise in a quasi-identifier": lambda parts: parts["perturbations"][0].update(column="age"),
    "noise of a sensitive column that is judged": lambda parts: parts["perturbations"][0].update(column="s"),
    "noise twice": lambda parts: parts["perturbations"].append(parts["perturbations"][0]),
    "noise of no amount": lambda parts: parts["perturbations"][0].update(scale="0/0"),
    "an exponent": lambda parts: column(parts, "age").update(weight="1e9999999999"),
    "a fraction that is not reduced": lambda parts: column(parts, "age").update(weight="6/4"),
    "a weight without an end": lambda parts: column(parts, "age").update(weight="1" * 2000),
    "a builder that there is not": lambda parts: column(parts, "job").update(hierarchy="maskk:right"),
    "the path of a file": lambda parts: column(parts, "job").update(hierarchy="/etc/passwd"),
    "a hierarchy of half a digest": lambda parts: column(parts, "town")["hierarchy"].update(sha256="00"),
    "a hierarchy of no height": lambda parts: column(parts, "town")["hierarchy"].update(height="2"),
    "a hierarchy of changes that are none": lambda parts: column(parts, "town")["hierarchy"].update(changes=[]),
    "a hierarchy with more": lambda parts: column(parts, "town")["hierarchy"].update(labels=["*"]),
    "parts of no records": lambda parts: parts["writing"].update(records_per_part=0),
    "a format that there is not": lambda parts: parts["writing"].update(format="docx"),
    "a separator of two letters": lambda parts: parts["writing"].update(separator=";;"),
    "a key to sign with": lambda parts: parts["writing"].update(sign_key="key"),
    "a seed": lambda parts: parts.update(seed=7),
    "a time without an end": lambda parts: parts.update(time_limit=-1),
    "a purpose that is a list": lambda parts: parts["purpose"].update(purpose=["a test"]),
    "a method that is a word": lambda parts: parts.update(algorithm="mondrian"),
    "a column undeclared twice": lambda parts: parts["schema"]["undeclared"].append("visits"),
    "a cut that there is not": lambda parts: parts["algorithm"].update(relaxed="no"),
    "a reader of another kind": lambda parts: parts.update(reading=parts["writing"]),
    "missing texts in another order": lambda parts: parts["schema"]["missing"].reverse(),
    "a column undeclared that there is not": lambda parts: parts["schema"]["undeclared"].append("nothing"),
    "nested for ever": lambda parts: parts.update(purpose=_nested()),
}


def _nested() -> object:
    value: object = "a test"
    for _ in range(3000):
        value = {"kind": "Purpose", "purpose": value}
    return value


@pytest.mark.parametrize("name", UNFIT)
def test_what_kohort_would_not_describe_is_refused(name: str) -> None:
    """A job that kohort would not accept, or would describe in other words, is none."""
    parts = told(JOB)
    UNFIT[name](parts)
    with pytest.raises(InputError, match="the job in the certificate"):
        refuse(parts)


#: Values of other kinds.
OTHERS: tuple[Any, ...] = (None, "true", "", 1, 2.0, [], {}, [None], {"kind": "Job"})


def test_every_part_of_another_kind_is_refused() -> None:
    """Whatever stands in a description, a value of another kind in its place makes it none; free texts are free."""
    whole, taken = told(JOB), list[Any]()
    for place in places(whole):
        for other in OTHERS:
            made: Any = copy.deepcopy(whole)
            within: Any = made
            for key in place[:-1]:
                within = within[key]
            if type(within[place[-1]]) is type(other) or (place[0] == "purpose" and other is None):
                continue
            within[place[-1]] = other
            try:
                refuse(made)
            except InputError:
                continue
            taken.append((*place, other))
    assert taken == [("time_limit", 1)]  # seconds may be a whole number


@pytest.mark.parametrize(
    "node",
    [
        {"node": [1]},
        {"node": [1, -1]},
        {"node": [1, True]},
        {"names": ["zip", "zip"]},
        {"objective": "no metric"},
        {"limit": {"kind": "SuppressionLimit", "records": -1}},
    ],
)
def test_a_node_of_another_lattice(node: Parts) -> None:
    """A given node has a level for each quasi-identifier, and its cost is told by a metric that there is."""
    (job,) = [one for one in on_levels() if isinstance(one.algorithm, GivenNode) and one.algorithm.names]
    parts = told(job)
    refuse(parts)
    parts["algorithm"] |= node
    with pytest.raises(InputError):
        refuse(parts)


def test_what_is_not_installed_is_left_to_others() -> None:
    """A model, a perturbation and a method of packages that are not here are not judged; what is beside them is."""
    parts = told(JOB)
    parts["models"] = [{"kind": "Plugin", "q": "1/2"}]
    parts["no_model"].append("s")
    parts["perturbations"].append({"kind": "Blur", "column": "s"})
    parts["algorithm"] = {"kind": "Annealing", "heat": 7}
    refuse(parts)
    parts["models"] += [{"kind": "KAnonymity", "k": 1}]
    with pytest.raises(InputError):
        refuse(parts)


@pytest.mark.parametrize(
    "change",
    [
        {"weights": -1},
        {"weights": True},
        {"weights": [["a", "2"]]},
        {"min_support": "1"},
        {"min_support": 0},
        {"most": "7"},
        {"most": 0},
        {"speed": 7},
        {"reading": {}, "roles": {"kind": "Listed"}},
        {"roles": {"kind": "Listed", "absent": "no", "private": 1, "public": None}},
        {"roles": {"kind": "Listed", "absent": False, "private": 1.0, "public": None}},
        {"roles": {"kind": "Listed", "absent": False, "private": 1, "public": -1}},
        {"roles": {"kind": "Listed", "absent": False, "private": 1, "public": None, "names": ["a"]}},
        {"roles": {"kind": "Drawn", "delta": "2", "seed": 0, "draw": "feasible"}},
        {"roles": {"kind": "Guessed"}},
        {"coherence": {"kind": "Coherence", "h": "2", "k": 5, "p": 2}},
        {"algorithm": {"kind": "Greedy", "score": "best", "give_back": False}},
        {"algorithm": {"kind": "Mondrian", "cut": "nearest", "relaxed": False}},
        {"writing": {"kind": "BasketWriting", "form": "lines"}},
    ],
)
def test_what_kohort_would_not_describe_of_transactions(change: Parts) -> None:
    """The same of transactions."""
    job = TransactionJob(coherence=Coherence.of(h="0.4", k=5, p=2), roles=Listed(private=("a",)))
    parts: Parts = json.loads(job.described())
    refuse_transaction_job(parts)
    with pytest.raises(InputError, match="the job in the certificate"):
        refuse_transaction_job(parts | change)


def test_the_status(tmp_path: Path) -> None:
    """`kohort check` ends in 3 where the job in a certificate is none, and does not look further."""
    people = "who,age\n" + "".join(f"{who},{20 + who}\n" for who in range(20))
    (tmp_path / "in.csv").write_text(people)
    flags = ("--identifier", "who", "--quasi", "age", "--k", "4", "--quiet")
    assert kohort("anonymize", tmp_path / "in.csv", "--out", tmp_path / "r.csv", *flags).status == 0
    beside = tmp_path / "r.csv.kohort.json"
    parts = json.loads(beside.read_bytes())
    column(parts["job"], "who")["pseudonym"] = "true"
    parts["job_sha256"] = digest(parts["job"])
    beside.write_text(json.dumps(parts, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    ended = kohort("check", tmp_path / "r.csv", "--certificate", beside)
    assert (ended.status, ended.out) == (3, "")
    assert "kohort would not accept the job in the certificate" in ended.err
