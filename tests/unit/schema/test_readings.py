"""Labels that could be read in two ways are refused before a search, and by the verifier by itself."""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kohort
from kohort.errors import HierarchyError, InputError, KohortError, VerificationError
from kohort.io.typed import from_frame
from kohort.models.k_anonymity import KAnonymity
from kohort.schema import Attribute, Label, Role, Scale, Schema
from kohort.schema.domain import resolve
from kohort.schema.domain.readings import _lengths, _listed, _spelled_alike, check_readings  # pyright: ignore[reportPrivateUsage]
from kohort.schema.hierarchy import Hierarchy
from kohort.verify import Claim
from tests.expressions import LENGTH, stopped_after
from tests.reference.frames import verify_frame

if TYPE_CHECKING:
    from collections.abc import Iterable

#: A node called like another leaf, and one called like a leaf below it.
CROSSED = Hierarchy.from_rows([["30", "31", "*"], ["32", "31", "*"], ["31", "y", "*"]])
NESTED = Hierarchy.from_rows([["Roma", "Roma", "*"], ["Tivoli", "Roma", "*"], ["Bari", "Bari", "*"]])

#: One label on two levels: of nodes apart, and of nodes above each other, as where short rows are padded.
APART = Hierarchy.from_rows([["a", "x", "y", "*"], ["b", "z", "x", "*"]])
PADDED = Hierarchy.from_rows([["Bolzano", "Adige", "Italia"], ["Merano", "West", "Adige", "Italia"]], pad="up")


#: A node that is called like what often means a missing value; a leaf is one, too.
REGIONS = Hierarchy.from_rows([["US", "NA", "*"], ["CA", "NA", "*"], ["FR", "EU", "*"], ["?", "none", "*"]])

#: How refusals of hierarchies begin, and what is said of a missing token.
START = "3, hierarchy of a:"
ALIKE = "3, column a: 1 missing token is spelled like a label of values"


def attribute(label: Label | None = None, **what: object) -> Attribute:
    """A quasi-identifier called `a`."""
    return Attribute("a", Role.QUASI, label=label, **what)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def refused(one: Attribute, *values: str, missing: Iterable[str] = ()) -> str:
    """Why the column cannot be released; nothing where it can."""
    tokens = frozenset({"", *missing})
    domain, _ = resolve(one, values, np.ones(len(values), np.int64), tokens)
    try:
        check_readings(domain, tokens)
    except InputError as error:
        return f"{error.exit_status}, {error.where}: {error.what}"
    return ""


@pytest.mark.parametrize(
    ("hierarchy", "level", "what"),
    [
        (CROSSED, None, f"{START} 1 label stands for different values on different levels: '31'"),
        (CROSSED, 0, ""),
        (NESTED, None, f"{START} 1 label stands for different values on different levels: 'Roma'"),
        (APART, None, f"{START} 1 label stands for different values on different levels: 'x'"),
        (APART, 1, ""),
        (PADDED, None, ""),
    ],
)
def test_a_label_of_two_nodes_is_refused_where_both_can_occur(
    hierarchy: Hierarchy, level: int | None, what: str
) -> None:
    """A leaf's label means the leaf; the others' may mean the upper of two nodes; levels not in use do not matter."""
    assert refused(attribute(Label.ANCESTOR, hierarchy=hierarchy, max_level=level), *hierarchy.leaves) == what


def test_labels_that_the_table_has_are_not_shown() -> None:
    """A hierarchy that is built over the values is no public one."""
    built = attribute(hierarchy="mask:right")
    assert refused(built, "1*", "12") == f"{START} 1 label stands for different values on different levels"
    domain, _ = resolve(built, ["1*", "12"], np.ones(2, np.int64), frozenset({""}))
    with pytest.raises(HierarchyError) as caught:
        check_readings(domain, frozenset())
    assert "rename the values, or use a hierarchy file" in caught.value.hint  # nobody can rename a builder's nodes


@pytest.mark.parametrize(
    ("label", "values", "count"),
    [
        (Label.SET, ["a", "b", "{a, b}"], 1),
        (Label.SET, ["a", "b", "{a}", "[a-b]", "a-b"], 0),
        (Label.SET, ["a", "b", "{a, c}", "{c, d}", "{a}", "[a-b]", "a-b"], 2),
        (Label.SET, ['b"', '{a, "b\\""}'], 1),
        (Label.SET, ["a", "", "{(missing), c}"], 1),
        (Label.SET, ["a", "{c, d}", "{}"], 1),
        (Label.SET, ["a", "{c}", "{}"], 0),
        (Label.SET, ["a", "*"], 1),
        (Label.RANGE, ["a", "*"], 1),
        (Label.SET, ["a", "**", "a*"], 0),
        (Label.SET, ["a", ""], 0),
        (Label.SET, ["a", "", "(missing)"], 0),
        (Label.RANGE, ["a", "b", "[a-b]"], 1),
        (Label.RANGE, ["a", "b", "[a-c]", "{a, b}"], 1),
        (Label.RANGE, ["a", "b", "[a-c]", "{a}"], 0),
        (Label.RANGE, ["a", "a-b", "b-c", "c"], 2),
        (Label.RANGE, ["a", "a-b", "c-d"], 0),
        (Label.RANGE, ["a", "", "(missing)"], 1),
    ],
)
def test_names_spelled_like_labels_of_others_are_refused(label: Label, values: list[str], count: int) -> None:
    """Sets of names, known or not, ranges between known names, and names with which two ranges are one text."""
    what = refused(attribute(label), *values)
    assert what.rpartition(" spelled")[0] == {0: "", 1: "3, column a: 1 value is"}.get(
        count, f"3, column a: {count} values are"
    )


@pytest.mark.parametrize(
    ("one", "values", "token", "what"),
    [
        (attribute(hierarchy=REGIONS), ["US", "FR"], "NA", f"{START} 1 label is spelled like a missing value: 'NA'"),
        (attribute(hierarchy=REGIONS), ["FR", "?"], "?", ""),
        (attribute(hierarchy=REGIONS), ["US", "FR"], "*", ""),
        (attribute(hierarchy=REGIONS, max_level=0), ["US", "FR"], "NA", ""),
        (attribute(hierarchy="prefix:1"), ["a1", "a2"], "a*", f"{START} 1 label is spelled like a missing value"),
        (attribute(Label.SET), ["a", "b"], "{a, b}", ALIKE),
        (attribute(Label.SET), ["a", "b"], "{a, c}", ""),
        (attribute(Label.SET), ["a", "b", "*"], "*", ""),
        (attribute(Label.RANGE), ["a", "b"], "[a-b]", ALIKE),
        (attribute(), ["1", "5"], "[1-5]", ALIKE),
        (attribute(), ["1", "5"], "[1-6]", ""),
        (attribute(), ["-0.0", "5"], "0", ALIKE),
        (attribute(), ["1", "5", "", "*"], "*", ""),
        (attribute(grid=Fraction(5)), ["1", "12"], "[0-15)", ALIKE),
        (attribute(grid=Fraction(5)), ["1", "12"], "[0-12)", ""),
        (attribute(Label.MEAN), ["98", "100"], "99", ALIKE),
        (attribute(Label.MEAN), ["18", "98", ""], "99", ""),
        (attribute(Label.MEAN), ["18", "98"], "?", ""),
        (attribute(Label.MEAN), [""], "99", ""),
    ],
)
def test_a_label_that_the_job_calls_missing_is_refused(
    one: Attribute, values: list[str], token: str, what: str
) -> None:
    """Where some value could get it: a recipient would take these people for people without a value."""
    assert refused(one, *values, missing=[token]) == what


def test_numbers_are_never_spelled_like_their_labels() -> None:
    """A range of numbers is parted in one way."""
    assert not refused(attribute(), "-5", "-1", "5", "1.5")


def _claim(one: Attribute, values: list[str], missing: Iterable[str] = ()) -> Claim:
    source = from_frame(pl.DataFrame({"a": values}))
    return Claim(Schema((one,), frozenset(missing)), (KAnonymity(2),), source, np.arange(len(values)))


@pytest.mark.parametrize(
    ("one", "values", "released"),
    [
        (attribute(Label.SET), ["a", "b", "{a, b}"], ["{a, b}", "{a, b}", "{a, b}"]),
        (attribute(Label.RANGE), ["a", "a-b", "b-c", "c"], ["[a-b-c]"] * 4),
        (attribute(Label.RANGE), ["a", "b", "[a-b]"], ["[a-b]"] * 3),
        (attribute(Label.ANCESTOR, hierarchy=CROSSED), ["30", "32", "31"], ["31", "31", "31"]),
        (attribute(Label.ANCESTOR, hierarchy=NESTED), ["Roma", "Tivoli"], ["Roma", "Roma"]),
        (attribute(Label.ANCESTOR, hierarchy=APART), ["a", "b"], ["x", "x"]),
    ],
)
def test_the_verifier_refuses_a_label_of_two_readings(one: Attribute, values: list[str], released: list[str]) -> None:
    """By itself, whatever the search refused: every value lies inside some reading of its label."""
    with pytest.raises(VerificationError, match=r"1 label .* can be read in two ways"):
        verify_frame(pl.DataFrame({"a": released}), _claim(one, values))


@pytest.mark.parametrize(
    ("one", "values", "released", "missing"),
    [
        (attribute(Label.SET), ["*", "*", "b", "b"], ["*", "*", "b", "b"], ""),
        (attribute(Label.RANGE), ["*", "*", "b", "b"], ["*", "*", "b", "b"], ""),
        (attribute(Label.ANCESTOR, hierarchy=REGIONS), ["US", "CA"], ["NA", "NA"], "NA"),
        (attribute(Label.MEAN), ["98", "100"], ["99", "99"], "99"),
        (attribute(Label.RANGE), ["1", "5"], ["[1-5]", "[1-5]"], "[1-5]"),
    ],
)
def test_the_verifier_refuses_what_may_be_anything_or_missing(
    one: Attribute, values: list[str], released: list[str], missing: str
) -> None:
    """A value that is called like the label for anything, and a label that the schema calls missing."""
    with pytest.raises(VerificationError, match=r"1 label \(. records\) can be read in two ways"):
        verify_frame(pl.DataFrame({"a": released}), _claim(one, values, [missing]))


def test_the_verifier_refuses_it_of_a_level() -> None:
    """Also where all labels are nodes of one level."""
    one = attribute(Label.ANCESTOR, hierarchy=CROSSED)
    source = from_frame(pl.DataFrame({"a": ["30", "32"]}))
    claim = Claim(Schema((one,), frozenset({""})), (KAnonymity(2),), source, np.arange(2), levels={"a": 1})
    with pytest.raises(VerificationError, match=r"1 label \(2 records\) can be read in two ways"):
        verify_frame(pl.DataFrame({"a": ["31", "31"]}), claim)


def test_the_verifier_takes_what_means_one_thing() -> None:
    """The upper of two nodes, a set that no value is spelled like, a range of names with hyphens."""
    padded = attribute(Label.ANCESTOR, hierarchy=PADDED)
    verify_frame(pl.DataFrame({"a": ["Adige", "Adige"]}), _claim(padded, ["Bolzano", "Merano"]))
    verify_frame(pl.DataFrame({"a": ["{a, b}", "{a, b}", "{x}", "{x}"]}), _claim(attribute(), ["a", "b", "{x}", "{x}"]))
    verify_frame(pl.DataFrame({"a": ["[a-c-d]"] * 2}), _claim(attribute(Label.RANGE), ["a", "c-d"]))


@given(
    st.lists(st.text("ab-[{,} *", min_size=1, max_size=7), min_size=2, max_size=9),
    st.sampled_from([Label.SET, Label.RANGE]),
)
def test_whatever_is_taken_is_released_and_verified(values: list[str], label: Label) -> None:
    """No release of names is refused by the verifier once the search has taken them."""
    frame = pl.DataFrame({"a": values})
    schema = Schema((attribute(label),), frozenset({""}))
    try:
        release = kohort.anonymize(frame, kohort.Job.of(schema, KAnonymity(2)))
    except InputError as error:
        assert not isinstance(error, HierarchyError)  # noqa: PT017  the only fault that names have
        return
    assert release.records.data.records == len(values)


#: Values that are spelled like labels of others, or nearly so.
NASTY = (
    *("a", "b", "a, b", "{a, b}", "{a", '"a"', '{"a", b}', "[a-b]", "a-b", "b-c", "c", "-"),
    *("*", "a*", "(missing)", "", "1", "5", "[1-5]", "3", "NA"),
)


@settings(deadline=None)
@given(
    cells=st.lists(st.sampled_from(NASTY), min_size=6, max_size=16),
    labels=st.sampled_from([None, "range", "set", "ancestor", "mean"]),
    hierarchy=st.sampled_from([None, "suppress", "prefix:1", "suffix:1:halves", "frequency:2", "groups:2,4"]),
    token=st.sampled_from(["", "NA", "*", "a", "{a, b}", "[a-b]", "[1-5]", "3", "a*"]),
)
def test_what_the_verifier_would_refuse_is_refused_before(
    cells: list[str], labels: str | None, hierarchy: str | None, token: str
) -> None:
    """A label of two readings is the table's or the job's fault (3), never kohort's own (5)."""
    way: dict[str, Any] = {"k": 2, "quasi": ["a"], "no_grid": True, "missing_token": [token]}
    way |= {} if labels is None else {"labels": labels}
    way |= {} if hierarchy is None else {"hierarchy": {"a": hierarchy}}
    status = 0
    try:
        kohort.anonymize(pl.DataFrame({"a": cells}), **way)
    except KohortError as error:
        status = error.exit_status
    assert status in {0, 2, 3, 4}


@given(st.text('"\\{},a -', max_size=12))
def test_the_members_of_a_set_are_those_of_one_plain_expression(inside: str) -> None:
    """However quotes and escapes stand, though a quote that never ends is read once, and not from each of its signs."""
    assert [*_listed(inside)] == re.findall(r'"(?:[^"\\]|\\.)*"|[^{},"]+', inside)


@given(st.sets(st.text("a-", min_size=1, max_size=5), max_size=8))
def test_names_that_make_two_ranges_one_text_are_found_by_definition(names: set[str]) -> None:
    """Though long names are cut only where another name can begin or end."""
    ranges: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for pair in product(names, names):
        ranges["-".join(pair)].add(pair)
    alike = {name for pairs in ranges.values() if len(pairs) > 1 for pair in pairs for name in pair if "-" in name}
    found = _spelled_alike(names, _lengths(names))
    assert bool(found) == bool(alike)
    assert found <= names


@pytest.mark.parametrize(
    "name", ["[" + "-a" * LENGTH + "]", '{"' + '\\"' * LENGTH + "}", "-" * LENGTH, '{"' * LENGTH + "}"]
)
@pytest.mark.parametrize("label", [Label.RANGE, Label.SET])
def test_a_long_name_keeps_nobody_waiting(name: str, label: Label) -> None:
    """A name of many hyphens, quotes or braces is read in the time that its length asks for."""
    made = Attribute("a", Role.QUASI, scale=Scale.CATEGORICAL, label=label)
    with stopped_after(20):
        domain, _ = resolve(made, sorted([name, "a", "b"]), np.array([5, 5, 5]), frozenset())
        check_readings(domain, frozenset())


@pytest.mark.parametrize(
    "label",
    ["[20-24)", "[20-24]", "[-5-0.5)", "[1990-01-01 – 1995-01-01)", "[1990-01-01 – 1990-02-01]", "{flu, gout}"],
)
def test_labels_of_a_release_are_recognised(label: str) -> None:
    """They would be put together as names: sets of distant ranges, each of them somebody's."""
    with pytest.raises(InputError, match="1 value is spelled like the labels of a release") as caught:
        kohort.anonymize(pl.DataFrame({"a": [label, "x"] * 2}), quasi=["a"], k=4)
    assert "is the table a release already?" in caught.value.hint
    rows = Hierarchy.from_rows([[label, "y", "*"], ["x", "y", "*"]])
    assert kohort.anonymize(pl.DataFrame({"a": [label, "x"] * 2}), quasi=["a"], k=4, hierarchy={"a": rows}).verdict


@pytest.mark.parametrize("name", ["20-24", "[20]", "[a-b]", "{flu}", "[20-24", "<50", ">=50", "[20,24)"])
def test_names_that_are_no_labels_of_a_release_are_names(name: str) -> None:
    """Bands and codes of other origin are put together as before."""
    assert kohort.anonymize(pl.DataFrame({"a": [name, "x"] * 2}), quasi=["a"], k=4).verdict
