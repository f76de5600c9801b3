"""Open ends of a scale, through every command: far values and labels such as `90+` cost nobody else their precision."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import kohort
from kohort.errors import HierarchyError, InputError, SchemaError
from tests.command import kohort as run
from tools import check_release

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kohort.release import Release

R = random.Random(36)  # noqa: S311  the same people each time
AGES = [str(R.randrange(18, 90)) for _ in range(600)]
DAYS = [(date(1930, 1, 1) + timedelta(R.randrange(30_000))).isoformat() for _ in range(600)]
ILL = [R.choice(["flu", "gout", "mumps"]) for _ in range(600)]
NOTE = "outliers; if they mean a missing value, declare it (--missing-token)"


def column(values: Sequence[str], far: Sequence[str]) -> pl.DataFrame:
    """People with these values, the first few with others."""
    return pl.DataFrame({"x": [*far, *values[len(far) :]], "ill": ILL})


def released(frame: pl.DataFrame, **options: Any) -> Release:  # noqa: ANN401  as anonymize takes them
    """The release by k = 5."""
    release: Release = kohort.anonymize(frame, quasi=["x"], sensitive=["ill"], k=5, no_model=["ill"], **options)
    return release


def labels(release: Release) -> set[str]:
    """The distinct labels."""
    return set(release.table["x"].values.to_list())


def written(frame: pl.DataFrame, path: Path) -> Path:
    """The people as a file of the format that its name says."""
    match path.suffix:
        case ".csv":
            frame.write_csv(path)
        case ".parquet":
            frame.write_parquet(path)
        case _:
            frame.write_excel(path)
    return path


# ── Far values ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("far", "label"),
    [
        (["9999-12-31"] * 3, ">="),
        (["2999-12-31"], ">="),
        (["2099-12-31"] * 2, ">="),
        (["1900-01-01"] * 5, "<"),
        (["0001-01-01"] * 3, "<"),
        (["1753-01-01", "9999-12-31"], ">="),
        (["9999-12-31"] * 200, ">="),
        (["2345-06-07"], ">="),
    ],
)
def test_far_dates_keep_the_period_of_the_others(far: list[str], label: str) -> None:
    """The classes are about those of the clean column, a label has dates alone, and the loss is of the near days."""
    clean, release = released(column(DAYS, [])), released(column(DAYS, far))
    assert abs(len(labels(release)) - len(labels(clean))) <= 2
    assert any(one.startswith(label) for one in labels(release))
    assert not any(odd in one for one in labels(release) for odd in ("10000", "0000-", "-13-"))
    assert release.losses["x"] == pytest.approx(clean.losses["x"], abs=0.03)


@pytest.mark.parametrize(
    "far",
    [["999"] * 3, ["9999"], ["-1"] * 4 + ["999"], ["-99"] * 5, ["99999"] * 150, ["2147483647"], ["250"], ["-400"] * 3],
)
@pytest.mark.parametrize("grid", [{}, {"grid": {"x": 5}}])
def test_far_numbers_keep_the_grid_of_the_others(far: list[str], grid: dict[str, Any]) -> None:
    """Whether the step is chosen or given, few or many have a sentinel."""
    clean, release = released(column(AGES, []), **grid), released(column(AGES, far), **grid)
    assert abs(len(labels(release)) - len(labels(clean))) <= 2
    assert any(one[0] in "<>" for one in labels(release))
    assert release.losses["x"] == pytest.approx(clean.losses["x"], abs=0.03)


def test_a_column_of_the_last_days_has_no_label_beyond_them() -> None:
    """Most people have the last day of all: it is not far, and its period is open."""
    found = labels(released(column([*DAYS[:200], *["9999-12-31"] * 400], [])))
    assert not any("10000" in one for one in found)
    assert any(one.startswith(">=") for one in found)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("form", ["normal", "lognormal", "ties", "uniform", "two groups"])
def test_columns_without_far_values_keep_their_scale(form: str, seed: int) -> None:
    """Normal, skewed and heavily tied columns have closed ranges of the round step that fits them all."""
    draw = random.Random(seed)  # noqa: S311  the same each time
    forms: dict[str, Callable[[], float]] = {
        "normal": lambda: draw.gauss(170, 10),
        "lognormal": lambda: draw.lognormvariate(10, 0.6),
        "ties": lambda: draw.choice([0] * 9 + [draw.randrange(1, 5000)]),
        "uniform": lambda: draw.randrange(1000),
        "two groups": lambda: draw.choice([draw.gauss(100, 5), draw.gauss(300, 5)]),
    }
    found = labels(released(column([str(round(forms[form]())) for _ in range(600)], [])))
    assert not any(one[0] in "<>" for one in found)


@pytest.mark.parametrize("spec", ["intervals:5,10,20", "intervals:7"])
def test_far_numbers_fall_into_an_open_range_of_intervals(spec: str) -> None:
    """On each level it begins where a range does; a declared range still refuses what lies outside."""
    frame = column(AGES, ["9999"] * 6)
    release = released(frame, hierarchy={"x": spec}, method="optimal", max_suppression=0)
    assert any(one.startswith(">=") for one in labels(release))
    assert len(labels(release)) > 3
    with pytest.raises(InputError, match="lie outside the range"):
        released(frame, hierarchy={"x": "intervals:0..120:5"}, method="optimal")


def test_far_days_fall_into_an_open_range_of_periods() -> None:
    """Of each level of a dates hierarchy."""
    release = released(column(DAYS, ["9999-12-31"] * 6), hierarchy={"x": "dates:year,decade"}, method="optimal")
    assert {">=2010-01-01"} < labels(release)


@pytest.mark.parametrize(
    ("values", "far", "told"),
    [
        (AGES, ["999"] * 3, "3 of x (999)"),
        (DAYS, ["9999-12-31"] * 3, "3 of x (9999-12-31)"),
        (AGES, ["251"] * 2, "2 of x"),
        (AGES, ["-1", "-1", "999"], "3 of x (-1, 999)"),
        ([*AGES[:-4], *["90+"] * 4], ["999"] * 3, "3 of x (999)"),
    ],
)
def test_far_values_are_told_without_a_value_of_a_record(
    tmp_path: Path, values: Sequence[str], far: Sequence[str], told: str
) -> None:
    """Only what stands for none in many programs is named; once it is declared, nothing is told."""
    source = written(column(values, far), tmp_path / "in.csv")
    flags = ("anonymize", source, "--quasi", "x", "--sensitive", "ill", "--no-model", "ill", "--k", 5)
    assert f"note: {NOTE}: {told}\n" in run(*flags, "--out", tmp_path / "a.csv").out
    tokens = [word for token in {*far} for word in ("--missing-token", token)]
    assert NOTE not in run(*flags, *tokens, "--out", tmp_path / "b.csv").out


# ── Labels of open ends ──────────────────────────────────────────────────────────────────────────

#: What people write among ages from 18 to 89 or days from 1930 on.
OVER = (
    "90+",
    ">89",
    "90 and over",
    "90-99",
    "≥ 90",
    "90 or more",
    "over 89",
    "90 years and older",
    "90plus",
    ">= 90",
    "at least 90",
)
UNDER = ("<18", "under 18", "0-17", "≤ 17", "less than 18", "17 and under")
EARLY = ("before 1900", "1900-1909", "<1930-01-01", "1925", "1929 or earlier", "until 1929")


@pytest.mark.parametrize("label", [*OVER, *UNDER])
def test_numbers_with_an_open_end_stay_numbers(label: str) -> None:
    """Labels are ranges, open ones, or the given label; no set of scattered ages, and no loss that a number has not."""
    release, plain = (released(column(AGES, [one] * 8)) for one in (label, "90" if label in OVER else "17"))
    found = labels(release)
    assert not any(one.startswith("{") for one in found)
    assert all(one[0] in "[<>" or one == label for one in found)
    assert any(one[0] in "<>" or one == label for one in found)
    assert release.losses["x"] == pytest.approx(plain.losses["x"], abs=0.01)


@pytest.mark.parametrize("label", EARLY)
def test_dates_with_an_open_end_stay_dates(label: str) -> None:
    """Before a year, of a decade, or before a day."""
    found = labels(released(column(DAYS, [label] * 8)))
    assert all(one[0] in "[<" or one == label for one in found)
    assert any(one[0] == "<" or one == label for one in found)
    assert len(found) > 12


@pytest.mark.one_of("label")
@pytest.mark.parametrize("label", ["90+", "under 18", ">= 90", "90-99"])
@pytest.mark.parametrize("few", [2, 8])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"no_grid": True},
        {"cut": "median"},
        {"method": "mondrian-relaxed"},
        {"grid": {"x": [0, 18, 40, 65, 90, 120]}},
        {"hierarchy": {"x": "intervals:5,10,20"}},
        {"hierarchy": {"x": "intervals:5,10,20"}, "method": "optimal", "max_suppression": 10},
        {"hierarchy": {"x": "intervals:20..80:5,10:open"}, "method": "samarati", "max_suppression": 10},
        {"hierarchy": {"x": "intervals:5,20"}, "labels": "ancestor"},
        {"labels": "set"},
    ],
    ids=repr,
)
def test_every_method_and_both_checkers_accept_an_open_end(
    tmp_path: Path, label: str, few: int, options: dict[str, Any]
) -> None:
    """The release is verified, compared, checked again with its certificate, and by a stranger."""
    frame, out = column(AGES, [label] * few), tmp_path / "r.csv"
    source = written(frame, tmp_path / "in.csv")
    assert released(frame, target=out, **options).verdict is not None
    assert run("check", "--certificate", f"{out}.kohort.json", out).status == 0
    assert check_release.main([str(out), f"{out}.kohort.json"]) == 0
    assert run("compare", source, out).status == 0
    assert run("risk", out, "--quasi", "x", "--population", source).status == 0


LATE = ("after 2013", "2013 or later", "since 2013-02", ">=2012-03-01", "2013-2019")
POINTS = [f"{day[8:]}.{day[5:7]}.{day[:4]}" for day in DAYS]


@pytest.mark.one_of("label")
@pytest.mark.parametrize("label", [*EARLY, *LATE])
@pytest.mark.parametrize(
    "options",
    [
        {"hierarchy": {"x": "dates"}},
        {"hierarchy": {"x": "dates:year,decade"}, "method": "optimal", "max_suppression": 10},
        {"hierarchy": {"x": "dates"}, "method": "samarati", "max_suppression": 10},
    ],
    ids=repr,
)
def test_a_hierarchy_of_dates_has_open_ends(tmp_path: Path, label: str, options: dict[str, Any]) -> None:
    """The label is a leaf beside the first or last period; the release is verified, compared and checked by both."""
    days = DAYS if "-0" in label else POINTS
    frame, out = column(days, [label] * 8), tmp_path / "r.csv"
    source = written(frame, tmp_path / "in.csv")
    release = released(frame, target=out, **options)
    found = labels(release)
    assert any(one == label or one[0] == ("<" if label in EARLY else ">") for one in found) or "*" in found
    assert not any(one[0] == "{" for one in found)
    assert release.losses["x"] == pytest.approx(released(column(days, days[:8]), **options).losses["x"], abs=0.03)
    assert run("check", "--certificate", f"{out}.kohort.json", out).status == 0
    assert check_release.main([str(out), f"{out}.kohort.json"]) == 0
    rule = ("--quasi", "x", "--hierarchy", f"x={options['hierarchy']['x']}")
    assert run("compare", source, out, *rule).status == 0
    assert run("risk", out, *rule, "--attack", "all", "--original", source).status == 0


@pytest.mark.parametrize("method", [("mondrian",), ("optimal", "--max-suppression", "10")], ids=repr)
@pytest.mark.parametrize("name", ["in.csv", "in.parquet", "in.xlsx"])
def test_a_hierarchy_of_dates_has_open_ends_in_files_and_engines(
    tmp_path: Path, name: str, method: tuple[str, ...]
) -> None:
    """Whatever the records come from, the labels are the same."""
    frame = column(POINTS, ["before 1930"] * 8)
    source = written(frame, tmp_path / name)
    rule = ("--quasi", "x", "--sensitive", "ill", "--no-model", "ill", "--k", 5, "--hierarchy", "x=dates")
    for engine in [(), *([("--engine", "duckdb")] if name != "in.xlsx" else [])]:
        out = tmp_path / f"{len(engine)}.csv"
        assert run("anonymize", source, *rule, *engine, "--method", *method, "--out", out).status == 0
        options = {"max_suppression": 10} if method[1:] else {}
        release = released(frame, hierarchy={"x": "dates"}, method=method[0], **options)
        assert set(pl.read_csv(out, infer_schema=False)["x"]) == labels(release)


def test_a_hierarchy_of_dates_asks_about_words() -> None:
    """A word is no open end: the message counts it and names the flag; declared missing, it has a leaf of its own."""
    frame, rule = column(DAYS, ["unknown"] * 8), {"x": "dates"}
    with pytest.raises(HierarchyError, match="1 of 582 values are not dates") as caught:
        released(frame, hierarchy=rule)
    assert "--missing-token" in (caught.value.hint or "")
    assert "unknown" not in labels(released(frame, hierarchy=rule, missing_token=["unknown"]))


@pytest.mark.parametrize("name", ["in.csv", "in.parquet", "in.xlsx"])
@pytest.mark.parametrize(
    "values", [column(AGES, ["90+"] * 8), column(AGES, ["999"] * 8), column(DAYS, ["9999-12-31"] * 6)]
)
def test_files_and_engines_agree(tmp_path: Path, name: str, values: pl.DataFrame) -> None:
    """Whatever the records come from, the labels are the same."""
    source = written(values, tmp_path / name)
    flags = ("anonymize", source, "--quasi", "x", "--sensitive", "ill", "--no-model", "ill", "--k", 5)
    assert run(*flags, "--out", tmp_path / "a.csv").status == 0
    frames = [pl.read_csv(tmp_path / "a.csv", infer_schema=False)]
    assert set(frames[0]["x"]) == labels(released(values))
    if name != "in.xlsx":
        assert run(*flags, "--engine", "duckdb", "--out", tmp_path / "b.csv").status == 0
        assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.parametrize(
    "words",
    [["unknown"], ["n.k."], ["90+", "unknown"], ["85+", "90+"], ["30-39"], ["<18", "under 16"], ["deceased"], ["+90"]],
)
@pytest.mark.parametrize("values", [AGES, DAYS])
def test_other_words_among_numbers_are_asked_about(values: Sequence[str], words: list[str]) -> None:
    """Nobody gets sets of scattered ages or days; the message counts the words and names the flags, and no value."""
    with pytest.raises((InputError, SchemaError)) as caught:
        released(column(values, [*words] * 3))
    assert "--missing-token" in (caught.value.hint or "")
    assert not any(word in caught.value.what for word in words)
    assert labels(released(column(values, [*words] * 3), scale={"x": "categorical"}, allow_singling=["x"]))


@pytest.mark.parametrize("options", [{}, {"no_grid": True}])
def test_both_ends_may_be_open(options: dict[str, Any]) -> None:
    """A class that reaches from one to the other says nothing, and loses all."""
    frame = column(AGES, ["90+", "under 18"] * 2)
    found = labels(released(frame, **options))
    assert any(one.startswith("<") for one in found)
    assert any(one.startswith(">=") for one in found)
    release = kohort.anonymize(frame, quasi=["x"], sensitive=["ill"], k=400, no_model=["ill"], **options)
    assert (labels(release), release.losses["x"]) == ({"*"}, 1.0)


def test_a_label_that_could_be_a_range_of_numbers_is_refused() -> None:
    """Without a grid, `>=85` beside 85 would be both the label and the range from 85 on."""
    with pytest.raises(InputError, match="spelled like a label"):
        released(column(AGES, [*["85"] * 4, *[">=85"] * 4]), no_grid=True)
    assert labels(released(column(AGES, [*["85"] * 4, *[">=85"] * 4])))


def test_a_word_among_few_dates_is_asked_about() -> None:
    """Also where many people share each."""
    with pytest.raises(InputError, match="1 value is no date, and 40 are"):
        released(column([f"20{at % 40 + 10}-02-03" for at in range(600)], ["unknown"] * 9))


def test_codes_with_letters_stay_names() -> None:
    """A diagnosis V27 or a house 12a among numbers is a code like the others."""
    assert any(one.startswith("{") for one in labels(released(column(AGES, ["V27", "12a", "V27"]))))


def test_an_open_end_has_no_mean() -> None:
    """What has no end has no middle."""
    with pytest.raises(InputError, match="cannot be part of a mean"):
        released(column(AGES, ["90+"] * 8), labels="mean")


def test_a_grid_needs_a_cut_between_open_ends() -> None:
    """A step of 100 has none between 18 and 90."""
    with pytest.raises(InputError, match="no cut between the open ends"):
        released(column(AGES, ["90+", "under 18"] * 4), grid={"x": 100})


def test_a_draft_proposes_ranges_of_an_open_scale() -> None:
    """Neither a far value nor a label of an open end makes the draft's steps coarser, or its column names."""
    cases: list[tuple[list[str], list[str]]] = [
        (AGES, []),
        (AGES, ["90+"] * 8),
        (AGES, ["9999"] * 8),
        (DAYS, []),
        (DAYS, ["9999-12-31"] * 3),
        (DAYS, ["1900-1909"] * 3),
    ]
    for at, (values, far) in enumerate(cases):
        draft = kohort.draft(column(values, far).rename({"x": "age" if values is AGES else "birth"}))
        assert ("grid = 5 " if values is AGES else 'grid = "five-years"') in draft.to_toml(), at
