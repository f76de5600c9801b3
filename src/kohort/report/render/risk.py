"""The risk of a file, and attacks on it, as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kohort.assessment.population import told_without
from kohort.assessment.risk.attacks import Attack, Untried
from kohort.assessment.risk.figures import FIGURES
from kohort.errors.display import many, span, told_suppressed
from kohort.report.render.text import percent, screen, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.assessment.risk.attacks import Outcome
    from kohort.assessment.risk.overall import Risk
    from kohort.assessment.risk.quasi_identifiers import Identifying, IdentifyingSets
    from kohort.assessment.risk.reidentification import Exposure, SubsetRisk


#: Sets and subsets that are shown; `--json` has more.
SHOWN: Final = 5


def risk_text(figures: Risk) -> str:
    """The figures of a risk as one screen for a person: each with what it means."""
    first, last = (_classes, _attackers, _uniques), (_known, _undeclared, _singling, _values)
    return screen(*(part(figures) for part in first), *_further(figures), *(part(figures) for part in last))


def _classes(figures: Risk) -> Iterator[str]:
    of = many(figures.records, "record") + ("" if figures.people is None else f" of {many(figures.people, 'person')}")
    yield f"{of} in {many(figures.classes, 'class')} of {span(figures.smallest, figures.largest)}"
    if figures.fully_suppressed:
        yield told_suppressed(figures.fully_suppressed)
    yield f"known to attackers: {', '.join(figures.quasi)}"


def _attackers(figures: Risk) -> Iterator[str]:
    journalist, over, counted = figures.journalist, f"over {float(figures.threshold):.4g}", _counted(figures)
    yield f"{'re-identification risk':<24}{'highest':>9}{'average':>9}{over:>12}   {counted} at the highest"
    yield f"{'  prosecutor':<24}{_row(figures.prosecutor)}"
    if journalist is not None:
        yield f"{'  journalist':<24}{_row(journalist)}   (by {journalist.by})"
    yield f"{'  marketer':<24}{'':>9}{figures.marketer:>9.1%}"
    if journalist is not None:
        yield f"{'    in population':<24}{'':>9}{journalist.marketer:>9.1%}"
    yield "  prosecutor: knows who is in the file; journalist: knows the population, but not who is in the file;"
    yield f"  marketer: links all {counted} at once; the figure is the share of correct links."
    yield "  All three know the columns above for everyone."
    if journalist is None:
        yield "  journalist risk not computed: add --population FILE, or --population-size N for an estimate"
        return
    if journalist.unknown:
        some = f"{journalist.unknown:,} {counted}"
        yield f"  {some} are in classes that match fewer people of the population table, which lacks some"
    for name, people in journalist.without_value.items():
        yield f"  {told_without(name, people, suppressed=name in journalist.suppressed)}"


def _row(one: Exposure) -> str:
    return f"{one.highest:>9.1%}{one.average:>9.1%}{one.over:>12.1%}   {one.at_highest:,}"


def _uniques(figures: Risk) -> Iterator[str]:
    found = figures.uniqueness
    of = ("record", "records") if figures.people is None else ("person", "people")
    yield f"unique in the file: {many(found.sample, *of)} ({percent(found.share)})"
    if found.in_file is not None and found.population is None:
        people = f"the {found.population_size:,} people of the population table"
        yield f"  {found.in_file:,.0f} of them are unique among {people}"
    elif found.in_file is not None:
        people = f"{found.population_size:,} people: {found.population:,.0f} by {found.trusted}"
        yield f"  of {people}, {found.in_file:,.0f} of them in the file"
    for one in found.estimates:
        answer = f"no answer: {one.reason}" if one.uniques is None else f"{one.uniques:,.0f}"
        yield f"    {one.estimator:<8}{answer}"
    if found.estimates:
        yield "  the estimates assume a simple random sample without generalized cells"


def _further(figures: Risk) -> Iterator[tuple[str, str]]:
    for name, value in figures.figures.items():
        if value is not None:
            one = FIGURES[name]
            yield f"{one.caption.lower()}: {one.text(value)}", f"  {one.sentence}"


def _known(figures: Risk) -> Iterator[str]:
    found = figures.known
    if found is None:
        return
    some = f"{found.tried:,} of {found.subsets:,} choices, including one likely worst case"
    which = f"all {many(found.subsets, 'choice')}" if found.complete else some
    columns = many(len(figures.quasi), "column")
    yield f"attackers who know {found.m} of {columns} ({which}): prosecutor risk {percent(found.average)} on average"
    for one in found.worst[:SHOWN]:
        shares = f"{percent(one.average):>6} average, {percent(one.highest):>6} highest"
        yield f"  {shares}, {one.uniques:>7,} unique   {_named(one)}"


def _undeclared(figures: Risk) -> Iterator[str]:
    if not figures.undeclared:
        return
    yield f"undeclared columns ({len(figures.undeclared)}): the smallest sets that identify people"
    for heading, found in (("alone", figures.alone), ("with those above", figures.together)):
        if found.base is not None and not found.tried:
            yield f"  {heading}: the columns above identify people by themselves ({percent(found.base.unique)} unique)"
            continue
        yield f"  {heading}: {_found(found)}"
        yield from (f"    {percent(one.unique):>6} unique   {_named(one)}" for one in found.sets[:SHOWN])


def _found(found: IdentifyingSets) -> str:
    """How many sets, and how they were searched for."""
    limits = "" if found.complete else ", not all of three columns"
    if found.sampled is not None:
        missed = percent(found.missed)
        limits += f"; searched in {many(found.sampled, 'record')}"
        limits += f": with 99 % confidence, no set with over {missed} unique is missed"
    return f"{found.found or 'none'} of {found.tried:,} tried{limits}"


def _singling(figures: Risk) -> Iterator[str]:
    for one in figures.singling:
        unique = f"{one.unique:,} {_counted(figures)} ({percent(one.share)})"
        yield f"column {one.columns[0]}: {unique} have a unique value"


def _values(figures: Risk) -> Iterator[str]:
    if figures.worst_values is None:
        return
    yield "in the smallest classes:"
    for row in figures.worst_values:
        yield "  " + ", ".join(f"{name} = {shown(text or '(missing)')}" for name, text in row.items())


def _named(one: SubsetRisk | Identifying) -> str:
    return ", ".join(map(str, one.columns))


def _counted(figures: Risk) -> str:
    return "records" if figures.people is None else "people"


#: What remains of several releases, whatever was found.
DIFFERENCE: Final = (
    "The difference of two releases shows who is in only one of them: their released cells, and the exact value of"
    " a column whose sum perturbation keeps (noise, microaggregation, swapping)."
)


def attacks_text(figures: Sequence[Outcome]) -> str:
    """The figures of attacks as a table for a person."""
    return "\n".join(_lines(figures))


def _lines(figures: Sequence[Outcome]) -> Iterator[str]:
    tried: dict[str, Attack] = {}
    untried: list[str] = []
    for one in figures:
        if isinstance(one, Untried):
            untried.append(f"{one.attack} not tried: {one.untried}")
        else:
            tried[_name(one)] = one
    if tried:
        width = max(map(len, tried))
        yield f"{'attack':<{width}}" + _aligned("right", "95 %", "baseline", "of claims", "open", "closed", "chance")
        yield from (f"{name:<{width}}{_attack_row(one)}".rstrip() for name, one in tried.items())
        yield "  right: share of targets that the attacker gets right; 95 %: confidence interval of that share;"
        yield "  baseline: the same guesses without the release; of claims: share of claims that are right;"
        yield "  open, closed: that share on the raw table, and on a blank one (controls);"
        yield "  chance: guessing on the blank table"
    if any(one.attack == "intersection" for one in tried.values()):
        yield DIFFERENCE
    yield from untried


def _name(one: Attack) -> str:
    about = f" of {one.of}" if one.of else ""
    return f"{one.attack}{about} ({one.targets:,} {one.unit})"


def _attack_row(one: Attack) -> str:
    low, high = one.interval
    claims = percent(one.precision) if one.claims else "none"
    controls = one.controls
    shown = ("", "", "") if controls is None else map(percent, (controls.positive, controls.negative, controls.chance))
    return _aligned(percent(one.rate), f"{low:.1%} to {high:.1%}", percent(one.baseline), claims, *shown)


def _aligned(*cells: str) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, (9, 17, 9, 11, 8, 7, 8), strict=True))
