"""The risk of a file as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from kohort.report.render.transactions import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.report import Json

    Figures = Mapping[str, Json]

#: Sets and subsets that are shown; `--json` has more.
SHOWN: Final = 5


def risk_text(figures: Figures) -> str:
    """The figures of `kohort.report.risk.numbers` as one screen for a person: each with what it means."""
    parts = (_classes, _attackers, _uniques, _known, _undeclared, _singling, _values)
    return "\n".join(line for part in parts for line in part(figures))


def _classes(figures: Figures) -> Iterator[str]:
    """What was looked at."""
    records, people = cast("int", figures["records"]), cast("int | None", figures["people"])
    of = f"{records:,} records" + (f" of {people:,} people" if people is not None else "")
    smallest, largest = cast("int", figures["smallest"]), cast("int", figures["largest"])
    span = f"{smallest:,}" + f" to {largest:,}" * (largest > smallest)
    yield f"{of} in {_many(cast('int', figures['classes']), 'class', 'classes')} of {span}"
    yield f"known to attackers: {', '.join(cast('list[str]', figures['quasi']))}"


def _attackers(figures: Figures) -> Iterator[str]:
    """How surely records are linked with people."""
    prosecutor = cast("dict[str, float]", figures["prosecutor"])
    journalist = cast("dict[str, float] | None", figures["journalist"])
    over, counted = f"over {_short(cast('float', figures['threshold']))}", _counted(figures)
    yield ""
    yield f"{'risk to be found':<18}{'highest':>9}{'average':>9}{over:>12}   {counted} at the highest"
    yield f"{'  prosecutor':<18}{_row(prosecutor)}"
    if journalist is not None:
        yield f"{'  journalist':<18}{_row(journalist)}   (by {journalist['by']})"
    yield f"{'  marketer':<18}{'':>9}{cast('float', figures['marketer']):>9.1%}"
    if journalist is not None:
        yield f"{'    in population':<18}{'':>9}{journalist['marketer']:>9.1%}"
    yield "  prosecutor: knows who is in the file; journalist: knows the population, not who of it is in the file;"
    yield f"  marketer: links all {counted} at once, and that share is right. All know the columns above of everybody."
    if journalist is None:
        yield "  journalist risk not computed: add --population FILE, or --population-size N for an estimate"
    elif journalist["unknown"]:
        unknown = int(journalist["unknown"])
        yield f"  {unknown:,} {counted} are in classes that fit fewer of the population table: it lacks some of them"


def _row(exposure: Mapping[str, float]) -> str:
    """Highest, average, over and how many."""
    shares = f"{exposure['highest']:>9.1%}{exposure['average']:>9.1%}{exposure['over']:>12.1%}"
    return f"{shares}   {int(exposure['at_highest']):,}"


def _uniques(figures: Figures) -> Iterator[str]:
    """Who is alone, here and in the population."""
    found = cast("dict[str, Json]", figures["uniqueness"])
    yield ""
    of = ("record",) if figures["people"] is None else ("person", "people")
    yield f"unique in the file: {_many(cast('int', found['sample']), *of)} ({_percent(found['share'])})"
    population, inside = cast("float | None", found["population"]), cast("float | None", found["in_file"])
    size = cast("int | None", found["population_size"])
    if inside is not None and population is None:
        yield f"  {inside:,.0f} of them fit nobody else of the {size:,} people of the population table"
    elif inside is not None and population is not None:
        yield f"  of {size:,} people: {population:,.0f} by {found['trusted']}, {inside:,.0f} of them in the file"
    estimates = cast("list[dict[str, Json]]", found["estimates"])
    for one in estimates:
        uniques = cast("float | None", one["uniques"])
        yield f"    {one['estimator']:<8}{'no answer: ' + str(one['reason']) if uniques is None else f'{uniques:,.0f}'}"
    if estimates:
        yield "  estimates take the file for a simple random sample whose cells no algorithm has generalized"


def _known(figures: Figures) -> Iterator[str]:
    """What less knowledge does."""
    found = cast("dict[str, Json] | None", figures["known"])
    if found is None:
        return
    subsets, tried = cast("int", found["subsets"]), cast("int", found["tried"])
    some = f"{tried:,} of {subsets:,} choices, one of them built to be bad"
    which = f"all {_many(subsets, 'choice')}" if found["complete"] else some
    columns = _many(len(cast("list[str]", figures["quasi"])), "column")
    yield ""
    yield f"knowing {found['m']} of {columns} ({which}): to the prosecutor {_percent(found['average'])} on average"
    for one in cast("list[dict[str, Json]]", found["worst"])[:SHOWN]:
        shares = f"{_percent(one['average']):>6} average, {_percent(one['highest']):>6} highest"
        yield f"  {shares}, {cast('int', one['uniques']):>7,} unique   {_named(one)}"


def _undeclared(figures: Figures) -> Iterator[str]:
    """Quasi-identifiers that nobody declared."""
    names = cast("list[str]", figures["undeclared"])
    if not names:
        return
    yield ""
    yield f"columns that nobody declared ({len(names)}): the smallest sets that single people out"
    for heading, key in (("alone", "alone"), ("with those above", "together")):
        found = cast("dict[str, Json]", figures[key])
        base = cast("dict[str, float] | None", found["base"])
        sets = cast("list[dict[str, Json]]", found["sets"])
        if base is not None and not found["tried"]:
            yield f"  {heading}: those above single out by themselves ({_percent(base['unique'])} unique)"
            continue
        yield f"  {heading}: {_found(found)}"
        yield from (f"    {_percent(one['unique']):>6} unique   {_named(one)}" for one in sets[:SHOWN])


def _found(found: Mapping[str, Json]) -> str:
    """How many sets, and how they were looked for."""
    count, tried = cast("int", found["found"]), cast("int", found["tried"])
    limits = "" if found["complete"] else ", not all of three columns"
    if found["sampled"] is not None:
        sampled, missed = cast("int", found["sampled"]), _percent(found["missed"])
        limits += f"; sought in {sampled:,} records: 99 % sure that none with over {missed} unique is missed"
    return f"{count or 'none'} of {tried:,} tried{limits}"


def _singling(figures: Figures) -> Iterator[str]:
    """Columns that single out by themselves."""
    found = cast("list[dict[str, Json]]", figures["singling"])
    yield from [""] * bool(found)
    for one in found:
        unique = f"{cast('int', one['unique']):,} {_counted(figures)} ({_percent(one['share'])})"
        yield f"column {one['column']}: {unique} have a value of their own in it"


def _values(figures: Figures) -> Iterator[str]:
    """Cells of the smallest classes, where they were asked for."""
    rows = cast("list[dict[str, str | None]] | None", figures["worst_values"])
    if rows is None:
        return
    yield ""
    yield "in the smallest classes:"
    for row in rows:
        yield "  " + ", ".join(f"{name} = {shown(text or '(missing)')}" for name, text in row.items())


def _named(one: Mapping[str, Json]) -> str:
    return ", ".join(cast("Sequence[str]", one["columns"]))


def _counted(figures: Figures) -> str:
    """What is counted."""
    return "records" if figures["people"] is None else "people"


def _percent(share: Json) -> str:
    """A share in percent.

    >>> _percent(0.4648)
    '46.5%'
    """
    return f"{cast('float', share):.1%}"


def _short(number: float) -> str:
    """A number without needless digits.

    >>> _short(0.2), _short(1 / 3)
    ('0.2', '0.3333')
    """
    return f"{number:.4g}"


def _many(count: int, one: str, more: str = "") -> str:
    """So many of something.

    >>> _many(1, "class", "classes"), _many(2, "column")
    ('1 class', '2 columns')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"
