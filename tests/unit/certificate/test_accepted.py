"""The job of a certificate: what kohort makes is accepted as it stands, and nothing else is."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import pytest

from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.method import METHODS, Choices
from kohort.algorithms.mondrian.ordered import Ordered
from kohort.certificate.form import FORM, digest
from kohort.certificate.table import Described, not_promised
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InputError
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.perturbation.microaggregation import Microaggregation
from kohort.perturbation.noise import Noise
from kohort.perturbation.pseudonyms import Key
from kohort.perturbation.rounding import Rounding
from kohort.release import Job, Writing
from kohort.release.job import Purpose
from kohort.schema import Attribute, Label, Missing, Order, Role, Scale, Schema
from kohort.schema.dates import DateFormat, Period
from kohort.schema.hierarchy import Hierarchy
from kohort.transactions.certificate import CoherenceCertificate
from kohort.transactions.coherence import Coherence
from kohort.transactions.io.options import Form
from kohort.transactions.release import BasketWriting, TransactionJob
from kohort.transactions.roles import Drawn, Listed
from kohort.transactions.sweep import METHODS as SUPPRESSIONS
from tests.command import kohort
from tests.unit.certificate.test_described import EVERY
from tests.unit.certificate.test_every_field import places

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kohort.certificate.table import Certificate

#: A description.
Parts: TypeAlias = dict[str, Any]

#: How the hierarchy below is told.
DIGEST = '{"height": 2, "leaves": 2, "sha256": "1c110936eb044aaa215e05b938f0d9f6c5fcf72971e052448b003d1283e778c7"}'
QUASI = ("age", "height", "born", "town", "job")

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


def certified(parts: Parts, *, form: int = FORM) -> Described:
    """What a certificate with this description of a job asks of a table."""
    return Described.certified(cast("Certificate", SimpleNamespace(job=parts, form=form)))


def certified_transactions(parts: Parts, *, form: int = FORM) -> TransactionJob:
    """The job on transactions of a certificate with this description."""
    known = SimpleNamespace(job=parts, form=form)
    return CoherenceCertificate.asked(cast("CoherenceCertificate", known))


def refuse(parts: Parts) -> None:
    """Refuse the description, if it is of no job."""
    certified(parts)


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
    made = certified(told(job))
    assert made.job.described() == job.described().replace(DIGEST, '"mask:right"')
    assert {asked.model for asked in made.models} == {*job.models}


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
    assert certified_transactions(json.loads(job.described())).algorithm == algorithm


# ── what it does not ─────────────────────────────────────────────────────────────────────────────


def column(parts: Parts, name: str) -> Parts:
    """What is said of a column."""
    return cast("Parts", parts["columns"][name])


#: What no kohort would make of the job above.
UNFIT: dict[str, Callable[[Parts], object]] = {
    "a pseudonym that is a text": lambda parts: column(parts, "who").update(pseudonym="true"),
    "a pseudonym that is a number": lambda parts: column(parts, "who").update(pseudonym=1),
    "a pseudonym of a sensitive column": lambda parts: column(parts, "s").update(pseudonym=True),
    "a pseudonym that there is not": lambda parts: column(parts, "name").update(pseudonym=False),
    "a sensitive column that is generalized": lambda parts: column(parts, "s").update(grid="5"),
    "a dropped column with a grid": lambda parts: column(parts, "note").update(grid="5"),
    "an unknown key": lambda parts: parts.update(speed=7),
    "an unknown key of a column": lambda parts: column(parts, "age").update(secret=True),
    "an unknown key of the input": lambda parts: parts["input"].update(more=[]),
    "a table that is absent": lambda parts: parts.pop("output"),
    "a role that there is not": lambda parts: column(parts, "age").update(role="Quasi"),
    "a column twice": lambda parts: parts["resolved"]["columns"].append("age"),
    "a column that stands nowhere": lambda parts: parts["resolved"]["columns"].append("nothing"),
    "a column without a place": lambda parts: parts["resolved"]["columns"].remove("age"),
    "no quasi-identifier": lambda parts: [column(parts, name).update(role="drop") for name in QUASI],
    "a rest": lambda parts: parts.update(rest="drop"),
    "no person of that name": lambda parts: parts["person"].update(key="nobody"),
    "a person that is released": lambda parts: parts["person"].update(key="visits"),
    "a person that is null": lambda parts: parts.update(person=None),
    "k = 1": lambda parts: parts["privacy"].update(k=1),
    "k = 5.0": lambda parts: parts["privacy"].update(k=5.0),
    "k = true": lambda parts: parts["privacy"].update(k=True),
    "l = 0": lambda parts: column(parts, "s").update(l=0),
    "a model of no sensitive column": lambda parts: column(parts, "visits").update(l=2),
    "a model of a column asked of all": lambda parts: parts["privacy"].update(l=2),
    "a model of all asked of a column": lambda parts: column(parts, "s").update(k=5),
    "a model with more": lambda parts: column(parts, "s").update(distance="equal"),
    "a model apart that is none": lambda parts: parts["resolved"].update(models=[{"privacy": {"k": 1}}]),
    "models apart that are none": lambda parts: parts["resolved"].update(models=[]),
    "no model": lambda parts: (parts["privacy"].clear(), column(parts, "s").pop("l")),
    "a population that no model needs": lambda parts: parts.update(population={}),
    "an answer that is sensitive": lambda parts: parts.update(answers=["s"]),
    "an answer that there is not": lambda parts: parts.update(answers=["nothing"]),
    "an answer twice": lambda parts: parts.update(answers=["visits", "visits"]),
    "answers that are none": lambda parts: parts.update(answers=[]),
    "answers that are a text": lambda parts: parts.update(answers="visits"),
    "permission that nothing needs": lambda parts: column(parts, "s").update({"no-model": True}),
    "permission of a dropped column": lambda parts: column(parts, "note").update({"allow-singling": True}),
    "complete records by no column": lambda parts: parts["input"].update({"complete-records": ["nothing"]}),
    "complete records by a word": lambda parts: parts["input"].update({"complete-records": "some"}),
    "noise in a dropped column": lambda parts: noise(parts, "note"),
    "noise in no column": lambda parts: noise(parts, "nothing"),
    "noise in a quasi-identifier": lambda parts: noise(parts, "age"),
    "noise of a sensitive column that is judged": lambda parts: noise(parts, "s"),
    "noise twice": lambda parts: parts["perturb"]["columns"]["income"].update(together=["visits"]),
    "noise of no amount": lambda parts: parts["perturb"]["columns"]["income"].update(scale="0/0"),
    "an exponent": lambda parts: column(parts, "age").update(weight="1e9999999999"),
    "a number that is not the shortest": lambda parts: column(parts, "age").update(weight="1.50"),
    "a fraction that is a decimal": lambda parts: column(parts, "age").update(weight="3/2"),
    "a weight without an end": lambda parts: column(parts, "age").update(weight="1" * 2000),
    "a weight that is a number": lambda parts: column(parts, "age").update(weight=1.5),
    "a weight of one": lambda parts: column(parts, "age").update(weight="1"),
    "a builder that there is not": lambda parts: column(parts, "job").update(hierarchy="maskk:right"),
    "the path of a file": lambda parts: column(parts, "job").update(hierarchy="/etc/passwd"),
    "a hierarchy of half a digest": lambda parts: column(parts, "town")["hierarchy"].update(sha256="00"),
    "a hierarchy of no height": lambda parts: column(parts, "town")["hierarchy"].update(height="2"),
    "a hierarchy of changes that are none": lambda parts: column(parts, "town")["hierarchy"].update(changes=[]),
    "a hierarchy with more": lambda parts: column(parts, "town")["hierarchy"].update(labels=["*"]),
    "a hierarchy of no use": lambda parts: column(parts, "visits").update(hierarchy="mask:right"),
    "a greatest level without levels": lambda parts: column(parts, "town").update({"max-level": 1}),
    "parts of no records": lambda parts: parts["output"].update({"records-per-part": 0}),
    "a format that there is not": lambda parts: parts["output"].update(format="docx"),
    "a separator of two letters": lambda parts: parts["output"].update(separator=";;"),
    "a key to sign with": lambda parts: parts["output"].update({"sign-key": "key"}),
    "a path": lambda parts: parts["output"].update(path="release.csv"),
    "a key of pseudonyms": lambda parts: parts["input"].update({"key-file": "/etc/passwd"}),
    "a seed": lambda parts: parts["perturb"].update(seed=7),
    "an engine": lambda parts: parts.update(run={"engine": "local"}),
    "a time limit for what always ends": lambda parts: parts["method"].update({"time-limit": "30"}),
    "a purpose that is a list": lambda parts: parts["purpose"].update(purpose=["a test"]),
    "no purpose": lambda parts: parts.update(purpose={}),
    "a method that is a word": lambda parts: parts.update(method="mondrian"),
    "a column undeclared twice": lambda parts: parts["resolved"]["undeclared"].append("visits"),
    "a cut that there is not": lambda parts: parts["method"].update(cut="no"),
    "a separator of the input": lambda parts: parts["input"].update(separator=7),
    "missing texts in another order": lambda parts: parts["input"]["missing"].reverse(),
    "a column undeclared that there is not": lambda parts: parts["resolved"]["undeclared"].append("nothing"),
    "more that is resolved": lambda parts: parts["resolved"].update(more=[]),
    "nested for ever": lambda parts: parts.update(purpose=_nested()),
}


def noise(parts: Parts, name: str) -> None:
    """Let the noise be in another column."""
    columns = parts["perturb"]["columns"]
    columns[name] = columns.pop("income")


def _nested() -> object:
    value: object = "a test"
    for _ in range(3000):
        value = {"purpose": value}
    return value


@pytest.mark.parametrize("name", UNFIT)
def test_what_kohort_would_not_describe_is_refused(name: str) -> None:
    """A job that kohort would not accept, or would describe in other words, is none."""
    parts = told(JOB)
    UNFIT[name](parts)
    with pytest.raises(InputError, match="the job in the certificate"):
        refuse(parts)


#: Values of other kinds.
OTHERS: tuple[Any, ...] = (None, "true", "", 1, 2.0, [], {}, [None], {"k": 2})


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
    assert not taken


@pytest.mark.parametrize(
    "change",
    [
        {"node": {"zip": 1}},
        {"node": {"zip": 1, "town": -1}},
        {"node": {"zip": 1, "town": True}},
        {"node": {"zip": 1, "town": 0, "s": 0}},
        {"node": [0, 1]},
        {"objective": "no metric"},
        {"name": "samarati"},
    ],
)
def test_a_node_of_another_lattice(change: Parts) -> None:
    """A given node has a level for each quasi-identifier, and its cost is told by a metric that there is."""
    (job,) = [one for one in on_levels() if isinstance(one.algorithm, GivenNode) and one.algorithm.names]
    parts = told(job)
    refuse(parts)
    parts["method"] |= change
    with pytest.raises(InputError):
        refuse(parts)


def test_an_algorithm_that_no_key_can_ask_for_is_told_by_its_fields() -> None:
    """Its method's limits are those of the certificate, whoever judges it; the algorithm itself is not judged."""
    job = replace(JOB, algorithm=Ordered(finer=2))
    made = certified(told(job))
    assert (made.algorithm, made.method) == (None, "ordered")
    expected = not_promised(Described.of(job), data_dependent=True, engine="local")
    assert not_promised(made, data_dependent=True, engine="local") == expected


def test_what_is_not_installed_is_left_to_others() -> None:
    """A model, a perturbation and a method of packages that are not here are not judged; what is beside them is."""
    parts = told(JOB)
    parts["privacy"] = {"plug": "1/2", "max-suppression": "5%"}
    column(parts, "s").pop("l")
    column(parts, "s").update({"plugged": {"q": "1/2"}, "no-model": True})
    parts["perturb"]["columns"]["s"] = {"method": "blur"}
    parts["method"] = {"name": "annealing", "heat": 7, "labels": "own"}
    made = certified(parts)
    assert {(asked.kind, asked.sensitive, asked.model) for asked in made.models} == {
        ("plug", None, None),
        ("plugged", "s", None),
    }
    assert (made.algorithm, made.perturbed) == (None, ("income", "visits", "s"))
    parts["privacy"] = {**parts["privacy"], "k": 1}
    with pytest.raises(InputError):
        refuse(parts)


@pytest.mark.parametrize(
    "change",
    [
        {"items": {"private": 1, "weight": -1}},
        {"items": {"private": 1, "weight": True}},
        {"items": {"private": 1, "weight": {"a": "2"}}},
        {"items": {"private": 1, "min-support": "1"}},
        {"items": {"private": 1, "min-support": "0"}},
        {"items": {"private": 1, "allow-absent": "no"}},
        {"items": {"private": 1, "allow-absent": False}},
        {"items": {"private": 1.0}},
        {"items": {"private": 0}},
        {"items": {"private": 1, "public": -1}},
        {"items": {"private": 1, "names": ["a"]}},
        {"items": {"private": 1, "private-file": "/etc/passwd"}},
        {"items": {"private-file": "/etc/passwd"}},
        {"items": {"delta": "2"}},
        {"items": {"delta": "2/5"}},
        {"items": {}},
        {"method": {"score": "mmil", "max-sets": "7"}},
        {"method": {"score": "mmil", "max-sets": 0}},
        {"method": {"score": "best"}},
        {"method": {"name": "Mondrian"}},
        {"method": {}},
        {"speed": 7},
        {"input": {}},
        {"privacy": {"h": "2", "k": 5, "p": 2}},
        {"privacy": {"h": "2/5", "k": 5, "p": 2}},
        {"privacy": {"h": 0.4, "k": 5, "p": 2}},
        {"output": {"format": "lines"}},
        {"output": {"sign-key": "key"}},
    ],
)
def test_what_kohort_would_not_describe_of_transactions(change: Parts) -> None:
    """The same of transactions."""
    job = TransactionJob(coherence=Coherence.of(h="0.4", k=5, p=2), roles=Listed(private=("a",)))
    parts: Parts = json.loads(job.described())
    certified_transactions(parts)
    with pytest.raises(InputError, match="the job in the certificate"):
        certified_transactions(parts | change)


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
