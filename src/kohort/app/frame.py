"""What every page of the desk has: its frame, its answers, and what becomes of its form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from kohort.app.answers import Fault, faults_in
from kohort.app.desk import StaleError
from kohort.app.edits import changed
from kohort.app.fields import fields_of, read, table_at
from kohort.app.render import page
from kohort.app.worker import State
from kohort.errors import KohortError
from kohort.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from starlette.requests import Request

    from kohort.app.desk import Desk
    from kohort.app.fields import Field
    from kohort.app.subjects import Subject
    from kohort.app.worker import Task
    from kohort.job.lines import Place

#: Seconds that an answer is waited for before a page says that it is being worked at.
AT_ONCE: Final = 0.4

#: Digits of a number that a form may have.
DIGITS: Final = 12

#: Seconds that it is waited for where a form needs it, which a page that waits would lose.
WITH_A_FORM: Final = 60.0

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
class Frame:
    """What the pages of a desk share."""

    desk: Desk

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
        """The answer to a question."""
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

    def _fields(self, *places: Place) -> tuple[Field, ...]:
        """The fields of some tables of the job."""
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
        """The page of what is waited for, or of what is wrong."""
        task = lacking.task
        if task is None:
            return self._wrong(lacking.faults, 422)
        what = self.subject.doing[task.question.partition(".")[2]]
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
            "STEPS": self.subject.steps,
            "figures": self.subject.figures,
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


def number(text: str) -> int:
    """A number of a form; -1 for what is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < DIGITS else -1
