"""A schema that cannot be meant cannot be built, and one that does not fit a table says what would."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import JobError, SchemaError
from kohort.schema import Attribute, Label, Missing, Order, Role, Scale, Schema
from kohort.schema.hierarchies import suppress
from tests.job_sides import table_request as parse

CITIES = suppress(["Bari", "Milano"])

#: Parts of a quasi-identifier that contradict each other, or are nothing of their kind.
WRONG: tuple[dict[str, Any], ...] = (
    {"weight": 0},
    {"weight": -1},
    {"weight": "heavy"},
    {"weight": float("nan")},
    {"weight": True},
    {"bounds": (5, 5)},
    {"bounds": (9, 5)},
    {"bounds": (1, 2, 3)},
    {"bounds": (1,)},
    {"bounds": ()},
    {"bounds": 5},
    {"weight": 10**10},
    {"weight": Fraction(1, 10**10)},
    {"bounds": (1, "many")},
    {"grid": 0},
    {"grid": -5},
    {"grid": "fine"},
    {"grid": Fraction(1, 3)},
    {"grid": (10,)},
    {"grid": ()},
    {"grid": (0, 10, 10)},
    {"grid": (0, Fraction(1, 3), 1)},
    {"grid": {5}},
    {"grid": "hierarchy"},
    {"grid": 5, "label": Label.RANGE},
    {"grid": 5, "scale": Scale.CATEGORICAL},
    {"bounds": (0, 9), "scale": Scale.CATEGORICAL},
    {"label": Label.MEAN, "scale": Scale.CATEGORICAL},
    {"label": Label.GRID},
    {"label": Label.ANCESTOR},
    {"label": "circle"},
    {"order": Order.HIERARCHY},
    {"order": "random"},
    {"scale": "ordinal"},
    {"missing": "drop"},
    {"missing": None},
)


@pytest.mark.parametrize("parts", WRONG, ids=repr)
def test_wrong_parts_are_refused(parts: dict[str, Any]) -> None:
    """A part that cannot be meant is a schema error that names the column."""
    with pytest.raises(SchemaError) as caught:
        Attribute("age", Role.QUASI, **parts)
    assert caught.value.where.startswith("column age")


@pytest.mark.parametrize(
    "parts",
    [
        {"weight": 2},
        {"bounds": (0, 9)},
        {"grid": 5},
        {"order": Order.SORTED},
        {"label": Label.SET},
        {"missing": Missing.REFUSE},
    ],
    ids=repr,
)
@pytest.mark.parametrize("role", [Role.IDENTIFYING, Role.SENSITIVE, Role.INSENSITIVE, Role.DROP])
def test_only_quasi_identifiers_are_generalized(role: Role, parts: dict[str, Any]) -> None:
    """How to generalize is said of quasi-identifiers alone; gaps of sensitive values have a use too."""
    if role is Role.SENSITIVE and parts.keys() <= {"missing"}:
        assert Attribute("city", role, **parts).role is role
        return
    with pytest.raises(SchemaError, match=f"the column is {role.said}"):
        Attribute("city", role, **parts)
    assert Attribute("city", Role.QUASI, **parts).role is Role.QUASI


@pytest.mark.parametrize("role", Role)
def test_a_hierarchy_does_no_harm(role: Role) -> None:
    """Any column may have a hierarchy: a job notes those that it has no use for."""
    assert Attribute("city", role, hierarchy=CITIES).hierarchy is CITIES


def test_a_dropped_column_is_not_released() -> None:
    """A dropped column is never released, whether it is named or the rest, and gets no pseudonyms."""
    schema = Schema.of(identifying=["id"], quasi=["age"], drop=["note"])
    assert [one.name for one in schema.released] == ["age"]
    assert [one.name for one in schema.identifying] == ["id"]
    rest = Schema((Attribute("age", Role.QUASI),), rest=Role.DROP).over(["note", "age"])
    assert rest.attributes[0].role is Role.DROP
    assert rest.released == rest.quasi
    with pytest.raises(SchemaError, match="the column is dropped"):
        Attribute("note", Role.DROP, pseudonym=True)


def test_a_person_key_is_identifying() -> None:
    """A person key is not called dropped; one among columns that are dropped by default is identifying."""
    with pytest.raises(SchemaError, match="not an identifying column"):
        Schema.of(quasi=["age"], drop=["patient"], person="patient")
    rest = Schema((Attribute("age", Role.QUASI),), rest=Role.DROP, person="patient").over(["patient", "age", "note"])
    assert [one.role for one in rest.attributes] == [Role.IDENTIFYING, Role.QUASI, Role.DROP]


def test_a_scale_may_be_said_of_every_role() -> None:
    """Whether a column is numeric may be said of any column."""
    assert Attribute("income", Role.SENSITIVE, Scale.NUMERIC).scale is Scale.NUMERIC


def test_words_become_what_they_say() -> None:
    """Plain words count as members of their lists: a role that only looks like one would release what names people."""
    words: dict[str, Any] = {"scale": "categorical", "order": "sorted", "label": "set", "missing": "suppress"}
    role: Any = "quasi"
    attribute = Attribute("city", role, **words)
    assert attribute.role is Role.QUASI
    assert attribute.scale is Scale.CATEGORICAL
    assert attribute.order is Order.SORTED
    assert attribute.label is Label.SET
    assert attribute.missing is Missing.SUPPRESS
    named: Any = "identifying"
    assert Schema((Attribute("name", named), attribute)).released == (attribute,)


def test_an_unknown_role_is_refused() -> None:
    """A role that is none of the four is an error with the four."""
    role: Any = "secret"
    with pytest.raises(SchemaError, match="identifying, quasi, sensitive, insensitive"):
        Attribute("city", role)
    nothing: Any = None
    with pytest.raises(SchemaError):
        Attribute("city", nothing)


def test_numbers_are_exact_however_they_are_given() -> None:
    """Numbers become fractions; a float counts as the decimal it prints."""
    parts: dict[str, Any] = {"weight": 0.1, "bounds": [0, "120.5"], "grid": [0, 2.5, Fraction(5)]}
    attribute = Attribute("age", Role.QUASI, **parts)
    assert attribute.weight == Fraction(1, 10)
    assert attribute.bounds == (Fraction(0), Fraction(241, 2))
    assert attribute.grid == (Fraction(0), Fraction(5, 2), Fraction(5))
    step: Any = 5
    assert type(Attribute("age", Role.QUASI, grid=step).grid) is Fraction


def test_a_hierarchy_allows_what_needs_one() -> None:
    """With a hierarchy its order, its ancestors and its boundaries may be asked for."""
    for parts in ({"order": Order.HIERARCHY}, {"label": Label.ANCESTOR}, {"grid": "hierarchy"}):
        wanted: dict[str, Any] = parts
        assert Attribute("city", Role.QUASI, hierarchy=CITIES, **wanted).hierarchy is CITIES


# ── Schema ───────────────────────────────────────────────────────────────────────────────────────


def test_columns_by_role() -> None:
    """A schema tells its attributes by role, in order; all but the identifying ones are released."""
    schema = Schema.of(identifying=["name"], quasi=["age", "city"], sensitive=["illness"], insensitive=["note"])
    assert [one.name for one in schema.identifying] == ["name"]
    assert [one.name for one in schema.quasi] == ["age", "city"]
    assert [one.name for one in schema.sensitive] == ["illness"]
    assert [one.name for one in schema.released] == ["age", "city", "illness", "note"]


def test_two_attributes_of_one_name_are_refused() -> None:
    """A column has one role."""
    with pytest.raises(SchemaError, match="age"):
        Schema.of(quasi=["age", "city"], sensitive=["age"])


def test_the_rest_is_never_generalized() -> None:
    """What is not listed may be kept or dropped, but not be a quasi-identifier."""
    for role in ("quasi", Role.QUASI, "other"):
        rest: Any = role
        with pytest.raises(SchemaError):
            Schema((), rest=rest)


def test_the_empty_cell_is_always_missing() -> None:
    """Declared tokens come beside the empty cell, which no label could tell from a missing value."""
    assert Schema((), missing=frozenset({"NA"})).missing == {"", "NA"}


def test_over_takes_the_order_of_the_table() -> None:
    """A schema over a table has its columns in their order, whatever order they were listed in."""
    schema = Schema.of(sensitive=["illness"], quasi=["city", "age"], identifying=["name"])
    over = schema.over(["name", "age", "city", "illness"])
    assert [one.name for one in over.attributes] == ["name", "age", "city", "illness"]
    assert [one.name for one in over.quasi] == ["age", "city"]
    assert over.over(["illness", "name", "age", "city"]) == schema.over(["illness", "name", "age", "city"])


@pytest.mark.parametrize("rest", [Role.INSENSITIVE, Role.IDENTIFYING])
def test_the_rest_gets_its_role(rest: Role) -> None:
    """Columns that are not listed get the role of the rest, where there is one."""
    schema = Schema((Attribute("age", Role.QUASI),), rest=rest).over(["note", "age"])
    assert [one.role for one in schema.attributes] == [rest, Role.QUASI]
    assert schema.undeclared == schema.over(["age", "note"]).undeclared == ("note",)


def test_an_unknown_column_is_told_with_the_nearest() -> None:
    """A name that no column has comes with the nearest names, if there are any."""
    for name, hint in (("ctiy", "did you mean city?"), ("x", "")):
        with pytest.raises(SchemaError) as caught:
            Schema.of(quasi=[name], insensitive=["city", "age"]).over(["city", "age"])
        assert (caught.value.what, caught.value.hint) == (f"no column is called {name}", hint)


def test_all_misfits_come_at_once() -> None:
    """Whatever keeps a schema from covering a table is told in one error."""
    with pytest.raises(JobError) as caught:
        Schema.of(sensitive=["ctiy", "aeg"]).over(["city", "age"])
    assert [str(fault).partition("\n")[0] for fault in caught.value.exceptions] == [
        "no column is called ctiy",
        "no column is called aeg",
        "2 of 2 columns have no role",
        "no column is quasi-identifying",
    ]


def test_some_column_must_be_quasi_identifying() -> None:
    """Without a quasi-identifier there is nothing to do."""
    with pytest.raises(SchemaError, match="no column is quasi-identifying"):
        Schema.of(sensitive=["illness"]).over(["illness"])


def _pasted(error: SchemaError) -> dict[str, Any]:
    """What the block in the error says, read as TOML."""
    return tomllib.loads(error.hint.partition("\n\n")[2])


def test_columns_without_a_role_come_with_a_block_to_paste() -> None:
    """The block gives every column without a role the one that releases nothing, until it is corrected."""
    columns = ["age", "città", 'say "hi"', "a.b", "c:\\x", "it's", "job-title_2", "\x7f\x01"]
    with pytest.raises(SchemaError) as caught:
        Schema.of(quasi=["age"]).over(columns)
    assert caught.value.what == "7 of 8 columns have no role"
    assert _pasted(caught.value)["columns"] == {name: {"role": "identifying"} for name in columns[1:]}


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, unique=True))
def test_the_block_is_toml_for_any_names(names: list[str]) -> None:
    """Whatever the columns are called, the block names them all and can be read."""
    quasi = "".join(names) + "!"
    with pytest.raises(SchemaError) as caught:
        Schema.of(quasi=[quasi]).over([*names, quasi])
    assert list(_pasted(caught.value)["columns"]) == names


def test_the_block_is_accepted_by_a_job_file() -> None:
    """A job file with the pasted block is one that loads."""
    pytest.importorskip("kohort.job.request")
    with pytest.raises(SchemaError) as caught:
        Schema.of(quasi=["age"]).over(["age", "first name", "tax.code"])
    head = '[input]\npath = "a.csv"\n[output]\npath = "b.csv"\n[privacy]\nk = 3\n[columns.age]\nrole = "quasi"\n'
    schema: Schema = parse(head + caught.value.hint.partition("\n\n")[2]).job.schema
    assert [one.name for one in schema.over(["age", "first name", "tax.code"]).identifying] == [
        "first name",
        "tax.code",
    ]
