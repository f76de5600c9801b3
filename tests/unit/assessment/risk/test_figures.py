"""Risk figures: each is one file and one line, and is shown wherever risks are."""

from __future__ import annotations

import json
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort.assessment.classes import file_classes, records_of
from kohort.assessment.risk.figures.unique_by_two import UNIQUE_BY_TWO
from kohort.report.figures import as_json
from kohort.report.page import Audience, page
from kohort.report.page.build import read_page
from kohort.report.render.page import html
from kohort.report.render.risk import risk_text

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def people() -> pl.DataFrame:
    """Twenty people of four ages in two towns, and one alone."""
    return pl.DataFrame(
        {"age": [str(20 + row % 4) for row in range(20)] + ["70"], "town": ["Bari", "Roma", "Bari"] * 7}
    )


@given(
    st.integers(1, 4).flatmap(
        lambda wide: st.lists(st.lists(st.integers(0, 3), min_size=wide, max_size=wide), min_size=1)
    )
)
def test_unique_by_two_is_its_definition(rows: list[list[int]]) -> None:
    """The share of records for which some two columns have values that no other record has; undefined of one column."""
    found = UNIQUE_BY_TWO.of(file_classes(records_of([*np.array(rows).T])))
    pairs = [*combinations(range(len(rows[0])), 2)]
    alone = [any(sum((row[i], row[j]) == (one[i], one[j]) for one in rows) == 1 for i, j in pairs) for row in rows]
    assert found == (sum(alone) / len(rows) if pairs else None)


def test_a_person_with_several_records_is_unique_if_one_record_is() -> None:
    """People are counted, not records; two records of one person do not hide each other."""
    columns = [np.array([1, 1, 2, 2, 2]), np.array([1, 1, 3, 3, 3]), np.array([5, 6, 6, 6, 6])]
    assert UNIQUE_BY_TWO.of(file_classes(records_of(columns, np.array([0, 0, 1, 1, 2])))) == 1 / 3


def test_a_figure_that_does_not_apply_is_left_out() -> None:
    """Of one quasi-identifier there are no two: null in JSON, no line of text, and no number on a page."""
    risk = kohort.assess(people(), ["age"])
    assert as_json(risk)["figures"] == {"unique_by_two": None}
    assert "two columns" not in risk_text(risk)
    shown = page(kohort.anonymize(people(), quasi=["age"], drop=["town"], k=5), audience=Audience.INTERNAL)
    assert [(one.before, one.after) for one in shown.risks.figures] == [(None, None)]
    html(shown)


def test_no_file_whose_classes_have_several_people_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whom two columns single out all columns do: a release of classes of k is not grouped again."""
    file = file_classes(records_of([np.array([1, 1, 2, 2]), np.array([1, 1, 2, 2])]))
    monkeypatch.setattr("kohort.assessment.risk.figures.unique_by_two.classes_of", None)
    assert UNIQUE_BY_TWO.of(file) == 0


def test_a_page_of_an_older_version_has_no_further_figures(tmp_path: Path) -> None:
    """A page that was written before there were such figures is read, and drawn without them."""
    shown = page(kohort.anonymize(people(), quasi=["age", "town"], k=5), audience=Audience.PUBLIC)
    old = json.loads(json.dumps(shown.as_json()))
    del old["risks"]["figures"]
    (tmp_path / "page.json").write_text(json.dumps(old), encoding="utf-8")
    assert UNIQUE_BY_TWO.caption in html(shown)
    assert UNIQUE_BY_TWO.caption not in html(read_page(tmp_path / "page.json"))
