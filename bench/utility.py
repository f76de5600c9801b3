"""What is left of a table at equal k: loss, query error and exposure of every way to cut it, and the bound.

    KOHORT_DATA=folder python -m bench.utility [--tables adult register ancestors] [--k 5 10 100] [--bound]
    KOHORT_DATA=folder python -m bench.utility --speed RECORDS [--k 10]

LM/d is the mean loss of a quasi-identifier, (max - min)/width of numbers, (m - 1)/(|A| - 1) of sets and nodes; GCP
counts m/|A| for these: two measures, never to be compared. Queries: the median relative error of 400 random count
queries. Alone: people whose exact value a printed end of a range gives away. Adult has 8 quasi-identifiers, sorted
names, ranges and sets; the register is `kohort generate italy`, 30,000 people; ancestors is Adult with ARX's 9
hierarchies.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from bench.tables import ADULT, DATA, adult_hierarchy, table
from kohort import Attribute, Job, ReadOptions, Role, Schema, read_hierarchy
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.local import LocalRecoding
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.suppress_cells import SuppressCells
from kohort.algorithms.mondrian.bound import least_loss
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import Ordered
from kohort.assessment.comparison import lines_of
from kohort.assessment.comparison.queries import workload
from kohort.engines.local import LOCAL
from kohort.generate.italy import italy
from kohort.io import read
from kohort.metrics.known import METRICS
from kohort.models.k_anonymity import KAnonymity
from kohort.pipeline.problem import problem_of
from kohort.pipeline.tables import anonymize
from kohort.schema import Label, Order
from kohort.sweeps.counting import answer, count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.algorithms.problem import Algorithm

EIGHT = ("age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country")
FIVE = ("gender", "city", "age", "education", "profession")
NUMBERS = {"age", "education-num"}

#: Random count queries of a workload.
QUERIES = 400

METHODS: tuple[Algorithm, ...] = (Mondrian(), Mondrian("loss"), Ordered())

#: What needs hierarchies, or hides cells: over Adult with ARX's.
ON_NODES: tuple[Algorithm, ...] = (
    Optimal(),
    LocalRecoding(Optimal()),
    LocalRecoding(GivenNode((1, 4, 1, 2, 3, 2, 2, 2, 1))),
    SuppressCells(),
)


class Subject(NamedTuple):
    """A table, and its quasi-identifiers."""

    frame: pl.DataFrame
    attributes: tuple[Attribute, ...]

    def job(self, k: int, how: Algorithm) -> Job:
        """The job of one release."""
        return Job.of(Schema(self.attributes), KAnonymity(k), algorithm=how)


def subjects() -> dict[str, Subject]:
    """The tables by name."""

    def plain(name: str) -> Attribute:
        return Attribute(name, Role.QUASI, order=None if name in NUMBERS else Order.SORTED)

    adult = pl.read_csv(f"{DATA}/adult.csv", infer_schema=False) if DATA else pl.DataFrame()
    register = italy(30_000, seed=7).select(pl.col(name).cast(pl.String) for name in FIVE)
    found = {"register": Subject(register, tuple(map(plain, FIVE)))}
    if DATA:
        nodes = (
            Attribute(name, Role.QUASI, hierarchy=read_hierarchy(adult_hierarchy(name)), label=Label.ANCESTOR)
            for name in ADULT
        )
        found["adult"] = Subject(adult.select(EIGHT), tuple(map(plain, EIGHT)))
        found["ancestors"] = Subject(adult.select(ADULT), tuple(nodes))
    return found


def rows(name: str, subject: Subject, ks: list[int], *, bounded: bool) -> Iterator[str]:
    """A line for each release."""
    source = read(subject.frame, ReadOptions())
    for k in ks:
        for how in (*METHODS, *(ON_NODES if name == "ancestors" else ())):
            job = subject.job(k, how)
            found = answer(count(source, job, None), job)
            release = anonymize(subject.frame, job)
            error = workload(lines_of(source, release.table, schema=job.schema), QUERIES, seed=5).median
            lost, penalty = METRICS["ncp"](found.outcome), METRICS["gcp"](found.outcome)
            alone = 0 if release.verdict is None else release.verdict.range_exposure / source.records
            yield (
                f"| {name} | {k} | {title(how)} | {lost:.4f} | {penalty:.4f} | {error:.3f} | {alone:.1%} "
                f"| {release.sizes.size:,} |"
            )
        if bounded:
            job = subject.job(k, METHODS[0])
            least = least_loss(problem_of(LOCAL.count(source, job).counts, job))
            yield f"| {name} | {k} | no release is below | {least.ncp:.4f} ± {least.error:.4f} | | | | |"


def title(how: Algorithm) -> str:
    """The method and its cut."""
    return f"{how.name}, {how.cut}" if isinstance(how, Mondrian) else how.name


def speed(records: int, k: int) -> Iterator[str]:
    """CPU seconds of each search, the second time, and as a multiple of the first method's."""
    for kind in ("low", "high"):
        frame = pl.read_csv(table(kind, records), infer_schema=False).drop("income")
        source = read(frame, ReadOptions())
        schema = Schema(tuple(Attribute(name, Role.QUASI) for name in frame.columns))
        first = 0.0
        for how in METHODS:
            job = Job.of(schema, KAnonymity(k), algorithm=how)
            problem = problem_of(LOCAL.count(source, job).counts, job)
            how.solve(problem)
            began = time.process_time()
            how.solve(problem)
            spent = time.process_time() - began
            first = first or spent
            yield f"{kind:5} {records:,} k={k:<4} {title(how):20} {spent:6.2f} s  {spent / first:5.1f} x"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="+", default=["adult", "register", "ancestors"])
    parser.add_argument("--k", nargs="+", type=int, default=[5, 10, 100])
    parser.add_argument("--bound", action="store_true")
    parser.add_argument("--speed", type=int)
    given = parser.parse_args()
    if given.speed:
        for line in speed(given.speed, given.k[0]):
            print(line, flush=True)
    else:
        print("| table | k | method | LM/d | GCP | queries | alone | classes |\n|---|---|---|---|---|---|---|---|")
        for name, subject in subjects().items():
            for line in rows(name, subject, given.k, bounded=given.bound) if name in given.tables else ():
                print(line, flush=True)
