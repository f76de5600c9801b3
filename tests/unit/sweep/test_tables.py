"""A sweep over a table: every point is what a release of its job would be, whatever is counted for several at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort.algorithms.method import METHODS, Choices
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import Ordered
from kohort.assessment.risk.overall import assess
from kohort.core.suppression import SuppressionLimit
from kohort.engines.pricing import counted_alike
from kohort.errors import InfeasibleError, InputError, LimitError, SchemaError, UsageError
from kohort.io import read
from kohort.job.sweeps import tables
from kohort.job.sweeps.frame import Axis, Ending
from kohort.job.sweeps.table_plan import TablePlan
from kohort.job.sweeps.tables import Point, TableSweep, sweep
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.delta_disclosure import DeltaDisclosure
from kohort.models.delta_presence import DeltaPresence
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.k_map import KMap
from kohort.models.maximum_risk import MaximumRisk
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from kohort.models.t_closeness import TCloseness
from kohort.perturbation.noise import Noise
from kohort.perturbation.rounding import Rounding
from kohort.release import Job
from kohort.schema import Attribute, Missing, Role, Schema
from tests.jobs import freely

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kohort.algorithms.problem import Algorithm
    from kohort.models.base import PrivacyModel

#: Every model, by itself.
MODELS: dict[str, PrivacyModel] = {
    "k": KAnonymity(3),
    "l": DistinctLDiversity("illness", 2),
    "entropy": EntropyLDiversity("illness", Fraction(3, 2)),
    "recursive": RecursiveLDiversity("illness", Fraction(2), 2),
    "t": TCloseness("illness", Fraction(1, 3)),
    "alpha": AlphaKAnonymity("illness", Fraction(2, 3), 2),
    "delta": DeltaDisclosure("illness", Fraction(2)),
    "beta": BasicBetaLikeness("illness", Fraction(1)),
    "enhanced": EnhancedBetaLikeness("illness", Fraction(1)),
    "k-map": KMap(3),
    "presence": DeltaPresence(Fraction(1, 10), Fraction(9, 10)),
    "max-risk": MaximumRisk(Fraction(1, 3)),
    "average": AverageRisk(Fraction(1, 3)),
}

#: Every method; those on levels may leave a fifth out.
ALGORITHMS = {
    name: make(Choices(limit=limit if make.takes("limit") else None))
    for name, make in METHODS.items()
    for limit in [SuppressionLimit.of("20%")]
}


@dataclass(frozen=True, slots=True)
class Case:
    """A table, what is said of its columns, and a population that it is of."""

    records: pl.DataFrame
    schema: Schema
    population: pl.DataFrame

    def job(self, method: str, models: str) -> Job:
        """A job of it."""
        limit = 5.0 if method == "best-effort" else None
        return freely(Job.of(self.schema, MODELS[models], algorithm=ALGORITHMS[method], time_limit=limit))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Tables of 4 to 30 records of one to three quasi-identifiers, some values missing, some people with several."""
    many = draw(st.integers(4, 30))
    rows = st.lists(
        st.tuples(st.integers(20, 27), st.sampled_from(["a", "b", "c", None]), st.sampled_from("xyz")),
        min_size=many,
        max_size=many,
    )
    numbers = st.lists(st.integers(0, 9), min_size=many, max_size=many)
    drawn = draw(rows)
    columns = {
        "age": [str(age) for age, _, _ in drawn],
        "city": [city for _, city, _ in drawn],
        "illness": [illness for _, _, illness in drawn],
        "who": [str(number) for number in draw(numbers)],
    }
    missing = draw(st.sampled_from([Missing.VALUE, Missing.SUPPRESS]))
    attributes = (
        Attribute("age", Role.QUASI, hierarchy="intervals:2,4"),
        Attribute("city", Role.QUASI, hierarchy="suppress", missing=missing),
        Attribute("illness", Role.SENSITIVE),
    )
    schema = Schema(attributes, rest=Role.IDENTIFYING, person=draw(st.sampled_from([None, "who"])))
    others = [{"age": str(age), "city": city} for age, city, _ in draw(rows)]
    records = pl.DataFrame(columns, schema_overrides={"city": pl.String})  # also where every city is missing
    population = pl.concat(
        [records.select("age", "city"), pl.DataFrame(others, schema=records.select("age", "city").schema)]
    )
    return Case(records, schema, population)


def expected(case: Case, job: Job) -> Point:
    """The point that a real release of the job makes."""
    known = case.population if any(model.declared.population for model in job.models) else None
    try:
        release = kohort.anonymize(case.records, job, population=known)
    except InfeasibleError as fault:
        return Point(values=(), ending=Ending.INFEASIBLE, why=fault.what)
    names = [one.name for one in release.job.schema.quasi]
    file = release.table
    if job.schema.person is not None:  # the key is not released: put it beside, where it was
        whose = case.records["who"].gather(release.lineage)
        frame = release.frame()
        assert isinstance(frame, pl.DataFrame)
        file = read(frame.with_columns(whose.alias("who")))
    risk = assess(file, names, person=job.schema.person)
    return Point(
        values=(),
        metrics=release.metrics,
        losses=release.losses,
        released=release.table.records,
        suppressed=release.suppressed,
        classes=release.sizes.size,
        smallest=int(release.sizes.min()),
        largest=int(release.sizes.max()),
        highest=risk.prosecutor.highest,
        average=risk.prosecutor.average,
        node=release.levels,
    )


def some(names: Iterable[str], most: int) -> st.SearchStrategy[list[str]]:
    """Some of the names, none twice."""
    return st.lists(st.sampled_from(list(names)), min_size=1, max_size=most, unique=True)


@given(cases(), some(METHODS, 2), some(MODELS, 3))
def test_a_point_is_what_its_release_would_be(case: Case, methods: list[str], models: list[str]) -> None:
    """Metrics, losses, classes, risks and levels are those of `anonymize`, to the last bit; or the reason is."""
    plan = TablePlan.of({"method": methods, "models": models}, lambda at: case.job(at["method"], at["models"]))
    found = sweep(read(case.records), plan, population=read(case.population), threads=2)
    for (method, name), point in zip(plan.jobs, found.points, strict=True):
        assert replace(point, values=()) == expected(case, case.job(method, name)), (method, name)


PEOPLE = read(
    pl.DataFrame({"age": [30, 31, 30, 41, 40, 41], "city": ["a", "a", "b", "b", "a", "b"], "note": list("uvwxyz")})
)
AGE = Schema((Attribute("age", Role.QUASI, hierarchy="intervals:5,10"),), rest=Role.IDENTIFYING)


def ks(*values: int, schema: Schema = AGE) -> TablePlan:
    """A sweep over k."""
    return TablePlan.of({"k": [str(k) for k in values]}, lambda at: Job.of(schema, KAnonymity(int(at["k"]))))


def spied(monkeypatch: pytest.MonkeyPatch, name: str) -> list[Job]:
    """The jobs that a function of the sweep, `count` or `answer`, is called with: its second argument."""
    jobs: list[Job] = []
    real: Callable[..., object] = getattr(tables, name)

    def spy(*arguments: object) -> object:
        assert isinstance(arguments[1], Job)
        jobs.append(arguments[1])
        return real(*arguments)

    monkeypatch.setattr(tables, name, spy)
    return jobs


def test_equal_jobs_are_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another axis says in vain costs nothing: its points are those of the first."""
    solved = spied(monkeypatch, "answer")
    limits = {"0": SuppressionLimit(0), "2": SuppressionLimit(2)}

    def job(at: Mapping[str, str]) -> Job:
        limit = None if at["method"] == "mondrian" else limits[at["limit"]]
        return Job.of(AGE, KAnonymity(3), algorithm=METHODS[at["method"]](Choices(limit=limit)))

    plan = TablePlan.of({"method": ["mondrian", "samarati"], "limit": list(limits)}, job)
    found = sweep(PEOPLE, plan)
    assert len(solved) == 3
    first, second, *_ = found.points
    assert (first.values, second.values) == (("mondrian", "0"), ("mondrian", "2"))
    assert replace(first, values=()) == replace(second, values=())


def test_each_set_of_columns_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten jobs over the same columns share one count; those over other columns have another."""
    counted = spied(monkeypatch, "count")
    schemas = {"1": AGE, "2": Schema((*AGE.attributes, Attribute("city", Role.QUASI)), rest=Role.IDENTIFYING)}
    plan = TablePlan.of(
        {"quasi": ["1", "2"], "k": ["2", "3", "4"]}, lambda at: Job.of(schemas[at["quasi"]], KAnonymity(int(at["k"])))
    )
    assert len(sweep(PEOPLE, plan).points) == 6
    assert len(counted) == 2


def test_what_is_counted_alike() -> None:
    """Jobs share counts where their searches see the same: sensitive columns, single tuples, the population."""
    schema = Schema((*AGE.attributes, Attribute("illness", Role.SENSITIVE)), rest=Role.IDENTIFYING)
    plainly = counted_alike(Job.of(schema, KAnonymity(2)))
    assert counted_alike(Job.of(schema, KAnonymity(3))) == plainly
    assert counted_alike(Job.of(schema, KAnonymity(2), algorithm=ALGORITHMS["samarati"])) != counted_alike(
        Job.of(schema, KAnonymity(2), algorithm=ALGORITHMS["mondrian-relaxed"])
    )
    relaxed = METHODS["mondrian-relaxed"](Choices())
    assert counted_alike(Job.of(AGE, KAnonymity(2), algorithm=relaxed)) != counted_alike(Job.of(AGE, KAnonymity(2)))
    for name in ("l", "k-map"):
        assert counted_alike(Job.of(schema, MODELS[name])) != plainly


def test_a_perturbed_column_must_be_there() -> None:
    """A job whose perturbations a release would refuse is refused, though nothing is perturbed here."""
    noisy = (Noise("income"),)
    plan = TablePlan.of({"k": ["2", "3"]}, lambda at: Job.of(AGE, KAnonymity(int(at["k"])), perturbations=noisy))
    with pytest.raises(SchemaError, match="no column is called income"):
        sweep(PEOPLE, plan)


def test_models_judge_rounded_values_as_a_release_does() -> None:
    """Two incomes of a class that are rounded to one are one value, to a sweep too."""
    earners = pl.DataFrame({"age": [30, 30, 41, 41], "income": [11, 12, 31, 32]})
    schema = Schema((*AGE.attributes, Attribute("income", Role.SENSITIVE)))
    model = DistinctLDiversity("income", 2)
    jobs = {
        "no": Job.of(schema, KAnonymity(2), model, allow_singling=("income",)),
        "yes": Job.of(schema, KAnonymity(2), model, perturbations=(Rounding("income", Fraction(10)),)),
    }
    found = sweep(read(earners), TablePlan.of({"rounded": ["no", "yes"]}, lambda at: jobs[at["rounded"]]))
    assert [point.classes for point in found.points] == [2, 1]
    assert [kohort.anonymize(earners, job).sizes.size for job in jobs.values()] == [2, 1]


def test_known_points_are_not_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found before is taken as it is; what was not is added, and the sweep is the same."""
    known = dict[str, Point]()
    first = sweep(PEOPLE, ks(2, 3, 9), known=known)
    assert len(known) == 3
    del known[next(iter(ks(3).jobs.values())).described()]
    solved = spied(monkeypatch, "answer")
    assert sweep(PEOPLE, ks(2, 3, 9), known=known) == first
    assert [job.k for job in solved] == [3]


def test_an_infeasible_point_ends_no_sweep() -> None:
    """A k above all records is told with its reason, and the others are found; the status is 0 if any is."""
    told: list[str] = []
    found = sweep(PEOPLE, ks(2, 7), on_progress=told.append)
    assert [point.ending for point in found.points] == [Ending.FOUND, Ending.INFEASIBLE]
    assert "6 records" in found.points[1].why
    assert found.points[0].found > found.points[1].found
    assert (found.status, sweep(PEOPLE, ks(7)).status) == (0, InfeasibleError.exit_status)
    assert told == ["1 of 2: k = 2", "2 of 2: k = 7"]
    assert found.value(found.points[1], "k") == "7"


def test_where_no_record_is_left_nothing_is_found() -> None:
    """Every record lacks a value and is suppressed: infeasible, at each point with these columns."""
    table = read(pl.DataFrame({"age": [None, None]}, schema={"age": pl.String}))
    schema = Schema((Attribute("age", Role.QUASI, missing=Missing.SUPPRESS),))
    found = sweep(table, ks(2, 3, schema=schema))
    assert [point.ending for point in found.points] == [Ending.INFEASIBLE] * 2
    assert "lacks a value" in found.points[0].why


def test_a_limit_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lattice that is too large ends its point, and no other."""

    def refuse(*_: object) -> None:
        raise LimitError("too many nodes")

    monkeypatch.setattr(tables, "answer", refuse)
    found = sweep(PEOPLE, ks(2))
    assert (found.points[0].ending, found.points[0].why) == (Ending.LIMIT, "too many nodes")
    assert found.status == LimitError.exit_status


def test_a_population_is_needed_only_where_a_model_compares() -> None:
    """A model without its table is refused; a table goes with the jobs that need it, and no other."""
    plan = TablePlan.of({"models": ["k", "k-map"]}, lambda at: Job.of(AGE, MODELS[at["models"]]))
    with pytest.raises(UsageError, match="needs a population table"):
        sweep(PEOPLE, plan)
    assert sweep(PEOPLE, plan, population=PEOPLE).points[0].metrics == sweep(PEOPLE, ks(3)).points[0].metrics


def test_seconds_are_told_only_if_asked_for() -> None:
    """Without them equal sweeps are equal, for any number of threads; with them each point found has some."""
    assert sweep(PEOPLE, ks(2, 3)) == sweep(PEOPLE, ks(2, 3), threads=3)
    found, infeasible = sweep(PEOPLE, ks(2, 9), timed=True).points
    assert found.seconds is not None
    assert min(found.seconds) >= 0
    assert infeasible.seconds is None


@pytest.mark.parametrize(
    ("schema", "error"),
    [
        (Schema.of(quasi=["age"]), SchemaError),
        (Schema((Attribute("ages", Role.QUASI),), rest=Role.IDENTIFYING), SchemaError),
        (Schema((Attribute("age", Role.QUASI, bounds=(Fraction(0), Fraction(9))),), rest=Role.IDENTIFYING), InputError),
    ],
)
def test_what_is_wrong_with_the_columns_is_raised(schema: Schema, error: type[Exception]) -> None:
    """Columns without a role, unknown ones, values without a place: no sweep goes on."""
    with pytest.raises(error):
        sweep(PEOPLE, ks(2, 3, schema=schema), threads=2)


def test_columns_that_single_people_out_are_measured() -> None:
    """A sweep releases nothing: what a release would need leave for costs the same with it."""
    measured = sweep(PEOPLE, ks(2, 3, schema=replace(AGE, rest=Role.INSENSITIVE)))
    assert [point.metrics for point in measured.points] == [point.metrics for point in sweep(PEOPLE, ks(2, 3)).points]


def test_a_table_without_records_is_refused() -> None:
    """There is nothing to compare."""
    with pytest.raises(InfeasibleError, match="0 records"):
        sweep(PEOPLE.__class__(PEOPLE.columns, 0), ks(2))


def test_a_plan_that_compares_nothing_is_refused() -> None:
    """Nothing varied, no values, one of them twice, two that ask for the same, or too many points."""
    with pytest.raises(UsageError, match="at least one parameter"):
        TablePlan((), {})
    with pytest.raises(UsageError, match="each once"):
        ks()
    with pytest.raises(UsageError, match="each once"):
        ks(2, 2)
    with pytest.raises(UsageError, match=r"5% and 0\.05 mean the same"):
        TablePlan.of({"max-suppression": ["5%", "0.05"]}, lambda _: Job.of(AGE, KAnonymity(2)))
    with pytest.raises(UsageError, match="10,201 points"):
        TablePlan.of({one: [str(value) for value in range(101)] for one in "ab"}, lambda _: Job.of(AGE, KAnonymity(2)))


def test_values_that_are_all_impossible_ask_for_nothing() -> None:
    """Two methods that cannot do the job are both told so, and not taken for the same."""

    def make(at: Mapping[str, str]) -> Job:
        if at["method"] != "mondrian":
            raise SchemaError("the column has no hierarchy")
        return Job.of(AGE, KAnonymity(2))

    plan = TablePlan.of({"method": ["mondrian", "optimal", "datafly"]}, make)
    assert [*plan.impossible] == [("optimal",), ("datafly",)]


def test_as_many_points_as_anybody_looks_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """The greatest number of points is allowed, and one more is not."""
    monkeypatch.setattr("kohort.job.sweeps.table_plan.MOST", 3)
    assert len(ks(2, 3, 4).jobs) == 3
    with pytest.raises(UsageError, match="4 points"):
        ks(2, 3, 4, 5)


def test_axes_know_their_numbers() -> None:
    """Percentages only where all are; words are none."""
    assert Axis("max-suppression", ("20", "5%")).numbers is None
    assert Axis("method", ("mondrian",)).numbers is None


def test_a_plan_tells_what_all_jobs_share() -> None:
    """What differs between jobs is not fixed; a model that only some have is not either."""
    samarati = METHODS["samarati"](Choices(limit=SuppressionLimit.of("5%")))
    schema = Schema((*AGE.attributes, Attribute("note", Role.SENSITIVE)), rest=Role.IDENTIFYING)
    more = DistinctLDiversity("note", 2)
    asked: dict[str, list[PrivacyModel]] = {"1": [KAnonymity(2)], "2": [KAnonymity(2), more]}
    one = TablePlan.of({"l": ["1", "2"]}, lambda at: freely(Job.of(schema, *asked[at["l"]], algorithm=samarati)))
    assert one.fixed == {"quasi": "age", "k": "2", "method": "samarati", "max-suppression": "5%"}
    turned = TablePlan.of({"l": ["2", "1"]}, lambda at: freely(Job.of(schema, *asked[at["l"]], algorithm=samarati)))
    assert turned.fixed == one.fixed
    other = TablePlan.of({"k": ["3", "4"]}, lambda at: freely(Job.of(schema, KAnonymity(int(at["k"])), more)))
    assert other.fixed == {"quasi": "age", "method": "mondrian", "cut": "nearest", "models": more.name}
    assert isinstance(sweep(PEOPLE, other), TableSweep)


@pytest.mark.parametrize(
    ("cuts", "said"),
    [("loss loss", None), ("nearest loss", None), ("loss nearest", None), ("nearest nearest", "nearest")],
)
def test_a_plan_tells_another_cut_than_the_usual_one(cuts: str, said: str | None) -> None:
    """A cut that all methods that make cuts have, unless it is the one that they have anyway."""
    first, second = cuts.split()
    how: dict[str, Algorithm] = {"2": Mondrian(first), "3": Mondrian(second), "4": Ordered()}  # type: ignore[arg-type]
    plan = TablePlan.of({"k": [*how]}, lambda at: freely(Job.of(AGE, KAnonymity(int(at["k"])), algorithm=how[at["k"]])))
    assert plan.fixed.get("cut") == said
