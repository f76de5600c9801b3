"""How alike the sensitive values of a class are: against a count by hand, and in what people read."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort.engines.pipeline import dry_run
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.release import homogeneity
from kohort.release.homogeneity import Homogeneity
from kohort.report.release import release_figures
from tests.jobs import freely

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.algorithms.problem import Algorithm

#: A record: its class, its value (3 is missing) and whose it is.
RECORDS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30)


def by_hand(records: Sequence[tuple[int, int, object]]) -> Homogeneity:
    """The definition: per class, who has which value."""
    classes: dict[int, dict[int, set[object]]] = defaultdict(lambda: defaultdict(set))
    for at, value, whose in records:
        if value < 3:
            classes[at][value].add(whose)
    shares: dict[float, set[int]] = defaultdict(set)
    totals, alone = Counter[int](), Counter[int]()
    for held in classes.values():
        counts = {value: len(people) for value, people in held.items()}
        totals.update(counts)
        alone.update(counts if len(counts) == 1 else {})
        for value, count in counts.items():
            shares[count / sum(counts.values())].add(value)
    every, share = totals.total(), max(shares, default=0.0)
    uncommon = sum(count for value, count in alone.items() if 2 * totals[value] <= every)
    return Homogeneity(alone.total(), uncommon, share, min((totals[one] / every for one in shares[share]), default=0.0))


@given(records=RECORDS, keyed=st.booleans())
def test_homogeneity_is_what_a_count_by_hand_finds(records: list[tuple[int, int, int]], *, keyed: bool) -> None:
    """Records count, or people once for each value; spellings are one value, and missing values are none."""
    frame = pl.DataFrame(
        {
            "who": [str(who) for *_, who in records],
            "age": [str(at) for at, *_ in records],
            "illness": [("flu", "HIV", "ulcer", "")[value] for _, value, _ in records],
        }
    )
    schema = kohort.Schema.of(
        identifying=["who"], quasi=["age"], sensitive=["illness"], person="who" if keyed else None
    )
    told = [(at, value, who if keyed else row) for row, (at, value, who) in enumerate(records)]
    try:
        release = dry_run(frame, freely(kohort.Job.of(schema, kohort.KAnonymity(2))))
    except kohort.InfeasibleError:
        return
    labels: list[int] = release.table["age"].codes.tolist()
    rows: list[int] = release.lineage.tolist()
    expected = by_hand([(label, *told[row][1:]) for label, row in zip(labels, rows, strict=True)])
    assert release.homogeneity == {"illness": expected}
    assert release.people == (len({who for *_, who in records}) if keyed else None)


@pytest.mark.parametrize(
    "algorithm",
    [kohort.Mondrian(), kohort.Mondrian(relaxed=True), kohort.Optimal(kohort.SuppressionLimit.of("40%"))],
    ids=lambda one: one.name,
)
@pytest.mark.parametrize("person", [None, "who"])
def test_the_figures_of_a_release_are_those_of_its_cells(algorithm: Algorithm, person: str | None) -> None:
    """What the pipeline counts on integers is what anybody counts in the released table; spellings are one value."""
    rows = range(120)
    people = pl.DataFrame(
        {
            "who": [f"{chr(97 + row % 90 // 26)}{chr(97 + row % 90 % 26)}" for row in rows],  # numbers tell whose
            "age": [str(20 + row * 7 % 31) for row in rows],
            "illness": [("flu", "FLU ", "HIV", "", "ulcer")[row * row % 5] for row in rows],
        }
    )
    age = kohort.Attribute("age", kohort.Role.QUASI, hierarchy="intervals:5,10")
    others = kohort.Schema.of(identifying=["who"], sensitive=["illness"]).attributes
    schema = kohort.Schema((age, *others), person=person)
    models = (kohort.KAnonymity(2), AlphaKAnonymity("illness", Fraction("0.95"), 2))
    release = kohort.anonymize(people, freely(kohort.Job.of(schema, *models, algorithm=algorithm)))
    cells = release.frame()
    assert isinstance(cells, pl.DataFrame)
    code = {"flu": 0, "FLU ": 0, "HIV": 1, "ulcer": 2, "": 3, None: 3}
    whose = people["who"].gather(release.lineage)
    told = [
        (hash(age), code[illness], who if person else row)
        for row, (age, illness, who) in enumerate(zip(cells["age"], cells["illness"], whose, strict=True))
    ]
    assert release.homogeneity == {"illness": by_hand(told)}
    assert release.people == (len(set(whose)) if person else None)
    figures = release_figures(release).as_json()
    assert figures["people"] == release.people
    assert figures["models"] == ["2-anonymity", "(0.95, 2)-anonymity of illness"]
    [[name, found]] = cast("dict[str, dict[str, float]]", figures["homogeneity"]).items()
    assert (name, found["people"]) == ("illness", release.homogeneity["illness"].people)
    assert found["largest_share"] == pytest.approx(release.homogeneity["illness"].largest_share)


def test_nobody_with_a_value_is_alike() -> None:
    """Where nobody has a value there is no share, and of no records there is nothing to say."""
    table = pl.DataFrame({"age": ["20"] * 5, "illness": [""] * 5})
    job = freely(kohort.Job.of(kohort.Schema.of(quasi=["age"], sensitive=["illness"]), kohort.KAnonymity(5)))
    assert kohort.anonymize(table, job).homogeneity == {"illness": Homogeneity(0, 0, 0.0, 0.0)}
    reading = kohort.ReadOptions(allow_empty=True)
    empty = kohort.anonymize(table.clear(), freely(kohort.Job(job.schema, job.models, reading=reading)))
    assert empty.homogeneity == {}


def test_a_measurement_is_looked_at_only_where_a_model_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """A column of nearly as many values as records takes long to read, and says little: only a model asks for it."""
    monkeypatch.setattr(homogeneity, "MANY", 10)
    table = pl.DataFrame({"age": ["20"] * 20, "income": [str(row) for row in range(20)]})
    schema = kohort.Schema.of(quasi=["age"], sensitive=["income"])
    assert kohort.anonymize(table, freely(kohort.Job.of(schema, kohort.KAnonymity(5)))).homogeneity == {}
    diverse = kohort.DistinctLDiversity("income", 2)
    found = kohort.anonymize(table, freely(kohort.Job.of(schema, kohort.KAnonymity(5), diverse))).homogeneity
    assert found == {"income": Homogeneity(0, 0, 0.05, 0.05)}
