"""(h,k,p)-coherence: mining and greedy suppression alone, the whole path, how time grows, and how far greedy is off.

    python -m bench.transactions mine [--sets connect retail t10 …] [--h 0.4 0.8] [--seeds 5]
    python -m bench.transactions whole [--sizes bms-pos kosarak] [--k 20 100]
    python -m bench.transactions grow [--transactions 10000 100000 1000000] [--k 1000 300 100 30 10 3] [--plot FILE]
    python -m bench.transactions gap [--sets chess …] [--seeds 5] [--seconds 60]
    python -m bench.transactions elsewhere [--transactions 300000 1000000] [--engines local duckdb]
    python -m bench.transactions confined [--transactions 3000000] [--container 1GiB] [--limit 500MiB]      as root

`mine` and `gap` need the databases in the folder `transactions` of the one that KOHORT_DATA names. CPU is user + system
time of one thread; everything is compiled before. Roles are drawn, private items among those in at most h of all
transactions; the median over several seeds is told.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from filecmp import cmp
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from bench.measure import cost
from bench.tables import DATA, OUT
from kohort.errors import InfeasibleError
from kohort.samples.baskets import Market
from kohort.system.workspace import bytes_of
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.io import read_transactions
from kohort.transactions.io.options import BasketOptions
from kohort.transactions.optimum import Optimum
from kohort.transactions.problem import SuppressionProblem, distortion, lost
from kohort.transactions.roles import Drawn
from kohort.transactions.suppression import Greedy, Score

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from bench.measure import Cost
    from kohort.transactions.problem import SuppressionAlgorithm, SuppressionSolution


class Case(NamedTuple):
    """A public database and what is asked of it.

    Attributes:
        file: In the folder `transactions`.
        delta: The share of public items.
        k: Of the promise.
        p: Likewise.
        target: CPU seconds of mining and greedy at most; 0: none is set.
    """

    file: str
    delta: str
    k: int
    p: int
    target: float = 0.0


#: The databases that everybody measures on.
CASES = MappingProxyType(
    {
        "connect": Case("connect_8ply_rebuilt.dat.gz", "0.4", 100, 5, 0.25),
        "retail": Case("retail.dat", "0.2", 20, 4, 0.1),
        "t10": Case("T10I4D100K.dat", "0.15", 30, 4, 0.08),
        "webview": Case("BMS-WebView-1.dat", "0.2", 20, 4),
        "chess": Case("chess.dat", "0.6", 50, 4),
        "mushroom": Case("mushroom.dat", "0.6", 50, 4),
        "groceries": Case("groceries.dat", "0.4", 20, 4),
    }
)


class Size(NamedTuple):
    """A generated database of the size of a public one.

    Attributes:
        transactions: How many.
        items: How many.
        length: Of transactions, on average.
        target: CPU seconds beyond start-up, from reading to the verified release, at most.
    """

    transactions: int
    items: int
    length: float
    target: float


#: The sizes of BMS-POS and Kosarak.
SIZES = MappingProxyType({"bms-pos": Size(515_597, 1_657, 6.7, 0.5), "kosarak": Size(990_002, 17_034, 7.7, 1.2)})


class Found(NamedTuple):
    """A solution, and the CPU seconds that it took."""

    cpu: float
    solution: SuppressionSolution


def public_database(case: Case) -> Transactions:
    """A database of the folder of public data."""
    return read_transactions(f"{DATA}/transactions/{case.file}", BasketOptions()).database


def made_database(transactions: int, *, items: int = 1_000, length: float = 10) -> Transactions:
    """Generated transactions, in memory."""
    batches = list(Market.of(seed=1, items=items, length=length).batches(transactions))
    starts = np.concatenate([[0], *(np.diff(batch.starts) for batch in batches)]).cumsum()
    return Transactions(tuple(map(str, range(items))), starts, np.concatenate([batch.cells for batch in batches]))


def asked(database: Transactions, model: Coherence, delta: str, seed: int) -> SuppressionProblem:
    """The problem with the roles of a seed."""
    roles = Drawn(delta=Fraction(delta), seed=seed).over(database, model.h)
    return SuppressionProblem(database, roles, model, database.supports)


def solved(problem: SuppressionProblem, algorithm: SuppressionAlgorithm, runs: int = 1) -> Found:
    """The quickest of several runs."""
    found: list[Found] = []
    for _ in range(runs):
        began = time.process_time()
        solution = algorithm.solve(problem)
        found.append(Found(time.process_time() - began, solution))
    return min(found, key=lambda one: one.cpu)


def distorted(problem: SuppressionProblem, solution: SuppressionSolution) -> float:
    """The share of the cells that are lost."""
    return float(distortion(problem, solution.suppression))


def moles_of(solution: SuppressionSolution) -> str:
    """The minimal moles of each size, from 1 on."""
    return " ".join(f"{len(sets):,}" for sets in solution.moles.sets)


# --- mining and greedy ------------------------------------------------------------------------------------------------


def on_mine(options: argparse.Namespace) -> None:
    """Mining and greedy suppression of every database; what is told of moles and items is of the first seed."""
    for name in options.sets:
        case = CASES[name]
        database = public_database(case)
        print(f"{name}: {len(database):,} x {len(database.names):,}, delta {case.delta}, k {case.k}, p {case.p}")
        for h in options.h:
            print(f"  h {h:<4} {mined(database, case, h, options)}", flush=True)


def mined(database: Transactions, case: Case, h: str, options: argparse.Namespace) -> str:
    """The median over seeds of the quickest runs, in words."""
    model = Coherence.of(h=h, k=case.k, p=case.p)
    try:
        problems = [asked(database, model, case.delta, seed) for seed in range(1, options.seeds + 1)]
    except InfeasibleError as fault:
        return fault.what
    solved(problems[0], Greedy())  # compiles what is not cached
    found = [solved(problem, Greedy(), options.runs) for problem in problems]
    times = [one.cpu for one in found]
    cpu, first = median(times), found[0].solution
    beside = f"{'meets' if cpu <= case.target else 'MISSES'} {case.target:g} s, " if case.target else ""
    share = median(distorted(problem, one.solution) for problem, one in zip(problems, found, strict=True))
    return (
        f"{cpu:.3f} s CPU ({min(times):.3f} to {max(times):.3f}), {beside}distortion {share:.4f};"
        f" moles {moles_of(first)}, {len(first.steps)} more items dropped"
    )


# --- the whole path ---------------------------------------------------------------------------------------------------


def on_whole(options: argparse.Namespace) -> None:
    """From basket lines to the verified release, in a process of its own, less the same for ten transactions."""
    few = ["--delta", "0.5", "--h", "0.8", "--k", "2", "--p", str(options.p)]
    start = run(made_file(Size(10, 10, 3, 0)), few, options.runs)
    print(f"start-up: {start.cpu:.2f} s CPU, ten transactions")
    for name in options.sizes:
        for k in options.k:
            print(on_size(SIZES[name], k, options, start), flush=True)


def on_size(size: Size, k: int, options: argparse.Namespace, start: Cost) -> str:
    """The figures of one whole run."""
    promise = ["--delta", options.delta, "--seed", "1", "--h", options.h, "--k", str(k), "--p", str(options.p)]
    whole = run(made_file(size), promise, options.runs)
    beyond = whole.cpu - start.cpu
    figures = json.loads(whole.output)
    stages = " ".join(f"{stage} {seconds:.2f}" for stage, seconds in figures["seconds"].items())
    moles = sum(figures["minimal_moles"].values())
    return (
        f"{size.transactions:,} x {size.items:,}, k {k}: {beyond:.2f} s CPU beyond start-up,"
        f" {'meets' if beyond <= size.target else 'MISSES'} {size.target:g} s; {whole.memory:.0f} MiB;"
        f" {moles:,} minimal moles, {len(figures['dropped'])} items dropped, distortion {figures['distortion']:.4f};"
        f" wall: {stages}"
    )


def made_file(size: Size) -> Path:
    """Basket lines of this size; made on first use."""
    path = OUT / f"baskets-{size.transactions}-{size.items}.dat"
    if not path.exists():
        OUT.mkdir(exist_ok=True)
        shape = ["--transactions", size.transactions, "--items", size.items, "--length", size.length]
        patterns = ["--patterns", max(1, size.items // 2), "--pattern-length", min(size.length, 4), "--quiet"]
        cost(["-m", "kohort", "generate", "baskets", "--out", str(path), *map(str, [*shape, *patterns])])
    return path


def run(source: Path, promise: Sequence[str], runs: int) -> Cost:
    """The quickest whole process; a first one compiles what is not cached."""
    with TemporaryDirectory(dir=OUT) as folder:
        command = ["-m", "kohort", "transactions", str(source), "--out", f"{folder}/release.dat", "--format", "basket"]
        cost(whole := [*command, *promise, "--overwrite", "--json"])
        return min((cost(whole) for _ in range(runs)), key=lambda one: one.cpu)


# --- growth -----------------------------------------------------------------------------------------------------------


class Point(NamedTuple):
    """One run of a curve."""

    transactions: int
    moles: int
    cpu: float


def on_grow(options: argparse.Namespace) -> None:
    """Mining and greedy over ever more transactions, k a share of them; then over ever more moles, by smaller k."""
    rows: list[Point] = []
    one_point(made_database(1_000), 2, options)  # compiles what is not cached
    for transactions in options.transactions:
        k = max(2, round(transactions * options.share))
        rows.append(one_point(made_database(transactions), k, options))
    database = made_database(max(options.transactions) // 10)
    moles = [one_point(database, k, options) for k in options.k]
    if options.plot:
        plot(rows, moles, options)


def one_point(database: Transactions, k: int, options: argparse.Namespace) -> Point:
    """Time one problem, and print it."""
    problem = asked(database, Coherence.of(h=options.h, k=k, p=options.p), options.delta, 1)
    found = solved(problem, Greedy(), options.runs)
    point = Point(len(database), sum(map(len, found.solution.moles.sets)), found.cpu)
    print(
        f"{point.transactions:>9,} transactions, k {k:>5,}: {point.moles:>9,} minimal moles {point.cpu:>8.3f} s CPU,"
        f" {1e6 * point.cpu / point.transactions:.2f} us/transaction",
        flush=True,
    )
    return point


def plot(rows: Sequence[Point], moles: Sequence[Point], options: argparse.Namespace) -> None:
    """Draw CPU time over transactions, where it should be a straight line, and over minimal moles."""
    figure = import_module("matplotlib.figure").Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot([point.transactions / 1e6 for point in rows], [point.cpu for point in rows], "o-")
    left.set(xlabel="transactions, millions", ylabel="CPU seconds of mining and greedy", xlim=0, ylim=0)
    right.plot([point.moles / 1e3 for point in moles], [point.cpu for point in moles], "o-")
    right.set(xlabel="minimal moles, thousands", xlim=0, ylim=0)
    figure.suptitle(f"h = {options.h}, p = {options.p}, {options.delta} of 1,000 items public")
    figure.savefig(options.plot)


# --- the gap to the optimum -------------------------------------------------------------------------------------------


#: The scores with and without giving back; the baseline drops every public item.
METHODS = MappingProxyType(
    {
        f"{score}{' + give-back' * back}": Greedy(score=score, give_back=back)
        for back in (False, True)
        for score in Score
    }
)


class Gap(NamedTuple):
    """What a method loses, and how much more than need be.

    Attributes:
        distortion: The share of the cells.
        excess: What it loses beyond the optimum, or its bound, as a share of that.
    """

    distortion: float
    excess: float


def on_gap(options: argparse.Namespace) -> None:
    """What each greedy method loses beside the least that can be lost, over several seeds."""
    for name in options.sets:
        case = CASES[name]
        database = public_database(case)
        model = Coherence.of(h=options.h, k=case.k, p=case.p)
        print(f"{name}: delta {case.delta}, {model.name}, {options.seeds} seeds")
        try:
            problems = [asked(database, model, case.delta, seed) for seed in range(1, options.seeds + 1)]
        except InfeasibleError as fault:
            print(f"  {fault.what}")
            continue
        solved(problems[0], Optimum(time_limit=options.seconds))  # loads the solver
        optima = [solved(problem, Optimum(time_limit=options.seconds)) for problem in problems]
        print_gaps(problems, optima)


def print_gaps(problems: Sequence[SuppressionProblem], optima: Sequence[Found]) -> None:
    """A line for the optimum, and one for each method."""
    least = [distorted(problem, best.solution) for problem, best in zip(problems, optima, strict=True)]
    proven = sum(best.solution.proven for best in optima)
    seconds = max(best.cpu for best in optima)
    print(f"  {'optimum':<18}{mean(least):>11.4f}  proven {proven} of {len(optima)}, at most {seconds:.1f} s CPU")
    for name, method in METHODS.items():
        found = [gap(problem, method, best.solution) for problem, best in zip(problems, optima, strict=True)]
        excess = [one.excess for one in found]
        exact = sum(not one for one in excess)
        print(
            f"  {name:<18}{mean(one.distortion for one in found):>11.4f}  {mean(excess):>8.2%} above it,"
            f" {max(excess):.2%} at most; equal {exact} times",
            flush=True,
        )


def gap(problem: SuppressionProblem, method: Greedy, best: SuppressionSolution) -> Gap:
    """How far a method is from the optimum; from its bound, where none is proven."""
    solution = method.solve(problem)
    least = lost(problem, best.suppression) if best.proven or best.bound is None else best.bound
    return Gap(distorted(problem, solution), lost(problem, solution.suppression) / least - 1 if least else 0.0)


# --- transactions that stay in a database ----------------------------------------------------------------------------

#: A whole run, also of what an engine would refuse for being small: source, engine, k, p, delta, h.
ELSEWHERE = """
import sys
from fractions import Fraction
import kohort
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.release import BasketWriting
source, engine, k, p, delta, h = sys.argv[1:7]
job = kohort.TransactionJob(
    coherence=kohort.Coherence.of(h=h, k=int(k), p=int(p)), roles=kohort.Drawn(delta=Fraction(delta), seed=1),
    reading=BasketOptions(form=Form.LONG), writing=BasketWriting(form=Form.BASKET),
)
made = kohort.anonymize_transactions(source, job, target=sys.argv[7], overwrite=True, engine=engine, even_small=True)
stages = " ".join(f"{name} {seconds:.1f}" for name, seconds in made.seconds.items())
print(f"{made.source.size} {sum(map(len, made.solution.moles.sets))} {made.dropped.size}; wall: {stages}")
"""


def on_elsewhere(options: argparse.Namespace) -> None:
    """The same database of the long form here and in a database; the memory of a cell between the sizes."""
    for engine in options.engines:
        before = (0, 0.0)
        for transactions in (1_000, *options.transactions):
            source = long_file(transactions)
            asked = [str(source), engine, str(options.k), str(options.p), options.delta, options.h]
            found = min((run_elsewhere(asked) for _ in range(options.runs)), key=lambda one: one.cpu)
            cells = int(found.output.split()[0])
            each = (found.memory - before[1]) * 2**20 / (cells - before[0])
            told, wall = found.output.strip().split("; ")
            print(
                f"{engine:<7}{transactions:>10,} transactions: {found.cpu:>7.1f} s CPU, {found.memory:>6.0f} MiB,"
                f" {each:>6.1f} bytes a cell more; cells, moles, dropped {told}; {wall}",
                flush=True,
            )
            before = cells, found.memory


def on_confined(options: argparse.Namespace) -> None:
    """In a container that has too little memory: here it is killed, and elsewhere the same release is made."""
    source = long_file(options.transactions)
    columns = ["--format", "long", "--person", "transaction", "--item", "item", "--out-format", "basket"]
    roles = ["--delta", options.delta, "--seed", "1", "--h", options.h, "--k", str(options.k), "--p", str(options.p)]
    asked = [sys.executable, "-m", "kohort", "transactions", str(source), *columns, *roles, "--quiet"]
    with TemporaryDirectory(dir=OUT) as folder, container(bytes_of(options.container)) as confined:
        there = ["--engine", "duckdb", "--memory-limit", options.limit, "--spill-folder", folder]
        runs: dict[str, tuple[list[str], list[str]]] = {
            "local, confined": (confined, []),
            "local": ([], []),
            "duckdb, confined": (confined, there),
        }
        for name, (before, after) in runs.items():
            with subprocess.Popen([*before, *asked, "--out", f"{folder}/{name}.dat", *after]) as process:
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            cpu, memory = used.ru_utime + used.ru_stime, used.ru_maxrss >> 10
            print(f"{name}: status {process.returncode}, {cpu:.1f} s CPU, {memory:,} MiB", flush=True)
        here, there_ = (Path(folder, f"{name}.dat") for name in ("local", "duckdb, confined"))
        print("the same bytes" if there_.exists() and cmp(here, there_, shallow=False) else "no such release")


@contextmanager
def container(memory: int) -> Generator[list[str]]:
    """How a command begins in a control group with so much memory, as in a container; to make one needs root."""
    groups = Path("/sys/fs/cgroup/memory")
    groups, name = (groups, "memory.limit_in_bytes") if groups.is_dir() else (groups.parent, "memory.max")
    group = groups / f"kohort-{os.getpid()}"
    group.mkdir()
    try:
        (group / name).write_text(str(memory))
        yield ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(group)]
    finally:
        group.rmdir()


def run_elsewhere(asked: Sequence[str]) -> Cost:
    """A whole process."""
    with TemporaryDirectory(dir=OUT) as folder:
        return cost(["-c", ELSEWHERE, *asked, f"{folder}/release.dat"])


def long_file(transactions: int) -> Path:
    """A Parquet file with a record for each item of a transaction; made on first use."""
    path = OUT / f"baskets-{transactions}-long.parquet"
    if not path.exists():
        OUT.mkdir(exist_ok=True)
        made = made_database(transactions, items=10_000)
        keys = np.repeat(np.arange(len(made)), made.lengths)
        pl.DataFrame({"transaction": keys, "item": made.cells}).write_parquet(path)
    return path


def main() -> None:
    """Print the figures of one part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    one = parts.add_parser("mine")
    one.add_argument("--sets", nargs="+", choices=CASES, default=list(CASES))
    one.add_argument("--h", nargs="+", default=["0.4", "0.8"])
    one.add_argument("--seeds", type=int, default=5)
    two = parts.add_parser("whole")
    two.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    two.add_argument("--delta", default="0.2")
    two.add_argument("--k", type=int, nargs="+", default=[20, 100])
    three = parts.add_parser("grow")
    three.add_argument("--transactions", type=int, nargs="+", default=[10_000, 30_000, 100_000, 300_000, 1_000_000])
    three.add_argument("--share", type=float, default=0.001, help="k, as a share of the transactions")
    three.add_argument("--k", type=int, nargs="+", default=[1_000, 300, 100, 30, 10, 3], help="on a tenth of the most")
    three.add_argument("--delta", default="0.5")
    three.add_argument("--plot", metavar="FILE", help="draw CPU over transactions and minimal moles, with matplotlib")
    four = parts.add_parser("gap")
    four.add_argument("--sets", nargs="+", choices=CASES, default=["chess", "mushroom", "groceries", "webview"])
    four.add_argument("--h", default="0.8")
    four.add_argument("--seeds", type=int, default=5)
    four.add_argument("--seconds", type=float, default=60.0, help="that the solver may take for each seed")
    five = parts.add_parser("elsewhere")
    five.add_argument("--transactions", type=int, nargs="+", default=[300_000, 1_000_000])
    five.add_argument("--engines", nargs="+", choices=["local", "duckdb"], default=["local", "duckdb"])
    five.add_argument("--k", type=int, default=20)
    five.add_argument("--delta", default="0.2")
    six = parts.add_parser("confined")
    six.add_argument("--transactions", type=int, default=3_000_000)
    six.add_argument("--container", default="1GiB", help="of memory, which a control group has (needs root)")
    six.add_argument("--limit", default="500MiB", help="--memory-limit of the run elsewhere")
    six.add_argument("--k", type=int, default=600)
    six.add_argument("--delta", default="0.1")
    for part in (two, three, five, six):
        part.add_argument("--h", default="0.8")
        part.add_argument("--p", type=int, default=3 if part is six else 4)
    for part in (one, two, three, five):
        part.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if options.part in {"mine", "gap"} and not DATA:
        print("KOHORT_DATA names no folder with public databases: left out")
        return
    ways = {"mine": on_mine, "whole": on_whole, "grow": on_grow, "gap": on_gap}
    ways |= {"elsewhere": on_elsewhere, "confined": on_confined}
    ways[options.part](options)


if __name__ == "__main__":
    main()
