"""`kohort check --transactions`: are these transactions coherent?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.cli.screen import progress, say
from kohort.errors import UsageError
from kohort.shown import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kohort.assessment.checking.transactions import CoherenceFinding
    from kohort.job.transactions import TransactionRequest
    from kohort.report import Json
    from kohort.transactions.coherence import Coherence
    from kohort.transactions.problem import SuppressionProblem


def check(made: TransactionRequest, *, values: bool, json: bool, quiet: bool) -> bool:
    """Whether the transactions are coherent, which is printed; `values` names the items that stand in the way."""
    from kohort.assessment.checking.transactions import check_transactions

    with progress(quiet=quiet) as tell:
        problem = problem_at(made, tell)
        tell("count")
        found = check_transactions(problem.database, problem.roles, made.job.coherence, most=made.job.most)
    over = in_the_way(problem) if values else []
    figures = _figures(found, made.job.coherence)
    figures["items"] = len(problem.database.names)
    figures["public"] = int(problem.roles.public.sum())
    figures["private"] = int(problem.roles.private.sum())
    if values:
        figures["over_names"] = [*over]
    say("\n".join(_lines(found, made.job.coherence, over)), figures, as_json=json, quiet=quiet)
    return found.met


def problem_at(made: TransactionRequest, tell: Callable[[str], None]) -> SuppressionProblem:
    """The transactions with their roles and model.

    Raises:
        UsageError: a name is of no item.
    """
    from kohort.io.baskets import read_transactions
    from kohort.pipeline.transactions import problem_of

    tell("read")
    try:
        return problem_of(read_transactions(made.source, made.job.reading).database, made.job)
    except UsageError as fault:
        raise made.placed(fault) from None


def in_the_way(problem: SuppressionProblem) -> list[str]:
    """Names of the private items that are in more than the share h of all transactions."""
    from kohort.transactions.problem import responsible

    return [problem.database.names[item] for item in responsible(problem).tolist()]


def _figures(found: CoherenceFinding, model: Coherence) -> dict[str, Json]:
    return {
        "met": found.met,
        "model": found.model,
        "h": float(model.h),
        "k": model.k,
        "p": model.p,
        "transactions": found.transactions,
        "empty_set": {"mole": found.too_few or found.over > 0, "too_few": found.too_few, "over": found.over},
        "minimal_moles": {str(one.size): {"rare": one.rare, "breach": one.breach} for one in found.moles},
    }


def _lines(found: CoherenceFinding, model: Coherence, over: Sequence[str]) -> Iterator[str]:
    from kohort.report.render.text import listed

    yield f"{many(found.transactions, 'transaction')}: {found.model} {'met' if found.met else 'NOT met'}"
    if found.too_few:
        yield f"there are fewer than {model.k:,} transactions: no release of them can be coherent"
    if found.over:
        names = f": {listed(over)}" if over else " (--show-values names them)"
        yield f"private items in more than the share h of all transactions: {found.over:,}{names}"
        yield "as long as they are private, no release can be coherent: dropping public items does not help"
    for one in found.moles:
        if one.rare or one.breach:
            total = one.rare + one.breach
            yield f"minimal moles of size {one.size}: {total:,} ({one.rare:,} below k, {one.breach:,} above h)"
