"""The pages that every desk has: the job as text, its versions, its release, and the work that is going on."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from markupsafe import Markup
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from kohort.desk.answers import Fault, faults_in
from kohort.desk.desk import StaleError, tables_of
from kohort.desk.fields import differences, fields_of, pressed, read
from kohort.desk.render import page
from kohort.desk.subjects import subject_of
from kohort.desk.worker import State
from kohort.errors import KohortError, UsageError
from kohort.job.edits import changed, table_at
from kohort.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from starlette.requests import Request

    from kohort.desk.desk import Desk, Version
    from kohort.desk.fields import Field
    from kohort.desk.subjects import Changes, Subject
    from kohort.desk.worker import Task
    from kohort.job.lines import Place
    from kohort.schema.hierarchies import HeldFile

    #: What answers a request for a page.
    Endpoint: TypeAlias = Callable[[Request], Response]

#: The policy of a report, which has its style in itself.
OF_REPORTS: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; sandbox"


#: Seconds that an answer is waited for before a page says that it is being worked at.
AT_ONCE: Final = 0.4

#: Digits of a number that a form may have.
DIGITS: Final = 12

#: Seconds that it is waited for where a form needs it, which a page that waits would lose.
WITH_A_FORM: Final = 60.0

#: The status of an answer where a job has faults.
REFUSED: Final = 422

#: Templates of pages on which nobody waits for figures: those of work and of its end.
ASIDE: Final = frozenset({"working", "plain"})

#: What needs no job.
ALWAYS: Final = frozenset({"/working", "/cancel"})


class UnansweredError(Exception):
    """A page lacks an answer.

    Attributes:
        task: What is waited for; `None` where nothing was asked.
        faults: Why there will be none.
    """

    def __init__(self, task: Task | None = None, faults: tuple[Fault, ...] = ()) -> None:
        """Keep both."""
        super().__init__()
        self.task, self.faults = task, faults


@dataclass(slots=True, eq=False)
class JobPages(ABC):
    """The pages that every desk has, whatever its job is on.

    `shown` are the pages by their paths, `changes` what forms that are sent there do.
    """

    desk: Desk

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
            "/now": self.now,
            "/files/{what}": self.file,
        }

    def changes(self) -> Mapping[str, Endpoint]:
        """What the forms of a path do."""
        return {
            "/change": self.take,
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
    def _figures(self, version: Version) -> Mapping[str, object]:
        """What is known of a version: its `k`, its `loss` and highest `risk`, 0..1, else `None`.

        Both are estimated if `about`; there is no such release if `refused`.
        """

    def _estimate(self) -> bool:
        """Ask what the bar lacks; whether that is still to come."""
        return False

    def _fixes(self, fault: Fault) -> Iterable[tuple[str, Mapping[str, Mapping[Place, object]]]]:  # noqa: ARG002  tables do
        """What a page offers to do about a fault, by column: the words of buttons, and what each changes."""
        return ()

    def _proposed(self, roles: Mapping[str, str]) -> Mapping[str, Mapping[str, object]]:  # noqa: ARG002  likewise
        """What a job says of columns that get these roles."""
        return {}

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
        """Change what a button says: an option of Protection, advice of the preview, a way out of a refusal."""
        text, words = pressed(self.desk.text, request.scope["form"].get("change", ""), self._proposed)
        self._change(request, text, words)
        return RedirectResponse(self._back(request), 303)

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

    def now(self, _: Request) -> Response:
        """The figures of the bar, for the script."""
        return self._page("now", "Now")

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
            hint = "name a file beside the job file, such as people.release.csv"
            raise UsageError("a folder or a hidden file cannot be the release", where="File of the release", hint=hint)
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
        return JSONResponse({"open": stage is not None, "stage": stage or "", "steps": steps_in(stage or "")})

    def cancel(self, _: Request) -> Response:
        """Give up what is being done."""
        self.desk.cancel()
        return self._page("plain", "Cancelled", done="Nothing was written.", back="/job" if self.desk.is_open else "/")

    def _back(self, request: Request) -> str:
        """The page that a form stood on, if it is one of the steps."""
        path = "/" + request.headers.get("referer", "").partition("://")[2].partition("/")[2].partition("?")[0]
        return path if path in dict(self.subject.steps) else self.subject.steps[0][0]

    # --- what pages share ---------------------------------------------------------------------------------------------

    @property
    def subject(self) -> Subject:
        """What they are about."""
        return self.desk.subject

    def answering(self, make: Callable[[Request], Response]) -> Callable[[Request], Response]:
        """What makes a page, once there is a job, and says what is waited for or wrong where that makes none."""

        def answer(request: Request) -> Response:
            try:
                if request.url.path not in ALWAYS:
                    self._opened()
                return make(request)
            except UnansweredError as lacking:
                return self._unanswered(lacking)
            except StaleError as error:
                return self._wrong(faults_in(error), 409)
            except (KohortError, ExceptionGroup) as error:
                return self._wrong(faults_in(error), 422)

        return answer

    def _opened(self) -> None:
        """See to it that there is a job; a draft takes longer than anybody waits for a first page."""
        task = self.desk.open()
        if task is not None:
            raise UnansweredError(task)

    def _reading(self) -> str:
        """The part of the job that says how its input is read: what asks for the same is asked once."""
        raw = self.desk.raw
        if not isinstance(table_at(raw, ("input",)).get("path"), str):
            raise UnansweredError(faults=self.desk.faults())
        tables = {place: table_at(raw, (place,)) for place in self.subject.reading}
        said: dict[Place, object] = {
            (place, key): value for place, held in tables.items() for key, value in held.items()
        }
        return changed("", {**said, ("run", "engine"): table_at(raw, ("run",)).get("engine")})

    def _answer(self, question: str, *arguments: object, patience: float = 0) -> Any:  # noqa: ANN401  whatever is asked
        task = self.desk.ask(question, *arguments)
        task.over.wait(patience or AT_ONCE)
        if task.state is not State.DONE:
            raise UnansweredError(task)
        return task.value

    def _of_job(self, question: str, *arguments: object) -> Any:  # noqa: ANN401  likewise
        """The answer to a question about the whole job, which is not asked while something is wrong with it."""
        return self._of_text(self.desk.text, question, *arguments)

    def _of_text(self, text: str, question: str, *arguments: object, patience: float = 0) -> Any:  # noqa: ANN401  likewise
        """The same about another text of the job."""
        if faults := self.desk.faults(text):
            raise UnansweredError(faults=faults)
        return self._answer(question, text, self.desk.place, *arguments, patience=patience)

    def _costs(self, choices: Sequence[Mapping[str, Any]]) -> tuple[Mapping[Changes, Any], bool]:
        """What each option costs, as far as it is known; and whether more is still to come."""
        if self.desk.faults():
            return {}, False
        options = dict.fromkeys(one["changes"] for each in choices for one in each["options"])
        tasks = {one: self.desk.ask("cost", self.desk.text, self.desk.place, one) for one in options}
        known = {one: task.value for one, task in tasks.items() if not task.is_open}
        return known, len(known) < len(tasks)

    def _fields(self, *places: Place) -> tuple[Field, ...]:
        return tuple(one for place in places for one in fields_of(self.desk.raw, place, self.subject.forms))

    def _change(self, request: Request, text: str, what: str) -> None:
        self.desk.change(text, what, self._at(request))

    def _set(
        self, request: Request, fields: Iterable[Field], what: str, others: Mapping[Place, object] | None = None
    ) -> None:
        """Set keys to what the form says; a box that is not ticked is not sent."""
        form = request.scope["form"]
        said = {one.place: form.get(one.key, "") for one in fields if form.get(one.key, "") != one.value}
        values = {place: read(place, text, self.subject.forms) for place, text in said.items()}
        self._change(request, changed(self.desk.text, {**values, **(others or {})}), what)

    def _at(self, request: Request) -> int:
        """The version that a form was made of."""
        return number(request.scope["form"].get("at", ""))

    def _unanswered(self, lacking: UnansweredError) -> Response:
        task = lacking.task
        if task is None:
            return self._wrong(lacking.faults, 422)
        what = self.subject.doing[task.question.partition(".")[2]]
        if task.is_open:
            return self._page("working", what, status=202, what=what, stage=task.stage, steps=steps_in(task.stage))
        self.desk.forget(task)
        return self._wrong(task.faults, 422)

    def _wrong(self, faults: tuple[Fault, ...], status: int) -> Response:
        title = "Release refused" if status == REFUSED else "The job has changed"
        faulty = faults[0].told if len(faults) == 1 else f"{len(faults)} reasons"
        return self._page("plain", title, status=status, faults=faults, back="", faulty=faulty)

    def _page(self, template: str, title: str, *, status: int = 200, **shown: object) -> Response:
        desk = self.desk if self.desk.is_open else None
        faults = self.desk.faults() if desk and template != "working" else ()
        common: dict[str, object] = {
            "title": title,
            "STEPS": self.subject.steps,
            "figures": self.subject.figures,
            "kohort": VERSION,
            "desk": desk,
            "file": self.desk.path.name,
            "saved": self.desk.is_saved,
            "here": f"/{template}",
            "version": self._version,
            "faults": faults,
            "faulty": "",
            "done": "",
            "fixes": self._fixes,
            **self._standing(asking=template not in ASIDE and not faults),
        }
        return HTMLResponse(page(template, **{**common, **shown}), status)

    def _standing(self, *, asking: bool) -> dict[str, object]:
        """What the bar shows: the figures of each version, and whether those of this one are still to come."""
        if not self.desk.is_open:
            return {"points": (), "late": False}
        late = asking and self._figures(self.desk.versions[self.desk.at])["loss"] is None and self._estimate()
        return {"points": [self._figures(one) for one in self.desk.versions], "late": late}

    def _version(self) -> Markup:
        """The field by which a form says what it was made of."""
        return Markup('<input type="hidden" name="at" value="{}">').format(self.desk.at)


def steps_in(stage: str) -> tuple[int, int] | None:
    """How many steps are over, and how many there are, where a stage says so.

    >>> steps_in("attack 4 of 8: exposure"), steps_in("read")
    ((3, 8), None)
    """
    found = re.search(r"\b([0-9]{1,9}) of ([0-9]{1,9})\b", stage)
    return (int(found[1]) - 1, int(found[2])) if found else None


def parts_of(text: str) -> tuple[str, ...]:
    """What commas separate."""
    return tuple(one.strip() for one in text.split(",") if one.strip())


def sent_file(files: Mapping[str, HeldFile], what: str) -> HeldFile:
    """The file that a form sends; `what` is the kind of file to choose."""
    file = files.get("file")
    if file is None or not file.name:
        raise UsageError("no file is chosen", hint=f"choose {what}")
    return file


def number(text: str) -> int:
    """A number of a form; -1 for what is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < DIGITS else -1
