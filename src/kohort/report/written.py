"""Reports as files: a page as HTML or JSON, or the text that a prompt shows."""

from __future__ import annotations

import importlib.util
from functools import partial
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kohort.errors import MissingExtraError, UsageError
from kohort.errors.display import ReportText, escaped, for_steward
from kohort.publish import check_target, publish
from kohort.report.page import page
from kohort.report.page.audience import Audience
from kohort.report.release import release_figures
from kohort.report.render.release import release_text
from kohort.report.render.text import text_file

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from kohort.release import Release
    from kohort.report.page import Page

#: The forms of a report, by its file's ending: a page, or plain text, which is the same for every audience.
REPORTS: Final = (".html", ".json", ".txt")


def report(release: Release, path: str | os.PathLike[str] | None, *, audience: str, overwrite: bool) -> ReportText:
    """The text of a release's report, which is also written where there is a path; see `Release.report`."""
    text = release_text(release_figures(release), [one.name for one in release.job.schema.quasi])
    made = partial(page, release)
    return write_report(text, made, path, audience=audience, overwrite=overwrite, release=release.path)


def write_report(
    text: str,
    made: Callable[..., Page],
    path: str | os.PathLike[str] | None,
    *,
    audience: str,
    overwrite: bool,
    release: object,
) -> ReportText:
    """The text of a report of any kind, which is also written where there is a path.

    Args:
        text: The report as text.
        made: Makes its page for an `audience`.
        path: Where the report is written; `None`: nowhere.
        audience: For whom it is written.
        overwrite: Whether a file there may be replaced.
        release: Where the release is, which no report may replace.
    """
    if audience not in list(Audience):
        raise UsageError("no such audience", where="audience", hint=f"one of {', '.join(Audience)}")
    made = partial(made, audience=Audience(audience))
    if path is not None:
        _write(Path(path), text, made, (release,) if isinstance(release, Path) else (), overwrite=overwrite)
    shown = ReportText(for_steward(text))
    shown.page = partial(_shown, shown, made)
    return shown


def _write(file: Path, text: str, made: Callable[[], Page], inputs: tuple[Path, ...], *, overwrite: bool) -> None:
    if file.suffix not in REPORTS:
        raise UsageError(f"a report is one of {', '.join(REPORTS)}", where="report", hint="change the extension")
    check_target(file, overwrite=overwrite, inputs=inputs)
    content = text_file(text) if file.suffix == ".txt" else writer_of(file.suffix)(made())
    publish(file, lambda target: target.write(content), lambda _: None, overwrite=overwrite, inputs=inputs)


def _shown(text: str, made: Callable[[], Page]) -> str:
    """The report in a notebook: the page, or the text where what makes pages is not installed."""
    if importlib.util.find_spec("jinja2") is None:
        return f"<head></head><pre>{escaped(text)}</pre>"
    return writer_of(".html")(made()).decode()


def writer_of(ending: str) -> Callable[[Page], bytes]:
    """What writes a page model in the form of a file's ending; a missing library is reported before any work.

    Raises:
        MissingExtraError: a page needs a library that is not installed.
    """
    if ending == ".json":
        return lambda page: (dumps(page.as_json(), indent=2, allow_nan=False) + "\n").encode()
    refuse_missing()
    from kohort.report.render.page import html  # noqa: PLC0415  its libraries are an extra

    return lambda page: html(page).encode()


def refuse_missing() -> None:
    """Refuse to make a page where what it is made with is not installed."""
    if importlib.util.find_spec("jinja2") is None:
        raise MissingExtraError("jinja2 is needed for pages and is not installed", hint="pip install 'kohort[report]'")
