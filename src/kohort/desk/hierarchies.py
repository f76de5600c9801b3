"""The pages of a column's hierarchy: its levels, what builds another one, and its tree, edited by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from starlette.responses import RedirectResponse, Response

from kohort.desk.answers import Fault, faults_in
from kohort.desk.fields import has_levels
from kohort.desk.job_pages import WITH_A_FORM, UnansweredError, number, sent_file
from kohort.desk.making import (
    Complete,
    Cuts,
    Edit,
    Edited,
    Insert,
    JobHierarchy,
    Making,
    Move,
    Prefixes,
    Remove,
    Rename,
    UploadedFile,
    groups_of,
)
from kohort.desk.pages import TablePages
from kohort.desk.worker import State
from kohort.errors import KohortError, UsageError
from kohort.job.edits import changed, table_at
from kohort.schema import Label, Role, Scale
from kohort.schema.hierarchies import is_builder, titles
from kohort.schema.hierarchies.sets import PERIODS
from kohort.schema.nesting import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from kohort.desk.job_pages import Endpoints
    from kohort.desk.making import HierarchyView
    from kohort.job.lines import Place
    from kohort.schema.hierarchies import HeldFile

#: The roles of columns that have a use for a hierarchy.
ROLES: Final = frozenset({Role.QUASI.value, Role.SENSITIVE.value})


class Generalized(NamedTuple):
    """The column that a page is about."""

    place: int
    name: str
    said: Mapping[str, Any]

    @property
    def spec(self) -> str:
        """Its hierarchy as the job says it; empty where it says none."""
        return str(self.said.get("hierarchy", ""))


@dataclass(slots=True, eq=False)
class HierarchyPages(TablePages):
    """The pages of a table, with those of its hierarchies."""

    def routes(self) -> Mapping[str, Endpoints]:
        """What answers a request for each path."""
        return {
            **TablePages.routes(self),
            "/hierarchy": (self.hierarchy, self.build),
            "/hierarchy/file": (self.export, None),
            "/tree": (self.tree, self.edit),
        }

    # --- looking ------------------------------------------------------------------------------------------------------

    def hierarchy(self, request: Request) -> Response:
        """The levels of a column's hierarchy, and what builds another one."""
        return self._levels(self._of(request.query_params.get("place", "")))

    def tree(self, request: Request) -> Response:
        """The tree with the nodes of a level, to be moved and renamed."""
        return self._tree(
            self._of(request.query_params.get("place", "")), number(request.query_params.get("level", "0"))
        )

    def export(self, request: Request) -> Response:
        """The hierarchy as a file, as it would lie beside the job."""
        file = self._made(column := self._of(request.query_params.get("place", "")), JobHierarchy(column.spec)).file
        kind = "text/csv" if file.suffix == ".csv" else "application/json"
        name = _plain(file.name)
        return Response(
            file.content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'}
        )

    # --- choosing -----------------------------------------------------------------------------------------------------

    def build(self, request: Request) -> Response:
        """Give the column the hierarchy that a form asks for; what is wrong is told at the form."""
        form = request.scope["form"]
        column = self._of(form.get("place", ""))
        try:
            self._take(request, column, making_of(form, request.scope["files"], column.spec))
        except UnansweredError as lacking:
            return self._levels(column, form, self._faults_of(lacking))
        except KohortError as error:
            return self._levels(column, form, faults_in(error))
        return RedirectResponse(f"/hierarchy?place={column.place}", 303)

    def edit(self, request: Request) -> Response:
        """Do to the tree what the form asks for."""
        form = request.scope["form"]
        column, level = self._of(form.get("place", "")), number(form.get("level", ""))
        try:
            made = self._made(column, JobHierarchy(column.spec))
            edits = edits_of(form, made, level)
            if edits:
                self._take(request, column, Edited(JobHierarchy(column.spec), edits))
        except UnansweredError as lacking:
            return self._tree(column, level, form, self._faults_of(lacking))
        except KohortError as error:
            return self._tree(column, level, form, faults_in(error))
        return RedirectResponse(f"/tree?place={column.place}&level={level}", 303)

    def _take(self, request: Request, column: Generalized, making: Making) -> None:
        made = self._made(column, making)
        if made.faults:
            raise UnansweredError(faults=made.faults)
        said = making.text if isinstance(making, JobHierarchy) else self.desk.hold(made.file)
        values = fitted(column.said, said, made, on_levels=has_levels(self.desk.raw))
        keys: dict[Place, object] = {("columns", column.name, key): value for key, value in values.items()}
        bare = changed(self.desk.text, {("columns", column.name, "hierarchy"): None})  # with the comment on the old one
        self._change(request, changed(bare, keys), f"hierarchy of {column.name}")

    # --- what they share ----------------------------------------------------------------------------------------------

    def _of(self, place: str) -> Generalized:
        at = number(place)
        name = self._column(at).guess.name
        said = table_at(self.desk.raw, ("columns", name))
        if said.get("role") not in ROLES:
            hint = "give it the role quasi first"
            raise UsageError("only quasi-identifying and sensitive columns have a hierarchy", where=name, hint=hint)
        return Generalized(at, name, said)

    def _made(self, column: Generalized, making: Making) -> HierarchyView:
        scale = str(column.said.get("scale", ""))
        made: HierarchyView = self._answer(
            "hierarchy", self._reading(), self.desk.place, column.name, scale, making, patience=WITH_A_FORM
        )
        return made

    def _faults_of(self, lacking: UnansweredError) -> tuple[Fault, ...]:
        """What is wrong, where a question has no answer; raises it again where that is still to come."""
        task = lacking.task
        if task is None:
            return lacking.faults
        if task.state is not State.FAILED:
            raise lacking
        self.desk.forget(task)
        return task.faults

    def _now(self, column: Generalized) -> tuple[HierarchyView | None, tuple[Fault, ...]]:
        """The hierarchy that the job has; where it can have none, why."""
        try:
            made = self._made(column, JobHierarchy(column.spec))
        except UnansweredError as lacking:
            return None, self._faults_of(lacking)
        return made, made.faults

    def _levels(
        self, column: Generalized, form: Mapping[str, str] | None = None, wrong: tuple[Fault, ...] = ()
    ) -> Response:
        """The page of the levels; a form that was wrong is as it was sent."""
        made, faults = self._now(column)
        sent = form or {}
        typed = {**typed_of(column.spec), **sent}
        shown: dict[str, Any] = {"did": sent.get("do", ""), "periods": PERIODS, "builder": _builder(column.spec)}
        shown["public"] = titles()
        return self._of_column("hierarchy", column, wrong, made=made, not_fit=faults, typed=typed, **shown)

    def _tree(
        self, column: Generalized, level: int, form: Mapping[str, str] | None = None, wrong: tuple[Fault, ...] = ()
    ) -> Response:
        made, faults = self._now(column)
        if made is None or not made.labels:
            what = "the hierarchy has too many values to be edited here"
            large = Fault(what, column.name, "export it, edit the file, and import it again")
            raise UnansweredError(faults=faults or (large,))
        level = level if 0 <= level < len(made.parents) else 0
        shown: dict[str, Any] = {"level": level, "groups": groups_of(made.labels, made.parents, level)}
        return self._of_column("tree", column, wrong, made=made, not_fit=faults, typed=form or {}, **shown)

    def _of_column(self, kind: str, column: Generalized, wrong: tuple[Fault, ...], **shown: object) -> Response:
        """A page of a column; `wrong` is what was wrong with the form that was sent there."""
        title, status = f"{kind.capitalize()} of {column.name}", 422 if wrong else 200
        return self._page(kind, title, status=status, column=column, wrong=wrong, here="/columns", **shown)


def _plain(name: str) -> str:
    """A name that a header can have."""
    return "".join(one if one.isascii() and (one.isalnum() or one in "._-") else "_" for one in name)


def _builder(spec: str) -> bool:
    try:
        return bool(spec) and is_builder(spec)
    except UsageError:
        return True


def fitted(said: Mapping[str, Any], hierarchy: str, made: HierarchyView, *, on_levels: bool) -> dict[str, object]:
    """The keys of a column that gets a hierarchy: what contradicts it goes, and its nodes are what is released."""
    values: dict[str, object] = {"hierarchy": hierarchy}
    if said.get("role") != Role.QUASI:
        return values
    gone = [key for key in ("grid", "label", "date-format") if key in said]
    gone += ["scale"] if said.get("scale") == Scale.DATE else []
    gone += ["max-level"] if said.get("max-level", 0) >= len(made.levels) else []
    values |= dict.fromkeys(gone)
    return values | ({"label": Label.ANCESTOR.value} if made.numeric and not on_levels else {})


# --- what forms ask for -----------------------------------------------------------------------------------------------


def making_of(  # noqa: PLR0911  one for each form
    form: Mapping[str, str], files: Mapping[str, HeldFile], spec: str
) -> Making:
    """How a form asks for a hierarchy to be made."""
    said = {key: "".join(value.split()) for key, value in form.items()}
    match form.get("do", ""):
        case "intervals":
            ends = f"{said.get('low', '')}..{said.get('high', '')}:" if said.get("low") or said.get("high") else ""
            return JobHierarchy(f"intervals:{ends}{said.get('widths', '')}{':open' if 'open' in form else ''}")
        case "cuts":
            lines = [line for line in form.get("cuts", "").splitlines() if line.strip()]
            levels = tuple(tuple("".join(line.split()).split(",")) for line in lines)
            return Cuts(levels, "open-cuts" in form)
        case "prefixes":
            return _prefixes(said)
        case "prefix":
            return JobHierarchy(f"prefix:{said['prefix']}" if said.get("prefix") else "prefix")
        case "dates":
            periods = ",".join(one for one in PERIODS if f"period-{one}" in form)
            return JobHierarchy(f"dates:{periods}" if periods else "dates")
        case "groups" | "frequency" | "public" as builder:
            return JobHierarchy(f"{builder}:{said.get(builder, '')}")
        case "spellings" | "suppress" as builder:
            return JobHierarchy(builder)
        case "complete":
            return Edited(JobHierarchy(spec), (Complete(),))
        case "file":
            return _sent(form, files)
        case _:
            raise UsageError("there is no such builder", hint="use a form of this page")


def _prefixes(said: Mapping[str, str]) -> Making:
    """Codes masked from a side: each character by a builder, only some by a file."""
    side, fill, steps = said.get("side", ""), said.get("fill", ""), said.get("steps", "")
    if not steps:
        return JobHierarchy(f"mask:{side}{':' if fill else ''}{fill}")
    masked = tuple(number(one) for one in steps.split(","))
    if min(masked) < 1:
        hint = "such as 1,3: so many characters on the first level, and on the second"
        raise UsageError("the characters to mask are not numbers", hint=hint)
    return Prefixes("left" if side == "left" else "right", masked, fill)


def _sent(form: Mapping[str, str], files: Mapping[str, HeldFile]) -> UploadedFile:
    file = sent_file(files, "a CSV or JSON file of yours")
    keep = form.get("keep", "")
    return UploadedFile(
        file,
        "pad" in form,
        "first" if keep == "first" else "last" if keep == "last" else "",
        SUPPRESSED if "root" in form else "",
        "complete" in form,
    )


def typed_of(spec: str) -> dict[str, str]:
    """What the fields of a builder's form would have, for a job that has it.

    >>> typed_of("intervals:0..99:5,10:open")
    {'widths': '5,10', 'low': '0', 'high': '99', 'open': 'true'}
    """
    builder, _, rest = spec.partition(":")
    match builder:
        case "intervals":
            *ends, widths = rest.removesuffix(":open").split(":")
            low, _, high = "".join(ends).partition("..")
            typed = {"widths": widths, "low": low, "high": high}
            return typed | ({"open": "true"} if rest.endswith(":open") else {})
        case "mask":
            side, _, fill = rest.partition(":")
            return {"side": side, "fill": fill}
        case "dates":
            return {f"period-{one}": "true" for one in rest.split(",") if one}
        case "groups" | "frequency" | "prefix" | "public":
            return {builder: rest}
        case _:
            return {}


def edits_of(form: Mapping[str, str], made: HierarchyView, level: int) -> tuple[Edit | Complete, ...]:
    """What a form asks to do with a tree; nothing where it is sent as it was shown."""
    if not 0 <= level < len(made.parents):
        raise UsageError("the hierarchy has no such level", hint="choose one of the page")
    match form.get("do", ""):
        case "insert":
            return (Insert(level),)
        case "remove" if level + 1 < len(made.parents):
            return (Remove(level + 1),)
        case "complete":
            return (Complete(),)
        case _:
            pass
    labels = tuple(form.get(f"name-{node}", label).strip() for node, label in enumerate(made.labels[level + 1]))
    ticked = tuple(node for node in range(len(made.labels[level])) if f"tick-{node}" in form)
    renamed: tuple[Edit, ...] = (Rename(level + 1, labels),) if labels != made.labels[level + 1] else ()
    to = form.get("new", "").strip()
    if not to and (target := number(form.get("to", ""))) in range(len(labels)):
        to = labels[target]
    return (*renamed, *([Move(level, ticked, to)] if ticked or to else []))
