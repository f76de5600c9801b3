"""What a person reads of a release on levels."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Literal

import polars as pl
import pytest

import kohort
from kohort.job.codec import node as levels_of
from kohort.metrics.base import Retention
from kohort.perturbation import PLUGINS
from kohort.perturbation.text import METHODS, outcome
from kohort.report.release import ReleaseFigures, release_figures
from kohort.report.render.release import SHOWN, release_text

if TYPE_CHECKING:
    from kohort.errors import UsageError
    from kohort.report import Json

#: Six people with two visits each, and one of two ages.
VISITS = pl.DataFrame({"id": [f"p{n // 2}" for n in range(12)], "age": [str(30 + n // 6) for n in range(12)]})

NODE: dict[str, Json] = {"age": 2, "sex": 0}


def candidate(level: int, objective: float | None = 0.5) -> Json:
    """A candidate at some level of age."""
    return {
        "node": {"age": level, "sex": 0},
        "suppressed": 1_200,
        "classes": 7,
        "objective": objective,
        "metrics": {"lm": 0.5, "c_dm": 9000},
    }


def figures(**others: Json) -> ReleaseFigures:
    """The figures of a dry run on levels, some of them others."""
    known: dict[str, Json] = {
        "records": 2000,
        "released": 800,
        "incomplete": 0,
        "suppressed": 1200,
        "people": None,
        "classes": 7,
        "smallest": 5,
        "largest": 300,
        "k": 5,
        "models": ["5-anonymity"],
        "homogeneity": {},
        "metrics": {"lm": 0.5},
        "losses": {"age": 0.5, "sex": 0.0},
        "members": {},
        "node": NODE,
        "refined": None,
        "objective": {"name": "lm", "value": 0.5, "bound": 0.5},
        "candidates": [],
        "proven": True,
        "quasi": ["age", "sex"],
        "singling": [],
        "together": [],
        "constant": [],
        "kept": {},
        "bulk": {},
        "exposed": None,
        "range_exposure": None,
        "perturbed": [],
        "pseudonyms": [],
        "release": None,
        "certificate": None,
        "verified": False,
        "trace": {},
        "seconds": {},
    }
    return ReleaseFigures.model_validate(known | others, strict=False)


@pytest.mark.parametrize(
    ("others", "said", "unsaid"),
    [
        ({}, "LM 0.5000, proven: no allowed release does better", "stopped"),
        (
            {"proven": False, "objective": {"name": "precision", "value": 0.5, "bound": 0.75}},
            "PRECISION 0.5000; no allowed release does better than 0.7500",
            "proven",
        ),
        ({"proven": False, "objective": {"name": "lm", "value": 0.5, "bound": None}}, "LM 0.5000\n", "better"),
        ({"objective": None}, "Levels   age=2,sex=0\n", "better"),
        ({"trace": {"minimal_height": 2, "minimal_nodes": 3}}, "the least height is 2: 3 releases have it", "stopped"),
        ({"node": None, "objective": None}, "800 of 2,000 records released", "Levels"),
    ],
)
def test_what_is_proven_is_said_and_no_more(others: dict[str, Json], said: str, unsaid: str) -> None:
    """A bound that is reached is a proof; one that is not is told; where there is none, nothing is claimed."""
    text = release_text(figures(**others))
    assert said in text
    assert unsaid not in text


def kept(**others: Json) -> Json:
    """What is left of a column, of which half the people have a value in five."""
    found: dict[str, Json] = {"exact": 0.1, "hidden": 0.2, "half": 5, "unit": "values"}
    return found | others


@pytest.mark.parametrize(
    ("lost", "first"),
    [
        (0.25, "75.0% of the detail of 2 columns is left"),
        (0.5, "50.0% of the detail of 2 columns is left"),
        (0.501, "Warning: only 49.9% of the detail of 2 columns is left; to keep more, try: kohort advise JOB"),
        (1.0, "Warning: only 0.0% of the detail of 2 columns is left; to keep more, try: kohort advise JOB"),
    ],
)
def test_the_first_line_says_what_is_left(lost: float, first: str) -> None:
    """Above half lost it warns."""
    assert release_text(figures(metrics={"lm": 0.5, "ncp": lost})).splitlines()[0] == first


@pytest.mark.parametrize(
    ("age", "sex", "constant", "named"),
    [
        (0.96, 1.0, [], "age, sex"),
        (0.95, 0.951, [], "sex"),
        (1.0, 1.0, ["sex"], "age"),
        (0.5, 0.0, [], None),
    ],
)
def test_columns_of_which_nothing_is_left_are_named(
    age: float, sex: float, constant: list[Json], named: str | None
) -> None:
    """Where more than half is lost, those that are * for over 95 % of the people; not one that has one value anyhow."""
    told: dict[str, Json] = {"age": kept(hidden=age), "sex": kept(hidden=sex)}
    text = release_text(figures(metrics={"ncp": 0.6}, kept=told, constant=constant))
    line = f"  lost for more than 95% of the people: {named}"
    assert (text.splitlines()[1] == line) is (named is not None)
    assert "lost for more than" not in release_text(figures(metrics={"ncp": 0.4}, kept=told))


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (kept(unit="width"), "known to within 5 for half of the people"),
        (kept(half=0.25, unit="width"), "known to within 0.25 for half of the people"),
        (kept(half=1_234.0, unit="width"), "known to within 1,234 for half of the people"),
        (kept(unit="days"), "known to within 5 days for half of the people"),
        (kept(), "one of 5 values for half of the people"),
        (kept(exact=0.5), "exact for 50% of the people"),
        (kept(hidden=0.75), "removed for 75% of the people"),
    ],
)
def test_a_loss_is_told_as_people_mean_it(one: Json, words: str) -> None:
    """How exactly a column is known of half of the people, behind its share."""
    assert f"50.0% of detail lost; {words}\n" in release_text(figures(kept={"age": one}))


@pytest.mark.parametrize(
    ("said", "k", "age"),
    [
        ("grid = 5", 2, (0.0, 0.0, 5.0, "width")),
        ("grid = 5", 60, (0.0, 0.0, 10.0, "width")),
        ("grid = 1", 60, (0.0, 0.0, 10.0, "width")),
        ("hierarchy = 'intervals:5'", 60, (0.0, 0.0, 10.0, "width")),
        ("scale = 'categorical'", 60, (0.0, 0.0, 10.0, "values")),
        ("scale = 'categorical'", 150, (0.0, 1.0, 20.0, "values")),
        ("grid = 5", 150, (0.0, 1.0, 20.0, "width")),
    ],
)
def test_what_is_known_of_a_column_is_what_its_labels_say(
    said: str, k: int, age: tuple[float, float, float, Literal["values", "width", "days"]]
) -> None:
    """Ten people of each age: [20-30) is known to within 10, as ten names are, and of * nothing is left."""
    ages = pl.DataFrame({"age": [str(20 + n % 20) for n in range(200)]})
    text = f"input.path='x.csv'\noutput.path='y.csv'\nprivacy.k={k}\n[columns.age]\nrole='quasi'\n{said}\n"
    assert kohort.anonymize(ages, kohort.Job.from_toml(text)).kept["age"] == Retention(*age)


def test_dates_are_known_to_days() -> None:
    """Months of one year at k = 2: at most 31 days each."""
    days = pl.DataFrame({"day": [f"2020-{1 + n % 12:02}-{1 + n // 12:02}" for n in range(120)]})
    text = "input.path='x.csv'\noutput.path='y.csv'\nprivacy.k=2\n[columns.day]\nrole='quasi'\ngrid='month'\n"
    one = kohort.anonymize(days, kohort.Job.from_toml(text)).kept["day"]
    assert one.unit == "days"
    assert 28 <= one.half <= 31


def test_a_single_value_that_is_the_common_one_is_no_alarm() -> None:
    """Of a class where all say no, as most do, little is learned; where a few say yes, much."""
    common: Json = {"people": 30, "uncommon": 0, "largest_share": 1.0, "share_of_all": 0.9}
    rare: Json = {"people": 30, "uncommon": 1, "largest_share": 1.0, "share_of_all": 0.1}
    lines = release_text(figures(homogeneity={"smokes": common, "illness": rare}), ["age"]).splitlines()
    assert [line.startswith("Warning: ") for line in lines if "smokes: " in line or "illness: " in line] == [
        False,
        True,
    ]


def test_classes_of_a_single_value_are_told() -> None:
    """How many records, or people, stand in classes of one sensitive value is said, and the largest share."""
    alike: dict[str, Json] = {
        "homogeneity": {"illness": {"people": 30, "uncommon": 30, "largest_share": 1.0, "share_of_all": 0.5}}
    }
    assert "illness: 30 records in classes with a single value; at most 100.0%" in release_text(
        figures(**alike), ["age"]
    )
    people = release_text(figures(**alike, people=500), ["age"])
    assert "illness: 30 people in classes with a single value" in people


def test_a_search_that_was_stopped_tells_how_to_repeat_its_release() -> None:
    """Its clock may stop it elsewhere the next time; the levels, by name and in the job's order, do not change."""
    text = release_text(figures(proven=False, objective={"name": "lm", "value": 0.5, "bound": 0.1}), ("sex", "age"))
    assert "to repeat this release:   --node sex=0,age=2\n" in text


def test_levels_can_be_copied_whatever_the_names() -> None:
    """What is printed behind --node is what the shell and --node read: quoted where a name has commas or blanks."""
    names = ("income, net", "it's", "a=b")
    node: dict[str, Json] = dict.fromkeys(names, 1)
    one: Json = {"node": node, "suppressed": 0, "classes": 9, "objective": 0.5, "metrics": {"lm": 0.5}}
    for others in (figures(node=node, candidates=[one]), figures(node=node, proven=False)):
        [line] = [line for line in release_text(others, names).splitlines() if "net=1" in line and "--node" in line]
        [word] = shlex.split(line.partition("   --node ")[2])
        faults: list[UsageError] = []
        assert levels_of([word], faults) == dict.fromkeys(names, "1")
        assert not faults


def test_candidates_stand_in_the_order_in_which_levels_are_said() -> None:
    """Columns, and the levels to choose by, have the order of the job, not of the table; the best is marked."""
    text = release_text(figures(candidates=[candidate(2), candidate(3)]), ("sex", "age"))
    lines = text.splitlines()
    at = lines.index("Releases to choose from, the best first:")
    assert lines[at + 1].split() == ["sex", "age", "suppressed", "classes", "LM"]
    assert lines[at + 2].split() == ["*", "0", "2", "1,200", "7", "0.5000"]
    assert lines[at + 3].split() == ["0", "3", "1,200", "7", "0.5000"]
    assert "--node 0,2 " in text
    assert text.endswith("--node sex=0,age=2")


@pytest.mark.parametrize(
    ("name", "costs", "title"),
    [
        ("lm", (0.5, 0.5), ["LM"]),
        ("lm", (0.5, 0.7), ["LM", "weighted", "LM"]),
        ("c_dm", (9000, 9000), ["LM", "C_DM"]),
        ("c_dm", (9000, 8000), ["LM", "weighted", "C_DM"]),
        (None, (None, None), ["LM"]),
    ],
)
def test_the_objective_has_a_column_where_it_is_not_the_loss(
    name: str | None, costs: tuple[float | None, float | None], title: list[str]
) -> None:
    """LM always stands there; what the search minimised beside it where that is another metric or weighted."""
    objective: Json = None if name is None else {"name": name, "value": 1, "bound": None}
    text = release_text(figures(objective=objective, candidates=[candidate(at, cost) for at, cost in enumerate(costs)]))
    [head] = [line.split() for line in text.splitlines() if "suppressed" in line and "LM" in line]
    assert head[head.index("classes") + 1 :] == title
    assert ("the best first" in text) == (name is not None)


def test_many_candidates_are_cut_and_long_names_stand_aside() -> None:
    """A page of candidates is shown and the others counted; where names take too much room, levels are one column."""
    names = [f"quasi-identifier number {number}" for number in range(5)]
    node: dict[str, Json] = dict.fromkeys(names, 1)
    many: list[Json] = [{"node": node, "suppressed": 0, "classes": 9, "objective": 0.5, "metrics": {"lm": 0.5}}] * (
        SHOWN + 3
    )
    text = release_text(figures(node=node, candidates=many))
    assert "and 3 more (--json lists them)" in text
    assert text.count(" 1,1,1,1,1 ") == SHOWN + 1
    assert "levels, as below" in text


@pytest.mark.parametrize(
    ("classes", "smallest", "largest", "said"),
    [
        (7, 5, 300, "7 classes of 5 to 300 records (required"),
        (7, 5, 5, "7 classes of 5 records (required"),
        (1, 300, 300, "1 class of 300 records (required"),
        (0, 0, 0, "no class (required"),
    ],
)
def test_classes_are_counted_as_people_count(classes: int, smallest: int, largest: int, said: str) -> None:
    """One class is no plural, and classes of one size have no range of sizes."""
    assert said in release_text(figures(classes=classes, smallest=smallest, largest=largest), ("age", "sex"))


def test_people_are_told_where_people_are_counted() -> None:
    """A class of k records may be of fewer people: with a person key the promise is about people."""
    lines = release_text(figures(people=400, fewest=5, smallest=12, verified=True)).splitlines()
    assert "7 classes of 12 to 300 records (required: k = 5 people)" in lines
    assert "verified on the released cells: every class of age, sex has at least 5 people" in lines
    again = release_figures(kohort.anonymize(VISITS, k=3, quasi=["age"], rest="drop", person="id"))
    assert (again.smallest, again.fewest) == (6, 3)


def test_what_was_verified_of_no_record() -> None:
    """Of a release without records no smallest class is told."""
    lines = release_text(figures(classes=0, verified=True), ("age", "sex")).splitlines()
    assert lines[3] == "verified on the released cells: no record"


def singling(*columns: str, unique: int = 0, rounding: Json = None) -> Json:
    """What is told of a column or a pair among 800 people."""
    return {"columns": [*columns], "unique": unique, "share": unique / 800, "rounding": rounding}


def test_what_is_released_as_it_is_comes_first() -> None:
    """Each such column with the people it singles out; then over which columns is verified."""
    assert release_text(figures()).startswith("No column is released unchanged\n")
    found: Json = [singling("income", unique=12), singling("job"), singling("weight", unique=1)]
    lines = release_text(figures(singling=found, verified=True)).splitlines()
    head = "Released unchanged (people with a unique value, of 800)"
    assert lines[0] == f"{head}: income 12, job 0, weight 1"
    assert "verified on the released cells: every class of age, sex has at least 5 records" in lines


def test_perturbed_columns_are_told_apart() -> None:
    """They are not released as they are."""
    effect: dict[str, Json] = {
        "column": "income",
        "method": "rounding to multiples of 5",
        "records": 800,
        "unchanged": 1,
        "decimals": None,
        "bounds": [None, None],
        **dict.fromkeys(("mean", "variance", "correlation", "linked")),
        "reproducible": False,
    }
    found: Json = [singling("income", unique=3)]
    first, *_ = release_text(figures(singling=found, perturbed=[effect], people=700)).splitlines()
    assert first == "Released rounded (people with a unique value, of 700): income 3"
    found = [singling("income", unique=3), singling("job"), singling("pay", unique=2)]
    effects: Json = [effect, effect | {"column": "pay", "method": "noise of 0.1 variances"}]
    first, *_ = release_text(figures(singling=found, perturbed=effects, people=700)).splitlines()
    head = "Released unchanged (people with a unique value, of 700)"
    assert first == f"{head}: job 0; rounded: income 3; with noise: pay 2"


@pytest.mark.parametrize("key", PLUGINS)
def test_each_perturbation_has_its_word(key: str) -> None:
    """What its name says of a column is told in the word of its specification, which every one of kohort's own has."""
    kind = METHODS[key]
    assert kind.specification.outcome
    names = {"noise": "noise of 0.1 variances", "coding": "bottom coding below 1 and top coding above 9"}
    name = names.get(key, f"{kind.specification.title.lower()} of some kind")
    assert outcome(["income"], {"income": name}) == kind.specification.outcome


@pytest.mark.parametrize(
    ("columns", "word"),
    [(["job"], "unchanged"), (["job", "pay"], "with shuffling"), (["pay", "job"], "with shuffling")],
)
def test_a_perturbation_of_others_is_told_by_its_name(columns: list[str], word: str) -> None:
    """A pair is released as the column of it that is perturbed; a method without a word has its name."""
    assert outcome(columns, {"pay": "shuffling"}) == word


def test_what_singles_out_many_is_warned_of() -> None:
    """More than 5 % is, with the rounding that would help; of many pairs the worst."""
    rounding: Json = {"perturb": "income=rounding:step=50", "unique": 31, "change": 12.48, "spread": 0.004}
    pairs = [singling("income", f"c{place}", unique=300 - place) for place in range(5)]
    found: Json = [singling("income", unique=240, rounding=rounding), singling("job", unique=40), *pairs]
    lines = release_text(figures(singling=found)).splitlines()
    warned = lines[: lines.index("")]
    assert warned[0] == "Warning: 240 people (30.0% of all) can be identified by income"
    assert warned[1] == (
        "  round the column: --perturb income=rounding:step=50   (leaves 31; values change by 12.5 on average)"
    )
    assert warned[2] == "Warning: 300 people (37.5% of all) can be identified by income and c0"
    assert warned[-1] == "  and 2 more pairs of columns (--json lists them)"
    assert len(warned) == 6


GRID, HIERARCHY = (
    "public cut points (--grid) for numbers",
    "companions (--labels companions) or hierarchies (--hierarchy) for sets",
)


@pytest.mark.parametrize(
    ("exposed", "said", "remedy"),
    [
        ({"people": 1, "range_ends": 1, "set_members": 0, "means": 0}, "1 person can be pinpointed: ", GRID),
        (
            {"people": 9, "range_ends": 9, "set_members": 0, "means": 0},
            "their value at the edge of a published range.",
            GRID,
        ),
        (
            {"people": 7, "range_ends": 5, "set_members": 3, "means": 2},
            "their value at the edge of a published range (5) or in a published set (3) or in a published mean (2).",
            f"{GRID} and {HIERARCHY}",
        ),
        ({"people": 4, "range_ends": 0, "set_members": 4, "means": 0}, "their value in a published set.", HIERARCHY),
        ({"people": 2, "range_ends": 0, "set_members": 0, "means": 2}, "their value in a published mean.", GRID),
    ],
)
def test_whom_labels_give_away_is_told(exposed: Json, said: str, remedy: str) -> None:
    """In people, with where their values stand, and what avoids it; nothing where it is nobody."""
    assert said in release_text(figures(exposed=exposed))
    assert f"Use {remedy} to avoid this." in release_text(figures(exposed=exposed))
    nobody: Json = {"people": 0, "range_ends": 0, "set_members": 0, "means": 0}
    assert "can be pinpointed" not in release_text(figures(exposed=nobody))


def test_sets_are_told_with_how_many_values_they_print() -> None:
    """A column that costs next to nothing as sets is told with what its sets give away."""
    text = release_text(figures(losses={"age": 0.5, "name": 0.003}, members={"name": 18.04}, node=None, objective=None))
    assert "0.3% of detail lost; its sets list 18.0 values on average, each held by someone in the class" in text
    assert "50.0% of detail lost\n" in text


def test_attacks_are_told_where_some_were_tried() -> None:
    """A release whose attacks were asked for tells what they found, and else does not speak of them."""
    untried: list[Json] = [{"attack": "intersection", "untried": "it needs other releases"}]
    assert "intersection not tried" in release_text(figures(attacks=untried))
    assert "not tried" not in release_text(figures())
