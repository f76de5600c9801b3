"""Advice is true: what is told as measured is what a run of the job or of the changed one gives, to the digit."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import polars as pl
import pytest

from kohort.engines import pipeline
from kohort.engines import pricing as prices
from kohort.errors import InfeasibleError
from kohort.io.typed import from_frame
from kohort.job import advice
from kohort.job.advice import advised
from kohort.job.models import SLOW
from kohort.job.request import request
from kohort.job.steps import changed
from kohort.transactions.advice import advised_transactions
from kohort.transactions.io import read_transactions
from kohort.transactions.pipeline import dry_run_transactions
from kohort.transactions.request import request as request_of_transactions
from tests.command import kohort
from tests.quick import some

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kohort.job.advice import Advice
    from kohort.release import Job
    from kohort.tables.table import Table
    from kohort.transactions.database import Transactions
    from kohort.transactions.release import TransactionJob

QUASI = ("age", "city", "sex")

#: Random tables, and the tests that they are spread over.
TABLES, PARTS = 200, 10

#: Random databases of transactions, spread over as many.
TRANSACTIONS = 60

#: Methods, what each is told, and whether it needs a hierarchy for every quasi-identifier.
METHODS: list[tuple[dict[str, Any], bool]] = [
    ({"name": "mondrian"}, False),
    ({"name": "mondrian", "cut": "loss"}, False),
    ({"name": "mondrian", "cut": "median", "dimension": "most-values"}, False),
    ({"name": "mondrian-relaxed"}, False),
    ({"name": "ordered"}, False),
    ({"name": "samarati"}, True),
    ({"name": "optimal", "objective": "ncp"}, True),
]


def drawn(seed: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A small table and the tables of a job over it."""
    draw = random.Random(seed)  # noqa: S311  a test's
    records, (method, nodes) = draw.randint(12, 60), draw.choice(METHODS)
    names = [f"n{place}" for place in range(draw.randint(2, 9))]
    cells = {
        "age": [str(draw.randint(20, 60)) for _ in range(records)],
        "city": [draw.choice(names) for _ in range(records)],
        "sex": [draw.choice("fm") for _ in range(records)],
        "ill": [draw.choice(["no"] * draw.randint(1, 4) + ["flu", "gout"]) for _ in range(records)],
        "pay": [str(draw.randint(1, 9) * 100) for _ in range(records)],
    }
    columns: dict[str, dict[str, Any]] = {name: {"role": "quasi"} for name in QUASI}
    if nodes:
        columns["age"] |= {"hierarchy": "intervals:5,20"}
    elif draw.random() < 0.7:
        columns["age"] |= {"grid": draw.choice([2, 4, 10])}
    columns["city"] |= {"hierarchy": draw.choice(["suppress", "groups:2,4"])} if nodes or draw.random() < 0.7 else {}
    columns["sex"] |= {"hierarchy": "suppress"} if nodes or draw.random() < 0.5 else {}
    columns["ill"] = draw.choice([{"l": 2}, {"t": 0.2}, {"enhanced-beta": 2}, {"l": 3}, {"no-model": True}])
    columns["pay"] = draw.choice([{"t": 0.3}, {"l": 2}, {"t": 0.2, "distance": "equal"}, {"no-model": True}])
    for name in ("ill", "pay"):
        columns[name] = {"role": "sensitive", "allow-singling": True, **columns[name]}
    raw: dict[str, Any] = {
        "input": {"path": "in.csv"},
        "output": {"path": "out.csv"},
        "privacy": {"k": draw.choice([3, 4, 6])},
        "method": dict(method),
        "columns": columns,
    }
    if nodes and draw.random() < 0.5:
        raw["privacy"]["max-suppression"] = "2%"
    return pl.DataFrame(cells), raw


def made(raw: Mapping[str, object]) -> Job:
    """The job of tables."""
    return request(raw, where=".".join).job


def told(table: Table, job: Job) -> tuple[float | None, Mapping[str, float], float]:
    """What a dry run of a job tells: its NCP, the losses of columns, and the highest risk."""
    release = pipeline.dry_run(table, job)
    return release.metrics["ncp"], release.losses, 1 / int(release.sizes.min())


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_measured_is_what_a_run_tells(part: int) -> None:
    """Loss and risk are those of a run to the bit, ranked on a sample or on all; what weakens a promise says so."""
    for seed in some(range(part, TABLES, PARTS), 2):
        frame, raw = drawn(seed)
        table, sample = from_frame(frame), (10, 5_000)[seed % 2]
        with patch.object(prices.sampled, "__defaults__", (sample,)):
            found = advised(raw, made, table)
        try:
            now = told(table, made(raw))[0]
        except InfeasibleError:
            now = None
        assert found.loss == now, seed
        measured = [one for one in found.steps if one.measured]
        assert len(found.steps) <= advice.MOST_STEPS, seed
        assert table.records <= sample or len(measured) <= advice.MEASURED, seed
        ranks = [(one.step.dearer, one.cost.loss) for one in found.steps]
        assert ranks == sorted(ranks), seed
        for one in found.steps:
            check_words(made(raw), one)
        for one in measured:
            assert made(changed(raw, one.step.changes)) == one.job, seed
            check_figures(table, one, 1.0 if now is None else now)


def check_figures(table: Table, one: Advice[Job], now: float) -> None:
    """The figures of a step are those of a run of its job; of a column that is dropped nothing is kept."""
    ncp, losses, risk = told(table, one.job)
    assert (one.cost.told, one.cost.risk) == (ncp, risk), one
    lost = [losses.get(name, 1.0) for name in QUASI]
    assert one.cost.loss == (ncp if len(losses) == len(QUASI) else pytest.approx(sum(lost) / len(QUASI))), one
    assert one.step.dearer or one.cost.loss < now, one


def check_words(job: Job, one: Advice[Job]) -> None:
    """A weaker promise is told, and `ordered` stands beside neither t nor beta."""
    before, after = ({model.name for model in each.models} for each in (job, one.job))
    assert one.step.weakens or one.step.dearer or before == after, one
    slow = one.job.algorithm.name == "ordered" != job.algorithm.name
    assert not slow or SLOW.isdisjoint(model.specification.key for model in one.job.models), one


@pytest.mark.parametrize("part", range(PARTS))
def test_of_transactions_what_is_measured_is_what_a_run_tells(part: int, tmp_path: Path) -> None:
    """Their distortion, with the job and with each change, is that of a dry run to the bit."""
    for seed in range(part, TRANSACTIONS, PARTS):
        draw = random.Random(seed)  # noqa: S311  a test's
        items = [f"i{place}" for place in range(draw.randint(4, 9))]
        rows = [" ".join(draw.sample(items, draw.randint(1, 4))) for _ in range(draw.randint(20, 60))]
        privacy = {"h": draw.choice([0.4, 0.6]), "k": draw.choice([3, 4, 6]), "p": draw.choice([1, 2, 3])}
        raw: dict[str, Any] = {
            "transactions": {"format": "basket"},
            "input": {"path": "in.dat"},
            "output": {"path": "out.dat"},
            "privacy": privacy,
            "items": {"private": draw.sample(items, 1)},
        }
        path = tmp_path / "in.dat"
        path.write_text("\n".join(rows) + "\n", "utf-8")
        transactions = read_transactions(str(path), of_baskets(raw).reading).database
        found = advised_transactions(raw, of_baskets, transactions)
        assert found.loss == distortion(transactions, of_baskets(raw)), seed
        for one in found.steps:
            assert one.measured, seed
            assert one.cost.told == distortion(transactions, one.job), (seed, one)


def of_baskets(raw: Mapping[str, object]) -> TransactionJob:
    """The job of tables."""
    return request_of_transactions(raw, where=".".join).job


def distortion(transactions: Transactions, job: TransactionJob) -> float | None:
    """What a dry run tells; `None` where there is no release."""
    try:
        return float(dry_run_transactions(transactions, job).distortion)
    except InfeasibleError:
        return None


@pytest.mark.slow("a draft, its advice and runs of it: 3 s each")
@pytest.mark.parametrize("seed", range(6))
def test_what_init_and_advise_print_is_what_run_prints(seed: int, tmp_path: Path) -> None:
    """The loss that `init` ends with, those of `advise` and of each change taken: all are of the run that follows."""
    draw = random.Random(seed)  # noqa: S311  a test's
    cells = {
        "age": [str(draw.randint(20, 80)) for _ in range(400)],
        "city": [draw.choice("abcdefgh") * 3 for _ in range(400)],
        "sex": [draw.choice("fm") for _ in range(400)],
        "income": [str(int(20_000 * draw.paretovariate(1.5))) for _ in range(400)],  # whose ends are coded
        "diagnosis": [draw.choice(["flu", "flu", "gout", "none"]) for _ in range(400)],
    }
    table, job = tmp_path / "in.csv", tmp_path / "job.toml"
    pl.DataFrame(cells).write_csv(table)
    drafted = kohort("init", table, "-o", job, "--known", "age,city,sex").out
    first = kohort("run", job, "--json").figures["metrics"]["ncp"]
    said = [f"Now {first:.1%} of the detail is lost."] if "Single changes" in drafted else []
    assert re.findall(r"^Now .*? lost\.", drafted, re.MULTILINE) == said
    told = kohort("advise", job, "--json").figures
    assert told["loss"] == first
    text = job.read_text()
    for place, one in enumerate(told["steps"], 1):
        assert kohort("advise", job, "--take", place).out.endswith(f"Then run: kohort run {job} --overwrite\n")
        figures = kohort("run", job, "--json", "--overwrite").figures
        assert (one["measured"], figures["metrics"]["ncp"]) == (True, one["told"]), one["change"]
        job.write_text(text)
