"""What a notebook shows of a release."""

from __future__ import annotations

import pickle
import sys
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import kohort
from kohort import Job, KAnonymity, ReadOptions, Schema
from kohort.engines.pipeline import dry_run
from tests.jobs import freely
from tests.unit.report import releases
from tests.unit.transactions.coherent_release import release as coherent_release

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from kohort.errors.display import ReportText


class _Cells(HTMLParser):
    """The rows of a table, and what else is in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the tag; nothing but a header's scope and where its text stands is said of it."""
        self.tags.add(tag)
        assert {name for name, _ in attrs} <= {"scope", "style"}

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.cells.append(data)

    @property
    def rows(self) -> dict[str, str]:
        """What stands beside each header; the first text is the caption, and a table of losses follows."""
        end = self.cells.index("Detail lost") if "Detail lost" in self.cells else None
        return dict(zip(self.cells[1:end:2], self.cells[2:end:2], strict=True))

    @property
    def losses(self) -> list[str]:
        """The cells of the table of losses, row by row."""
        return self.cells[self.cells.index("Detail lost") + 1 :]


def shown(release: object) -> _Cells:
    """What the notebook shows."""
    return _Cells(release._repr_html_())  # type: ignore[attr-defined]


def test_a_release_is_a_small_table(tmp_path: Path) -> None:
    """It says what was promised and whether anybody looked; names are escaped, and no value is in it."""
    table = releases.people().rename({"illness": "<b>ill</b>"})
    schema = Schema.of(identifying=["id"], quasi=["age", "sex"], sensitive=["<b>ill</b>"], insensitive=["city"])
    job = freely(
        Job(kohort.Schema(schema.attributes, rest=kohort.Role.IDENTIFYING), (KAnonymity(5), *_diverse("<b>ill</b>")))
    )
    release = kohort.anonymize(table, job, target=tmp_path / "r.csv")
    cells = shown(release)
    assert cells.tags == {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert cells.cells[0] == "Release, verified"
    assert cells.rows["Models"] == "5-anonymity, distinct 2-diversity of <b>ill</b>"
    assert cells.rows["Records"] == "97 of 97"
    assert cells.rows["Published"] == "r.csv"
    assert "flu" not in "".join(cells.cells)


def test_the_columns_that_lost_most_come_first() -> None:
    """Below the counts, each with what is left of it in words."""
    release = kohort.anonymize(releases.people(), freely(Job.of(releases.schema(), KAnonymity(5))))
    heads, rows = shown(release).losses[:3], shown(release).losses[3:]
    assert heads == ["Quasi-identifier", "Loss", "What is left"]
    losses = sorted(release.losses.items(), key=lambda one: -one[1])
    assert rows[::3] == [name for name, _ in losses]
    assert rows[1::3] == [f"{loss:.1%}" for _, loss in losses]
    assert rows[2::3] == [release.kept[name].in_words for name, _ in losses]


def frame(text: ReportText) -> str:
    """The page that a notebook shows in a frame, which can run nothing."""
    tag, _, rest = text._repr_html_().partition(' srcdoc="')  # pyright: ignore[reportPrivateUsage]
    assert tag.startswith("<iframe ")
    assert " sandbox " in tag
    assert rest.endswith('"></iframe>')
    assert '"' not in rest.removesuffix('"></iframe>')
    return unescape(rest.removesuffix('"></iframe>'))


def test_a_report_is_a_page_in_a_frame(tmp_path: Path) -> None:
    """The one that is written to a file, but for the base of its links; the text is not kept beside it."""
    release = kohort.anonymize(releases.people(), freely(Job.of(releases.schema(), KAnonymity(5))))
    text = release.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert frame(text) == page.replace("<head>", '<head><base href="about:srcdoc">', 1) != page
    assert repr(text) == "<Report of a release; print() shows its text>"
    assert type(pickle.loads(pickle.dumps(text))) is str  # noqa: S301  our own bytes
    assert frame(coherent_release().report()).startswith("<!DOCTYPE html>")


def test_a_public_report_is_a_public_page() -> None:
    """A notebook keeps no internal text beside it."""
    release = kohort.anonymize(releases.people(), freely(Job.of(releases.schema(), KAnonymity(5))))
    assert "<strong>Public report.</strong>" in frame(release.report(audience="public"))


def test_a_report_is_its_text_where_no_page_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library of pages is an extra."""
    release = kohort.anonymize(releases.people(), freely(Job.of(releases.schema(), KAnonymity(5))))
    monkeypatch.setitem(sys.modules, "jinja2", None)
    text = release.report()
    assert unescape(frame(text).split("<pre>")[1].removesuffix("</pre>")) == text


def _diverse(name: str) -> tuple[kohort.DistinctLDiversity]:
    return (kohort.DistinctLDiversity(name, 2),)


def test_a_rehearsal_says_so() -> None:
    """Nobody verified it, and it is nowhere."""
    cells = shown(dry_run(releases.people(), freely(Job.of(releases.schema(), KAnonymity(5)))))
    assert cells.cells[0] == "Release, dry run, not verified"
    assert "Published" not in cells.rows


def test_a_release_of_nobody_has_no_class_sizes() -> None:
    """There is no class."""
    job = freely(Job(releases.schema(), (KAnonymity(5),), reading=ReadOptions(allow_empty=True)))
    rows = shown(kohort.anonymize(releases.people(0), job)).rows
    assert rows["Classes"] == "0"
    assert "Class sizes" not in rows


def test_transactions_are_told_in_a_line() -> None:
    """What a prompt shows is a line of counts, and no item."""
    shown = "<TransactionRelease, verified; transactions: 6; items dropped: 3 of 7; distortion: 40.00%; "
    assert repr(coherent_release()) == f"{shown}model: (0.5, 3, 3)-coherence; method: mmil>"


def test_transactions_are_a_small_table_too(tmp_path: Path) -> None:
    """With what was dropped, in numbers."""
    cells = shown(coherent_release())
    assert cells.rows["Items dropped"] == "3 of 7"
    assert cells.rows["Distortion"] == "40.00%"
    rows = shown(coherent_release(path=tmp_path / "r.dat")).rows
    assert rows["Published"] == "r.dat"
