"""Results as figures in a notebook: the charts of the page, in its look, with words for those who cannot see them."""

from __future__ import annotations

from base64 import b64decode
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

import kohort
from kohort import Job, KAnonymity, ReadOptions
from kohort.errors.display import INTERNAL_LINE
from tests.jobs import freely
from tests.unit.report import releases
from tests.unit.sweep import table_sweeps
from tests.unit.transactions.coherent_release import release as coherent_release

if TYPE_CHECKING:
    from matplotlib.figure import Figure

JOB = freely(Job(releases.schema(), (KAnonymity(5),)))


@pytest.fixture(scope="module")
def release() -> kohort.Release:
    """A small release."""
    return kohort.anonymize(releases.people(), JOB)


def bundle(figure: Any) -> tuple[bytes, dict[str, Any]]:  # noqa: ANN401  types of matplotlib have no such method
    """The picture that a notebook shows, and what is known of it."""
    data, known = figure._repr_mimebundle_(include=None, exclude=None)
    return b64decode(data["image/png"]), known["image/png"]


def alt(figure: Figure) -> str:
    """The figure in words."""
    text: str = bundle(figure)[1]["alt"]
    return text


def test_a_figure_shows_itself_in_a_notebook(release: kohort.Release) -> None:
    """As a PNG, as wide as on paper, with words; no window of pyplot holds it."""
    picture, known = bundle(release.plot("losses"))
    assert picture.startswith(b"\x89PNG")
    assert known["width"] == 480
    assert known["alt"].startswith("Detail lost per quasi-identifier. age: ")
    assert import_module("matplotlib.pyplot").get_fignums() == []


def test_a_figure_looks_the_same_whatever_the_settings_are(release: kohort.Release) -> None:
    """A notebook with a dark style gets the look of the page."""
    pyplot = import_module("matplotlib.pyplot")
    light, _ = bundle(release.plot("sizes"))
    with pyplot.style.context("dark_background"):
        assert bundle(release.plot("sizes"))[0] == light


def test_all_figures_of_a_release_are_on_one_sheet(release: kohort.Release) -> None:
    """Each alone too; all are for the steward, and say so."""
    sheet = alt(release.plot())
    for name, title in {"sizes": "Class sizes", "losses": "Detail lost per quasi-identifier"}.items():
        assert title in sheet
        assert alt(release.plot(name)).startswith(title)
    assert "before and after" in alt(release.plot("risks"))
    assert all(alt(release.plot(name)).endswith(INTERNAL_LINE) for name in (None, "sizes", "losses", "risks"))


def test_a_risk_has_no_before() -> None:
    """It is of one file; where no column singles anyone out, none is drawn."""
    risk = kohort.assess(releases.people(), ["age", "sex"], sensitive=["illness"], population_size=1000)
    told = alt(risk.plot("risks"))
    assert told.startswith("Re-identification risk. highest risk of a person: 100.0%.")
    assert "matched with a population: highest: " in told
    assert "People with a unique value in a column" in alt(risk.plot())
    alone = kohort.assess(releases.people()[["sex"]], ["sex"])
    with pytest.raises(kohort.UsageError, match="there is no figure singling"):
        alone.plot("singling")


def test_people_are_counted_where_there_is_a_person_key() -> None:
    """Several records may be one person's."""
    risk = kohort.assess(releases.people(), ["sex"], person="id")
    assert alt(risk.plot()).startswith(f"{risk.people} people by sex. ")


def test_a_comparison_shows_columns_by_how_far_they_moved(release: kohort.Release) -> None:
    """The farthest first; one column before and after by its name."""
    found = release.compare()
    told = alt(found.plot())
    assert told.startswith("How far each column moved. ")
    assert told.index("age: ") < told.index("height: 0.0%")
    assert alt(found.plot("age")).startswith("age: before and after. ")


def test_a_sweep_is_drawn_as_on_the_command_line() -> None:
    """The loss if nothing is said, or any figure."""
    found = table_sweeps.made(table_sweeps.KS)
    assert alt(found.plot()).startswith("Loss (LM) against k. ")
    assert alt(found.plot("risk-utility:k")).startswith("Risk and loss (LM). ")
    with pytest.raises(kohort.UsageError, match="kl was not measured"):
        found.plot("kl")


def test_transactions_are_drawn_too() -> None:
    """Sets of items, lengths and what was dropped."""
    release = coherent_release()
    assert alt(release.plot()).startswith(f"{release.job.coherence.name}. ")
    assert "Transactions with each item" in alt(release.plot("items"))


def test_an_unknown_figure_is_refused_with_the_ones_there_are(release: kohort.Release) -> None:
    """Or with the one that was meant."""
    with pytest.raises(kohort.UsageError, match="there is no figure loss") as fault:
        release.plot("loss")
    assert "did you mean losses?" in str(fault.value)
    with pytest.raises(kohort.UsageError, match="one of age, ") as fault:
        release.compare().plot("zzz")


def test_a_release_of_nobody_is_not_drawn() -> None:
    """There is nothing to draw, and an error says so."""
    job = freely(Job(releases.schema(), (KAnonymity(5),), reading=ReadOptions(allow_empty=True)))
    with pytest.raises(kohort.KohortError, match="no records to draw"):
        kohort.anonymize(releases.people(0), job).plot()
