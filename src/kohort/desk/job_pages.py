"""The pages of every kind of data: protection, preview, trade-off, evidence, release, the job and its versions."""

from __future__ import annotations

import re
from abc import ABC
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from markupsafe import Markup
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from kohort.desk.answers import Attacks, Fault, Point, faults_in
from kohort.desk.desk import StaleError, tables_of
from kohort.desk.fields import differences, fields_of, places_of_t, pressed, read
from kohort.desk.kinds import kind_of
from kohort.desk.plot import Setting, plot_of
from kohort.desk.render import page
from kohort.desk.worker import State
from kohort.errors import KohortError, UsageError
from kohort.job.edits import changed, table_at, written
from kohort.report.render.page.figure import percent
from kohort.system.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from starlette.requests import Request

    from kohort.desk.answers import Preview, Rows
    from kohort.desk.desk import Desk, Version
    from kohort.desk.fields import Field
    from kohort.desk.kinds import Changes, DataKind
    from kohort.desk.worker import Task
    from kohort.job.lines import Place
    from kohort.report.evidence.criteria import Criterion
    from kohort.schema.hierarchies import HeldFile

    #: What answers a request for a page.
    Endpoint: TypeAlias = Callable[[Request], Response]

    #: What shows a page, and what its form does; `None` where there is no such thing.
    Endpoints: TypeAlias = tuple[Endpoint | None, Endpoint | None]

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
    """The pages that every kind of data has; nobody is led to one that is no step of the kind.

    Attributes:
        desk: The job that they show and change.
        criteria: The criteria of attacks, of the page Evidence.
        methods: The names of the methods, of the page Trade-off.
        tried: The parameters that can be varied there: where a job says each, and which values are tried.
        counted: What `Point.counts` counts, as the heads of columns.
    """

    desk: Desk

    criteria: ClassVar[Sequence[Criterion]] = ()
    methods: ClassVar[Collection[str]] = ()
    tried: ClassVar[Mapping[str, tuple[Place, str]]] = MappingProxyType({})
    counted: ClassVar[tuple[str, ...]] = ()

    def routes(self) -> Mapping[str, Endpoints]:
        """What answers a request for each path: what shows it, and what its form does."""
        return {
            "/": (self.first, None),
            "/records": (self.records, None),
            "/protection": (self.protection, self.set_protection),
            "/preview": (self.preview, None),
            "/frontier": (self.frontier, self.choose),
            "/evidence": (self.evidence, None),
            "/report": (self.report, None),
            "/release": (self.release, self.start_release),
            "/history": (self.history, self.move),
            "/compare": (self.compare, None),
            "/job": (self.job, self.set_text),
            "/working": (self.working, None),
            "/now": (self.now, None),
            "/files/{what}": (self.file, None),
            "/change": (None, self.take),
            "/save": (None, self.save),
            "/cancel": (None, self.cancel),
        }

    # --- what differs by the kind of data -----------------------------------------------------------------------------

    def _choices(self) -> Sequence[Mapping[str, Any]]:
        """What can be chosen on the page Protection, as `kohort.desk.protection.choices_of` has it."""
        return ()

    def _settings(self) -> Sequence[tuple[str, Sequence[Field]]]:
        """The fields of the page Protection, in groups with titles."""
        return ()

    def _displaced(self, request: Request) -> Mapping[Place, object]:  # noqa: ARG002  likewise
        """Keys that change as well when the form of Protection is sent."""
        return {}

    def _method(self) -> str:
        """The method of the job."""
        return ""

    def _with_method(self, text: str, method: str) -> str:  # noqa: ARG002  few kinds have several
        """A job's text with this method; what only another method was told goes."""
        return text

    def _titles(self) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """What methods do, each with the names of those that do it, under a title."""
        return {}

    def _estimate(self) -> bool:
        """Ask what the bar lacks; whether that is still to come."""
        return False

    def _fixes(self, fault: Fault) -> Iterable[tuple[str, Mapping[str, Mapping[Place, object]]]]:  # noqa: ARG002  likewise
        """What a page offers to do about a fault, by column: the words of buttons, and what each changes."""
        return ()

    def _proposed(self, roles: Mapping[str, str]) -> Mapping[str, Mapping[str, object]]:  # noqa: ARG002  likewise
        """What a job says of columns that get these roles."""
        return {}

    # --- the job ------------------------------------------------------------------------------------------------------

    def first(self, _: Request) -> Response:
        """The first step."""
        return RedirectResponse(self.kind.steps[0][0], 303)

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

    # --- what the job does --------------------------------------------------------------------------------------------

    def records(self, request: Request) -> Response:
        """Ten records of the input."""
        self._reading()
        first = number(request.query_params.get("first", "1"))
        rows: Rows = self._answer("records", self.desk.text, self.desk.place, first)
        return self._page("records", self.kind.records.capitalize(), rows=rows, here=self.kind.steps[0][0])

    def protection(self, _: Request) -> Response:
        """What the release promises, and how it is found: choices with what each costs, and all settings."""
        choices = self._choices()
        costs, waiting = self._costs(choices)
        shown: dict[str, Any] = {"choices": choices, "costs": costs, "waiting": waiting}
        return self._page("protection", "Protection", groups=self._settings(), **shown)

    def set_protection(self, request: Request) -> Response:
        """Set the keys of the promise and the method."""
        fields = [field for _, some in self._settings() for field in some]
        self._set(request, fields, "protection", self._displaced(request))
        return RedirectResponse("/protection", 303)

    def preview(self, request: Request) -> Response:
        """What the job would release; ten records of it where somebody asks for them."""
        found: Preview = self._of_job("preview")
        rows: Rows | None = self._of_job("changes") if "records" in request.query_params else None
        return self._page("preview", "Preview", found=found, rows=rows)

    def evidence(self, request: Request) -> Response:
        """What can be said of the release to those who must judge it; also as JSON."""
        found = self._of_job("evidence")
        if request.query_params.get("form") == "json":
            return JSONResponse(found)
        attacks = Attacks.of(found["criteria"])
        return self._page("evidence", "Evidence", found=found, criteria=self.criteria, attacks=attacks)

    def frontier(self, request: Request) -> Response:
        """What other values of a parameter, and other methods, would give."""
        raw, asked = self.desk.raw, request.query_params
        said = {key: written(table_at(raw, place[:-1]).get(place[-1])) for key, (place, _) in self.tried.items()}
        helps = {one.key: one.help for place, _ in self.tried.values() for one in self._fields(place[:-1])}
        varied = {key: helps[key] for key, value in said.items() if value} or {key: helps[key] for key in said}
        vary = asked.get("vary", "") if asked.get("vary", "") in varied else next(iter(varied))
        places = places_of_t(raw)
        ts = {written(table_at(raw, place[:2])["t"]) for place in places}
        now = Point(said[vary], self._method(), ts.pop() if len(ts) == 1 else "")
        values = tuple(dict.fromkeys(parts_of(asked.get("values", with_own(self.tried[vary][1], now.value)))))
        tried = ((vary, values), ("t", parts_of(asked.get("t", "")) if places else ()))
        methods = tuple(one for one in self.methods if one in asked.getlist("method")) or (now.method,)
        found: Sequence[Point] = self._of_job("frontier", tried, methods) if "values" in asked else ()
        rows = [(one, (one.value, one.method, one.t or now.t) == now[:3]) for one in found]
        ticks = [] if any(one.risk is not None for one in found) else [*dict.fromkeys(one.value for one in found)]
        settings = [_setting(vary, ticks, place, *row) for place, row in enumerate(rows) if not row[0].why]
        shown: dict[str, Any] = {"vary": vary, "varied": varied, "values": values, "ts": tried[1][1], "rows": rows}
        shown |= {"now": now, "has_t": bool(places), "methods": methods, "titles": self._titles()}
        plot = plot_of(settings, ticks)
        return self._page("frontier", "Trade-off", plot=plot, counted=self.counted, **shown)

    def choose(self, request: Request) -> Response:
        """Take the values and the method of a point."""
        vary, value, method, t = (*request.scope["form"].get("choice", "").split(" "), "", "", "")[:4]
        if vary not in self.tried or method not in self.methods:
            raise UsageError("there is no such point", hint="choose one of the page Trade-off")
        places = [(self.tried[vary][0], value), *((place, t) for place in places_of_t(self.desk.raw) if t)]
        text = changed(self.desk.text, {place: read(place, one, self.kind.forms) for place, one in places})
        what = f"{vary} = {value}, {f't = {t}, ' * bool(t)}{method}"
        self._change(request, self._with_method(text, method), what)
        return RedirectResponse("/preview", 303)

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
        if kind_of(before) is not self.kind:
            raise UsageError("that version is of another kind of job", hint="go there to see what it gives")
        one, now = (self._of_text(text, "preview").figures for text in (other.text, self.desk.text))
        rows = [(what, one.get(what, ""), now.get(what, "")) for what in {**one, **now}]
        said = differences(before, self.desk.raw)
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
        paths = {key: table_at(self.desk.raw, (key,)).get("path", "") for key in ("input", "output")}
        shown: dict[str, Any] = {"released": None if task is None else task.value, "path": paths["output"]}
        shown["python"] = self.kind.python.format(
            job=self.desk.path.name, source=paths["input"], target=paths["output"]
        )
        return self._page("release", "Release", fields=self._fields(("purpose",)), desk=self.desk, **shown)

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
        return path if path in dict(self.kind.steps) else self.kind.steps[0][0]

    # --- what pages share ---------------------------------------------------------------------------------------------

    @property
    def kind(self) -> DataKind:
        """What they are about."""
        return self.desk.kind

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
        tables = {place: table_at(raw, (place,)) for place in self.kind.reading}
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
        return tuple(one for place in places for one in fields_of(self.desk.raw, place, self.kind.forms))

    def _change(self, request: Request, text: str, what: str) -> None:
        self.desk.change(text, what, self._at(request))

    def _set(
        self, request: Request, fields: Iterable[Field], what: str, others: Mapping[Place, object] | None = None
    ) -> None:
        """Set keys to what the form says; a box that is not ticked is not sent."""
        form = request.scope["form"]
        said = {one.place: form.get(one.key, "") for one in fields if form.get(one.key, "") != one.value}
        values = {place: read(place, text, self.kind.forms) for place, text in said.items()}
        self._change(request, changed(self.desk.text, {**values, **(others or {})}), what)

    def _at(self, request: Request) -> int:
        """The version that a form was made of."""
        return number(request.scope["form"].get("at", ""))

    def _unanswered(self, lacking: UnansweredError) -> Response:
        task = lacking.task
        if task is None:
            return self._wrong(lacking.faults, 422)
        what = self.kind.doing[task.question.partition(".")[2]]
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
            "kind": self.kind,
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
        return HTMLResponse(page(template, self.kind.package, **{**common, **shown}), status)

    def _standing(self, *, asking: bool) -> dict[str, object]:
        """What the bar shows: the figures of each version, and whether those of this one are still to come."""
        if not self.desk.is_open:
            return {"points": (), "late": False}
        late = asking and self._figures(self.desk.versions[self.desk.at])["loss"] is None and self._estimate()
        return {"points": [self._figures(one) for one in self.desk.versions], "late": late}

    def _figures(self, version: Version) -> Mapping[str, object]:
        """What is known of a version: its `k`; its `loss` and `risk`, 0..1, by its preview, else estimated (`about`).

        There is no such release if `refused`.
        """
        k = written(table_at(tables_of(version.text), ("privacy",)).get("k"))
        said: dict[str, object] = {"k": k, "loss": None, "risk": None, "about": False, "refused": False}
        found: Preview | None = self.desk.known("preview", version.text, self.desk.place)
        if found is not None:
            return {**said, "loss": found.loss, "risk": found.risk}
        task = self.desk.asked("cost", version.text, self.desk.place, ())
        if task is None or task.is_open:
            return said
        cost: Point | None = task.value
        figures = {} if cost is None else {"loss": cost.loss, "risk": cost.risk}
        return {**said, **figures, "about": True, "refused": cost is None}

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


def with_own(values: str, own: str) -> str:
    """Numbers to try, and the job's own among them.

    >>> with_own("2,5,10", "7"), with_own("2,5", ""), with_own("2,5", "5")
    ('2,5,7,10', '2,5', '2,5')
    """
    parts = parts_of(values)
    if own in {"", *parts}:
        return values
    return ",".join(sorted((*parts, own), key=float)) if own.replace(".", "", 1).isdecimal() else values


def _setting(vary: str, ticks: Sequence[str], place: int, one: Point, is_now: bool) -> Setting:  # noqa: FBT001  the parts of a row
    """A point as it is drawn: by its risk, or over the tick of its value where no risk is measured."""
    label = f"{vary} = {one.value}" + (f", t = {one.t}" if one.t else "")
    risk = "" if one.risk is None else f"risk {percent(one.risk)}, "
    words = (
        f"{label}, {one.method}: {risk}{percent(one.loss)} lost{'; the knee' * one.knee}{'; current setting' * is_now}"
    )
    x = float(ticks.index(one.value)) if one.risk is None else one.risk
    label = f"{'knee: ' * one.knee}{percent(one.loss) if ticks else label}{' (now)' * is_now}"
    return Setting(x, one.loss, label, one.method, words, f"point-{place}", one.best, one.knee, is_now)


def sent_file(files: Mapping[str, HeldFile], what: str) -> HeldFile:
    """The file that a form sends; `what` is the kind of file to choose."""
    file = files.get("file")
    if file is None or not file.name:
        raise UsageError("no file is chosen", hint=f"choose {what}")
    return file


def number(text: str) -> int:
    """A number of a form; -1 for what is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < DIGITS else -1
