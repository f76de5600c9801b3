"""The pages that every desk has: the job as text, its versions, its release, and the work that is going on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from kohort.app.answers import faults_in
from kohort.app.desk import StaleError, tables_of
from kohort.app.edits import differences, taken
from kohort.app.fields import table_at
from kohort.app.frame import AT_ONCE, Frame, UnansweredError, number
from kohort.app.subjects import subject_of
from kohort.app.worker import State
from kohort.errors import KohortError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from starlette.requests import Request

    from kohort.app.answers import Change

    #: What answers a request for a page.
    Endpoint: TypeAlias = Callable[[Request], Response]

#: The policy of a report, which has its style in itself.
OF_REPORTS: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; sandbox"


@dataclass(slots=True, eq=False)
class JobPages(Frame, ABC):
    """The pages that every desk has, whatever its job is on.

    `shown` are the pages by their paths, `changes` what forms that are sent there do.
    """

    def shown(self) -> Mapping[str, Endpoint]:
        """What is shown, by its path."""
        return {
            "/": self.first,
            "/report": self.report,
            "/release": self.release,
            "/history": self.history,
            "/compare": self.compare,
            "/job": self.job,
            "/working": self.working,
            "/files/{what}": self.file,
        }

    def changes(self) -> Mapping[str, Endpoint]:
        """What the forms of a path do."""
        return {
            "/advice": self.take,
            "/release": self.start_release,
            "/history": self.move,
            "/job": self.set_text,
            "/save": self.save,
            "/cancel": self.cancel,
        }

    @abstractmethod
    def _beside(self, one: Any, other: Any) -> Iterable[tuple[str, str, str]]:  # noqa: ANN401  previews of the subject
        """The figures of two previews, each with its name."""

    @abstractmethod
    def _python(self) -> str:
        """What releases the same in Python."""

    # --- the job ------------------------------------------------------------------------------------------------------

    def first(self, _: Request) -> Response:
        """The first step."""
        return RedirectResponse(self.subject.steps[0][0], 303)

    def set_text(self, request: Request) -> Response:
        """Give the job the text of the form."""
        text = request.scope["form"].get("text", "")
        try:
            self._change(request, text, "job file")
        except StaleError:
            raise
        except (KohortError, ExceptionGroup) as error:
            return self._page("job", "Job file", status=422, text=text, faults=faults_in(error), here="/job")
        return RedirectResponse("/job", 303)

    def job(self, _: Request) -> Response:
        """The job as text."""
        return self._page("job", "Job file", text=self.desk.text)

    def take(self, request: Request) -> Response:
        """Take a change that the preview offers."""
        changes: tuple[Change, ...] = self._of_job("preview").changes
        place = number(request.scope["form"].get("change", ""))
        if not 0 <= place < len(changes):
            raise UsageError("there is no such change", hint="choose one of the page Preview")
        self._change(request, taken(self.desk.text, changes[place].keys), changes[place].words.partition(": ")[2])
        return RedirectResponse("/preview", 303)

    def history(self, _: Request) -> Response:
        """The versions of the job."""
        return self._page("history", "Versions")

    def compare(self, request: Request) -> Response:
        """Another version beside this one: what they say differently, and what each would give."""
        place = number(request.query_params.get("with", ""))
        if not 0 <= place < len(self.desk.versions):
            raise UsageError("there is no such version", hint="choose one of the page Versions")
        other = self.desk.versions[place]
        before = tables_of(other.text)
        if subject_of(before) is not self.subject:
            raise UsageError("that version is of another kind of job", hint="go there to see what it gives")
        found = [self._of_text(text, "preview") for text in (other.text, self.desk.text)]
        said, rows = differences(before, self.desk.raw), tuple(self._beside(*found))
        shown: dict[str, Any] = {"place": place, "other": other, "said": said, "rows": rows}
        return self._page("compare", "Compare", here="/history", **shown)

    def move(self, request: Request) -> Response:
        """Go to another version, or name this one."""
        form, at = request.scope["form"], self._at(request)
        if "name" in form:
            self.desk.call(form["name"].strip(), at)
            return RedirectResponse("/history", 303)
        self.desk.move(number(form.get("to", "")), at)
        return RedirectResponse(self._back(request), 303)

    def save(self, request: Request) -> Response:
        """Write the job file."""
        self.desk.save()
        return RedirectResponse(self._back(request), 303)

    def report(self, _: Request) -> Response:
        """The report that the steward would get."""
        found = self._of_job("report", "internal")
        return HTMLResponse(found, headers={"Content-Security-Policy": OF_REPORTS})

    # --- releasing ----------------------------------------------------------------------------------------------------

    def release(self, _: Request) -> Response:
        """Who signs, and what was released."""
        task = self.desk.released
        if task is not None and task.state is not State.DONE:
            raise UnansweredError(task)
        path = table_at(self.desk.raw, ("output",)).get("path", "")
        fields = self._fields(("purpose",))
        released = None if task is None else task.value
        return self._page(
            "release", "Release", released=released, fields=fields, path=path, python=self._python(), desk=self.desk
        )

    def start_release(self, request: Request) -> Response:
        """Sign, save the job and release."""
        form = request.scope["form"]
        path = form.get("path", "").strip()
        if not path or Path(path).name != path or path.startswith("."):
            hint = "such as people.release.csv"
            raise UsageError("the release is a file beside the job file", where="File of the release", hint=hint)
        self._set(request, self._fields(("purpose",)), "sign-off", {("output", "path"): path})
        if faults := self.desk.faults():
            raise UnansweredError(faults=faults)
        self.desk.release(overwrite="overwrite" in form).over.wait(AT_ONCE)
        return RedirectResponse("/release", 303)

    def file(self, request: Request) -> Response:
        """A file of the last release."""
        path = self.desk.files.get(request.path_params["what"])
        if path is None or not Path(path).is_file():
            return PlainTextResponse("There is no such file.\n", 404)
        return FileResponse(path, filename=Path(path).name, content_disposition_type="attachment")

    # --- tasks --------------------------------------------------------------------------------------------------------

    def working(self, _: Request) -> Response:
        """How far the work is, for the script."""
        stage = self.desk.stage
        return JSONResponse({"open": stage is not None, "stage": stage or ""})

    def cancel(self, _: Request) -> Response:
        """Give up what is being done."""
        self.desk.cancel()
        return self._page("plain", "Cancelled", done="Nothing was written.", back="/job" if self.desk.is_open else "/")

    def _back(self, request: Request) -> str:
        """The page that a form stood on, if it is one of the steps."""
        path = "/" + request.headers.get("referer", "").partition("://")[2].partition("/")[2].partition("?")[0]
        return path if path in dict(self.subject.steps) else self.subject.steps[0][0]
