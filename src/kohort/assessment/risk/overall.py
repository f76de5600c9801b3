"""The re-identification risk of a file as it stands: whom an attacker could find in it, and by which columns."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from math import log
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import numpy as np

from kohort import io
from kohort.arrays import Counts  # noqa: TC001  pydantic reads what fields are
from kohort.assessment.classes import file_classes, sizes_of, tuples_of
from kohort.assessment.population import count_population
from kohort.assessment.risk.attacks import Outcome  # noqa: TC001  as above
from kohort.assessment.risk.figures import figures_of
from kohort.assessment.risk.quasi_identifiers import Identifying, IdentifyingSets, find
from kohort.assessment.risk.reidentification import (
    THRESHOLD,
    Exposure,
    Knowledge,
    SubsetRisk,
    by_estimate,
    by_size,
    knowing,
    marketer,
    marketer_among,
    share_of,
    threshold_of,
)
from kohort.assessment.risk.singling import singling
from kohort.assessment.risk.uniqueness import Uniqueness, counted, estimated, sample_uniques
from kohort.core.uniques import Singling  # noqa: TC001  as above
from kohort.errors import InfeasibleError, SchemaError, UsageError
from kohort.errors.calls import MAPPING, called, verb
from kohort.errors.display import NOT_JSON, Share, Summary, ToldAs, rounded
from kohort.schema import Attribute, Missing, Role, Schema, names_in
from kohort.tables.complete import unsuppressed
from kohort.tables.people import note_spellings, person_codes
from kohort.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from kohort.arrays import Shares
    from kohort.assessment.classes import Classes, FileClasses
    from kohort.assessment.population import PopulationCount
    from kohort.errors.display import Rows
    from kohort.schema.hierarchy import Hierarchy


#: Classes at the highest risk whose cells are kept.
SHOWN: Final = 5

#: The most people that a population can have: estimators lose their precision somewhere beyond.
MOST: Final = 10**12


@dataclass(frozen=True, slots=True)
class Journalist(Exposure):
    """The exposure among the people of the population.

    Attributes:
        by: How the population is known: `"population table"` or `"estimate"`.
        marketer: The expected share of right links when all records are linked with the population.
        unknown: People in classes that fit fewer people of the population table than they have themselves: the table is
            incomplete, and such a class counts with its own size.
        without_value: People of the population table without a value, by column, where there are any.
        suppressed: The columns, among these, in which the schema suppresses them: they match nobody.
    """

    by: str
    marketer: Share
    unknown: int
    without_value: dict[str, int] = field(default_factory=dict[str, int])
    suppressed: tuple[str, ...] = ()

    @property
    def exposure(self) -> Exposure:
        """The figures that the prosecutor's exposure has, too."""
        return Exposure(self.highest, self.average, self.over, self.at_highest)


def _of_column(one: Singling) -> dict[str, object]:
    return {"column": one.columns[0], "unique": one.unique, "share": rounded(one.share)}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Risk(Summary):
    """The re-identification risk of a file, in figures; the module of each says what it means and assumes.

    Attributes:
        records: Records of the file, without the suppressed ones.
        people: People of the file; `None` without a person key, where every record counts.
        quasi: The columns that an attacker is assumed to know of everybody.
        classes: How many classes there are.
        fully_suppressed: Further records, `*` in every quasi-identifying column, which are in no class.
        smallest: People of the smallest class.
        largest: People of the largest class.
        threshold: Risks above this count as over.
        prosecutor: The risks by an attacker who knows that a person is in the file.
        journalist: The risks by one who knows the population but not who is in the file; `None` where nothing is known
            of it.
        marketer: The expected share of right links if all records are linked, with the file as the only knowledge.
        uniqueness: Uniques of the file and of the population.
        figures: Further figures of the file, by key; see `kohort.assessment.risk.figures`.
        known: The risks by an attacker who knows only m quasi-identifiers; `None` where they are not computed.
        undeclared: The columns that are neither quasi-identifying nor sensitive.
        alone: Minimal sets of them that single people out.
        together: The same with all quasi-identifiers known besides.
        singling: Columns released as they are that single people out by themselves.
        worst_values: Cells of up to five classes at the prosecutor's highest risk, by column: values of records, which
            belong in no published report; `None` where they are not to be shown.
        sizes: (c,) people of each class.
        attacks: What attacks found; only of `kohort risk`.
    """

    records: int
    people: int | None
    quasi: tuple[str, ...]
    classes: int
    fully_suppressed: int
    smallest: int
    largest: int
    threshold: Annotated[Fraction, ToldAs(float)]
    prosecutor: Exposure
    journalist: Journalist | None
    marketer: Share
    uniqueness: Uniqueness
    figures: dict[str, Share | None]
    known: Knowledge | None
    undeclared: tuple[str, ...]
    alone: IdentifyingSets
    together: IdentifyingSets
    singling: tuple[Annotated[Singling, ToldAs(_of_column)], ...]
    worst_values: tuple[dict[str, str | None], ...] | None
    sizes: Counts = field(metadata=NOT_JSON)
    attacks: tuple[Outcome, ...] | None = None

    @called('risk.plot("sizes")')
    def plot(self, figure: str | None = None) -> Figure:
        """The risk as a figure of matplotlib; see `kohort.Release.plot` for what it raises.

        Args:
            figure: One of `risks`, `sizes` (of classes) and `singling` (columns in which most people have a unique
                value, where there are any); `None` shows all of them.
        """
        return verb(Risk.plot)(self, figure)

    def _shown(self) -> tuple[str, Rows]:
        exposures = [("prosecutor", self.prosecutor)]
        exposures += [] if self.journalist is None else [("journalist", self.journalist)]
        return "Risk", [
            ("Records", f"{self.records:,}"),
            *([] if self.people is None else [("People", f"{self.people:,}")]),
            ("Classes", f"{self.classes:,}"),
            ("Unique", f"{self.uniqueness.sample:,}"),
            *((f"Highest risk, {who}", f"{one.highest:.1%}") for who, one in exposures),
            *((f"Average risk, {who}", f"{one.average:.1%}") for who, one in exposures),
            *((f"Above {float(self.threshold):g}, {who}", f"{one.over:.1%}") for who, one in exposures),
            ("Expected links of a marketer", f"{self.marketer:.1%}"),
            ("Quasi-identifiers", ", ".join(self.quasi)),
            ("Other columns that single people out", f"{len(self.singling):,}"),
        ]


@called('assess(people, ["age", "city"])', person="str", hierarchies=MAPPING, schema="Schema")
def assess(
    source: object,
    quasi: Sequence[str],
    *,
    sensitive: Sequence[str] = (),
    person: str | None = None,
    population: object = None,
    population_size: int | None = None,
    sampling_fraction: object = None,
    threshold: object = THRESHOLD,
    known: int | None = None,
    hierarchies: Mapping[str, Hierarchy | str] | None = None,
    schema: Schema | None = None,
    seed: int = 0,
) -> Risk:
    """The re-identification risk of a file, released or raw.

    Args:
        source: A table, or what `kohort.io.read` takes: a path or a frame.
        quasi: The columns that an attacker may know about people.
        sensitive: Columns that nobody can know beforehand; all others are examined as undeclared quasi-identifiers.
        person: The column that identifies the person of a record; people are then counted.
        population: A table of the population with the quasi-identifying columns: its people are matched with classes
            by what the labels cover.
        population_size: The size of the population that the file is a sample of, if there is no table of it.
        sampling_fraction: Alternatively, the share of the population that is in the file.
        threshold: Risks above it count as over: 0.2 by default.
        known: Also compute the risk if an attacker knows only this number of quasi-identifiers.
        hierarchies: Hierarchies of quasi-identifiers, which define what released labels cover in the population table.
        schema: Further properties of quasi-identifiers: hierarchies, which texts mean no value, and how one is treated:
            people of the population whom a release would suppress match nobody.
        seed: Seed of the samples that are drawn if there is too much to examine.

    Raises:
        SchemaError: A column is not there, or none is named.
        UsageError: A parameter is out of range, or the population is given twice.
        InputError: The file, or the population, cannot be read or has no records.

    >>> import polars as pl
    >>> people = pl.DataFrame({"city": ["Bari", "Bari", "Roma"], "age": ["30", "30", "41"]})
    >>> risk = assess(people, ["city", "age"], population_size=30)
    >>> risk.prosecutor.highest, risk.uniqueness.sample, round(risk.journalist.exposure.highest, 3)
    (1.0, 1, 0.256)
    """
    quasi, sensitive = names_in(quasi, "quasi"), names_in(sensitive, "sensitive")
    limit = threshold_of(threshold)
    _refuse_two_populations(population, population_size, sampling_fraction)
    whole, known_columns = _table(source), _with_hierarchies(schema or Schema(()), quasi, hierarchies or {})
    _check(whole, quasi, sensitive, person)
    table = unsuppressed(whole, quasi, known_columns.missing)
    file = file_classes(tuples_of(table, quasi, person))
    classes = file.classes
    everybody, fits = population_of(file.people.total, population_size, sampling_fraction), None
    if population is not None:
        others = _table(population)
        fits = count_population([table[name] for name in quasi], classes.codes, others, known_columns)
        everybody = others.records
    undeclared = tuple(name for name in table.names if name not in {*quasi, *sensitive, person})
    columns, base = ([table[name].codes for name in names] for names in (undeclared, quasi))
    people = None if person is None else person_codes(table[person])
    if person is not None:
        note_spellings(table[person])
    subsets = None if known is None else knowing(file.frequency, known, threshold=limit, seed=seed)
    alone, together = (find(columns, base=beneath, people=people, seed=seed) for beneath in ((), base))
    return Risk(
        records=table.records,
        people=None if person is None else file.people.total,
        quasi=tuple(quasi),
        classes=classes.sizes.size,
        fully_suppressed=whole.records - table.records,
        smallest=int(classes.sizes.min()),
        largest=int(classes.sizes.max()),
        threshold=limit,
        prosecutor=by_size(file.people, limit),
        journalist=_journalist(file, everybody, fits, known_columns, threshold=limit),
        marketer=marketer(classes.sizes),
        uniqueness=_uniqueness(file, everybody, fits),
        figures=figures_of(file),
        known=None if subsets is None else replace(subsets, worst=_named(subsets.worst, quasi)),
        undeclared=undeclared,
        alone=replace(alone, sets=_named(alone.sets, undeclared)),
        together=replace(together, sets=_named(together.sets, undeclared)),
        singling=singling(table, [name for name in table.names if name not in {*quasi, person}], people),
        worst_values=tuple(dict(zip(quasi, row, strict=True)) for row in _worst(table, quasi, classes)),
        sizes=classes.sizes,
    )


_Set = TypeVar("_Set", SubsetRisk, Identifying)


def _named(sets: Sequence[_Set], names: Sequence[str]) -> tuple[_Set, ...]:
    """Sets of columns by their names, which a search has by their places."""
    return tuple(replace(one, columns=tuple(names[int(place)] for place in one.columns)) for one in sets)


def population_of(people: int, size: object, fraction: object) -> int | None:
    """The size of the population of which `people` are in the file, as given or by the fraction; `None` without either.

    Raises:
        UsageError: The size is no whole number of at least `people`, the fraction is no share, or there would be more
            people than estimators can handle.

    >>> population_of(30, None, "0.05")
    600
    """
    where = "population size"
    if fraction is not None:
        where = "sampling fraction"
        size = round(people / share_of(fraction, "the sampling fraction", "0.05"))
    elif size is None:
        return None
    if type(size) is not int or size < people:
        raise UsageError(
            "the population must have at least the people of the file",
            where="population size",
            hint=f"a whole number of at least {people:,}",
        )
    if size > MOST:
        what = f"the population would have more than {MOST:,} people"
        raise UsageError(what, where=where, hint="check the number of its digits")
    return size


def _refuse_two_populations(population: object, size: object, fraction: object) -> None:
    if sum(given is not None for given in (population, size, fraction)) > 1:
        raise UsageError(
            "the population is given in two ways",
            where="population",
            hint="give one of a population table, its size, and the sampling fraction",
        )


def _with_hierarchies(schema: Schema, quasi: Sequence[str], hierarchies: Mapping[str, Hierarchy | str]) -> Schema:
    """What is known of the quasi-identifying columns, with these hierarchies too."""
    faults = [f"column {name} is not quasi-identifying" for name in hierarchies if name not in quasi]
    if faults:
        hint = "give hierarchies only of quasi-identifying columns"
        raise SchemaError("; ".join(faults), where="population", hint=hint)
    known = {one.name: one for one in schema.quasi} | {
        name: replace(Attribute(name, Role.QUASI, missing=schema.missing_of(name)), hierarchy=one)
        for name, one in hierarchies.items()
    }
    return replace(schema, attributes=tuple(known.values()), person=None)


def _journalist(
    file: FileClasses, population: int | None, found: PopulationCount | None, schema: Schema, *, threshold: Fraction
) -> Journalist | None:
    """The journalist's risks among so many people, or by whom the classes fit; `None` without a population."""
    if population is None:
        return None
    sizes = file.classes.sizes
    if found is None:
        fraction = Fraction(file.people.total, population)
        exposure = by_estimate(file.people, individual_risks(file.people.sizes, fraction), threshold)
        among = marketer_among(sizes, individual_risks(sizes, fraction))
        return Journalist(**asdict(exposure), by="estimate", marketer=among, unknown=0)
    fitting = np.maximum(found.fitting, sizes)  # the people of the file are of the population, listed or not
    without = dict(found.without_value)
    return Journalist(
        **asdict(by_size(sizes_of(file.frequency, file.classes.of, fitting), threshold)),
        by="population table",
        marketer=marketer_among(sizes, 1 / fitting),
        unknown=int(sizes[found.fitting < sizes].sum()),
        without_value=without,
        suppressed=tuple(name for name in without if schema.missing_of(name) is Missing.SUPPRESS),
    )


def _uniqueness(file: FileClasses, population: int | None, found: PopulationCount | None) -> Uniqueness:
    sizes = file.classes.sizes
    if population is None:
        return sample_uniques(sizes)
    if found is not None:
        return counted(sizes, found.fitting, population)
    return estimated(sizes, population, spread=int(sizes.sum()) != file.people.total)


def _table(source: object) -> Table:
    return source if isinstance(source, Table) else io.read(source)


def _check(table: Table, quasi: Sequence[str], sensitive: Sequence[str], person: str | None) -> None:
    named = [Attribute(name, Role.QUASI) for name in quasi] + [Attribute(name, Role.SENSITIVE) for name in sensitive]
    key = [Attribute(name, Role.IDENTIFYING) for name in table.names if name == person]
    Schema((*named, *key), rest=Role.INSENSITIVE, person=person).over(table.names)
    if not table.records:
        raise InfeasibleError("there are 0 records", hint="use a table with records")


def _worst(table: Table, quasi: Sequence[str], classes: Classes) -> tuple[tuple[str | None, ...], ...]:
    smallest = classes.codes[classes.sizes == classes.sizes.min()]
    columns = [table[name].values.to_list() for name in quasi]
    rows = [tuple(values[code] for values, code in zip(columns, row, strict=True)) for row in smallest.tolist()]
    return tuple(sorted(rows, key=lambda row: [text or "" for text in row])[:SHOWN])


#: Terms of the series: each is at most half the one before, and a float has 53 binary digits.
TERMS: Final = 60


def individual_risks(among: Counts, fraction: Fraction) -> Shares:
    """(j,) the journalist's risk for each of the sizes `among`, estimated from the file and its sampling fraction.

    Benedetti, Franconi: Statistical and Technological Solutions for Controlled Data Dissemination (1998); Polettini:
    Some Remarks on the Individual Risk Methodology (2003); with one sampling weight, as in a simple random sample.
    Given f people of the file in a class, the number F of the population is taken for negative binomial: the draws that
    it takes to see f successes of probability pi, the sampling fraction. The risk is the mean of 1/F.

    With s between 0 and 1 the mean is the integral of pi·s^(f-1) / (pi + (1-pi)·s). The one of f follows from that of
    f-1, whose error a small fraction divides; of a large fraction its series falls quickly.

    >>> from fractions import Fraction
    >>> individual_risks(np.array([1, 5]), Fraction(1)).tolist()
    [1.0, 0.2]
    >>> individual_risks(np.array([1, 5]), Fraction(1, 10)).round(4).tolist()
    [0.2558, 0.0242]
    """
    sampled = float(fraction)
    return _by_steps(among, sampled) if fraction <= 0.5 else _by_series(among, sampled)  # noqa: PLR2004  one half


def _by_steps(among: Counts, sampled: float) -> Shares:
    """From f = 1 upward: risk(f+1) = ratio · (1/f - risk(f))."""
    ratio = sampled / (1 - sampled)
    risk = -ratio * log(sampled)
    risks = np.empty(int(among.max()))
    for size in range(1, risks.size + 1):
        risks[size - 1] = risk
        risk = ratio * (1 / size - risk)
    return risks[among - 1]


def _by_series(among: Counts, sampled: float) -> Shares:
    """pi/f times the sum over i of (1-pi)^i · i! / ((f+1)…(f+i))."""
    term = sampled / among
    total = term.copy()
    for step in range(1, TERMS):
        term = term * ((1 - sampled) * step / (among + step))
        total += term
    return total
