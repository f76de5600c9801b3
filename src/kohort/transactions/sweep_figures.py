"""How a sweep over transactions is told: every run as CSV, runs and summary as JSON, means as text and as a picture."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kohort.errors.display import many
from kohort.job.sweeps.frame import WITHHELD, Ending, Kind
from kohort.report.charts.lines import LOOKS, Line, LineChart, Mark
from kohort.report.page.audience import FEWEST, Audience, coarse
from kohort.report.render.text import aligned
from kohort.schema.numbers import said
from kohort.transactions.roles import Draw, Drawn
from kohort.transactions.sweep import METHODS, PARAMETERS

if TYPE_CHECKING:
    from kohort.job.sweeps.frame import Json
    from kohort.transactions.sweep import Outcome, Summary, TransactionSweep

#: Values of k lie by their ratios where the greatest is so many times the least.
WIDE: Final = 8

#: A method looks the same in every picture.
_LOOKS: Final = MappingProxyType(dict(zip(METHODS, LOOKS, strict=False)))

_SAID: Final = MappingProxyType({Ending.INFEASIBLE: "Infeasible", Ending.LIMIT: "Memory limit reached"})

_DRAWN: Final = MappingProxyType(
    {
        Draw.FEASIBLE: "private items drawn among those in at most {h} of the transactions",
        Draw.UNIFORM: "private items drawn among all",
        Draw.PAPER: "items drawn, private by the paper's rule",
    }
)


def figures(found: TransactionSweep) -> dict[str, Json]:
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
    plan, job = found.plan, found.plan.job
    fixed: dict[str, Json] = {name: _number(value) for name, value in found.fixed.items()}
    of_matrix = sorted(name for name, one in PARAMETERS.items() if one.of_matrix)
    proposed: Json = None
    if (best := found.proposed) is not None:
        value, method = best.values
        proposed = {"value": _number(value), "method": method, **_both("mean", Fraction(best.loss))}
    return {
        "vary": str(plan.vary),
        "values": [_number(value) for value in plan.values],
        "values_exact": [*found.axes[0].values],
        **{name: fixed.get(name) for name, one in PARAMETERS.items() if not one.of_matrix},
        "draw": str(job.roles.draw) if isinstance(job.roles, Drawn) else None,
        "min_support": _number(job.min_support),
        "methods": [*plan.methods],
        "seeds": [seed for seed in plan.repeats if seed is not None],
        **({} if plan.matrix is None else {"matrix": {name: fixed.get(name) for name in of_matrix}}),
        "transactions": found.records,
        "items": found.items,
        "removed": found.removed,
        "rows": [_row(one) for one in found.points],
        "summary": [_summary(one) for one in found.summaries()],
        **({} if found.within is None else {"at_most_loss": float(found.within), "proposed": proposed}),
    }


def _row(one: Outcome) -> dict[str, Json]:
    value, seed, method = one.values
    return {
        "value": _number(value),
        "method": method,
        "seed": int(seed) if seed else None,
        "ending": str(one.ending),
        "why": one.why or None,
        "size1_moles": one.moles[0] if one.moles else None,
        "minimal_moles": {str(size): many for size, many in enumerate(one.moles[1:], 2)} if one.moles else None,
        "dropped": one.dropped,
        **_both("distortion", one.distortion),
        **({} if one.seconds is None else {"seconds": round(one.seconds, 4)}),
    }


def _summary(one: Summary) -> dict[str, Json]:
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


def _number(value: Fraction | str) -> int | float:
    number = Fraction(value)
    return number.numerator if number.denominator == 1 else float(number)


def _both(name: str, share: Fraction | None) -> dict[str, Json]:
    return {name: None, f"{name}_exact": None} if share is None else {name: float(share), f"{name}_exact": str(share)}


def rows(found: TransactionSweep) -> list[dict[str, Json]]:
    """A flat row for each run: what is varied, how it ended, moles, loss, and why."""
    flat: list[dict[str, Json]] = []
    timed = ["seconds"] if any(one.seconds is not None for one in found.points) else []
    for one in found.points:
        row = {**_row(one), "parameter": str(found.plan.vary), "value": one.values[0]}
        row["larger_moles"] = sum(one.moles[1:]) if one.moles else None
        counts = ("size1_moles", "larger_moles", "dropped", "distortion", "distortion_exact")
        names = ("parameter", "value", "method", "seed", "ending", *counts, *timed, "why")
        flat.append({name: row.get(name) for name in names})
    return flat


def text(found: TransactionSweep) -> str:
    """The mean distortions for people: a line for each value, a column for each method."""
    methods, runs = found.plan.methods, len(found.plan.repeats)
    cells = {(one.value, one.method): _cell(one) for one in found.summaries()}
    told = [[value, *(cells[value, method] for method in methods)] for value in found.axes[0].values]
    spread = f"mean of {runs} seeds ± standard deviation" if runs > 1 else "one run each"
    head = f"distortion in %, {spread}; {asked(found)}"
    lines = aligned([[str(found.plan.vary), *methods], *told], left=1 + len(methods))
    return "\n".join([head, *lines, *notes(found), *_proposal(found)])


def _proposal(found: TransactionSweep) -> list[str]:
    if found.within is None:
        return []
    limit, best = f"a distortion of {100 * float(found.within):g} %", found.proposed
    if best is None:
        return [f"Nothing proposed: no value is within {limit} in all its runs."]
    at = f"{found.plan.vary} = {' by '.join(best.values)}"
    return [f"Proposed: {at}, the strictest within {limit}, with a loss of {100 * float(best.loss):.2f} %."]


def _cell(one: Summary) -> str:
    if one.mean is None:
        return "none"
    deviation = "" if one.deviation is None else f" ± {100 * one.deviation:.2f}"
    part = "" if len(one.distortions) == one.runs else f" ({len(one.distortions)} of {one.runs})"
    return f"{100 * float(one.mean):.2f}{deviation}{part}"


def asked(found: TransactionSweep) -> str:
    """What stays as it is, in words."""
    job = found.plan.job
    fixed = ", ".join(f"{name} = {value}" for name, value in found.fixed.items())
    roles = "private items listed"
    if isinstance(job.roles, Drawn):
        roles = _DRAWN[job.roles.draw].format(h=said(found.plan.least_h))
    rare = f"; items in less than {said(job.min_support)} of the transactions removed" if job.min_support else ""
    of = many(found.records, "transaction") + (f", {many(found.items, 'item')}" if found.items is not None else "")
    return f"{fixed}; {of if found.plan.matrix is None else 'generated matrices'}; {roles}{rare}"


def notes(found: TransactionSweep) -> list[str]:
    """What had no answer, a sentence for methods that fared alike; and that cells are no like for like."""
    vary, methods, of = found.plan.vary, found.plan.methods, len(found.plan.repeats)
    alike: dict[tuple[str, str], list[str]] = {}
    for method, (ending, begins) in product(methods, _SAID.items()):
        ones = [one for one in found.points if one.values[2] == method and one.ending is ending]
        times = Counter(one.values[0] for one in ones).items()
        runs = ", ".join(value + (f" ({many} of {of} runs)" if of > 1 else "") for value, many in times)
        if ones:
            ends = f"at {vary} = {runs}. At the first, {ones[0].why}."
            alike.setdefault((begins, ends), []).append(method)
    told = [
        f"{begins}, and in no mean: {'every method' if len(some) == len(methods) else ', '.join(some)} {ends}"
        for (begins, ends), some in alike.items()
    ]
    cells = ["cells promises less than the others: an item missing from a transaction may have been there."]
    return [*told, *(cells if "cells" in methods else [])]


def chart(found: TransactionSweep, _: str | None = None) -> LineChart:
    """What is drawn of a sweep: there is one figure."""
    plan = found.plan
    wide = plan.vary == "k" and plan.values[-1] >= WIDE * plan.values[0]
    drawn = {method: tuple(_marks(found, method)) for method in plan.methods}
    lines = tuple(Line(method, points, _LOOKS[method]) for method, points in drawn.items() if points)
    hollow = any(point.hollow for line in lines for point in line.points)
    many = len(plan.repeats)
    spread = f" Each mark is the mean of {many} seeds, each bar from the least to the greatest." if many > 1 else ""
    return LineChart(
        title=f"Distortion against {plan.vary}",
        under=f"{asked(found)}.{spread}",
        across=PARAMETERS[plan.vary].says + (" (logarithmic)" if wide else ""),
        up="distortion",
        ticks=tuple((float(value), said(value)) for value in plan.values),
        lines=lines,
        notes=(*notes(found), *(["A hollow mark is a mean over fewer runs."] if hollow else [])),
        logarithmic=wide,
    )


def _marks(found: TransactionSweep, method: str) -> list[Mark]:
    some = [one for one in found.summaries() if one.method == method and one.mean is not None]
    ends = [(float(one.distortions[0]), float(one.distortions[-1])) for one in some]
    return [
        Mark(float(Fraction(one.value)), float(one.mean or 0), *both, len(one.distortions) < one.runs)
        for one, both in zip(some, ends, strict=True)
    ]


def published(found: TransactionSweep) -> TransactionSweep:
    """A sweep for anybody, rounded as one over a table is; generated ones are nobody's, and stay exact."""
    if found.plan.matrix is not None:
        return replace(found, audience=Audience.PUBLIC)
    points = tuple(_outcome(one, found) for one in found.points)
    return replace(found, items=None, removed=None, points=points, within=None, audience=Audience.PUBLIC)


def _outcome(one: Outcome, found: TransactionSweep) -> Outcome:
    if one.distortion is None:
        return replace(one, why=WITHHELD)
    k = int(one.values[0]) if found.plan.vary == "k" else found.plan.job.coherence.k
    share = coarse(float(one.distortion), max(FEWEST, k) / found.records)
    return replace(one, moles=(), dropped=None, distortion=Fraction(str(share)))


#: How sweeps over transactions are told.
TRANSACTIONS: Final = Kind(figures=figures, rows=rows, text=text, chart=chart, published=published)
