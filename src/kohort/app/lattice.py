"""The page of a lattice: which nodes are releasable, and the choice of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.responses import RedirectResponse, Response

from kohort.algorithms.method import METHODS
from kohort.app.edits import changed
from kohort.app.fields import has_levels, table_at
from kohort.app.frame import WITH_A_FORM, number
from kohort.app.pages import Pages
from kohort.errors import UsageError
from kohort.job.columns import quasi_of
from kohort.job.lines import read_toml
from kohort.job.varied import unfit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from kohort.app.answers import Look
    from kohort.app.job_pages import Endpoint
    from kohort.app.nodes import LatticeLook
    from kohort.job.lines import Place

#: Where a job says a node.
NODE: Place = ("method", "node")


@dataclass(slots=True, eq=False)
class LatticePages(Pages):
    """The pages of lattices."""

    def shown(self) -> Mapping[str, Endpoint]:
        """What is shown, by its path."""
        return {"/lattice": self.lattice}

    def changes(self) -> Mapping[str, Endpoint]:
        """What the forms of a path do."""
        return {"/lattice": self.take}

    def lattice(self, _: Request) -> Response:
        """The lattice of a method with levels; else the methods that have some."""
        raw = self.desk.raw
        look: LatticeLook | None = self._of_job("lattice") if has_levels(raw) else None
        methods = {name: one.specification.sentence for name, one in METHODS.items() if one.takes("node")}
        given = table_at(raw, NODE[:1]).get(NODE[1])
        now = table_at(raw, ("method",)).get("name", "mondrian")
        return self._page("lattice", "Lattice", look=look, methods=methods, given=given, now=now, here="/preview")

    def take(self, request: Request) -> Response:
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


def _levels_of(said: Mapping[str, Any]) -> str:
    """A hierarchy for a column that has none: ranges that grow with its grid, what was proposed, or all or nothing."""
    step = said.get("grid")
    if isinstance(step, int | float) and step > 0:
        return f"intervals:{step},{2 * step},{4 * step}"
    return str(said.get("hierarchy", "suppress"))
