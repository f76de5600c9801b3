"""The pages of the desk: what each shows, and what its form changes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tomllib import loads
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, Router

from kohort.algorithms.known import METHODS
from kohort.app.criteria import by_criterion
from kohort.app.desk import StaleError
from kohort.app.edits import changed, differences, with_roles
from kohort.app.fields import fields_of, read, table_at, written
from kohort.app.render import ROLES, STEPS, page, script, style
from kohort.app.worker import Fault, State, faults_in
from kohort.errors import KohortError, UsageError
from kohort.job.varied import unfit
from kohort.report.render.page.figure import percent, written_number
from kohort.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from starlette.requests import Request

    from kohort.app.answers import Choice, ColumnLook, Look, Preview
    from kohort.app.desk import Desk
    from kohort.app.worker import Task
    from kohort.job.lines import Place

#: Seconds that an answer is waited for before a page says that it is being worked at.
AT_ONCE: Final = 0.4

#: Digits of a number that a form may have.
DIGITS: Final = 12

#: Seconds that it is waited for where a form needs it, which a page that waits would lose.
WITH_A_FORM: Final = 60.0

#: What is being waited for, by the question.
DOING: Final[Mapping[str, str]] = {
    "draft": "Reading the table and drafting a job",
    "look": "Looking at the columns",
    "records": "Reading records",
    "preview": "Trying what the job would release",
    "changes": "Comparing records",
    "report": "Writing the report",
    "frontier": "Trying other values of k",
    "evidence": "Trying attacks",
    "release": "Releasing and verifying",
}

#: What needs no job.
ALWAYS: Final = frozenset({"/style.css", "/desk.js", "/icon.svg", "/working", "/cancel"})

#: What stands for the desk in a row of tabs: a group of people who look the same.
ICON: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#3f83c4">'
    '<circle cx="4" cy="4" r="3"/><circle cx="12" cy="4" r="3"/><circle cx="4" cy="12" r="3"/>'
    '<circle cx="12" cy="12" r="3"/></svg>'
)

#: What is compared of two versions.
COMPARED: Final[Mapping[str, str]] = {
    "records released": "released",
    "records suppressed": "suppressed",
    "classes": "classes",
    "records of the smallest class": "smallest",
    "records of the largest class": "largest",
}

#: What k is tried with unless somebody asks for other values.
TRIED: Final = "2,3,5,10,20,50,100"

#: The policy of a report, which has its style in itself.
OF_REPORTS: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; sandbox"


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


def app(desk: Desk) -> Router:
    """The desk as a web app, to be put behind `kohort.app.guard.Guard`."""
    pages = Pages(desk)
    shown = {
        "/": pages.first,
        "/columns": pages.columns,
        "/column": pages.column,
        "/records": pages.records,
        "/protection": pages.protection,
        "/preview": pages.preview,
        "/report": pages.report,
        "/frontier": pages.frontier,
        "/evidence": pages.evidence,
        "/release": pages.release,
        "/history": pages.history,
        "/compare": pages.compare,
        "/job": pages.job,
        "/working": pages.working,
        "/files/{what}": pages.file,
        "/style.css": _fixed(style(), "text/css"),
        "/icon.svg": _fixed(ICON, "image/svg+xml"),
        "/desk.js": _fixed(script(), "text/javascript"),
    }
    changes = {
        "/columns": pages.set_roles,
        "/column": pages.set_column,
        "/protection": pages.set_protection,
        "/frontier": pages.choose,
        "/release": pages.start_release,
        "/history": pages.move,
        "/job": pages.set_text,
        "/save": pages.save,
        "/cancel": pages.cancel,
    }
    routes = [Route(path, pages.answering(one), methods=["GET"]) for path, one in shown.items()]
    routes += [Route(path, pages.answering(one), methods=["POST"]) for path, one in changes.items()]
    return Router(_joined(routes))


def _fixed(text: str, kind: str) -> Callable[[Request], Response]:
    """What is the same for every desk."""

    def answer(_: Request) -> Response:
        return Response(text, media_type=kind)

    return answer


def _joined(routes: Sequence[Route]) -> list[Route]:
    """Routes of one path as one, so that another verb is refused as such."""
    made: dict[str, dict[str, Any]] = {}
    for one in routes:
        for verb in one.methods or ():
            made.setdefault(one.path, {})[verb] = one.endpoint

    def by_verb(endpoints: Mapping[str, Callable[[Request], Response]]) -> Callable[[Request], Response]:
        return lambda request: endpoints[request.method](request)

    return [Route(path, by_verb(endpoints), methods=[*endpoints]) for path, endpoints in made.items()]


@dataclass(slots=True, eq=False)
class Pages:
    """The pages of a desk."""

    desk: Desk

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

    # --- looking ------------------------------------------------------------------------------------------------------

    def first(self, _: Request) -> Response:
        """The first step."""
        return RedirectResponse(STEPS[0][0], 303)

    def columns(self, _: Request) -> Response:
        """The columns with what is known of them; those that nobody has decided on come first."""
        look: Look = self._answer("look", self._reading(), self.desk.folder)
        said = table_at(self.desk.raw, ("columns",))
        shown = [_shown(place, one, table_at(said, (one.guess.name,))) for place, one in enumerate(look.columns)]
        shown.sort(key=lambda one: one["role"] in ROLES)
        return self._page("columns", "Columns", look=look, columns=shown)

    def column(self, request: Request) -> Response:
        """What a job says of one column."""
        place = _number(request.query_params.get("place", ""))
        look = self._column(place)
        name = look.guess.name
        fields = fields_of(self.desk.raw, ("columns", name))
        own = [one for one in fields if not one.is_model and one.key != "distance"]
        models = [one for one in fields if one not in own]
        groups = [("How it is treated", "", own)]
        if table_at(self.desk.raw, ("columns", name)).get("role") == "sensitive":
            groups.insert(0, ("Privacy models", "What nobody may learn of a person from the release.", models))
        return self._page(
            "fields",
            name,
            action="/column",
            place=place,
            groups=groups,
            back="/columns",
            bars=look.bars,
            here="/columns",
        )

    def records(self, request: Request) -> Response:
        """Ten records of the table."""
        first = _number(request.query_params.get("first", "1"))
        rows = self._answer("records", self._reading(), self.desk.folder, first)
        return self._page("records", "Records", rows=rows, here="/columns")

    def protection(self, _: Request) -> Response:
        """What every class must satisfy, and how the release is found."""
        raw = self.desk.raw
        groups = [
            ("Promise", "What every group of records that look the same must satisfy.", fields_of(raw, ("privacy",))),
            ("Method", "How the release is found.", fields_of(raw, ("method",))),
            ("People", "Where one person has several records.", fields_of(raw, ("person",))),
        ]
        shown: dict[str, Any] = {"place": None, "groups": groups, "back": "", "bars": (), "here": "/protection"}
        return self._page("fields", "Protection", action="/protection", **shown)

    def preview(self, request: Request) -> Response:
        """What the job would release; ten records of it where somebody asks for them."""
        found = self._of_job("preview")
        rows = None
        if "records" in request.query_params:
            rows = self._of_job("changes")
        return self._page("preview", "Preview", found=found, rows=rows)

    def report(self, _: Request) -> Response:
        """The report that the steward would get."""
        found = self._of_job("report", "internal")
        return HTMLResponse(found, headers={"Content-Security-Policy": OF_REPORTS})

    def evidence(self, request: Request) -> Response:
        """What attacks find, by the criteria of regulators; also as JSON."""
        found = self._of_job("evidence")
        verdict = self._tried(self.desk.text).verdict
        criteria = by_criterion(found)
        if request.query_params.get("form") == "json":
            told = {one.name: some for one, some in criteria}
            return JSONResponse({"criteria": told, "verdict": verdict})
        return self._page("evidence", "Evidence", criteria=criteria, verdict=verdict)

    def frontier(self, request: Request) -> Response:
        """Risk and loss of other values of k, and of other methods."""
        now = table_at(self.desk.raw, ("method",)).get("name", "mondrian")
        ks = tuple(one.strip() for one in request.query_params.get("k", TRIED).split(",") if one.strip())
        methods = tuple(one for one in METHODS if one in request.query_params.getlist("method")) or (now,)
        found: Sequence[Choice] = ()
        if "k" in request.query_params:
            found = self._of_job("frontier", ks, methods)
        titles = {name: one.specification.sentence for name, one in METHODS.items()}
        shown: dict[str, Any] = {"ks": ",".join(ks), "methods": methods, "titles": titles, "asked": bool(found)}
        k = written(table_at(self.desk.raw, ("privacy",)).get("k"))
        return self._page("frontier", "Trade-off", found=found, now=(k, now), **shown)

    # --- choosing -----------------------------------------------------------------------------------------------------

    def set_roles(self, request: Request) -> Response:
        """Give columns the roles of the form."""
        look: Look = self._answer("look", self._reading(), self.desk.folder, patience=WITH_A_FORM)
        form = request.scope["form"]
        chosen = {place: form.get(f"role-{place}", "") for place in range(len(look.columns))}
        roles = {look.columns[place].guess.name: role for place, role in chosen.items() if role in ROLES}
        proposed = {one.guess.name: one.proposed.get(roles.get(one.guess.name, ""), {}) for one in look.columns}
        self._change(request, with_roles(self.desk.text, roles, proposed), "roles")
        return RedirectResponse("/columns", 303)

    def set_column(self, request: Request) -> Response:
        """Set the keys of a column."""
        name = self._column(_number(request.scope["form"].get("place", ""))).guess.name
        self._set(request, [("columns", name)], f"column {name}")
        return RedirectResponse("/columns", 303)

    def set_protection(self, request: Request) -> Response:
        """Set the keys of the promise and the method."""
        self._set(request, [("privacy",), ("method",), ("person",)], "protection")
        return RedirectResponse("/protection", 303)

    def choose(self, request: Request) -> Response:
        """Take the k and the method of a point; what another method was told goes."""
        form = request.scope["form"]
        before = table_at(self.desk.raw, ("method",)).get("name", "mondrian")
        k, method = form.get("choice", "").partition(" ")[::2]
        if method not in METHODS:
            raise UsageError("there is no such method", hint=f"one of {', '.join(METHODS)}")
        said: dict[Place, object] = {("privacy", "k"): read(("privacy", "k"), k), ("method", "name"): method}
        text = changed(self.desk.text, said)
        drop = dict.fromkeys(unfit(loads(text), [one for one in METHODS if one in {before, method}]))
        self._change(request, changed(text, drop), f"k = {k}, {method}")
        return RedirectResponse("/preview", 303)

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

    def history(self, _: Request) -> Response:
        """The versions of the job."""
        return self._page("history", "Versions")

    def compare(self, request: Request) -> Response:
        """Another version beside this one: what they say differently, and what each would give."""
        place = _number(request.query_params.get("with", ""))
        if not 0 <= place < len(self.desk.versions):
            raise UsageError("there is no such version", hint="choose one of the page Versions")
        other = self.desk.versions[place]
        said = differences(loads(other.text), self.desk.raw)
        found = [self._tried(other.text), self._tried(self.desk.text)]
        shown: dict[str, Any] = {"place": place, "other": other, "said": said, "rows": tuple(_beside(*found))}
        return self._page("compare", "Compare", here="/history", **shown)

    def move(self, request: Request) -> Response:
        """Go to another version, or name this one."""
        form, at = request.scope["form"], self._at(request)
        if "name" in form:
            self.desk.call(form["name"].strip(), at)
            return RedirectResponse("/history", 303)
        self.desk.move(_number(form.get("to", "")), at)
        return RedirectResponse(_back(request), 303)

    def save(self, request: Request) -> Response:
        """Write the job file."""
        self.desk.save()
        return RedirectResponse(_back(request), 303)

    # --- releasing ----------------------------------------------------------------------------------------------------

    def release(self, _: Request) -> Response:
        """Who signs, and what was released."""
        task = self.desk.released
        if task is not None and task.state is not State.DONE:
            raise UnansweredError(task)
        path = table_at(self.desk.raw, ("output",)).get("path", "")
        fields = fields_of(self.desk.raw, ("purpose",))
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
        self._set(request, [("purpose",)], "sign-off", {("output", "path"): path})
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

    def _python(self) -> str:
        """What does the same in Python."""
        name = self.desk.path.name
        target = table_at(self.desk.raw, ("output",)).get("path", "")
        source = table_at(self.desk.raw, ("input",)).get("path", "")
        lines = ["import kohort", "", f"job = kohort.Job.from_toml({name!r})"]
        return "\n".join([*lines, f"kohort.anonymize({source!r}, job, target={target!r})"])

    # --- tasks --------------------------------------------------------------------------------------------------------

    def working(self, _: Request) -> Response:
        """How far the work is, for the script."""
        stage = self.desk.stage
        return JSONResponse({"open": stage is not None, "stage": stage or ""})

    def cancel(self, _: Request) -> Response:
        """Give up what is being done."""
        self.desk.cancel()
        return self._page("plain", "Cancelled", done="Nothing was written.", back="/job" if self.desk.is_open else "/")

    # --- what they share ----------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        """See to it that there is a job."""
        task = self.desk.open()
        if task is not None:
            task.over.wait(AT_ONCE)
            if self.desk.open() is not None:
                raise UnansweredError(task)

    def _reading(self) -> str:
        """The part of the job that says how its table is read: what asks for the same is asked once."""
        return changed("", {("input", key): value for key, value in table_at(self.desk.raw, ("input",)).items()})

    def _answer(self, question: str, *arguments: object, patience: float = 0) -> Any:  # noqa: ANN401  whatever is asked
        """The answer to a question.

        Raises:
            UnansweredError: it is not there yet, or there will be none.
        """
        task = self.desk.ask(question, *arguments)
        task.over.wait(patience or AT_ONCE)
        if task.state is not State.DONE:
            raise UnansweredError(task)
        return task.value

    def _of_job(self, question: str, *arguments: object) -> Any:  # noqa: ANN401  likewise
        """The answer to a question about the whole job, which is not asked while something is wrong with it."""
        return self._of_text(self.desk.text, question, *arguments)

    def _of_text(self, text: str, question: str, *arguments: object) -> Any:  # noqa: ANN401  likewise
        """The same about another text of the job."""
        if faults := self.desk.faults(text):
            raise UnansweredError(faults=faults)
        return self._answer(question, text, self.desk.folder, *arguments)

    def _tried(self, text: str) -> Preview:
        """What a text of the job would release."""
        found: Preview = self._of_text(text, "preview")
        return found

    def _column(self, place: int) -> ColumnLook:
        """A column by its place in the table."""
        look: Look = self._answer("look", self._reading(), self.desk.folder, patience=WITH_A_FORM)
        if not 0 <= place < len(look.columns):
            raise UsageError("the table has no such column", hint="choose one of the page Columns")
        return look.columns[place]

    def _change(self, request: Request, text: str, what: str) -> None:
        self.desk.change(text, what, self._at(request))

    def _set(
        self, request: Request, tables: Sequence[Place], what: str, others: Mapping[Place, object] | None = None
    ) -> None:
        """Set the keys of some tables to what the form says; a box that is not ticked is not sent."""
        form = request.scope["form"]
        fields = [one for place in tables for one in fields_of(self.desk.raw, place)]
        said = {one.place: form.get(one.key, "") for one in fields}
        values = {one.place: read(one.place, said[one.place]) for one in fields if said[one.place] != one.value}
        self._change(request, changed(self.desk.text, {**values, **(others or {})}), what)

    def _at(self, request: Request) -> int:
        """The version that a form was made of."""
        return _number(request.scope["form"].get("at", ""))

    def _unanswered(self, lacking: UnansweredError) -> Response:
        """The page of what is waited for, or of what is wrong."""
        task = lacking.task
        if task is None:
            return self._wrong(lacking.faults, 422)
        what = DOING[task.question]
        if task.is_open:
            return self._page("working", what, status=202, what=what, stage=task.stage)
        self.desk.forget(task)
        return self._wrong(task.faults, 422)

    def _wrong(self, faults: tuple[Fault, ...], status: int) -> Response:
        """A page that says what is wrong."""
        return self._page("plain", "This cannot be done", status=status, faults=faults, back="", faulty="What is wrong")

    def _page(self, template: str, title: str, *, status: int = 200, **shown: object) -> Response:
        """A page with what all pages have."""
        desk = self.desk if self.desk.is_open else None
        common: dict[str, object] = {
            "title": title,
            "kohort": VERSION,
            "desk": desk,
            "file": self.desk.path.name,
            "saved": self.desk.is_saved,
            "here": f"/{template}",
            "version": self._version,
            "faults": self.desk.faults() if desk and template != "working" else (),
            "faulty": "",
            "done": "",
        }
        return HTMLResponse(page(template, **{**common, **shown}), status)

    def _version(self) -> Markup:
        """The field by which a form says what it was made of."""
        return Markup('<input type="hidden" name="at" value="{}">').format(self.desk.at)


def _shown(place: int, look: ColumnLook, said: Mapping[str, object]) -> dict[str, Any]:
    """A column on the page of all columns."""
    keys = [(key, written(value)) for key, value in said.items() if key != "role"]
    role = said.get("role", "")
    return {
        "place": place,
        "name": look.guess.name,
        "guess": look.guess,
        "role": role,
        "said": keys,
        "bars": look.bars,
    }


def _beside(one: Preview, other: Preview) -> Iterator[tuple[str, str, str]]:
    """The figures of two previews, each with its name."""
    for what, key in COMPARED.items():
        yield what, written_number(one.result[key]), written_number(other.result[key])
    for what, share in (("detail lost", _lost), ("people singled out at most by a column or a pair", _singled)):
        yield what, percent(share(one)), percent(share(other))
    losses = [{str(each["column"]): each["loss"] for each in found.losses} for found in (one, other)]
    for column in dict.fromkeys([*losses[0], *losses[1]]):
        shown = ["" if found.get(column) is None else percent(found[column]) for found in losses]
        yield f"detail lost of {column}", shown[0], shown[1]


def _lost(found: Preview) -> float:
    return next((float(one["value"]) for one in found.metrics if one["name"] == "ncp"), 0.0)


def _singled(found: Preview) -> float:
    return max((float(one["share"]) for one in found.verdict["singling"]), default=0.0)


def _number(text: str) -> int:
    """A number of a form; -1 for what is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < DIGITS else -1


def _back(request: Request) -> str:
    """The page that a form stood on, if it is one of the steps."""
    path = "/" + request.headers.get("referer", "").partition("://")[2].partition("/")[2].partition("?")[0]
    return path if path in dict(STEPS) else STEPS[0][0]
