"""The job of a certificate in form 9, which told values by their classes: what kohort made so is read, nothing else.

`form_9.json` holds jobs as the last version that wrote the form told them.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import pytest

from kohort.certificate.again import read_certificate
from kohort.certificate.form import digest
from kohort.certificate.table import Asked
from kohort.errors import InputError
from kohort.report.metadata.dataset import dataset
from tests.command import kohort
from tests.unit.certificate.test_accepted import certified, certified_transactions
from tests.unit.certificate.test_described import EVERY, SCHEMA
from tests.unit.certificate.test_every_field import places
from tools.check_release import faults

if TYPE_CHECKING:
    from collections.abc import Callable

#: A description.
Parts: TypeAlias = dict[str, Any]

TOLD: dict[str, dict[str, Parts]] = json.loads(Path(__file__).with_name("form_9.json").read_text("utf-8"))


def told(name: str = "everything") -> Parts:
    """How a job was told."""
    return copy.deepcopy(TOLD["tables"][name])


def refuse(parts: Parts) -> None:
    """Refuse the description, if it is of no job."""
    certified(parts, form=9)


#: Releases with their certificates, as that version published them.
PUBLISHED = Path(__file__).with_name("form_9")


@pytest.mark.parametrize("name", ["people.csv", "baskets.dat"])
def test_a_release_with_such_a_certificate(name: str) -> None:
    """It is checked as one of today, and differs where either was changed."""
    release, certificate = PUBLISHED / name, PUBLISHED / f"{name}.kohort.json"
    assert kohort("check", release, "--certificate", certificate).status == 0


def test_the_tool_reads_it(tmp_path: Path) -> None:
    """So does who checks without kohort; more than was promised is found by both."""
    release, certificate = PUBLISHED / "people.csv", PUBLISHED / "people.csv.kohort.json"
    assert [*faults(release.read_bytes(), certificate.read_bytes())] == []
    for change in ({"kind": "KAnonymity", "k": 9}, {"kind": "DistinctLDiversity", "sensitive": "illness", "l": 3}):
        parts: Parts = json.loads(certificate.read_bytes())
        parts["job"]["models"][-1 if "l" in change else 0] = change
        parts["models"] = ["9-anonymity", *parts["models"][1:]] if "k" in change else parts["models"]
        parts["job_sha256"] = digest(parts["job"])
        text = json.dumps(parts, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        (tmp_path / "certificate.json").write_text(text)
        assert [*faults(release.read_bytes(), text.encode())] != []
        assert kohort("check", release, "--certificate", tmp_path / "certificate.json").status == 1


def test_what_a_catalogue_is_told() -> None:
    """A job in this form names the columns of a release as well."""
    known = read_certificate(PUBLISHED / "people.csv.kohort.json")
    assert [one.name for one in dataset(known, "c").fields] == ["age", "town", "illness", "income"]


@pytest.mark.parametrize("name", TOLD["tables"])
def test_what_was_told_is_accepted(name: str) -> None:
    """Every kind of job is read."""
    refuse(told(name))


@pytest.mark.parametrize("name", TOLD["transactions"])
def test_what_was_told_of_transactions_is_accepted(name: str) -> None:
    """So is every kind of job on transactions."""
    made = certified_transactions(copy.deepcopy(TOLD["transactions"][name]), form=9)
    assert (made.coherence.k, made.coherence.name) == (5, "(0.4, 5, 2)-coherence")


def column(parts: Parts, name: str) -> Parts:
    """What is said of a column."""
    (found,) = [one for one in parts["schema"]["attributes"] if one["name"] == name]
    return cast("Parts", found)


#: What no kohort would make of a job.
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
def test_what_kohort_would_not_tell_is_refused(name: str) -> None:
    """A job that kohort would not accept, or told in other words, is none."""
    parts = told()
    UNFIT[name](parts)
    with pytest.raises(InputError, match="the job in the certificate"):
        refuse(parts)


#: Values of other kinds.
OTHERS: tuple[Any, ...] = (None, "true", "", 1, 2.0, [], {}, [None], {"kind": "Job"})


@pytest.mark.slow("nine other values of every part")
def test_every_part_of_another_kind_is_refused() -> None:
    """Whatever stands in a description, a value of another kind in its place makes it none; free texts are free."""
    whole, taken = told(), list[Any]()
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
    parts = told("11 given")
    refuse(parts)
    parts["algorithm"] |= node
    with pytest.raises(InputError):
        refuse(parts)


def test_what_is_not_installed_is_left_to_others() -> None:
    """A model, a perturbation and a method of packages that are not here are not judged; what is beside them is."""
    parts = told()
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
    parts = copy.deepcopy(TOLD["transactions"]["few words"])
    certified_transactions(parts, form=9)
    with pytest.raises(InputError, match="the job in the certificate"):
        certified_transactions(parts | change, form=9)


#: What a description says of a quasi-identifier, at least.
QUASI: dict[str, object] = {"name": "a", "role": "quasi", "missing": "own-value"}


def test_every_model_is_rebuilt() -> None:
    """Whatever model a job can ask for, the same one is made again, in the order of the job."""
    made = certified(told("a person and every model"), form=9)
    assert tuple(asked.model for asked in made.models) == EVERY
    assert (made.schema, made.job.reading.separator) == (SCHEMA, ";")


@pytest.mark.parametrize(
    "model",
    [
        {"kind": "KAnonymity"},
        {"kind": "KAnonymity", "k": 1},
        {"kind": "KAnonymity", "k": "5"},
        {"kind": "KAnonymity", "k": True},
        {"kind": "KAnonymity", "k": 5, "l": 2},
        {"kind": "KAnonymity", "sensitive": "s", "k": 5},
        {"kind": "TCloseness", "sensitive": "s", "t": 0.5},
        {"kind": "TCloseness", "sensitive": "s", "t": "much"},
        {"kind": "TCloseness", "sensitive": "s", "t": "1/0"},
        {"kind": "TCloseness", "sensitive": "s", "t": "1/2", "distance": "far"},
        {"kind": "TCloseness", "sensitive": "s", "t": "1/2", "distance": 7},
    ],
)
def test_parameters_that_no_model_has(model: dict[str, object]) -> None:
    """A known model with parameters that it cannot have makes no job, rather than another model."""
    with pytest.raises(InputError, match="would not accept the job"):
        certified(told("a person and k") | {"models": [model]}, form=9)


def test_a_model_that_this_version_does_not_know() -> None:
    """A plug-in that is not installed is known by its name and its column alone."""
    (asked,) = certified(
        told("a person and k") | {"models": [{"kind": "Plugin", "q": 5, "sensitive": "s"}]}, form=9
    ).models
    assert asked == Asked("Plugin", "s", None)


@pytest.mark.parametrize(
    ("key", "part"),
    [
        ("schema", None),
        ("schema", []),
        ("schema", {"attributes": {}}),
        ("schema", {"attributes": [{"name": 7}], "missing": []}),
        ("schema", {"attributes": [{"name": "a", "role": "odd", "missing": "own-value"}], "missing": []}),
        ("schema", {"attributes": [QUASI | {"hierarchy": 7}], "missing": []}),
        (
            "schema",
            {"attributes": [{"name": "a", "role": "quasi", "missing": "own-value", "grid": "-5"}], "missing": []},
        ),
        (
            "schema",
            {"attributes": [{"name": "a", "role": "quasi", "missing": "own-value", "grid": "0"}], "missing": []},
        ),
        ("schema", {"attributes": [], "missing": "?"}),
        ("models", {}),
        ("models", [{"k": 5}]),
        ("reading", {"encoding": "odd"}),
        ("reading", {"speed": 7}),
        ("reading", {"quote": [7]}),
        ("reading", {"max_ratio": "many"}),
        ("writing", {"separator": None}),
    ],
)
def test_what_is_no_job_on_a_table(key: str, part: object) -> None:
    """A description with a part of another kind is none."""
    with pytest.raises(InputError, match="would not accept the job"):
        certified(told("a person and k") | {key: part}, form=9)
