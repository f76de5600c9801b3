"""A job is the same on whichever side it is said, and so are its faults: a thousand random jobs, two hundred wrong ones.

`tests/jobs.py` draws the jobs and `tests/job_sides.py` says them on each side. What kohort gets wrong today is left out
by a filter of its own (`except_…`), with the reason: delete the filter with the fault.
"""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from kohort.errors import SourceNote
from kohort.release import Job
from tests import job_sides as sides
from tests.command import kohort
from tests.job_sides import ENDS, HIDDEN, Said, by_role, toml, without
from tests.jobs import OF_TABLE, fragments, tables, transaction_tables, write_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.jobs import Tables

#: The same jobs on every run: whether all keys are drawn must not be left to chance.
THOUSAND: Final = settings(max_examples=int(os.environ.get("N", "1000")), derandomize=True, database=None)
HUNDREDS: Final = settings(max_examples=300, derandomize=True, database=None)


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


def except_dimension(said: Tables) -> Tables:
    """`Job.to_toml` does not know which dimension Mondrian cuts first, and says that no method is such a Mondrian."""
    return without(said, [("method", "dimension")])


def except_parts_of_seconds(said: Tables) -> Tables:
    """`Job.to_toml` writes whole seconds: of half a second it makes 0, which is refused."""
    return without(said, [("method", "time-limit")]) if said.get("method", {}).get("time-limit") == 0.5 else said


def except_unused_hierarchies(job: Job) -> Job:
    """`Job.to_toml` leaves out a hierarchy of no use, and with it the note that it was of none."""
    return replace(job, unused_hierarchies=None)


def except_equals_signs(said: Tables) -> bool:
    """`--grid a=b=5` is of the column a: a flag `COLUMN=VALUE` is parted at its first equals sign."""
    return not any("=" in name for name in said["columns"])


def except_all_alone(said: Tables) -> bool:
    """`--complete-records all` means all columns, also where it is the name of one."""
    return said["input"].get("complete-records") != ["all"]


def except_outer_blanks(said: Tables) -> bool:
    """`--node` and the desk's fields strip a name of its outer blanks."""
    node, person = said.get("method", {}).get("node"), said.get("person", {}).get("key", "")
    return person == person.strip() and not (isinstance(node, dict) and any(name != name.strip() for name in node))


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
    return job._replace(job=sides.as_certified(made)), job._replace(job=sides.of_certificate(made.described()))


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
    if side == "flags" and not (except_equals_signs(said) and except_all_alone(said) and except_outer_blanks(said)):
        return
    if side == "desk":
        said = except_quotes(said) if except_outer_blanks(said) else without(said, [("person",), ("method", "node")])
        job = sides.of_toml(toml(said, inline=inline))
    before, after = SIDES[side](said, job, inline=inline)
    for one in (before, after):
        assert isinstance(one, Said), one
    assert after._replace(job=_plain(after)) == before._replace(job=_plain(before))


def _plain(said: Said) -> Job:
    return except_unused_hierarchies(cast("Job", said.job))


def test_a_job_is_the_same_through_every_pair_of_sides() -> None:
    """Every job is accepted, meets the schema and is the same on one more side; all keys occur.

    A job that is the same on each of two sides is the same through both: half of the jobs are said in the tables that
    kohort writes of them, the other half in many forms.
    """
    schema = kohort("schema").figures
    validator, reached = Draft202012Validator(schema), set[str]()

    @THOUSAND
    @given(tables(), st.integers(0, len(SIDES) - 1), st.booleans(), st.booleans())
    def law(said: Tables, side: int, again: bool, inline: bool) -> None:  # noqa: FBT001  Hypothesis passes them by place
        validator.validate(said)
        reached.update(found_in(said, schema, schema))
        said = except_parts_of_seconds(except_dimension(said))
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
    validator, reached = Draft202012Validator(schema), set[str]()

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
