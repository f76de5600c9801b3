"""Whose exact value labels give away, counted three times: by the verifier, from the recoding, and by looking."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl
from hypothesis import assume, given
from hypothesis import strategies as st

from kohort import Attribute, Job, KAnonymity, Role, Schema, anonymize
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.core.recoding import Multidimensional, classes_of
from kohort.core.uniques import Exposed
from kohort.engines.exposure import exposed
from kohort.engines.local import LOCAL
from kohort.engines.problem import problem_of
from kohort.schema import Label
from kohort.schema.hierarchies import from_tree
from tests.jobs import freely

if TYPE_CHECKING:
    from random import Random

    from kohort.release import Release

#: Who, a number that may be missing, and a name.
ROWS = st.lists(
    st.tuples(st.integers(0, 7), st.sampled_from(["", *map(str, range(8)), "2.5"]), st.sampled_from([*"abcde", ""])),
    min_size=2,
    max_size=24,
)


@st.composite
def releases(draw: st.DrawFn) -> Release:
    """A release by ranges, sets or means, of records or of people."""
    rows = draw(ROWS)
    number = draw(st.sampled_from([Label.RANGE, Label.SET, Label.MEAN]))
    name = draw(st.sampled_from([None, Label.RANGE]))
    columns = (Attribute("number", Role.QUASI, label=number), Attribute("name", Role.QUASI, label=name))
    person = "who" if draw(st.booleans()) else None
    schema = Schema((Attribute("who", Role.IDENTIFYING), *columns), person=person)
    frame = pl.DataFrame([tuple(map(str, row)) for row in rows], schema=["who", "number", "name"], orient="row")
    people = len({who for who, _, _ in rows}) if person else len(rows)
    assume(people > 1)
    k = draw(st.integers(2, min(people, 3)))
    return anonymize(frame, freely(Job.of(schema, KAnonymity(k), algorithm=Mondrian(relaxed=draw(st.booleans())))))


def printed(label: str) -> list[str]:
    """The values that a label of several prints."""
    if label.startswith("{"):
        return ["" if one == "(missing)" else one for one in label[1:-1].split(", ")]
    if label.startswith("["):
        return re.split(r"(?<=.)-", label[1:-1])
    return [label]


def same(one: str, other: str, *, numeric: bool) -> bool:
    """Whether two texts are the same value."""
    return one == other or (numeric and "" not in {one, other} and Fraction(one) == Fraction(other))


def looked(release: Release) -> dict[Label, set[str]]:
    """By the kind of label, whose value stands in it, of a class where several values occur and nobody else has it."""
    cells = {one.name: [one.values[code] or "" for code in one.codes.tolist()] for one in release.source.columns}
    frame = release.frame()
    assert isinstance(frame, pl.DataFrame)
    rows = frame.rows()
    whose = [cells["who"][at] if release.job.schema.person else str(at) for at in release.lineage.tolist()]
    found: dict[Label, set[str]] = {Label.RANGE: set(), Label.SET: set(), Label.MEAN: set()}
    for place, name in enumerate(("number", "name")):
        values = [cells[name][at] for at in release.lineage.tolist()]
        numeric = name == "number" and any(values)
        for row, value, who in zip(rows, values, whose, strict=True):
            others = [one for one, other in enumerate(rows) if other == row]
            alone = {whose[one] for one in others if values[one] == value} == {who}
            label = row[place] or ""
            several = len({values[one] for one in others}) > 1 and label != "*"
            if value and alone and several and any(same(one, value, numeric=numeric) for one in printed(label)):
                kind = Label.SET if label[0] == "{" else Label.RANGE if label[0] == "[" else Label.MEAN
                found[kind].add(who)
    return found


@given(releases())
def test_exposure_is_what_looking_at_the_labels_tells(release: Release) -> None:
    """Ends of ranges, members of sets and means are counted alike, in people."""
    found = looked(release)
    people = set[str]().union(*found.values())
    assert release.verdict is not None
    assert release.verdict.exposed == Exposed(len(people), *(len(one) for one in found.values()))


@given(releases())
def test_exposure_is_the_same_by_the_recoding(release: Release) -> None:
    """What a comparison of grids counts before anything is written is what the verifier finds."""
    job = release.job
    counts = LOCAL.count(release.source, job).counts
    recoding = job.algorithm.solve(problem_of(counts, job)).recoding
    assert isinstance(recoding, Multidimensional)
    classes = classes_of(recoding, counts.frequency, counts.domains)
    assert release.verdict is not None
    assert exposed(recoding, counts.frequency, counts.domains, classes) == release.verdict.exposed


#: Names in a tree of two branches, one of them of a single name, and a name that is a branch's too.
HOUSES = from_tree({"east": ["a", "b"], "c": ["c", "d"], "west": ["e"]}, root="*")


@given(ROWS, st.booleans(), st.integers(2, 3))
def test_a_set_in_a_tree_prints_nobody(rows: list[tuple[int, str, str]], counted: bool, k: int) -> None:  # noqa: FBT001  drawn
    """Of names with a tree nobody stands alone in a set, in people where these are counted, and values are covered."""
    columns = Attribute("who", Role.IDENTIFYING), Attribute("name", Role.QUASI, hierarchy=HOUSES, label=Label.SET)
    schema = Schema((*columns, Attribute("number", Role.DROP)), person="who" if counted else None)
    frame = pl.DataFrame([tuple(map(str, row)) for row in rows], schema=["who", "number", "name"], orient="row")
    assume((len({who for who, _, _ in rows}) if counted else len(rows)) >= k)
    release = anonymize(frame, freely(Job.of(schema, KAnonymity(k), algorithm=Mondrian("loss"))))
    assert release.verdict is not None
    assert release.verdict.exposed == Exposed()
    counts = LOCAL.count(release.source, release.job).counts
    recoding = release.job.algorithm.solve(problem_of(counts, release.job)).recoding
    assert isinstance(recoding, Multidimensional)
    classes = classes_of(recoding, counts.frequency, counts.domains)
    assert exposed(recoding, counts.frequency, counts.domains, classes) == Exposed()


def accompanied(rows: list[tuple[int, str, str]], k: int, *, counted: bool) -> Release:
    """A release of names that have companions beside a number, of records or of people."""
    columns = Attribute("number", Role.QUASI), Attribute("name", Role.QUASI, label=Label.COMPANIONS)
    schema = Schema((Attribute("who", Role.IDENTIFYING), *columns), person="who" if counted else None)
    frame = pl.DataFrame([tuple(map(str, row)) for row in rows], schema=["who", "number", "name"], orient="row")
    assume((len({who for who, _, _ in rows}) if counted else len(rows)) >= k)
    return anonymize(frame, freely(Job.of(schema, KAnonymity(k), algorithm=Mondrian("loss"))))


@given(ROWS, st.booleans(), st.integers(2, 4))
def test_companions_stand_beside_whom_one_person_alone_has(
    rows: list[tuple[int, str, str]],
    counted: bool,  # noqa: FBT001  drawn
    k: int,
) -> None:
    """A set prints the names of its class, and others only in whole groups of two or three, of which the class has one.

    Nobody stands alone in a set, by the recoding and by the verifier, unless there is no other name.
    """
    release = accompanied(rows, k, counted=counted)
    counts = LOCAL.count(release.source, release.job).counts
    domain = counts.domains[1]
    groups: dict[int, set[str]] = {}
    for name, group in zip(domain.texts, domain.companions.tolist(), strict=True):
        groups.setdefault(group, set()).add(name)
    whole = [group for number, group in groups.items() if number >= 0]
    assert all(2 <= len(group) <= 3 for group in whole)
    assert sum(len(group) == 3 for group in whole) <= 1
    frame = release.frame()
    assert isinstance(frame, pl.DataFrame)
    classes: dict[tuple[str, ...], set[str]] = {}
    for row, at in zip(frame.rows(), release.lineage.tolist(), strict=True):
        classes.setdefault(row, set()).add(rows[int(at)][2])
    for (_, label), held in classes.items():
        cell = set(printed(label)) if label else {""}
        assert held <= cell
        for group in (one for one in whole if one & (cell - held)):
            assert group <= cell
            assert group & held
        assert cell <= held.union(*whole)
    recoding = release.job.algorithm.solve(problem_of(counts, release.job)).recoding
    assert isinstance(recoding, Multidimensional)
    found = exposed(recoding, counts.frequency, counts.domains, classes_of(recoding, counts.frequency, counts.domains))
    assert release.verdict is not None
    if len({name for *_, name in rows if name}) > 1:
        assert found.set_members == release.verdict.exposed.set_members == 0


@given(ROWS, st.integers(2, 4), st.randoms(use_true_random=False))
def test_companions_do_not_depend_on_the_order_of_records(
    rows: list[tuple[int, str, str]], k: int, random: Random
) -> None:
    """Who is beside whom is the table's, not its order's: the release has the same bytes."""
    shuffled = [*rows]
    random.shuffle(shuffled)
    one, other = (accompanied(some, k, counted=False).frame() for some in (rows, shuffled))
    assert isinstance(one, pl.DataFrame)
    assert isinstance(other, pl.DataFrame)
    assert one.equals(other)
