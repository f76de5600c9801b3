"""A sweep as a table: every run as CSV, runs and summary as JSON, the summary as text."""

from __future__ import annotations

import csv
import json
from io import StringIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from kohort.errors import UsageError
from kohort.report.charts import LOOKS, Line, LineChart, Mark
from kohort.schema.numbers import said
from kohort.shown import many
from kohort.sweeps.advice import proposed_coherence
from kohort.sweeps.engine import Ending
from kohort.sweeps.transaction_plan import OF_MATRIX, Parameter
from kohort.transactions.methods import METHODS
from kohort.transactions.roles import Draw, Drawn

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction
    from pathlib import Path

    from kohort.report.charts.canvas import Format
    from kohort.sweeps.transactions import Failure, Outcome, Summary, Sweep

#: What JSON can say.
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def writer(path: Path) -> Callable[[Sweep], bytes]:
    """What writes a sweep in the form that the name of its file asks for."""
    if path.suffix not in _FORMS:
        raise UsageError(f"a sweep is written as {' or '.join(_FORMS)}", where="out", hint="name the file so")
    form = _FORMS[path.suffix]
    return lambda sweep: form(sweep).encode()


def csv_text(sweep: Sweep) -> str:
    """A line for each run; one without an answer has no figures, and says why."""
    file = StringIO()
    timed = ["seconds"] if any(one.seconds is not None for one in sweep.outcomes) else []
    table = csv.DictWriter(file, ["audience", *_COLUMNS, *timed, "why"], lineterminator="\n", extrasaction="ignore")
    table.writeheader()
    common = {"audience": sweep.audience, "parameter": str(sweep.plan.vary)}
    for one in sweep.outcomes:
        moles = {"size1_moles": one.moles[0], "larger_moles": sum(one.moles[1:])} if one.moles else {}
        table.writerow({**common, **_row(one), "value": said(one.value), **moles})
    return file.getvalue()


def json_text(sweep: Sweep) -> str:
    """All figures as one object."""
    return json.dumps({"audience": sweep.audience, **figures(sweep)}, indent=2) + "\n"


def figures(sweep: Sweep) -> dict[str, Json]:
    """Everything that is known of a sweep, as JSON takes it.

    Keys: vary, values, values_exact; h, k, p, delta (null where varied; delta also where roles are listed), draw (null
    where listed), min_support, methods, seeds; of generated ones matrix (columns, density and rows, null where varied);
    transactions, items, removed (items below the minimum support);
    rows (value, method, seed, ending: found, infeasible or limit; why; size1_moles, minimal_moles by size from 2 on;
    dropped: how many items; distortion, distortion_exact; seconds where they were asked for);
    summary (value, method, runs, found: how many had an answer; mean, mean_exact; deviation: of a sample; least,
    greatest). With a limit on the loss also at_most_loss, and proposed: value, method and mean of the strictest within
    it (null: there is none).
    """
    plan, job = sweep.plan, sweep.plan.job
    fixed: dict[str, Json] = {name: _number(value) for name, value in plan.fixed()}
    return {
        "vary": str(plan.vary),
        "values": [_number(value) for value in plan.values],
        "values_exact": [said(value) for value in plan.values],
        **{name: fixed.get(name) for name in Parameter if name not in OF_MATRIX},
        "draw": str(job.roles.draw) if isinstance(job.roles, Drawn) else None,
        "min_support": _number(job.min_support),
        "methods": [*plan.methods],
        "seeds": [seed for seed in plan.repeats if seed is not None],
        **({} if plan.matrix is None else {"matrix": {str(name): fixed.get(name) for name in sorted(OF_MATRIX)}}),
        "transactions": sweep.transactions,
        "items": sweep.items,
        "removed": sweep.removed,
        "rows": [_row(one) for one in sweep.outcomes],
        "summary": [_summary(one) for one in sweep.summaries()],
        **_advice(sweep),
    }


def _advice(sweep: Sweep) -> dict[str, Json]:
    """The proposed value, where one was asked for."""
    if sweep.within is None:
        return {}
    found = proposed_coherence(sweep, sweep.within)
    told = (
        None if found is None else {"value": _number(found.value), "method": found.method, **_both("mean", found.mean)}
    )
    return {"at_most_loss": float(sweep.within), "proposed": told}


def _row(one: Outcome) -> dict[str, Json]:
    """One run."""
    row: dict[str, Json] = {
        "value": _number(one.value),
        "method": one.method,
        "seed": one.seed,
        "ending": str(one.ending),
        "why": one.why or None,
        "size1_moles": one.moles[0] if one.moles else None,
        "minimal_moles": {str(size): many for size, many in enumerate(one.moles[1:], 2)} if one.moles else None,
        "dropped": one.dropped,
        **_both("distortion", one.distortion),
    }
    return row if one.seconds is None else {**row, "seconds": round(one.seconds, 4)}


def _summary(one: Summary) -> dict[str, Json]:
    """One method at one value."""
    found = one.distortions
    return {
        "value": _number(one.value),
        "method": one.method,
        "runs": one.runs,
        "found": len(found),
        **_both("mean", one.mean),
        "deviation": one.deviation,
        "least": float(found[0]) if found else None,
        "greatest": float(found[-1]) if found else None,
    }


def _number(number: Fraction) -> int | float:
    return number.numerator if number.denominator == 1 else float(number)


def _both(name: str, share: Fraction | None) -> dict[str, Json]:
    """A share as a float, and exactly."""
    return {name: None, f"{name}_exact": None} if share is None else {name: float(share), f"{name}_exact": str(share)}


def text(sweep: Sweep) -> str:
    """The mean distortions for people: a line for each value, a column for each method."""
    methods, runs = sweep.plan.methods, len(sweep.plan.repeats)
    cells = {(one.value, one.method): _cell(one) for one in sweep.summaries()}
    rows = [[str(sweep.plan.vary), *methods]]
    rows += [[said(value), *(cells[value, method] for method in methods)] for value in sweep.plan.values]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(wide) for cell, wide in zip(row, widths, strict=True)).rstrip() for row in rows]
    spread = f"mean of {runs} seeds ± standard deviation" if runs > 1 else "one run each"
    head = f"distortion in %, {spread}; {asked(sweep)}"
    return "\n".join([head, *lines, *notes(sweep), *_proposal(sweep)])


def _proposal(sweep: Sweep) -> list[str]:
    """The strictest value within the loss, where one was asked for."""
    if sweep.within is None:
        return []
    limit = f"a distortion of {100 * float(sweep.within):g} %"
    found = proposed_coherence(sweep, sweep.within)
    if found is None or found.mean is None:
        return [f"Nothing proposed: no value is within {limit} in all its runs."]
    loses = f"it loses {100 * float(found.mean):.2f} %"
    return [
        f"Proposed: {sweep.plan.vary} = {said(found.value)} by {found.method}, the strictest within {limit}: {loses}."
    ]


def _cell(one: Summary) -> str:
    """A mean with its deviation, and of how many runs where not all had an answer."""
    if one.mean is None:
        return "none"
    deviation = "" if one.deviation is None else f" ± {100 * one.deviation:.2f}"
    part = "" if len(one.distortions) == one.runs else f" ({len(one.distortions)} of {one.runs})"
    return f"{100 * float(one.mean):.2f}{deviation}{part}"


def asked(sweep: Sweep) -> str:
    """What stays as it is, in words."""
    job = sweep.plan.job
    fixed = ", ".join(f"{name} = {said(value)}" for name, value in sweep.plan.fixed())
    roles = "private items listed"
    if isinstance(job.roles, Drawn):
        roles = _DRAWN[job.roles.draw].format(h=said(sweep.plan.least_h))
    rare = f"; items in less than {said(job.min_support)} of the transactions removed" if job.min_support else ""
    of = many(sweep.transactions, "transaction") + (f", {many(sweep.items, 'item')}" if sweep.items is not None else "")
    return f"{fixed}; {of if sweep.plan.matrix is None else 'generated matrices'}; {roles}{rare}"


def notes(sweep: Sweep) -> list[str]:
    """What had no answer, a sentence for each; and that cells are no like for like."""
    cells = ["cells promises less than the others: an item that a transaction lacks may have been there."]
    return [*(_failure(sweep, one) for one in sweep.failures()), *(cells if "cells" in sweep.plan.methods else [])]


def _failure(sweep: Sweep, one: Failure) -> str:
    """Whose runs ended without an answer, at which values, and why the first of them."""
    plan = sweep.plan
    whose = "every method" if one.methods == plan.methods else ", ".join(one.methods)
    of = len(plan.repeats)
    runs = [said(value) + (f" ({many} of {of} runs)" if of > 1 else "") for value, many in one.runs]
    at = f"{plan.vary} = {', '.join(runs)}"
    return f"{_SAID[one.ending]}, and in no mean: {whose} at {at}. At the first, {one.why}."


_COLUMNS: Final = (
    "parameter",
    "value",
    "method",
    "seed",
    "ending",
    "size1_moles",
    "larger_moles",
    "dropped",
    "distortion",
    "distortion_exact",
)

_FORMS: Final = MappingProxyType({".csv": csv_text, ".json": json_text})

_SAID: Final = MappingProxyType({Ending.INFEASIBLE: "Infeasible", Ending.LIMIT: "Stopped at the limit of memory"})

_DRAWN: Final = MappingProxyType(
    {
        Draw.FEASIBLE: "private items drawn among those in at most {h} of the transactions",
        Draw.UNIFORM: "private items drawn among all",
        Draw.PAPER: "items drawn, private by the paper's rule",
    }
)


# ── a sweep as a picture ─────────────────────────────────────────────────────────────────────────

#: A method looks the same in every picture.
_LOOKS: Final = MappingProxyType(dict(zip(METHODS, LOOKS, strict=False)))

#: Values of k lie by their ratios where the greatest is so many times the least.
WIDE: Final = 8

_ACROSS: Final = MappingProxyType(
    {
        Parameter.K: "k: transactions that a cohort must have",
        Parameter.P: "p: public items that an attacker knows",
        Parameter.H: "h: share of a cohort that a private item may have",
        Parameter.DELTA: "delta: share of the items that are public",
        Parameter.ROWS: "rows: transactions of a generated matrix",
        Parameter.COLUMNS: "columns: items of a generated matrix",
        Parameter.DENSITY: "density: share of the cells of a generated matrix that are 1",
    }
)


def picture(sweep: Sweep, format_: Format) -> bytes:
    """Draw a sweep; the same bytes whenever it is the same."""
    return chart(sweep).bytes(format_)


def chart(sweep: Sweep) -> LineChart:
    """What is drawn of a sweep."""
    plan = sweep.plan
    wide = plan.vary is Parameter.K and plan.values[-1] >= WIDE * plan.values[0]
    lines = [
        Line(method, points, _LOOKS[method])
        for method in plan.methods
        if (points := tuple(_point(one) for one in sweep.summaries() if one.method == method and one.distortions))
    ]
    below = notes(sweep)
    if any(point.hollow for line in lines for point in line.points):
        below.append("A hollow mark is a mean over fewer runs.")
    many = len(plan.repeats)
    spread = f" Each mark is the mean of {many} seeds, each bar from the least to the greatest." if many > 1 else ""
    return LineChart(
        title=f"Distortion against {plan.vary}",
        under=f"{asked(sweep)}.{spread}",
        across=_ACROSS[plan.vary] + (" (logarithmic)" if wide else ""),
        up="distortion",
        ticks=tuple((float(value), said(value)) for value in plan.values),
        lines=tuple(lines),
        notes=tuple(below),
        logarithmic=wide,
    )


def _point(one: Summary) -> Mark:
    """Where a summary is drawn; there is at least one distortion."""
    low, high = map(float, (one.distortions[0], one.distortions[-1]))
    return Mark(float(one.value), float(one.mean or 0), low, high, len(one.distortions) < one.runs)
