"""The pages of a table besides those of every kind of data: what each shows, and what its form changes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse, RedirectResponse, Response

from kohort.algorithms.method import METHODS
from kohort.assessment.inspection.evidence import HALF
from kohort.desk.columns import View, chosen_in
from kohort.desk.fields import has_levels
from kohort.desk.job_pages import AT_ONCE, WITH_A_FORM, JobPages, number
from kohort.desk.protection import applying, choices_of, in_words
from kohort.desk.render import ROLES
from kohort.errors import UsageError
from kohort.job.columns import quasi_of, with_answers
from kohort.job.edits import changed, table_at, with_roles
from kohort.job.keys import CLASSICS
from kohort.job.lines import read_toml
from kohort.job.varied import unfit
from kohort.perturbation.text import said_of
from kohort.report.evidence.criteria import CRITERIA
from kohort.report.render.page.figure import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from starlette.requests import Request

    from kohort.desk.answers import ColumnLook, Fault, Look
    from kohort.desk.fields import Field
    from kohort.desk.job_pages import Endpoints
    from kohort.desk.nodes import LatticeLook
    from kohort.job.lines import Place

#: Models that most people need; the others are folded.
USUAL: Final = frozenset({"l", "t"})

#: Where a job says a node.
NODE: Place = ("method", "node")

#: What is between the names of columns that a draft lists.
_BETWEEN: Final = re.compile(", | or ")

#: What can be decided of a column: the words of a button, and the role that it gives.
DECIDE: Final[Mapping[str, str]] = {
    "Group it": "quasi",
    "Protect it as sensitive": "sensitive",
    "Release it unchanged": "insensitive",
    "Drop it": "drop",
}


@dataclass(slots=True, eq=False)
class TablePages(JobPages):
    """The pages of a table."""

    criteria = CRITERIA
    methods = METHODS
    tried = MappingProxyType({"k": (("privacy", "k"), "2,3,5,10,20,50,100")})
    counted = ("Classes", "Suppressed")

    def routes(self) -> Mapping[str, Endpoints]:
        """What answers a request for each path."""
        return {
            **JobPages.routes(self),
            "/columns": (self.columns, self.set_roles),
            "/column": (self.column, self.set_column),
            "/unique": (self.unique, None),
            "/lattice": (self.lattice, self.take_node),
        }

    # --- looking ------------------------------------------------------------------------------------------------------

    def columns(self, request: Request) -> Response:
        """The columns with what is known of them; those that nobody has decided on come first."""
        look: Look = self._answer("look", self._reading(), self.desk.folder)
        view, said = View.of(request.query_params), self._said(look)
        rows = view.rows(look, said)
        undecided = [name for name, one in said.items() if one.get("role") not in ROLES]
        faults = [one for one in self.desk.faults() if not undecided or not {*one.columns} & {*undecided}]
        quasi = tuple(quasi_of(self.desk.raw))
        shown: dict[str, Any] = {"rows": rows, "view": view, "undecided": undecided, "faults": faults}
        shown["unique"] = self._unique(quasi)
        shown["folded"] = [place for place, one in enumerate(look.columns) if one.guess.name in quasi]
        return self._page("columns", "Columns", look=look, known=_known(look), **shown)

    def unique(self, request: Request) -> Response:
        """How many people are unique by the columns at some places, as a sentence; for the script."""
        look: Look = self._answer("look", self._reading(), self.desk.folder)
        places = {number(one) for one in request.query_params.getlist("place")}
        names = tuple(one.guess.name for place, one in enumerate(look.columns) if place in places)
        said = self._unique(names)
        return JSONResponse({"text": said}, 200 if said else 202)

    def _unique(self, names: tuple[str, ...]) -> str:
        """The sentence on people who are unique by these columns; empty while they are counted."""
        if not names:
            return "No column is grouped yet, so the release protects no one."
        said: dict[Place, object] = {("person", "key"): table_at(self.desk.raw, ("person",)).get("key")}
        task = self.desk.ask("unique", changed(self._reading(), said), self.desk.folder, names)
        task.over.wait(AT_ONCE)
        if task.value is None:
            return ""
        unique, people, smallest = task.value
        columns = "this column" if len(names) == 1 else f"these {len(names)} columns"
        share = percent(unique / people if people else 0.0)
        least = "" if unique else f" The smallest group has {smallest:,}."
        return f"{share} of the people are unique on {columns} ({unique:,} of {people:,}).{least}"

    def column(self, request: Request) -> Response:
        """What a job says of one column."""
        place = number(request.query_params.get("place", ""))
        look = self._column(place)
        name = look.guess.name
        fields = applying(self._fields(("columns", name)), self.desk.raw)
        models = [one for one in fields if one.is_model or one.key == "distance"]
        usual = [one for one in models if one.value or one.key in USUAL]
        others = [one for one in models if one not in usual]
        groups = [
            ("Limits on what a group reveals", "", usual),
            ("Treatment", "", [one for one in fields if one not in models]),
        ]
        shown: dict[str, Any] = {"groups": [one for one in groups if one[2]], "others": others, "guess": look.guess}
        shown["generalized"] = table_at(self.desk.raw, ("columns", name)).get("role") in {"quasi", "sensitive"}
        return self._page(
            "fields",
            name,
            action="/column",
            place=place,
            back="/columns",
            bars=look.bars,
            here="/columns",
            said=in_words(table_at(self.desk.raw, ("columns", name))),
            **shown,
        )

    def lattice(self, _: Request) -> Response:
        """The lattice of a method with levels; else the methods that have some."""
        raw = self.desk.raw
        look: LatticeLook | None = self._of_job("lattice") if has_levels(raw) else None
        methods = _sentences(name for name, one in METHODS.items() if one.takes("node"))
        given = table_at(raw, NODE[:1]).get(NODE[1])
        shown: dict[str, Any] = {"look": look, "methods": methods, "given": given, "now": self._method()}
        return self._page("lattice", "Lattice", here="/preview", **shown)

    # --- choosing -----------------------------------------------------------------------------------------------------

    def set_roles(self, request: Request) -> Response:
        """Give columns the roles of the form: each its own, and some of them together another."""
        look: Look = self._answer("look", self._reading(), self.desk.folder, patience=WITH_A_FORM)
        form = request.scope["form"]
        view, said = View.of(form), self._said(look)
        chosen = chosen_in(form, len(look.columns), view.places(look, said))
        roles = {look.columns[place].guess.name: role for place, role in chosen.items()}
        roles = {name: role for name, role in roles.items() if said[name].get("role") != role}
        others = _known(look)[1] if "answers" in form else []
        answers = [name for name in others if roles.get(name, said[name].get("role")) in {"quasi", "insensitive"}]
        roles |= dict.fromkeys(answers, "insensitive")
        text = with_roles(self.desk.text, roles, self._proposed(roles))
        text = changed(text, {("answers",): answers}) if answers else text
        self._change(request, text, "answers" if answers else "roles")
        return RedirectResponse(view.address(), 303)

    def _said(self, look: Look) -> dict[str, Mapping[str, Any]]:
        """What the job says of each column: of answers and of the rest, too."""
        raw = self.desk.raw
        said = table_at(with_answers(raw), ("columns",))
        rest = {"role": raw["rest"]} if raw.get("rest") in ROLES else {}
        return {one.guess.name: table_at(said, (one.guess.name,)) or rest for one in look.columns}

    def _proposed(self, roles: Mapping[str, str]) -> Mapping[str, Mapping[str, object]]:
        look: Look = self._answer("look", self._reading(), self.desk.folder, patience=WITH_A_FORM)
        return {one.guess.name: one.proposed.get(roles.get(one.guess.name, ""), {}) for one in look.columns}

    def set_column(self, request: Request) -> Response:
        """Set the keys of a column."""
        name = self._column(number(request.scope["form"].get("place", ""))).guess.name
        self._set(request, applying(self._fields(("columns", name)), self.desk.raw), f"column {name}")
        return RedirectResponse("/columns", 303)

    def take_node(self, request: Request) -> Response:
        """Have the job release a node, or search for one again; or give it a method that has levels."""
        form = request.scope["form"]
        if "method" in form:
            self._change(request, self._on_levels(form["method"]), f"method {form['method']}")
            return RedirectResponse("/lattice", 303)
        if "search" in form:
            self._change(request, changed(self.desk.text, {NODE: None}), "search for a node")
            return RedirectResponse("/lattice", 303)
        look: LatticeLook = self._of_text(self.desk.text, "lattice", patience=WITH_A_FORM)
        levels = tuple(map(number, form.get("node", "").split(",")))
        if len(levels) != len(look.top) or not all(
            0 <= one <= most for one, most in zip(levels, look.top, strict=True)
        ):
            raise UsageError("the lattice has no such node", hint="choose one of the page Lattice")
        node = dict(zip(look.names, levels, strict=True))
        said = ", ".join(f"{name} {level}" for name, level in node.items())
        self._change(request, changed(self.desk.text, {NODE: node}), f"node: {said}")
        return RedirectResponse("/preview", 303)

    # --- what they share ----------------------------------------------------------------------------------------------

    def _choices(self) -> Sequence[Mapping[str, Any]]:
        said, look = table_at(self.desk.raw, ("columns",)), self.desk.known("look", self._reading(), self.desk.folder)
        guessed = () if look is None else (one.guess for one in look.columns)
        scales = {one.name: one.scale for one in guessed}
        numeric = [name for name in said if table_at(said, (name,)).get("scale", scales.get(name)) == "numeric"]
        return choices_of(self.desk.raw, numeric)

    def _settings(self) -> Sequence[tuple[str, Sequence[Field]]]:
        fields = applying(self._fields(("privacy",), ("method",), ("person",)), self.desk.raw)
        names = {"privacy": "Promise", "method": "Method", "person": "People", CLASSICS: CLASSICS}
        kinds = [(CLASSICS if one.classic else one.place[0], one) for one in fields]
        return [(title, [one for kind, one in kinds if kind == key]) for key, title in names.items()]

    def _method(self) -> str:
        return str(table_at(self.desk.raw, ("method",)).get("name", "mondrian"))

    def _titles(self) -> Mapping[str, Mapping[str, Sequence[str]]]:
        return {title: {one: (name,) for name, one in some.items()} for title, some in _sentences(METHODS).items()}

    def _with_method(self, text: str, method: str) -> str:
        text = changed(text, {("method", "name"): method})
        known = [one for one in METHODS if one in {self._method(), method}]
        return changed(text, dict.fromkeys(unfit(read_toml(text), known)))

    def _on_levels(self, method: str) -> str:
        """The job's text with a method that has levels, and a hierarchy for each column that needs one and has none."""
        if method not in METHODS or not METHODS[method].takes("node"):
            raise UsageError("there is no such method with levels", hint="choose one of the page Lattice")
        raw = self.desk.raw
        look: Look = self._answer("look", self._reading(), self.desk.folder, patience=WITH_A_FORM)
        proposed = {one.guess.name: one.proposed["quasi"] for one in look.columns}
        lacking = [name for name in quasi_of(raw) if "hierarchy" not in table_at(raw, ("columns", name))]
        levels: dict[Place, object] = {
            ("columns", name, "hierarchy"): _levels_of({**proposed[name], **table_at(raw, ("columns", name))})
            for name in lacking
        }
        return changed(self._with_method(self.desk.text, method), levels)

    def _column(self, place: int) -> ColumnLook:
        look: Look = self._answer("look", self._reading(), self.desk.folder, patience=WITH_A_FORM)
        if not 0 <= place < len(look.columns):
            raise UsageError("the table has no such column", hint="choose one of the page Columns")
        return look.columns[place]

    def _estimate(self) -> bool:
        """Have the job as it is estimated."""
        return self.desk.ask("cost", self.desk.text, self.desk.place, ()).is_open

    def _fixes(self, fault: Fault) -> Iterator[tuple[str, Mapping[str, Mapping[Place, object]]]]:
        return fixes_of(fault, self.desk.raw)


def _sentences(methods: Iterable[str]) -> Mapping[str, Mapping[str, str]]:
    """The sentence of each method: of the classics apart."""
    found: dict[str, dict[str, str]] = {"Methods": {}, CLASSICS: {}}
    for name in methods:
        found[CLASSICS if name in METHODS.classics else "Methods"][name] = METHODS[name].specification.sentence
    return found


def _known(look: Look) -> tuple[list[str], list[str]]:
    """The columns that outsiders are likely to know, and the others that could be answers, as a draft lists these."""
    guesses = [one.guess for one in look.columns]
    others = [one for one in guesses if one.answer or (one.left_over and one.distinctness < HALF)]
    known = [one.name for one in guesses if one.role == "quasi" and not one.left_over]
    return known, [one.name for one in sorted(others, key=lambda one: -one.separation)]


def _levels_of(said: Mapping[str, Any]) -> str:
    """A hierarchy for a column that has none: ranges that grow with its grid, what was proposed, or all or nothing."""
    step = said.get("grid")
    if isinstance(step, int | float) and step > 0:
        return f"intervals:{step},{2 * step},{4 * step}"
    return str(said.get("hierarchy", "suppress"))


# --- where a job is refused: for each column buttons, each of which says what it changes ------------------------------


def fixes_of(fault: Fault, raw: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, dict[Place, object]]]]:
    """For each column that a fault is about, the words of its buttons and what each changes; else nothing."""
    columns, person = table_at(raw, ("columns",)), str(table_at(raw, ("person",)).get("key", ""))
    for name in fault.columns:
        role, place = table_at(columns, (name,)).get("role"), ("columns", name)
        roles: dict[str, dict[Place, object]] = {words: {(*place, "role"): to} for words, to in DECIDE.items()}
        if role is not None and role not in ROLES:
            yield name, roles
            continue
        offered = _by_flag(name, fault) | {words: roles[words] for words in ("Group it", "Drop it")}
        if role == "quasi":
            del offered["Group it"]
        if fault.unsafe:
            offered["Release it anyway"] = {(*place, "allow-singling"): True}
        yield name, offered
    if fault.where == "people" and ": " in person:
        for name in _BETWEEN.split(person.partition(": ")[2]):
            if name in columns:
                yield name, _person(name)
        yield "", {"Each record is a person": {("person",): None}}


def _person(name: str) -> dict[str, dict[Place, object]]:
    return {"Count people by it": {("person", "key"): name}}


def _by_flag(name: str, fault: Fault) -> dict[str, dict[Place, object]]:
    """The button for what a flag would do that makes the column safe."""
    match fault.flag:
        case ("--perturb", value):
            parsed, place = said_of(value), ("perturb", "columns", name)
            rounded: dict[Place, object] = {
                (*place, key): _number(str(said)) for key, said in parsed.parameters.items()
            }
            return {"Round it": {(*place, "method"): parsed.method, **rounded}}
        case ("--hierarchy", value):
            return {"Group it by its first characters": {("columns", name, "hierarchy"): value.rpartition("=")[2]}}
        case ("--person", _):
            return _person(name)
        case _:
            return {}


def _number(text: str) -> object:
    try:
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError:
        return text
