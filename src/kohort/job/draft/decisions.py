"""What a steward has to decide about a draft, each choice with its price: the share of the detail that stays.

Who could know it? Which k, where people are few? Which models, where all are dear? Where the guesses are sure, and
people many, nothing is asked.
"""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Final

from kohort.engines.gates import quoted
from kohort.engines.pricing import of_sample, priced, sampled
from kohort.errors.display import many
from kohort.models.k_anonymity import KAnonymity
from kohort.schema import Attribute, Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.assessment.inspection.guesses import Guess
    from kohort.job.draft.protection import Protection
    from kohort.release import Job
    from kohort.tables.table import Table

#: From so many people on, no other k is shown; else these are, beside each other.
ENOUGH: Final = 1_000
KS: Final = (3, 5, 10)

#: Columns that are named at once, of those that nobody is asked to repeat.
_NAMED: Final = 20


def who(job: Job, table: Table, guesses: Sequence[Guess], asked: Sequence[Attribute]) -> Iterator[str]:
    """Who could know it? Asked where some columns are in blocks, or left over.

    Args:
        job: What the draft asks for.
        table: The records.
        guesses: What its columns seem to reveal.
        asked: The columns of blocks, as quasi-identifiers.

    Cost: a search of a sample for each of three jobs.
    """
    likely = [one.name for one in guesses if one.role == "quasi" and not one.left_over]
    left, blocks = [one.name for one in guesses if one.left_over], [one.name for one in asked]
    if not left and not blocks:
        return
    total, on = many(len([*likely, *left, *blocks]), "column"), _measured(table)
    yield f"Which columns do outsiders know? {total} could be quasi-identifying; the others are answers{on}"
    if likely:
        free = job.schema.changed(Attribute(name, Role.INSENSITIVE) for name in left)
        price = _lost(replace(job, schema=free), table)
        flag = f"--known {quote(','.join(map(quoted, likely)))}"
        yield _choice(price, f"the {len(likely)} that an outsider is likely to know", flag)
    told = [f"{many(len(left), 'more is', 'more are')} generalized, to be safe: {_listed(left)}"] if left else []
    told += [f"{len(blocks)} look like answers: {_listed(blocks)}"] if blocks else []
    yield _choice(_lost(job, table), "; ".join(["as drafted", *told]))
    if blocks:
        lost = _lost(replace(job, schema=job.schema.changed(asked), answers=None), table)
        yield _choice(lost, f"all {len([*likely, *left, *blocks])}", "--known all")


def which_k(job: Job, table: Table, people: int) -> Iterator[str]:
    """Which k? Asked where people are few. Cost: a search of a sample for each of three jobs."""
    if people >= ENOUGH or not job.schema.quasi:
        return
    what = many(people, "person is", "people are")
    yield f"Which k? {what} few; a greater k loses more{_measured(table)}"
    others = [model for model in job.models if not isinstance(model, KAnonymity)]
    for k in KS:
        yield _choice(_lost(replace(job, models=(KAnonymity(k), *others)), table), f"k = {k}", f"--k {k}")


def which_models(protection: Protection) -> Iterator[str]:
    """Which models? Asked where each profile costs much."""
    if protection.alone is None or not protection.is_dear:
        return
    told = f"k alone keeps {1 - protection.alone:.0%} (measured on {many(protection.records, 'record')})"
    yield f"Which models? {told}. The job file has the others as comments"
    for place, one in enumerate(protection.profiles):
        yield _choice(one.loss, one.words + ("  (drafted)" if place == protection.chosen else ""))


def _measured(table: Table) -> str:
    return f" (measured on {many(sampled(table).records, 'record')})"


def _lost(job: Job, table: Table) -> float | None:
    some = sampled(table)
    found = priced(some, of_sample(job, whole=some is table)) if job.schema.quasi else None
    return None if found is None else found.loss


def _choice(lost: float | None, told: str, flag: str = "") -> str:
    kept = "nothing" if lost is None else f"{1 - lost:.0%}".replace("%", " %")
    return f"{kept:>8}  {told}" + (f":   {flag}" if flag else "")


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return f"{', '.join(names[:_NAMED])}{f' and {more} more' if more > 0 else ''}"
