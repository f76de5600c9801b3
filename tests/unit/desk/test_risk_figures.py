"""A risk figure of a stranger: one file and one line, and the desk and all else show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

import kohort
from kohort.assessment.risk.figures import FIGURES, PLUGINS, RiskFigure
from kohort.report.evidence import dossier_of
from kohort.report.figures import as_json
from kohort.report.page import Audience, page
from kohort.report.render.page import html
from kohort.report.render.risk import risk_text
from tests.docs.test_glossary import risk_table
from tests.unit.desk.visitor import told

if TYPE_CHECKING:
    from kohort.assessment.classes import FileClasses
    from tests.unit.desk.visitor import Visitor


def _largest(file: FileClasses) -> int:
    return int(file.people.sizes.max())


TOY = RiskFigure("Crowd of the toy", "The people of the largest class.", "nobody (2026)", "count", of=_largest)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry with one more line."""
    lines = {**PLUGINS, "toy": f"{__name__}:TOY"}
    monkeypatch.setattr(FIGURES, "_points", lines)


@pytest.mark.usefixtures("toy")
def test_a_figure_is_shown_wherever_risks_are(visitor: Visitor) -> None:
    """One line in the registry: text and JSON of `risk`, pages, the dossier, the desk, and the documentation."""
    people = pl.DataFrame(
        {"age": [str(20 + row % 4) for row in range(20)] + ["70"], "town": ["Bari", "Roma", "Bari"] * 7}
    )
    risk = kohort.assess(people, ["age", "town"])
    assert "crowd of the toy: 4\n  The people of the largest class." in risk_text(risk)
    assert as_json(risk)["figures"] == {"unique_by_two": 0.0952380952, "toy": 4}
    release = kohort.anonymize(people, quasi=["age", "town"], k=5)
    steward, public = (page(release, audience=one) for one in Audience)
    row = steward.risks.figures[1]
    assert (row.name, row.caption, row.says, row.unit, row.before) == ("toy", TOY.caption, TOY.sentence, "count", 4)
    assert [(one.before, one.after) for one in public.risks.figures] == [(None, 0.0), (None, None)]
    assert TOY.caption in html(steward)
    assert TOY.caption not in html(public)  # which has no value of it
    assert dossier_of(release).risks.figures[1] == row
    assert TOY.caption in told(visitor.get("/evidence"))
    assert [one["name"] for one in visitor.get("/evidence?form=json").json()["risks"]["figures"]] == list(FIGURES)
    assert f"| `toy` | {TOY.caption} | {TOY.sentence} | count | no | {TOY.source} |" in risk_table()
