"""Privacy models beyond k: what judging them takes, and what they buy and cost.

    python -m bench.models lattice [--k 5] [--limit 2%] [--runs 5]
    python -m bench.models table [--k 5 10] [--limit 5%]
    python -m bench.models mondrian [--records 1000000] [--k 5] [--runs 3]
    python -m bench.models register [--records 1000000] [--k 5] [--runs 3]

All but the last need Adult and its hierarchies in the folder that KOHORT_DATA names; `register` has the incomes of the
synthetic register, about a tenth as many as records. `lattice`, `mondrian` and `register` time the search alone, in a
process that has compiled it before: CPU seconds, k alone and each model in turn, the median of several runs. For a
lattice that is by the node: a search that may not infer from one node to another judges more of them. `table` makes
verified releases.
"""

from __future__ import annotations

import argparse
import statistics
import time
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from bench.tables import ADULT, DATA, adult, adult_hierarchy, adult_like
from kohort import (
    Attribute,
    DistinctLDiversity,
    InfeasibleError,
    Job,
    KAnonymity,
    Mondrian,
    Optimal,
    ReadOptions,
    Role,
    Schema,
    SuppressionLimit,
    TCloseness,
    anonymize,
    read_hierarchy,
)
from kohort.algorithms.lattice.exhaustive import Exhaustive
from kohort.algorithms.problem import Problem
from kohort.core.frequency import FrequencySet, group
from kohort.io import read
from kohort.io.typed import from_frame
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from kohort.samples.italy import italy
from kohort.schema.sensitive import SensitiveDomain
from kohort.tables.coded import CodedTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from bench.tables import Coded
    from kohort import Release
    from kohort.algorithms.mondrian.space import Cut
    from kohort.algorithms.problem import Algorithm
    from kohort.models.base import PrivacyModel
    from kohort.schema.domain import Domain

#: The sensitive attributes, of two and of fourteen values; the other columns with a hierarchy are quasi-identifying.
SENSITIVE = ("salary-class", "occupation")

#: How many times what k alone takes judging l or t may take: by the node of a lattice, and in Mondrian.
PER_NODE, PER_TABLE = 3.0, 4.0


def timed(sensitive: str) -> dict[str, PrivacyModel]:
    """The models that are timed beside k: of each, one that many classes meet and many do not."""
    return {
        "distinct l = 2": DistinctLDiversity(sensitive, 2),
        "entropy l = 1.5": EntropyLDiversity(sensitive, Fraction(3, 2)),
        "recursive c = 4, l = 2": RecursiveLDiversity(sensitive, Fraction(4), 2),
        "t = 0.2": TCloseness(sensitive, Fraction(1, 5)),
        "t = 0.1": TCloseness(sensitive, Fraction(1, 10)),
    }


class Search(NamedTuple):
    """One search: CPU seconds, and the nodes judged, or the classes made."""

    cpu: float
    steps: int


def search(problem: Problem, algorithm: Algorithm, steps: str) -> Search:
    """Time the algorithm, and nothing else."""
    began = time.process_time()
    trace = algorithm.solve(problem).trace
    return Search(time.process_time() - began, trace[steps])


def in_turn(problems: Mapping[str, Problem], algorithm: Algorithm, steps: str, runs: int) -> dict[str, Search]:
    """The median of several runs of each problem, one problem after the other in each run; the first run compiles."""
    found: dict[str, list[Search]] = {name: [] for name in problems}
    for _ in range(runs + 1):
        for name, problem in problems.items():
            found[name].append(search(problem, algorithm, steps))
    return {
        name: Search(statistics.median(one.cpu for one in several[1:]), several[0].steps)
        for name, several in found.items()
    }


# --- lattice search ---------------------------------------------------------------------------------------------------


def problems_of(sensitive: str, k: int) -> dict[str, Problem]:
    """Adult with eight quasi-identifiers, for k alone and with each model; k alone counts no sensitive values."""
    engine = engine_of(sensitive)
    alone, counted = engine.count(), engine.count((sensitive,))
    return {"k alone": Problem(alone, engine.domains, (KAnonymity(k),))} | {
        name: Problem(counted, engine.domains, (KAnonymity(k), model)) for name, model in timed(sensitive).items()
    }


def engine_of(sensitive: str) -> CodedTable:
    """The complete records of Adult."""
    source = read(f"{DATA}/adult.csv", ReadOptions())
    return CodedTable(source, schema_of(sensitive).over(source.names))


def schema_of(sensitive: str) -> Schema:
    """Adult's columns with a hierarchy are quasi-identifying, but one is sensitive."""
    quasi = (Attribute(name, Role.QUASI, hierarchy=read_hierarchy(adult_hierarchy(name))) for name in ADULT)
    attributes = [one for one in quasi if one.name != sensitive]
    return Schema((*attributes, Attribute(sensitive, Role.SENSITIVE)), rest=Role.IDENTIFYING)


def on_lattice(options: argparse.Namespace) -> None:
    """CPU time of a node."""
    limit = SuppressionLimit.of(options.limit)
    for sensitive in SENSITIVE:
        problems = problems_of(sensitive, options.k)
        for algorithm in (Exhaustive(limit), Optimal(limit)):
            print(f"{algorithm.name}, {sensitive}, k {options.k}, {options.limit} suppressed at most")
            found = in_turn(problems, algorithm, "evaluated", options.runs)
            alone = found["k alone"].cpu / found["k alone"].steps
            for name, one in found.items():
                each = one.cpu / one.steps
                print(
                    f"  {name:<23} {one.steps:>6,} nodes {each * 1e6:>7.1f} us/node  {against(each / alone, PER_NODE)}"
                )


def against(ratio: float, most: float) -> str:
    """The ratio to k alone, and whether it may be so much."""
    return f"{ratio:5.2f}x  {'meets' if ratio <= most else 'MISSES'} {most:g}"


# --- what models buy and cost -----------------------------------------------------------------------------------------


def on_table(options: argparse.Namespace) -> None:
    """Verified releases of Adult: how many people a class gives away, and what is lost."""
    sensitive = SENSITIVE[0]
    models: dict[str, PrivacyModel | None] = {
        "none": None,
        "distinct l = 2": DistinctLDiversity(sensitive, 2),
        "entropy l = 2": EntropyLDiversity(sensitive, Fraction(2)),
        "entropy l = 1.5": EntropyLDiversity(sensitive, Fraction(3, 2)),
        "t = 0.2": TCloseness(sensitive, Fraction(1, 5)),
        "t = 0.1": TCloseness(sensitive, Fraction(1, 10)),
    }
    print(f"| method | k | model of {sensitive} | homogeneity | LM | classes | suppressed | search |")
    print("|---|---|---|---|---|---|---|---|")
    for algorithm in (Mondrian(), Optimal(SuppressionLimit.of(options.limit))):
        for k in options.k:
            for name, model in models.items():
                free = () if model else (sensitive,)
                asked = (KAnonymity(k), *([model] if model else []))
                job = Job.of(schema_of(sensitive), *asked, algorithm=algorithm, no_model=free)
                print(f"| {algorithm.name} | {k} | {name} | {figures(job, sensitive)} |", flush=True)


def figures(job: Job, sensitive: str) -> str:
    """The figures of a release, the second time that it is made, for the first may compile."""
    try:
        release = [anonymize(f"{DATA}/adult.csv", job) for _ in range(2)][-1]
    except InfeasibleError:
        return "no release | | | |"
    seconds = release.seconds["solve"]
    return (
        f"{homogeneity(release, sensitive):.1%} | {release.metrics['lm']:.3f} | {release.sizes.size:,} | "
        f"{release.suppressed:,} | {seconds:.2f} s"
    )


def homogeneity(release: Release, sensitive: str) -> float:
    """The share of the released people in whose class there is one sensitive value."""
    frame = pl.DataFrame({one.name: one.values.gather(one.codes) for one in release.table.columns})
    quasi = [one.name for one in release.job.schema.quasi]
    classes = frame.group_by(quasi).agg(pl.len().alias("size"), pl.col(sensitive).n_unique().alias("values"))
    return int(classes.filter(pl.col("values") == 1)["size"].sum()) / frame.height


# --- Mondrian ---------------------------------------------------------------------------------------------------------


class Wide(NamedTuple):
    """A table like Adult: its tuples without one of the columns, with it as what is sensitive, and the domains."""

    alone: FrequencySet
    counted: FrequencySet
    domains: tuple[Domain, ...]


def wide(real: Coded, codes: NDArray[np.uint16], sensitive: str) -> Wide:
    """The table for one sensitive column."""
    place = [domain.attribute.name for domain in real.domains].index(sensitive)
    quasi = np.delete(codes, place, axis=1)
    domains = (*real.domains[:place], *real.domains[place + 1 :])
    alone = group(quasi)
    none = np.empty((alone.first.size, 0), np.uint16)
    counted = group(codes)
    values = SensitiveDomain(sensitive, np.bincount(codes[:, place]))
    held = codes[counted.first, place][:, np.newaxis]
    return Wide(
        FrequencySet(quasi[alone.first], none, alone.counts),
        FrequencySet(quasi[counted.first], held, counted.counts, (values,)),
        domains,
    )


def on_mondrian(options: argparse.Namespace) -> None:
    """CPU time of Mondrian on a table like Adult."""
    real = adult()
    codes = adult_like(real, options.records)
    for sensitive in SENSITIVE:
        table = wide(real, codes, sensitive)
        problems = {"k alone": Problem(table.alone, table.domains, (KAnonymity(options.k),))} | {
            name: Problem(table.counted, table.domains, (KAnonymity(options.k), model))
            for name, model in timed(sensitive).items()
        }
        tuples = f"{table.alone.counts.size:,} distinct tuples, {table.counted.counts.size:,} with {sensitive}"
        print(f"mondrian, {options.records:,} records, {tuples}, k {options.k}")
        found = in_turn(problems, Mondrian(), "leaves", options.runs)
        for name, one in found.items():
            ratio = against(one.cpu / found["k alone"].cpu, PER_TABLE)
            print(f"  {name:<23} {one.steps:>7,} leaves {one.cpu:>7.2f} s CPU  {ratio}", flush=True)


# --- many sensitive values --------------------------------------------------------------------------------------------

#: The columns of the register that are quasi-identifying, and the sensitive one, which has thousands of values.
QUASI, INCOME = ("gender", "city", "age", "education", "profession"), "annual_income"


def on_register(options: argparse.Namespace) -> None:
    """CPU time of Mondrian, by either kind of cut, where the sensitive column has thousands of values."""
    people = italy(options.records, seed=7)
    columns = [Attribute(name, Role.QUASI) for name in QUASI]
    schema = Schema((*columns, Attribute(INCOME, Role.SENSITIVE)), rest=Role.IDENTIFYING)
    engine = CodedTable(from_frame(people), schema.over(tuple(people.columns)))
    alone, counted = engine.count(), engine.count((INCOME,))
    models = timed(INCOME) | {"beta = 4": BasicBetaLikeness(INCOME, Fraction(4))}
    problems = {"k alone": Problem(alone, engine.domains, (KAnonymity(options.k),))} | {
        name: Problem(counted, engine.domains, (KAnonymity(options.k), model)) for name, model in models.items()
    }
    tuples = f"{alone.counts.size:,} distinct tuples, {counted.counts.size:,} with {INCOME}"
    print(f"{options.records:,} records, {tuples}, {len(counted.sensitive_domains[0]):,} incomes, k {options.k}")
    cuts: tuple[Cut, ...] = ("nearest", "loss")
    for cut in cuts:
        found = in_turn(problems, Mondrian(cut), "leaves", options.runs)
        for name, one in found.items():
            ratio = against(one.cpu / found["k alone"].cpu, PER_TABLE)
            print(f"  {cut:<8}{name:<23} {one.steps:>7,} leaves {one.cpu:>7.2f} s CPU  {ratio}", flush=True)


def main() -> None:
    """Print the figures of one part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    one = parts.add_parser("lattice")
    one.add_argument("--limit", default="2%")
    one.add_argument("--runs", type=int, default=5)
    two = parts.add_parser("table")
    two.add_argument("--k", type=int, nargs="+", default=[5, 10])
    two.add_argument("--limit", default="5%", help="what the lattice search may suppress")
    three = parts.add_parser("mondrian")
    four = parts.add_parser("register")
    for part in (three, four):
        part.add_argument("--records", type=int, default=1_000_000)
        part.add_argument("--runs", type=int, default=3)
    for part in (one, three, four):
        part.add_argument("--k", type=int, default=5)
    options = parser.parse_args()
    if options.part == "register":
        on_register(options)
        return
    if not DATA:
        print("KOHORT_DATA names no folder with Adult and its hierarchies: left out")
        return
    {"lattice": on_lattice, "table": on_table, "mondrian": on_mondrian}[options.part](options)


if __name__ == "__main__":
    main()
