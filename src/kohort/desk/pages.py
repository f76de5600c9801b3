"""The pages of the desk: what each shows, and what its form changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse, RedirectResponse, Response

from kohort.algorithms.method import METHODS
from kohort.assessment.inspection.evidence import HALF
from kohort.desk.answers import Choice
from kohort.desk.attacks import Attacks
from kohort.desk.columns import View, chosen_in
from kohort.desk.desk import tables_of
from kohort.desk.fields import has_levels, places_of_t, read
from kohort.desk.fixes import fixes_of
from kohort.desk.job_pages import AT_ONCE, WITH_A_FORM, JobPages, number, parts_of
from kohort.desk.plot import Setting, plot_of
from kohort.desk.protection import applying, choices_of, in_words
from kohort.desk.render import ROLES
from kohort.errors import UsageError
from kohort.job.columns import quasi_of, with_answers
from kohort.job.edits import changed, table_at, with_roles, written
from kohort.job.keys import CLASSICS
from kohort.job.lines import read_toml
from kohort.job.varied import unfit
from kohort.report.evidence.criteria import CRITERIA
from kohort.report.render.page.figure import percent, written_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from starlette.requests import Request

    from kohort.desk.answers import ColumnLook, Fault, Look, Preview
    from kohort.desk.desk import Version
    from kohort.desk.job_pages import Endpoint
    from kohort.desk.nodes import LatticeLook
    from kohort.job.lines import Place
    from kohort.pipeline.pricing import Price

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

#: Models that most people need; the others are folded.
USUAL: Final = frozenset({"l", "t"})

#: Where a job says a node.
NODE: Place = ("method", "node")


@dataclass(slots=True, eq=False)
class Pages(JobPages):
    """The pages of a table."""

    def shown(self) -> Mapping[str, Endpoint]:
        """What is shown, by its path."""
        return {
            **JobPages.shown(self),
            "/columns": self.columns,
            "/column": self.column,
            "/unique": self.unique,
            "/records": self.records,
            "/protection": self.protection,
            "/preview": self.preview,
            "/frontier": self.frontier,
            "/evidence": self.evidence,
            "/lattice": self.lattice,
        }

    def changes(self) -> Mapping[str, Endpoint]:
        """What the forms of a path do."""
        return {
            **JobPages.changes(self),
            "/columns": self.set_roles,
            "/column": self.set_column,
            "/protection": self.set_protection,
            "/frontier": self.choose,
            "/lattice": self.take_node,
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

    def records(self, request: Request) -> Response:
        """Ten records of the table."""
        first = number(request.query_params.get("first", "1"))
        rows = self._answer("records", self._reading(), self.desk.folder, first)
        return self._page("records", "Records", rows=rows, here="/columns")

    def protection(self, _: Request) -> Response:
        """Who gets the release, what every group must satisfy, each with what it costs; and all settings."""
        raw = self.desk.raw
        choices = self._choices()
        costs, waiting = self._costs(choices)
        fields = applying(self._fields(("privacy",), ("method",), ("person",)), raw)
        names = {"privacy": "Promise", "method": "Method", "person": "People", CLASSICS: CLASSICS}
        kinds = [(CLASSICS if one.classic else one.place[0], one) for one in fields]
        groups = [(title, [one for kind, one in kinds if kind == key]) for key, title in names.items()]
        shown: dict[str, Any] = {"choices": choices, "costs": costs, "groups": groups}
        return self._page("protection", "Protection", waiting=waiting, **shown)

    def _choices(self) -> tuple[Mapping[str, Any], ...]:
        said, look = table_at(self.desk.raw, ("columns",)), self.desk.known("look", self._reading(), self.desk.folder)
        guessed = () if look is None else (one.guess for one in look.columns)
        scales = {one.name: one.scale for one in guessed}
        numeric = [name for name in said if table_at(said, (name,)).get("scale", scales.get(name)) == "numeric"]
        return choices_of(self.desk.raw, numeric)

    def preview(self, request: Request) -> Response:
        """What the job would release; ten records of it where somebody asks for them."""
        found = self._of_job("preview")
        rows = None
        if "records" in request.query_params:
            rows = self._of_job("changes")
        return self._page("preview", "Preview", found=found, rows=rows, levels=has_levels(self.desk.raw))

    def evidence(self, request: Request) -> Response:
        """What can be said of the release to those who must judge it; also as JSON."""
        found = self._of_job("evidence")
        if request.query_params.get("form") == "json":
            return JSONResponse(found)
        return self._page("evidence", "Evidence", found=found, criteria=CRITERIA, attacks=Attacks.of(found["criteria"]))

    def frontier(self, request: Request) -> Response:
        """Risk and loss of other values of k, and of other methods."""
        raw, asked = self.desk.raw, request.query_params
        places = places_of_t(raw)
        said = {written(table_at(raw, place[:2])["t"]) for place in places}
        now = Choice(
            written(table_at(raw, ("privacy",)).get("k")),
            table_at(raw, ("method",)).get("name", "mondrian"),
            said.pop() if len(said) == 1 else "",
        )
        ks, ts = parts_of(asked.get("k", with_own(TRIED, now.k))), parts_of(asked.get("t", "")) if places else ()
        methods = tuple(one for one in METHODS if one in asked.getlist("method")) or (now.method,)
        found: Sequence[Choice] = self._of_job("frontier", ks, ts, methods) if "k" in asked else ()
        shown: dict[str, Any] = {"methods": methods, "titles": _sentences(METHODS), "now": now, "has_t": bool(places)}
        rows = [(one, (one.k, one.method, one.t or now.t) == now[:3]) for one in found]
        plot = plot_of([_setting(place, *row) for place, row in enumerate(rows) if not row[0].why])
        return self._page("frontier", "Trade-off", ks=",".join(ks), ts=",".join(ts), rows=rows, plot=plot, **shown)

    def lattice(self, _: Request) -> Response:
        """The lattice of a method with levels; else the methods that have some."""
        raw = self.desk.raw
        look: LatticeLook | None = self._of_job("lattice") if has_levels(raw) else None
        methods = _sentences(name for name, one in METHODS.items() if one.takes("node"))
        given = table_at(raw, NODE[:1]).get(NODE[1])
        now = table_at(raw, ("method",)).get("name", "mondrian")
        return self._page("lattice", "Lattice", look=look, methods=methods, given=given, now=now, here="/preview")

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

    def set_protection(self, request: Request) -> Response:
        """Set the keys of the promise and the method."""
        fields = self._fields(("privacy",), ("method",), ("person",))
        self._set(request, applying(fields, self.desk.raw), "protection")
        return RedirectResponse("/protection", 303)

    def choose(self, request: Request) -> Response:
        """Take the k and the method of a point; what another method was told goes."""
        form = request.scope["form"]
        before = table_at(self.desk.raw, ("method",)).get("name", "mondrian")
        k, method, t = (*form.get("choice", "").split(" "), "", "")[:3]
        if method not in METHODS:
            raise UsageError("there is no such method", hint=f"one of {', '.join(METHODS)}")
        said: dict[Place, object] = {("privacy", "k"): read(("privacy", "k"), k), ("method", "name"): method}
        said |= {place: read(place, t) for place in places_of_t(self.desk.raw) if t}
        text = changed(self.desk.text, said)
        drop = dict.fromkeys(unfit(read_toml(text), [one for one in METHODS if one in {before, method}]))
        self._change(request, changed(text, drop), f"k = {k}, {f't = {t}, ' * bool(t)}{method}")
        return RedirectResponse("/preview", 303)

    def take_node(self, request: Request) -> Response:
        """Have the job release a node, or search for one again; or give it a method that has levels."""
        form = request.scope["form"]
        if "method" in form:
            self._change(request, self._with_method(form["method"]), f"method {form['method']}")
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

    def _with_method(self, method: str) -> str:
        """The job's text with a method that has levels, and a hierarchy for each column that needs one and has none."""
        if method not in METHODS or not METHODS[method].takes("node"):
            raise UsageError("there is no such method with levels", hint="choose one of the page Lattice")
        raw = self.desk.raw
        before = str(table_at(raw, ("method",)).get("name", "mondrian"))
        text = changed(self.desk.text, {("method", "name"): method})
        known = [one for one in METHODS if one in {before, method}]
        look: Look = self._answer("look", self._reading(), self.desk.folder, patience=WITH_A_FORM)
        proposed = {one.guess.name: one.proposed["quasi"] for one in look.columns}
        lacking = [name for name in quasi_of(raw) if "hierarchy" not in table_at(raw, ("columns", name))]
        levels: dict[Place, object] = {
            ("columns", name, "hierarchy"): _levels_of({**proposed[name], **table_at(raw, ("columns", name))})
            for name in lacking
        }
        return changed(text, {**dict.fromkeys(unfit(read_toml(text), known)), **levels})

    def _column(self, place: int) -> ColumnLook:
        look: Look = self._answer("look", self._reading(), self.desk.folder, patience=WITH_A_FORM)
        if not 0 <= place < len(look.columns):
            raise UsageError("the table has no such column", hint="choose one of the page Columns")
        return look.columns[place]

    def _figures(self, version: Version) -> Mapping[str, object]:
        """What a preview has shown of a version; else what is estimated of it."""
        k = written(table_at(tables_of(version.text), ("privacy",)).get("k"))
        said: dict[str, object] = {"k": k, "loss": None, "risk": None, "about": False, "refused": False}
        found: Preview | None = self.desk.known("preview", version.text, self.desk.place)
        if found is not None:
            smallest = found.result["smallest"]
            return {**said, "loss": _lost(found), "risk": 1 / smallest if smallest else 0.0}
        task = self.desk.asked("cost", version.text, self.desk.place, ())
        if task is None or task.is_open:
            return said
        price: Price | None = task.value
        figures = {} if price is None else {"loss": price.loss, "risk": price.highest}
        return {**said, **figures, "about": True, "refused": price is None}

    def _estimate(self) -> bool:
        """Have the job as it is estimated."""
        return self.desk.ask("cost", self.desk.text, self.desk.place, ()).is_open

    def _fixes(self, fault: Fault) -> Iterator[tuple[str, Mapping[str, Mapping[Place, object]]]]:
        return fixes_of(fault, self.desk.raw)

    def _beside(self, one: Preview, other: Preview) -> Iterator[tuple[str, str, str]]:
        for what, key in COMPARED.items():
            yield what, written_number(one.result[key]), written_number(other.result[key])
        for what, share in (("detail lost", _lost), ("people singled out at most by a column or a pair", _singled)):
            yield what, percent(share(one)), percent(share(other))
        losses = [{str(each["column"]): each["loss"] for each in found.losses} for found in (one, other)]
        for column in dict.fromkeys([*losses[0], *losses[1]]):
            shown = ["" if found.get(column) is None else percent(found[column]) for found in losses]
            yield f"detail lost of {column}", shown[0], shown[1]

    def _python(self) -> str:
        name = self.desk.path.name
        target = table_at(self.desk.raw, ("output",)).get("path", "")
        source = table_at(self.desk.raw, ("input",)).get("path", "")
        lines = ["import kohort", "", f"job = kohort.Job.from_toml({name!r})"]
        return "\n".join([*lines, f"kohort.anonymize({source!r}, job, target={target!r})"])


def with_own(values: str, own: str) -> str:
    """Numbers to try, and the job's own among them.

    >>> with_own("2,5,10", "7"), with_own("2,5", ""), with_own("2,5", "5")
    ('2,5,7,10', '2,5', '2,5')
    """
    parts = parts_of(values)
    if own in {"", *parts}:
        return values
    return ",".join(sorted((*parts, own), key=float)) if own.replace(".", "", 1).isdecimal() else values


def _setting(place: int, one: Choice, is_now: bool) -> Setting:  # noqa: FBT001  the parts of a row
    label = f"k = {one.k}" + (f", t = {one.t}" if one.t else "")
    words = f"{label}, {one.method}: risk {percent(one.risk)}, detail lost {percent(one.loss)}"
    words += "; the knee" * one.knee + "; current setting" * is_now
    label = f"{'knee: ' * one.knee}{label}{' (now)' * is_now}"
    at = one.risk, one.loss
    return Setting(*at, label, one.method, words, f"point-{place}", best=one.best, knee=one.knee, now=is_now)


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


def _lost(found: Preview) -> float:
    return next((float(one["value"]) for one in found.metrics if one["name"] == "ncp"), 0.0)


def _singled(found: Preview) -> float:
    return max((float(one["share"]) for one in found.verdict["singling"]), default=0.0)
