"""The figures of a release, and of its perturbed columns, as text for a terminal."""

from __future__ import annotations

import csv
from io import StringIO
from itertools import chain
from shlex import quote
from typing import TYPE_CHECKING, Final

from kohort.errors.display import HUGE, Number, many, span
from kohort.metrics.known import METRICS
from kohort.perturbation.text import outcome
from kohort.report.render.risk import attacks_text
from kohort.report.render.text import DEAR, aligned, averaged_over, bound_text, changed, files, screen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.assessment.comparison.grids import GridComparison, LabelExposure
    from kohort.core.uniques import Exposed
    from kohort.perturbation.effect import Effect
    from kohort.release.homogeneity import Homogeneity
    from kohort.report.release import CandidateFigures, ReleaseFigures
    from kohort.tables.dataset import Linked


#: Width of a full bar of loss, in characters.
BAR: Final = 24

#: Candidates that are shown: a page.
SHOWN: Final = 20

#: Characters that the names of a table's columns may take.
WIDTH: Final = 60

#: Pairs of columns that are shown; `--json` has more.
PAIRS: Final = 3

#: The share of the people from which a column or a pair is warned of.
MANY: Final = 0.05

#: The share of the people of whom a column says nothing, from which it is named where a release loses much.
EMPTY: Final = 0.95

#: From here on a figure is written in whole numbers, up to `HUGE`.
MILLION: Final = 1e6

#: A value that more than half of all have: that a class shares it tells little.
_COMMON: Final = "the table's most frequent value"

#: Where a label prints the value of somebody who alone has it.
_PLACES: Final = (
    ("range_ends", "at the edge of a published range", _CUTS := "public cut points (--grid) for numbers"),
    (
        "set_members",
        "in a published set",
        "companions (--labels companions) or hierarchies (--hierarchy) for sets",
    ),
    ("means", "in a published mean", _CUTS),
)


def release_text(figures: ReleaseFigures, quasi: Sequence[str] = ()) -> str:
    """The figures of a release as a few lines for a person.

    Args:
        figures: The figures.
        quasi: The quasi-identifiers in the order in which levels are written; empty: that of the figures.
    """
    names = quasi or tuple(figures.node or {})
    return screen(
        chain(_exposed(figures.exposed), _warnings(figures)),
        chain(_left(figures), _unchanged(figures), _classes(figures), _attributes(figures)),
        _refined(figures, names),
        _cells(figures),
        _levels(figures, names),
        chain(_cost(figures), bound_text(figures.bound)),
        _sides(figures.grid) if "grid" in figures.model_fields_set else (),
        *map(effect_text, figures.perturbed),
        *map(_linked, figures.pseudonyms),
        () if figures.attacks is None else [attacks_text(figures.attacks)],
        _choice(figures, names),
        (f"note: {note}" for note in figures.notes),
        files(figures.release, figures.certificate, figures.signed_by),
    )


def _left(figures: ReleaseFigures) -> Iterator[str]:
    lost = figures.metrics.get("ncp")
    if lost is None:
        return
    left = f"{1 - lost:.1%} of the detail of {many(len(figures.losses) - len(figures.constant), 'column')} is left"
    if lost <= DEAR:
        yield left
        return
    yield f"Warning: only {left}; to keep more, try: kohort advise JOB"
    empty = [name for name, one in figures.kept.items() if one.hidden > EMPTY and name not in figures.constant]
    if empty:
        yield f"  lost for more than {EMPTY:.0%} of the people: {', '.join(empty)}"


def _unchanged(figures: ReleaseFigures) -> Iterator[str]:
    """The columns not generalized, and how many people each singles out."""
    methods = {one.column: one.method for one in figures.perturbed}
    found: dict[str, list[str]] = {}
    for one in figures.singling:
        if len(one.columns) == 1:
            found.setdefault(outcome(one.columns, methods), []).append(f"{one.columns[0]} {one.unique:,}")
    if not found:
        yield "No column is released unchanged"
        return
    (how, first), *others = ((how, ", ".join(found[how])) for how in sorted(found, key="unchanged".__ne__))
    rest = "".join(f"; {how}: {columns}" for how, columns in others)
    yield f"Released {how} (people with a unique value, of {figures.counted:,}): {first}{rest}"
    if not _many_together(figures):
        yield from _together(figures, "The")
    yield from _answers(figures)


def _many_together(figures: ReleaseFigures) -> bool:
    """Whether three columns or more single out many people together."""
    return any(one.share > MANY and one.columns[2:] for one in figures.together[:1])


def _together(figures: ReleaseFigures, the: str) -> Iterator[str]:
    """How many people all of these columns single out together; one column by itself only with the class's labels."""
    for alone, known in [figures.together[:2]] if figures.together else []:
        of, labels = f"of {figures.counted:,} people", "if the labels of the class are known too"
        if len(alone.columns) == 1:
            yield f"{alone.columns[0]} is unique for {known.unique:,} {of} {labels}"
        else:
            columns = f"{the} {len(alone.columns)} released columns together are unique for {alone.unique:,} {of}"
            yield f"{columns}, and for {known.unique:,} {labels}"


def _answers(figures: ReleaseFigures) -> Iterator[str]:
    *some, every = figures.together[2:] or (None,)
    if every is not None:
        counts = [
            f"{len(one.columns)} of them ({', '.join(one.columns)}) are unique for {one.unique:,}" for one in some
        ]
        told = f"Answers that, as you said, outsiders do not know: {many(len(every.columns), 'column')}"
        yield f"{told}; {'; '.join([*counts, f'all for {every.unique:,}'])} of {figures.counted:,} people"


def _warnings(figures: ReleaseFigures) -> Iterator[str]:
    """The columns, pairs of them, and all together that single out many people."""
    found = [one for one in figures.singling if one.share > MANY]
    pairs = [one for one in found if len(one.columns) > 1]
    for one in [*(one for one in found if len(one.columns) == 1), *pairs[:PAIRS]]:
        names = " and ".join(one.columns)
        yield f"Warning: {many(one.unique, 'person')} ({one.share:.1%} of all) can be identified by {names}"
        if one.rounding is not None:
            cost = f"leaves {one.rounding.unique:,}; values change by {one.rounding.change:,.3g} on average"
            yield f"  round the column: --perturb {one.rounding.perturb}   ({cost})"
    if len(pairs) > PAIRS:
        yield f"  and {len(pairs) - PAIRS:,} more pairs of columns (--json lists them)"
    if _many_together(figures):
        yield from _together(figures, "Warning: the")


def _exposed(exposed: Exposed | None) -> Iterator[str]:
    if exposed is None or not exposed.people:
        return
    counts = {"range_ends": exposed.range_ends, "set_members": exposed.set_members, "means": exposed.means}
    places = [(counts[key], place) for key, place, _ in _PLACES if counts[key]]
    remedies = dict.fromkeys(remedy for key, _, remedy in _PLACES if counts[key])
    where = places[0][1] if len(places) == 1 else " or ".join(f"{place} ({count:,})" for count, place in places)
    yield (
        f"Warning: {many(exposed.people, 'person', 'people')} can be pinpointed: each is the only one in the class with"
        f" their value {where}."
    )
    yield f"Use {' and '.join(remedies)} to avoid this."


def _sides(grid: GridComparison | None) -> Iterator[str]:
    if grid is None:
        yield "With and without a grid: nothing to compare, since no number is released as a range."
        return
    grids = " ".join(f"{name}={cuts}" for name, cuts in grid.grids.items())
    yield f"With a grid and without ({'proposed' if grid.proposed else 'requested'}: {grids})"
    yield "                  can be pinpointed     exact value revealed       LM"
    for name, side in (("with", grid.with_), ("without", grid.without)):
        yield f"  {name:<9}  {_side(side)}"


def _side(side: LabelExposure | None) -> str:
    if side is None:
        return "no release satisfies the models"
    return f"{side.exposed:>15,} people   {side.downcoded:>14.1%} of cells   {side.lm:>6.4f}"


def _linked(one: Linked) -> Iterator[str]:
    linked = f"; {many(one.linked, 'record shares', 'records share')} theirs with another" if one.linked else ""
    yield f"{one.column}: pseudonyms, which are not anonymity{linked}."
    yield "Anyone with the key can identify everyone; pseudonyms link all releases made with the same key."


def _classes(figures: ReleaseFigures) -> Iterator[str]:
    people = "" if figures.people is None else f" (of {many(figures.people, 'person')})"
    yield (
        f"{figures.released:,} of {many(figures.records, 'record')} released{people}, {figures.suppressed:,} suppressed"
    )
    if figures.incomplete:
        yield f"{figures.incomplete:,} incomplete records left out before counting"
    required = f"required: k = {figures.k}" + ("" if figures.people is None else " people")
    yield f"{_sizes(figures)} ({required})" if figures.k != 1 else _sizes(figures)
    if figures.verified:
        where = "the published bytes" if figures.release else "the released cells"
        of = ", ".join(figures.quasi)
        counted = many(figures.smallest, "record") if figures.fewest is None else many(figures.fewest, "person")
        found = f"every class of {of} has at least {counted}" if figures.classes else "no record"
        yield f"verified on {where}: {found}"
    else:
        yield "dry run: nothing was written or verified"


def _sizes(figures: ReleaseFigures) -> str:
    if not figures.classes:
        return "no class"
    return f"{many(figures.classes, 'class')} of {span(figures.smallest, figures.largest, 'record')}"


def _attributes(figures: ReleaseFigures) -> Iterator[str]:
    """The other models, and how alike the sensitive values are in the classes."""
    models = [name for name in figures.models if name != f"{figures.k}-anonymity"]
    if models:
        yield f"required    {', '.join(models)}"
    counted = "records" if figures.people is None else "people"
    for name, one in figures.homogeneity.items():
        alarm = "Warning: " if one.uncommon else ""
        yield f"{alarm}{name}: {_alike(one, counted)}; at most {one.largest_share:.1%} of a class share {_which(one)}"


def _alike(one: Homogeneity, counted: str) -> str:
    """Of how many people a class reveals the value, and of how many more than that it is the common one.

    >>> from kohort.release.homogeneity import Homogeneity
    >>> _alike(Homogeneity(people=30, uncommon=12, largest_share=1, share_of_all=0.2), "records")
    "30 records in classes with a single value, 12 of them not the table's most frequent"
    """
    if not one.people:
        return "no class with a single value"
    if not one.uncommon:
        return f"{one.people:,} {counted} in classes where all have the table's most frequent value"
    mixed = f", {one.uncommon:,} of them not the table's most frequent" if one.uncommon < one.people else ""
    return f"{one.people:,} {counted} in classes with a single value{mixed}"


def _which(one: Homogeneity) -> str:
    """Which value is meant, by its share of all.

    >>> from kohort.release.homogeneity import Homogeneity
    >>> _which(Homogeneity(people=0, uncommon=0, largest_share=1, share_of_all=0.97))
    "the table's most frequent value (97.0% of all)"
    >>> _which(Homogeneity(people=0, uncommon=0, largest_share=0.5, share_of_all=0.03))
    'one value (3.0% of all)'
    """
    return f"{_COMMON if 2 * one.share_of_all > 1 else 'one value'} ({one.share_of_all:.1%} of all)"


def _refined(figures: ReleaseFigures, names: Sequence[str]) -> Iterator[str]:
    if figures.refined:
        yield f"Levels   each class on its own, at or below {_by_name(figures.refined, names)}"


def _levels(figures: ReleaseFigures, names: Sequence[str]) -> Iterator[str]:
    """On which levels everything is released, and whether another release could be better."""
    if not figures.node:
        return
    node, trace = _by_name(figures.node, names), figures.trace
    yield f"Levels   {node}"
    if "minimal_height" in trace:
        releases = "1 release has" if trace["minimal_nodes"] == 1 else f"{trace['minimal_nodes']:,} releases have"
        yield f"         the least height is {trace['minimal_height']:,}: {releases} it"
    yield from _objective(figures)
    if figures.objective is not None and figures.objective.bound is not None and not figures.proven:
        yield f"         the search was stopped early; to repeat this release:   --node {quote(node)}"


def _cells(figures: ReleaseFigures) -> Iterator[str]:
    if "suppressed_cells" in figures.trace:
        cells = figures.released * len(figures.quasi)
        yield f"Suppressed cells   {figures.trace['suppressed_cells']:,} of {cells:,}"
        yield from _objective(figures)


def _objective(figures: ReleaseFigures) -> Iterator[str]:
    """What the method minimised, and what is known of the releases that were not evaluated."""
    if (one := figures.objective) is not None:
        bound = "" if one.bound is None else f"; no allowed release does better than {_figure(one.name, one.bound)}"
        proof = ", proven: no allowed release does better" if figures.proven and bound else bound
        yield f"         {one.name.upper()} {_figure(one.name, one.value)}{proof}"


def _choice(figures: ReleaseFigures, names: Sequence[str]) -> Iterator[str]:
    candidates = figures.candidates
    if not candidates:
        return
    nodes = [one.node for one in candidates]
    head, *rows = _columns(nodes[:SHOWN], names)
    titles, *costs = _costs(figures, candidates[:SHOWN])
    marks = ["  * ", *["    "] * (len(rows) - 1)]
    yield f"Releases to choose from{', the best first' if figures.objective else ''}:"
    yield f"    {head}   {titles}"
    yield from (f"{mark}{row}   {cost}" for mark, row, cost in zip(marks, rows, costs, strict=True))
    if len(candidates) > SHOWN:
        yield f"    and {len(candidates) - SHOWN:,} more (--json lists them)"
    levels = ",".join(str(nodes[0][name]) for name in names)
    yield ""
    yield f"Choose one by its levels, in this order:   --node {levels}   (in a job file: node = [{levels}])"
    yield f"or by name:   --node {quote(_by_name(nodes[0], names))}"


def _columns(nodes: Sequence[Mapping[str, int]], names: Sequence[str]) -> list[str]:
    """The levels of nodes below the names of their columns; where these are many, below all names in one."""
    if sum(map(len, names)) + 2 * len(names) <= WIDTH:
        return aligned([list(names), *([str(node[name]) for name in names] for node in nodes)])
    return aligned([["levels, as below"], *([",".join(str(node[name]) for name in names)] for node in nodes)])


def _costs(figures: ReleaseFigures, candidates: Sequence[CandidateFigures]) -> list[str]:
    name = "lm" if figures.objective is None else figures.objective.name
    aims = [one.metrics[name] if one.objective is None else one.objective for one in candidates]
    weighted = aims != [one.metrics[name] for one in candidates]
    rows = [["suppressed", "classes", "LM", "weighted " * weighted + name.upper()]]
    for one, aim in zip(candidates, aims, strict=True):
        figured = (_figure("lm", one.metrics["lm"]), _figure(name, aim))
        rows.append([f"{one.suppressed:,}", f"{one.classes:,}", *figured])
    return aligned(rows if weighted or name != "lm" else [row[:-1] for row in rows])


def _by_name(node: Mapping[str, int], names: Sequence[str]) -> str:
    """A node as `--node` takes it, whatever the order.

    >>> _by_name({"age": 2, "income, net": 1}, ["age", "income, net"])
    'age=2,"income, net=1"'
    """
    text = StringIO()
    csv.writer(text, lineterminator="").writerow(f"{name}={node[name]}" for name in names)
    return text.getvalue()


def _cost(figures: ReleaseFigures) -> Iterator[str]:
    """The quality metrics, and how much detail each quasi-identifier lost."""
    if not figures.metrics:
        return
    metrics = [
        f"{name.upper()} {_figure(name, figures.metrics[name])}"
        for name, one in METRICS.items()
        if one.shown.first and name in figures.metrics
    ]
    over = averaged_over(len(figures.losses), len(figures.constant))
    yield "Information loss   " + "   ".join(f"{one}{over if one.startswith('NCP ') else ''}" for one in metrics)
    yield from _bulk(figures)
    width = max(map(len, figures.losses), default=0)
    for name, loss in figures.losses.items():
        known = f"; {figures.kept[name].in_words}" if name in figures.kept and name not in figures.constant else ""
        more = f"; {_members(figures.members[name])}" if name in figures.members else ""
        yield f"  {name:<{width}}  {_bar(loss)} {loss:6.1%} of detail lost{known}{more}"


def _bulk(figures: ReleaseFigures) -> Iterator[str]:
    """What is lost over the bulk of the values, where far values stretch domains."""
    if not figures.bulk:
        return
    losses = {name: figures.bulk[name].loss if name in figures.bulk else loss for name, loss in figures.losses.items()}
    far = {name: many(one.far, "record lies", "records lie") for name, one in figures.bulk.items()}
    told = [f"{name} {one.loss:.1%} ({far[name]} far out)" for name, one in figures.bulk.items()]
    yield f"  without the range of far values   LM {_figure('lm', sum(losses.values()))}   {', '.join(told)}"


def _members(mean: float) -> str:
    """What the sets of a column give away although they cost little.

    >>> _members(18.04)
    'its sets list 18.0 values on average, each held by someone in the class'
    """
    return f"its sets list {mean:,.1f} values on average, each held by someone in the class"


def _figure(name: str, value: float) -> str:
    """What a metric says: in whole numbers where it counts, else to four decimals.

    >>> _figure("c_dm", 600), _figure("height", 0.0), _figure("lm", 2)
    ('600', '0', '2.0000')
    """
    return f"{value:,.0f}" if METRICS[name].shown.kind == "count" and value == int(value) else f"{value:,.4f}"


def _bar(share: float) -> str:
    full = round(share * BAR)
    return "█" * full + "·" * (BAR - full)


def effect_text(one: Effect) -> Iterator[str]:
    """What was done to one column, and what that did."""
    yield f"{one.column}: {one.method}; {one.unchanged:,} of {one.records:,} values are unchanged"
    moments = ("mean", one.mean), ("variance", one.variance)
    moved = [f"{name} {_moved(moment)}" for name, moment in moments if moment is not None]
    if moved:
        yield f"  {', '.join(moved)}"
    if one.correlation is not None:
        change, other = one.correlation
        yield f"  correlations change by at most {abs(change):.3f} (with {other})"
    if one.linked is not None:
        yield f"  anyone who knows the original values finds {one.linked:.1%} of the records by the nearest value"
    if one.reproducible:
        yield "  reproducible noise: not private"


def _moved(moment: tuple[Number, Number]) -> str:
    """A figure before and after.

    >>> _moved((39_961.25, 39_961.5)), _moved((782_862_406.047, 782_861_858.3)), _moved((0, 0))
    ('39,961.2 -> 39,961.5 (+0.0006%)', '782,862,406 -> 782,861,858 (-0.00007%)', '0 -> 0')
    """
    before, after = (f"{one:,.0f}" if MILLION <= abs(one) < HUGE else f"{one:,.6g}" for one in moment)
    change = changed(*moment)
    return f"{before} -> {after}" + (f" ({change})" if change else "")
