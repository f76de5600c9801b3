"""What is left of a table at equal k: loss, query error, predictions and exposure of every way to cut it; the bound.

    KOHORT_DATA=folder python -m bench.utility [--tables adult register ancestors] [--k 5 10 100] [--bound]
    KOHORT_DATA=folder python -m bench.utility --exposure [--tables adult register] [--k 5 10 100] [--companions]
    KOHORT_DATA=folder python -m bench.utility --speed 100000 200000 1000000 [--k 10]
    python -m bench.utility --names 20000 100000 1000000 [--k 10]

LM/d is the mean loss of a quasi-identifier, (max - min)/width of numbers, (m - 1)/(|A| - 1) of sets and nodes; GCP
counts m/|A| for these: two measures, never to be compared. Queries: the median and the mean relative error of 400
random count queries. Accuracy: of a random forest that learns from the release and is judged on held-out records of the
table, on average over three draws (`kohort compare --target`): of the salary class, of an income above the median, of
the relationship; below each table's lines stand the accuracy of learning from the table itself and that of always
saying the most frequent class. Alone: people whose exact value a printed end of a range gives away.

--exposure counts, for every method, the people who alone have a value that a label prints beside others, by the end of
a range and by the member of a set: with ranges, and with numbers on a round grid.

Adult has 8 quasi-identifiers, sorted names, ranges and sets; the register is `kohort generate italy`, 30,000 people;
ancestors is Adult with ARX's 9 hierarchies.

Speed is that of the searches alone, the second time, so that nothing is compiled: CPU seconds, by Adult-like records
(low) and by records of mostly numbers nearly all of whose tuples differ (high).

--names runs `kohort anonymize` on names that are released as sets: near-unique codes, dates as names, both with cities
and professions, and names of few values; CPU seconds and peak memory of the process, beside those of `nearest`.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from bench.measure import cost
from bench.tables import ADULT, DATA, OUT, adult_hierarchy, table
from kohort import Attribute, Job, ReadOptions, Role, Schema, read_hierarchy
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.local import LocalRecoding
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.suppress_cells import SuppressCells
from kohort.algorithms.mondrian.bound import least_loss
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import Ordered
from kohort.algorithms.mondrian.top_down import TopDown
from kohort.assessment.comparison import lines_of
from kohort.assessment.comparison.classifier import prediction
from kohort.assessment.comparison.queries import workload
from kohort.core.uniques import Exposed
from kohort.engines.local import LOCAL
from kohort.engines.pipeline import anonymize
from kohort.engines.pricing import answer, count
from kohort.engines.problem import problem_of
from kohort.io import read
from kohort.metrics.known import METRICS
from kohort.models.k_anonymity import KAnonymity
from kohort.samples.italy import italy
from kohort.schema import Label, Order
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kohort.algorithms.problem import Algorithm, Problem
    from kohort.arrays import Counts, Index
    from kohort.core.frequency import FrequencySet
    from kohort.tables.table import Table

EIGHT = ("age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country")
FIVE = ("gender", "city", "age", "education", "profession")
NUMBERS = {"age", "education-num"}

#: Random count queries of a workload.
QUERIES = 400

#: Draws of held-out records.
DRAWS = 3

METHODS: tuple[Algorithm, ...] = (Mondrian(), Mondrian("loss"), Ordered())

#: The heads of the table.
HEADS = """| table | k | method | LM/d | GCP | queries, median | mean | accuracy | alone | classes |
|---|---|---|---|---|---|---|---|---|---|"""


class Subject(NamedTuple):
    """A table, its quasi-identifiers, and the column that they predict."""

    frame: pl.DataFrame
    attributes: tuple[Attribute, ...]
    target: str

    @property
    def schema(self) -> Schema:
        """The quasi-identifiers, and the target, which no search sees."""
        return Schema((*self.attributes, Attribute(self.target, Role.INSENSITIVE)), rest=Role.DROP)

    @property
    def methods(self) -> tuple[Algorithm, ...]:
        """What is compared: with hierarchies also what needs them, and what hides cells."""
        trees = {one.name: one.hierarchy for one in self.attributes if isinstance(one.hierarchy, Hierarchy)}
        if not trees:
            return METHODS
        roots = GivenNode(tuple(one.height for one in trees.values()), names=tuple(trees))
        return (*METHODS, Optimal(), LocalRecoding(Optimal()), LocalRecoding(roots), SuppressCells())

    def job(self, k: int, how: Algorithm) -> Job:
        """The job of one release."""
        return Job.of(self.schema, KAnonymity(k), algorithm=how)


def subjects(label: Label | None = None) -> dict[str, Subject]:
    """The tables by name; names without a hierarchy have this label."""

    def plain(name: str) -> Attribute:
        if name in NUMBERS:
            return Attribute(name, Role.QUASI)
        return Attribute(name, Role.QUASI, order=Order.SORTED, label=label)

    adult = pl.read_csv(f"{DATA}/adult.csv", infer_schema=False) if DATA else pl.DataFrame()
    people = italy(30_000, seed=7)
    income = pl.col("annual_income").cast(pl.Float64)
    register = people.select(
        *(pl.col(name).cast(pl.String) for name in FIVE), income=(income > income.median()).cast(pl.String)
    )
    found = {"register": Subject(register, tuple(map(plain, FIVE)), "income")}
    if DATA:
        nodes = (
            Attribute(name, Role.QUASI, hierarchy=read_hierarchy(adult_hierarchy(name)), label=Label.ANCESTOR)
            for name in ADULT
        )
        found["adult"] = Subject(adult, tuple(map(plain, EIGHT)), "salary-class")
        found["ancestors"] = Subject(adult, tuple(nodes), "relationship")
    return found


def rows(name: str, subject: Subject, ks: list[int], *, bounded: bool = False, draws: int = DRAWS) -> Iterator[str]:
    """A line for the table, and one for each release."""
    source = read(subject.frame, ReadOptions())
    learned: Learned | None = None
    for k in ks:
        for how in subject.methods:
            job = subject.job(k, how)
            found = answer(count(source, job, None), job)
            release = anonymize(subject.frame, job)
            lines = lines_of(source, release.table, schema=subject.schema)
            quasi = [line for line in lines if line.name != subject.target]
            error = workload(quasi, QUERIES, seed=5)
            if draws:
                learned = learning(subject, source, release.table, draws)
            accuracy = "" if learned is None else f"{learned.released:.1%}"
            lost, penalty = METRICS["ncp"](found.outcome), METRICS["gcp"](found.outcome)
            alone = 0 if release.verdict is None else release.verdict.range_exposure / source.records
            yield (
                f"| {name} | {k} | {title(how)} | {lost:.4f} | {penalty:.4f} | {error.median:.3f} | {error.mean:.3f} "
                f"| {accuracy} | {alone:.1%} | {release.sizes.size:,} |"
            )
        if bounded:
            job = subject.job(k, METHODS[0])
            least = least_loss(problem_of(LOCAL.count(source, job).counts, job))
            exact = f"{least.exact} of {least.records} exactly"
            yield f"| {name} | {k} | no release is below ({exact}) | {least.ncp:.4f} ± {least.error:.4f} | | | | | | |"
    if learned is not None:
        yield f"| {name} | | the table | 0 | 0 | 0 | 0 | {learned.original:.1%} (least: {learned.baseline:.1%}) | | |"


class Learned(NamedTuple):
    """Accuracy of the most frequent class, of learning from the table, and of learning from its release."""

    baseline: float
    original: float
    released: float


def learning(subject: Subject, before: Table, after: Table, draws: int) -> Learned:
    """How well the target is predicted, on average over some draws."""
    lines = lines_of(before, after, schema=subject.schema)
    quasi, [target] = (
        [line for line in lines if (line.name == subject.target) is whether] for whether in (False, True)
    )
    found = [prediction(quasi, target, seed=seed) for seed in range(draws)]
    return Learned(*(fmean(getattr(one, name) for one in found) for name in Learned._fields))


#: Every method that makes classes of regions.
ALL: tuple[Algorithm, ...] = (
    *(Mondrian(cut, relaxed=relaxed) for relaxed in (False, True) for cut in ("nearest", "median", "loss")),
    TopDown(),
    Ordered(),
)


def exposure(name: str, subject: Subject, ks: list[int]) -> Iterator[str]:
    """A line for each method: people alone at a printed value, by k and by whether numbers lie on a grid."""
    gridded = tuple(replace(one, grid="round") if one.name in NUMBERS else one for one in subject.attributes)
    for how in ALL:
        for what, attributes in (("ranges", subject.attributes), ("grid", gridded)):
            shares: list[str] = []
            for k in ks:
                verdict = anonymize(subject.frame, subject._replace(attributes=attributes).job(k, how)).verdict
                alone = Exposed() if verdict is None else verdict.exposed
                ends, members = (each / subject.frame.height for each in (alone.range_ends, alone.set_members))
                shares.append(f"{ends:.1%}, {members:.1%}")
            yield f"| {name} | {title(how)} | {what} | {' | '.join(shares)} |"


def title(how: Algorithm) -> str:
    """The method and its cut."""
    return f"{how.name}, {how.cut}" if isinstance(how, Mondrian) else how.name


def speed(sizes: list[int], k: int) -> Iterator[str]:
    """A line for each kind of table, size and search: CPU seconds, and how they grow."""
    yield "| kind | records | tuples | method | CPU s | µs per record | times nearest |"
    yield "|---|---|---|---|---|---|---|"
    for kind in ("low", "high"):
        for records in sizes:
            frame = pl.read_csv(table(kind, records), infer_schema=False).drop("income")
            source = read(frame, ReadOptions())
            schema = Schema(tuple(Attribute(name, Role.QUASI) for name in frame.columns))
            jobs = [Job.of(schema, KAnonymity(k), algorithm=how) for how in METHODS]
            spent = [cpu(problem_of(LOCAL.count(source, job).counts, job), job.algorithm) for job in jobs]
            for job, (tuples, seconds) in zip(jobs, spent, strict=True):
                each, times = 1e6 * seconds / records, seconds / spent[0].seconds
                yield (
                    f"| {kind} | {records:,} | {tuples:,} | {title(job.algorithm)} | {seconds:.2f} | {each:.2f} "
                    f"| {times:.1f} |"
                )


#: Of tables of names: the columns, and which of them are near-unique.
NAMES = {
    "codes": ("age", "code", "sex"),
    "dates": ("born", "job", "sex"),
    "mixed": ("age", "code", "born", "city", "job", "sex"),
    "few": ("age", "city", "job", "sex"),
}


def names(sizes: list[int], k: int) -> Iterator[str]:
    """A line for each table of names and size: what nearest and loss take, and loss by nearest."""
    yield "| names | records | nearest CPU s, MiB, NCP | loss CPU s, MiB, NCP | CPU | memory |"
    yield "|---|---|---|---|---|---|"
    OUT.mkdir(exist_ok=True)
    for records in sizes:
        random = np.random.default_rng(1)
        days = np.datetime64("1930-01-01") + random.integers(0, 29_000, records)
        columns = {
            "age": random.integers(18, 90, records).astype(str),
            "code": np.char.add("c", random.integers(0, 100_000, records).astype(str)),
            "born": days.astype(str),
            "city": np.char.add("city", np.minimum(random.zipf(1.3, records), 300).astype(str)),
            "job": np.char.add("job", random.integers(0, 40, records).astype(str)),
            "sex": np.where(random.integers(0, 2, records) > 0, "f", "m"),
        }
        for kind, of in NAMES.items():
            path = OUT / f"names-{kind}-{records}.csv"
            pl.DataFrame({name: columns[name] for name in of}).write_csv(path)
            taken = {cut: _run(path, of, cut, k) for cut in ("nearest", "loss")}
            cells = [f"{cpu:.1f}, {memory:.0f}, {ncp:.4f}" for cpu, memory, ncp in taken.values()]
            times = [taken["loss"][place] / taken["nearest"][place] for place in range(2)]
            yield f"| {kind} | {records:,} | {cells[0]} | {cells[1]} | {times[0]:.1f} | {times[1]:.2f} |"


def _run(path: Path, columns: Sequence[str], cut: str, k: int) -> tuple[float, float, float]:
    """CPU seconds, MiB and NCP of one release."""
    told = ["--quasi", ",".join(columns), "--k", str(k), "--cut", cut, "--json", "--overwrite"]
    for name in {"code", "born"} & set(columns):
        told += ["--scale", f"{name}=categorical", "--allow-singling", name]
    found = cost(["-m", "kohort", "anonymize", str(path), "--out", str(OUT / "names-release.csv"), *told])
    return found.cpu, found.memory, json.loads(found.output)["metrics"]["ncp"]


class Spent(NamedTuple):
    """Tuples that a search looked at, and the CPU seconds that it took."""

    tuples: int
    seconds: float


def cpu(problem: Problem, how: Algorithm) -> Spent:
    """What a search takes whose code is compiled."""
    how.solve(replace(problem, frequency=problem.frequency.take(*_first(problem.frequency, 10_000))))
    began = time.process_time()
    how.solve(problem)
    return Spent(problem.frequency.counts.size, time.process_time() - began)


def _first(frequency: FrequencySet, tuples: int) -> tuple[Index, Counts]:
    """Some tuples, with their records."""
    some = np.arange(min(tuples, frequency.counts.size))
    return some, frequency.counts[some]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="+", default=["adult", "register", "ancestors"])
    parser.add_argument("--k", nargs="+", type=int, default=[5, 10, 100])
    parser.add_argument("--bound", action="store_true")
    parser.add_argument("--exposure", action="store_true")
    parser.add_argument("--draws", type=int, default=DRAWS, help="of held-out records; 0: predict nothing")
    parser.add_argument("--speed", nargs="+", type=int)
    parser.add_argument("--names", nargs="+", type=int)
    parser.add_argument("--companions", action="store_true", help="beside names that one person of a class alone has")
    given = parser.parse_args()
    label = Label.COMPANIONS if given.companions else None
    if given.speed or given.names:
        for line in speed(given.speed, given.k[0]) if given.speed else names(given.names, given.k[0]):
            print(line, flush=True)
    elif given.exposure:
        for name, subject in subjects(label).items():
            for line in exposure(name, subject, given.k) if name in given.tables else ():
                print(line, flush=True)
    else:
        print(HEADS)
        for name, subject in subjects(label).items():
            for line in (
                rows(name, subject, given.k, bounded=given.bound, draws=given.draws) if name in given.tables else ()
            ):
                print(line, flush=True)
