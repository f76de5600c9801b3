"""A job is the same on whichever side it is said, and so are its faults: a thousand jobs, 200 wrong ones.

`tests/jobs.py` draws the jobs and `tests/job_sides.py` says them on each side. What kohort gets wrong today is left out
by a filter of its own (`except_…`), with the reason: delete the filter with the fault.
"""

from __future__ import annotations

import copy
import os
import re
import tomllib
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types of its own

from kohort.errors import JobError, KohortError, SourceNote
from tests import job_sides as sides
from tests.command import kohort
from tests.job_sides import ENDS, HIDDEN, Said, by_role, toml, without
from tests.jobs import OF_TABLE, fragments, tables, transaction_tables, write_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.job.lines import Place
    from kohort.release import Job
    from tests.jobs import Tables

#: The same jobs on every run: whether all keys are drawn must not be left to chance.
THOUSAND: Final = settings(max_examples=int(os.environ.get("N", "1000")), derandomize=True, database=None)
HUNDREDS: Final = settings(max_examples=200, derandomize=True, database=None)


@pytest.fixture(autouse=True, scope="module")
def _files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run in a folder that has the files that random jobs name."""
    folder = tmp_path_factory.mktemp("jobs")
    write_files(folder)
    before = Path.cwd()
    os.chdir(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SourceNote)
        yield
    os.chdir(before)


# --- what kohort gets wrong -------------------------------------------------------------------------------------------


def except_unused_hierarchies(job: Job) -> Job:
    """`Job.to_toml` leaves out a hierarchy of no use, and with it the note that it was of none."""
    return replace(job, unused_hierarchies=None)


def except_equals_signs(said: Tables) -> bool:
    """`--grid a=b=5` is of the column a: a flag `COLUMN=VALUE` is parted at its first equals sign."""
    return not any("=" in name for name in said["columns"])


def except_all_alone(said: Tables) -> bool:
    """`--complete-records all` means all columns, also where it is the name of one."""
    return bool(said["input"].get("complete-records") != ["all"])


def except_outer_blanks(said: Tables) -> bool:
    """`--node` and the desk's fields strip a name of its outer blanks."""
    node, person = said.get("method", {}).get("node"), str(said.get("person", {}).get("key", ""))
    names = [person, *(cast("Tables", node) if isinstance(node, dict) else ())]
    return all(name == name.strip() for name in names)


def except_quotes(said: Tables) -> Tables:
    """The desk takes the quotes off a text that begins and ends with one."""
    kept = {key: text for key, text in said.get("purpose", {}).items() if text != '"quoted"'}
    return said | ({"purpose": kept} if "purpose" in said else {})


# --- a job is the same on every side ----------------------------------------------------------------------------------


def with_usual_k(said: Tables) -> Tables:
    """The tables for flags and keyword arguments, which have a k where no model of whole classes is asked for."""
    return said if not OF_TABLE.isdisjoint(said["privacy"]) else said | {"privacy": {**said["privacy"], "k": 10}}


def through_toml(said: Tables, job: Said, *, inline: bool) -> tuple[Said, Said]:
    """The job file that kohort writes of the job."""
    again = sides.tables_again(job, said)
    return job, sides.of_toml(toml(again, inline=inline))


def through_flags(said: Tables, job: Said, *, inline: bool) -> tuple[Said, Said]:
    """The command line; it has no words for what is hidden."""
    held = with_usual_k(without(said, HIDDEN))
    expected = job if held == said else sides.of_toml(toml(held, inline=inline))
    return _by_role(expected), _by_role(cast("Said", sides.of_flags(sides.words(held))))


def through_keywords(said: Tables, job: Said, *, inline: bool) -> tuple[Said, Said]:
    """Keyword arguments, which have no ends."""
    held = with_usual_k(without(said, HIDDEN))
    expected = _by_role(job if held == said else sides.of_toml(toml(held, inline=inline)))
    made = sides.of_keywords(sides.options(without(held, ENDS)), held.get("population"))
    return expected, expected._replace(job=by_role(made))


def through_the_desk(said: Tables, job: Said, *, inline: bool) -> tuple[Said, Said]:
    """The fields of the desk's pages, set in a job file that lacks them: its comments stay."""
    before = toml(sides.without_fields(said), inline=inline)
    text = sides.of_fields(said, before)
    assert sides.comments(text) == sides.comments(before)
    return job, sides.of_toml(text)


def through_a_certificate(said: Tables, job: Said, *, inline: bool) -> tuple[Said, Said]:
    """The JSON that a certificate keeps, of a job whose columns all have a role of their own."""
    del inline
    if said.get("rest", "refuse") != "refuse":
        return job, job
    made = cast("Job", job.job)
    pair = sides.as_certified(made), sides.of_certificate(made.described())
    before, after = (replace(one, perturbations=tuple(sorted(one.perturbations, key=repr))) for one in pair)
    return job._replace(job=before), job._replace(job=after)


def _by_role(said: Said) -> Said:
    return said._replace(job=by_role(cast("Job", said.job)))


SIDES: Final = {
    "toml": through_toml,
    "flags": through_flags,
    "keywords": through_keywords,
    "desk": through_the_desk,
    "certificate": through_a_certificate,
}


def checked(side: str, said: Tables, job: Said, *, inline: bool) -> None:
    """Fail unless the job is the same after one side."""
    if side == "flags" and not _sayable(said):
        return
    if side == "desk":
        said = except_quotes(said)
        said = said if except_outer_blanks(said) else without(said, [("person",), ("method", "node")])
        job = sides.of_toml(toml(said, inline=inline))
    before, after = SIDES[side](said, job, inline=inline)
    for one in (before, after):
        assert isinstance(one, Said), one
    assert after._replace(job=_plain(after)) == before._replace(job=_plain(before))


def _plain(said: Said) -> Job:
    return except_unused_hierarchies(cast("Job", said.job))


@pytest.mark.slow("a thousand jobs, so that every key is drawn")
def test_a_job_is_the_same_through_every_pair_of_sides() -> None:
    """Every job is accepted, meets the schema and is the same on one more side; all keys occur.

    A job that is the same on each of two sides is the same through both: half of the jobs are said in the tables that
    kohort writes of them, the other half in many forms.
    """
    schema = kohort("schema").figures
    validator, reached = _validator(schema), set[str]()

    @THOUSAND
    @given(tables(), st.integers(0, len(SIDES) - 1), st.booleans(), st.booleans())
    def law(said: Tables, side: int, again: bool, inline: bool) -> None:  # noqa: FBT001  Hypothesis passes them by place
        validator.validate(said)
        reached.update(found_in(said, schema, schema))
        job = sides.of_toml(toml(said, inline=inline))
        checked([*SIDES][side], sides.tables_again(job, said) if again else said, job, inline=inline)

    law()
    named = named_in(schema, schema)
    assert sorted(one for one in named - reached if "=" not in one) == []
    words = set[str]().union(*(found_in(one, schema, schema) for one in fragments()))
    assert sorted(named - reached - words) == []


# --- which keys and words a form has, and a job says ------------------------------------------------------------------


def _resolved(schema: dict[str, Any], whole: dict[str, Any]) -> list[dict[str, Any]]:
    """The alternatives that a schema has, those of other names among them."""
    if "$ref" in schema:
        return _resolved(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    return [one for other in schema["anyOf"] for one in _resolved(other, whole)] if "anyOf" in schema else [schema]


def _validator(schema: dict[str, Any]) -> Any:  # noqa: ANN401  a class without types
    return cast("Any", Draft202012Validator)(schema)


def named_in(schema: dict[str, Any], whole: dict[str, Any], place: str = "") -> set[str]:
    """The keys that a schema names, and the words that each takes: `columns.*.role`, `columns.*.role=quasi`."""
    found: set[str] = set()
    for one in _resolved(schema, whole):
        found |= {f"{place}={word}" for word in one.get("enum", [one["const"]] if "const" in one else [])}
        below = {**one.get("properties", {}), **_more(one)}
        for key, part in below.items():
            found |= {f"{place}.{key}"} | named_in(part, whole, f"{place}.{key}")
    return found


def _more(schema: dict[str, Any]) -> dict[str, Any]:
    more = schema.get("additionalProperties")
    return {"*": more} if isinstance(more, dict) else {}


def found_in(value: object, schema: dict[str, Any], whole: dict[str, Any], place: str = "") -> set[str]:
    """Those of them that a job says."""
    if not isinstance(value, dict):
        return {f"{place}={value}"} if isinstance(value, str) else set()
    found: set[str] = set()
    for one in _resolved(schema, whole):
        known = {**one.get("properties", {}), **_more(one)}
        for key, part in cast("Tables", value).items():
            name = key if key in one.get("properties", {}) else "*"
            if name in known:
                found |= {f"{place}.{name}"} | found_in(part, known[name], whole, f"{place}.{name}")
    return found


# --- jobs on transactions ---------------------------------------------------------------------------------------------


def test_a_job_on_transactions_is_the_same_as_a_file_and_as_flags() -> None:
    """Every job is accepted, meets the schema, and the command line makes the same of flags; all keys occur."""
    schema = kohort("schema", "--transactions").figures
    validator, reached = _validator(schema), set[str]()

    @HUNDREDS
    @given(transaction_tables(), st.booleans())
    def law(said: Tables, inline: bool) -> None:  # noqa: FBT001  Hypothesis passes it by place
        validator.validate(said)
        reached.update(found_in(said, schema, schema))
        sides.of_toml_on_transactions(toml(said, inline=inline))
        held = {name: part for name, part in said.items() if name != "purpose"}
        expected = sides.of_toml_on_transactions(toml(held, inline=inline))
        made = sides.of_flags(sides.words(held, transactions=True), transactions=True)
        assert made == expected

    law()
    assert sorted(one for one in named_in(schema, schema) - reached if "=" not in one) == []


# --- the faults of a job are the same on every side -------------------------------------------------------------------

#: What can be wrong with a job, by the part of it that is wrong: a column of a role, or a table. Each is a key and its
#: value; `None` takes the key out.
BREAKS: Final[tuple[tuple[str, str, object], ...]] = (
    ("quasi", "bounds", [9, 1]),
    ("quasi", "scale", "numericc"),
    ("quasi", "missing", "sometimes"),
    ("quasi", "weight", 0),
    ("quasi", "weight", "heavy"),
    ("quasi", "grid", "hier"),
    ("quasi", "pivot", "30"),
    ("quasi", "max-level", "up"),
    ("quasi", "date-format", "ddmm"),
    ("quasi", "hierarchy", "intervalls:5"),
    ("quasi", "hierarchy", "mask:up"),
    ("quasi", "hierarchy", None),
    ("quasi", "t", 0.2),
    ("sensitive", "weight", 2),
    ("sensitive", "grid", 5),
    ("sensitive", "l", 1),
    ("sensitive", "t", 2),
    ("sensitive", "recursive", {"c": 0, "l": 2}),
    ("sensitive", "distance", "far"),
    ("sensitive", "pseudonym", True),
    ("privacy", "k", 1),
    ("privacy", "max-suppression", "200%"),
    ("privacy", "max-risk", 2),
    ("privacy", "k-map", 1),
    ("method", "name", "mondriaan"),
    ("method", "cut", "up"),
    ("method", "objective", "best"),
    ("method", "dimension", "narrow"),
    ("method", "time-limit", 0),
    ("method", "node", [0, 1, 2, 3]),
    ("method", "labels", "tag"),
    ("input", "separator", "::"),
    ("input", "decimal", ";"),
    ("input", "encoding", "klingon"),
    ("input", "key-file", None),
    ("output", "format", "xml"),
    ("output", "records-per-part", 0),
    ("output", "path", "release.doc"),
    ("perturb", "method", "salt"),
    ("perturb", "scale", "much"),
    ("perturb", "volume", 3),
    ("run", "memory-limit", "many"),
    ("run", "engine", "hive"),
    ("population", "path", "register.csv"),
)

#: The same where flags and keyword arguments cannot say it: another type, an unknown key, one that is missing.
BREAKS_OF_FILES: Final[tuple[tuple[str, str, object], ...]] = (
    ("quasi", "role", None),
    ("quasi", "role", "quazi"),
    ("quasi", "wieght", 2),
    ("sensitive", "no-model", "yes"),
    ("privacy", "kk", 5),
    ("privacy", "k", "five"),
    ("method", "nmae", "optimal"),
    ("method", "local", 1),
    ("input", "path", None),
    ("input", "trim", "no"),
    ("output", "path", None),
    ("output", "excel-safe", 0),
    ("run", "spark-conf", {"spark.a": 8}),
    ("purpose", "purpose", 7),
)


def broken(said: Tables, wrong: list[tuple[str, str, object]]) -> tuple[Tables, list[Place]]:
    """A job with these faults, and where they are; one of a column that the job lacks is left out."""
    made, places = copy.deepcopy(said), list["Place"]()
    for part, key, value in wrong:
        place: Place = (part,)
        if part in {"quasi", "sensitive", "perturb"}:
            role = "sensitive" if part == "perturb" else part
            named = [name for name, one in said["columns"].items() if one["role"] == role]
            if not named:
                continue
            place = ("perturb", "columns", named[0]) if part == "perturb" else ("columns", named[0])
        held = made
        for one in place:
            held = held.setdefault(one, {})
        held |= {"method": "noise"} if part == "perturb" else {}
        held.pop(key, None)
        held |= {} if value is None else {key: value}
        places.append((*place, key))
    return made, places


def one_of_each(breaks: tuple[tuple[str, str, object], ...]) -> st.SearchStrategy[list[tuple[str, str, object]]]:
    """One to three faults, each of another part."""
    return st.lists(st.sampled_from(breaks), min_size=1, max_size=3, unique_by=lambda one: one[0])


def faults_of(error: KohortError) -> tuple[KohortError, ...]:
    """All faults of a job."""
    return tuple(error.faults) if isinstance(error, JobError) else (error,)


def place_of(where: str) -> Place:
    """The keys that the place of a fault in a job file names."""
    found = re.fullmatch(r"job(?:, line [0-9]+)?(?: \((.*)\))?", where, re.DOTALL)
    assert found, where
    held: Any = tomllib.loads(f"{found[1]} = 0") if found[1] else {}
    place: list[str] = []
    while isinstance(held, dict) and held:
        [(key, held)] = cast("Tables", held).items()
        place.append(key)
    return tuple(place)


def flag_of(place: Place) -> str:
    """A place in the words of the command line."""
    keys = {one: key.flag for one, key in sides.keys().items()}
    match place:
        case ("columns", name):
            return f"column {name}"
        case ("columns", name, key, *_):
            return f"--{keys['columns', key]} {name}=…"
        case ("perturb", "columns", name, *_):
            return f"--perturb {name}=…"
        case ("input", "path"):
            return "IN"
        case _:
            return f"--{keys[place[:2]]}"


def keyword_of(place: Place) -> str:
    """A place in the words of Python."""
    keys = {one: key.keyword for one, key in sides.keys().items()} | {("population", "path"): "population"}
    match place:
        case ("columns", name):
            return f"column {name}"
        case ("columns", name, key, *_):
            return f"{keys['columns', key]}={{{name!r}: …}}"
        case ("perturb", "columns", name, *_):
            return f"perturb={{{name!r}: …}}"
        case _:
            return f"{keys[place[:2]]}=…"


def faults_in_toml(said: Tables, *, inline: bool) -> list[tuple[str, str, Place]]:
    """The faults of a job file, each with its place; it stands on the line that is told."""
    text = toml(said, inline=inline)
    try:
        sides.of_toml(text)
    except KohortError as error:
        found = faults_of(error)
    else:
        return []
    for one in found:
        line = re.search(r", line ([0-9]+)", one.where)
        keys = place_of(one.where)
        assert line or (keys[:1] and keys[0] not in said), one.where
        if line:
            told = text.splitlines()[int(line[1]) - 1]
            assert any(sides.key_text(key) in told for key in keys), (one.where, told)
    return sorted({(one.what, one.hint, place_of(one.where)) for one in found})


def _sayable(said: Tables) -> bool:
    """Whether flags have words for all of a job's names."""
    return except_equals_signs(said) and except_all_alone(said) and except_outer_blanks(said)


@pytest.mark.slow("faults on every side of a job")
@HUNDREDS
@given(tables().filter(_sayable), one_of_each(BREAKS), st.booleans())
def test_the_faults_of_a_job_are_the_same_on_every_side(
    said: Tables,
    wrong: list[tuple[str, str, object]],
    inline: bool,  # noqa: FBT001  Hypothesis passes it by place
) -> None:
    """What and hint are the same, and each place is in the words of its side; all faults are told at once."""
    said = with_usual_k(without(said, HIDDEN))
    made, _ = broken(said, wrong)
    found = faults_in_toml(made, inline=inline)
    printed = sides.of_flags(sides.words(made))
    if not found:  # what was taken out was not needed
        assert isinstance(printed, Said), printed
        return
    assert isinstance(printed, list), found
    assert sorted((one["what"], one["hint"], one["where"]) for one in printed) == sorted(
        (what, hint, flag_of(place)) for what, hint, place in found
    )
    of_job = [(what, hint, keyword_of(place)) for what, hint, place in found if not _is_end(place)]
    raised: tuple[KohortError, ...] = ()
    try:
        sides.of_keywords(sides.options(without(made, ENDS)), made.get("population"))
    except KohortError as error:
        raised = faults_of(error)
    told = [
        (one.what, one.hint, one.where) for one in raised if not one.where.startswith(("format=", "records_per_part="))
    ]
    assert sorted(told) == sorted(of_job)


def _is_end(place: Place) -> bool:
    """Whether it is of what a call in Python says by other arguments; how a release is written goes by its name."""
    return place in ENDS or place[:1] in {("run",), ("output",)}


def test_a_job_file_tells_all_its_faults_at_once() -> None:
    """Each has its place, and the schema refuses the job, too, where a key alone is wrong."""
    validator = _validator(kohort("schema").figures)

    @settings(HUNDREDS, max_examples=100)
    @given(tables(), one_of_each(BREAKS_OF_FILES), st.booleans())
    def law(said: Tables, wrong: list[tuple[str, str, object]], inline: bool) -> None:  # noqa: FBT001  by place
        made, places = broken(said, wrong)
        found = faults_in_toml(made, inline=inline)
        for place in places:
            assert any(
                one[: len(place)] == place or (one == place[:-1] and place[-1] in what.split())
                for what, _, one in found
            ), (place, found)
        assert not places or not validator.is_valid(made)

    law()
