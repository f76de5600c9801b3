"""A release of a transaction database as text for a terminal.

Of a small database also how it came about, step by step: for teaching.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from kohort.errors import UsageError
from kohort.errors.display import many
from kohort.report.page.audience import Audience
from kohort.report.render.text import DEAR, aligned, files, listed, screen, shown
from kohort.report.written import write_report
from kohort.transactions.report import transaction_figures
from kohort.transactions.report.page import TOGETHER, transactions_page
from kohort.transactions.suppression import Greedy, Score

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure

    from kohort.arrays import Items
    from kohort.errors.display import ReportText
    from kohort.transactions.database import Transactions
    from kohort.transactions.release import TransactionRelease
    from kohort.transactions.report import CoherenceFigures, TransactionFigures


#: What is promised where items are suppressed.
ITEMS: Final = (
    "{model}: anyone who knows up to {p} public item{s} of a person finds no transaction with {them},",
    "or at least {k:,}, and no private item in more than {h} of those",
)

#: What is promised where single cells are, and what is not.
CELLS: Final = (
    "{model} of what is released, by suppressing single cells: every set of up to {p} public item{s} that",
    "occurs in the release is in at least {k:,} of its transactions, and no private item in more than {h} of those.",
    "This is a different promise from dropping items: a transaction may have had items that its release lacks,",
    "so a cohort can be larger in the original, with a different share of a private item.",
)


def transactions_text(figures: TransactionFigures) -> str:
    """The figures of a release of transactions as a few lines for a person."""
    cost = chain(_dropped(figures), _cost(figures))
    return screen(
        _released(figures),
        _promise(figures),
        _moles(figures),
        cost,
        files(figures.release, figures.certificate, figures.signed_by),
    )


def text_of(release: TransactionRelease) -> str:
    """The report of a release as text; items by their labels."""
    return transactions_text(transaction_figures(release.labelled()))


def report(
    release: TransactionRelease, path: str | os.PathLike[str] | None, *, audience: str, overwrite: bool
) -> ReportText:
    """The text of a release's report, which is also written where there is a path; see `TransactionRelease.report`."""
    made = partial(transactions_page, release)
    return write_report(text_of(release), made, path, audience=audience, overwrite=overwrite, release=release.path)


def release_plot(release: TransactionRelease, figure: str | None) -> Figure:
    """The charts of a release; see `TransactionRelease.plot`."""
    from kohort.report.plots import page_plot  # noqa: PLC0415  a text needs no charts

    page = transactions_page(release, audience=Audience.INTERNAL)
    return page_plot(release.job.coherence.name, page, figure, TOGETHER)


def _released(figures: TransactionFigures) -> Iterator[str]:
    left = f"{1 - figures.distortion:.1%} of the detail is left"
    yield f"Warning: only {left}; to keep more, try: kohort advise JOB" if figures.distortion > DEAR else left
    emptied = f", {figures.emptied:,} of them emptied" * (figures.emptied > 0)
    yield f"{many(figures.transactions, 'transaction')} released{emptied}"
    removed = many(figures.removed_cells, "cell")
    others = f", {figures.neither:,} neither" * (figures.neither > 0)
    rare = f", {figures.removed_items:,} removed first for low support, with {removed}" * (figures.removed_items > 0)
    yield f"{many(figures.items, 'item')}: {figures.public:,} public, {figures.private:,} private{others}{rare}"
    if not figures.private:
        yield "note: no item is private, so h limits nothing"
    if figures.repeated:
        yield f"{many(figures.repeated, 'repeated item')} in a transaction count once"


def _promise(figures: TransactionFigures) -> Iterator[str]:
    model = figures.model
    them, ending = ("it", "") if model.p == 1 else ("them", "s")
    words = {"model": model.name, "p": model.p, "k": model.k, "h": _h(model), "s": ending, "them": them}
    if not figures.private:
        words["model"] = f"k^m-anonymity with k = {model.k:,} and m = {model.p}"
    lines = CELLS if figures.suppress == "cells" else ITEMS
    yield from (_without_private(line, figures).format_map(words) for line in lines)
    if figures.cohorts is None or figures.smallest is None:
        yield "dry run: nothing was written or verified"
        return
    where = "the published bytes" if figures.release else "the released transactions"
    smallest = f"of {many(figures.cohorts, 'cohort')} the smallest has {many(figures.smallest, 'transaction')}"
    yield f"verified on {where}: {smallest}{',' if figures.private else ''}"
    if figures.private:
        yield f"and no private item is in more than {figures.confidence:.2%} of one"


def _without_private(line: str, figures: TransactionFigures) -> str:
    """A line of the promise; without private items, where there are none."""
    return line if figures.private else line.replace(", and no private item in more than {h} of those", "")


def _h(model: CoherenceFigures) -> str:
    """The share h in people's words; exactly, where it is no short decimal."""
    return f"{model.h:.0%}" if round(model.h, 2) == model.h else model.h_exact


def _moles(figures: TransactionFigures) -> Iterator[str]:
    yield "Minimal moles (smallest sets of public items that break the promise)"
    found = False
    for size, kinds in figures.moles_by_kind.items():
        if both := sum(kinds.values()):
            found = True
            split = f"{kinds['rare']:,} below k, {kinds['breach']:,} above h"
            yield f"  of {many(int(size), 'item'):<8} {both:>11,}: {split}"
    if not found:
        yield "  none"


def _dropped(figures: TransactionFigures) -> Iterator[str]:
    dropped, returned = figures.dropped, figures.returned
    yield f"Dropped {many(len(dropped), 'item')} ({figures.method})" + (f": {listed(dropped)}" if dropped else "")
    if returned:
        yield f"Restored {many(len(returned), 'item')}: {listed(returned)}"


def _cost(figures: TransactionFigures) -> Iterator[str]:
    yield f"Distortion {figures.distortion:.4f} ({figures.distortion_exact}){_proof(figures)}"
    cells = f"{figures.released_cells:,} of {many(figures.cells, 'cell')}"
    yield f"Remaining: {many(figures.released_items, 'item')}, {cells}"


def _proof(figures: TransactionFigures) -> str:
    if figures.proven:
        return ", proven: no suppression of items loses less"
    if figures.gap is None:
        return ""
    return f"; no suppression goes below {figures.bound}/{figures.loss_all} (gap {figures.gap:.1%})"


#: The largest database, and the most minimal moles, that fit on a page or two.
TRANSACTIONS: Final = 40
TRACED_ITEMS: Final = 30
MOLES: Final = 200

#: What stands above everything.
WARNING: Final = "This trace shows the original transactions: for teaching only; never publish it."


def trace_text(release: TransactionRelease) -> str:
    """The database, its moles, the mole tree, the score of each item at each step, and what is left.

    Raises:
        UsageError: the database, or the number of its minimal moles, is too large to be read.
    """
    check(release)
    release = release.labelled()
    parts = (_data, _singles, _larger, _tree, _steps, _rest)
    return screen([WARNING], *(part(release) for part in parts))


def check(release: TransactionRelease) -> None:
    """Refuse what nobody could read.

    Raises:
        UsageError: the database, or the number of its minimal moles, is too large.
    """
    moles = sum(map(len, release.solution.moles.sets))
    if len(release.source) > TRANSACTIONS or len(release.source.names) > TRACED_ITEMS or moles > MOLES:
        raise UsageError(
            f"a trace is for at most {TRANSACTIONS} transactions, {TRACED_ITEMS} items and {MOLES} minimal moles,"
            f" but this has {len(release.source):,}, {len(release.source.names):,} and {moles:,}",
            where="trace",
            hint="leave it out, or try a small example",
        )


def _data(release: TransactionRelease) -> Iterator[str]:
    yield f"The database: {many(len(release.database), 'transaction')} (x: the item is in it)"
    yield from _grid(release.here().database, _role_names(release))
    removed = [name for name in release.source.names if name not in release.database.names]
    if removed:
        yield f"Removed first, for low support: {', '.join(map(shown, removed))}"


def _role_names(release: TransactionRelease) -> dict[str, str]:
    public, private = release.roles.public.tolist(), release.roles.private.tolist()
    roles = ("public" if known else "private" if secret else "" for known, secret in zip(public, private, strict=True))
    return dict(zip(release.database.names, roles, strict=True))


def _grid(database: Transactions, roles: dict[str, str]) -> Iterator[str]:
    """A row for each item: its role, its support, and the transactions that it is in."""
    sets = database.sets()
    marks = ["".join("x" if name in one else "." for one in sets) for name in database.names]
    numbers = range(1, len(sets) + 1)
    tens = "".join(str(number // 10) if number % 10 == 0 else " " for number in numbers)
    head = [["", "", "", tens.rstrip()]] if tens.strip() else []
    head.append(["item", "role", "support", "".join(str(number % 10) for number in numbers)])
    rows = zip(
        map(shown, database.names), map(roles.get, database.names), database.supports.tolist(), marks, strict=True
    )
    yield from _aligned([*head, *([name, role or "", str(support), row] for name, role, support, row in rows)])


def _singles(release: TransactionRelease) -> Iterator[str]:
    yield f"Public items that are moles by themselves, under {release.job.coherence.name}; all are dropped"
    yield from _reasons(release, release.solution.moles.sets[:1])


def _larger(release: TransactionRelease) -> Iterator[str]:
    yield "Minimal moles of two items or more"
    yield from _reasons(release, release.solution.moles.sets[1:])


def _tree(release: TransactionRelease) -> Iterator[str]:
    """The minimal moles as the paths of a tree (Xu et al., KDD 2008)."""
    moles = _named(release, release.solution.moles.sets[1:])
    if not moles:
        return
    yield "The mole tree: each minimal mole is a path, items of most moles first; in brackets the moles through an item"
    counts = Counter(chain.from_iterable(moles))
    order = sorted(counts, key=lambda name: (-counts[name], release.database.names.index(name)))
    paths = sorted([sorted(map(order.index, mole)) for mole in moles])
    through = Counter(tuple(path[: depth + 1]) for path in paths for depth in range(len(path)))
    for node in sorted(through):
        yield f"  {'  ' * (len(node) - 1)}{shown(order[node[-1]])} ({through[node]})"


def _reasons(release: TransactionRelease, sizes: Sequence[Items]) -> Iterator[str]:
    """A line for each mole: its cohort, and why that gives somebody away."""
    database, model = release.here().database, release.job.coherence
    transactions = [frozenset(one) for one in database.sets()]
    private = [name for name, role in _role_names(release).items() if role == "private"]
    rows: list[list[str]] = []
    for mole in _named(release, sizes):
        cohort = [one for one in transactions if one.issuperset(mole)]
        together = {secret: sum(secret in one for one in cohort) for secret in private}
        worst = [secret for secret, count in together.items() if model.is_breached(len(cohort), count)]
        reasons = [f"fewer than {model.k}"] * model.is_rare(len(cohort))
        reasons += [f"{shown(secret)} is in {together[secret]} of them, more than {model.h}" for secret in worst]
        rows.append([", ".join(map(shown, mole)), f"in {len(cohort)}", "; ".join(reasons)])
    yield from _aligned(rows) if rows else ("  none",)


def _named(release: TransactionRelease, sizes: Sequence[Items]) -> list[tuple[str, ...]]:
    return [tuple(release.named(mole)) for mole in chain.from_iterable(sizes)]


def _shown(release: TransactionRelease, items: Items) -> str:
    return ", ".join(map(shown, release.named(items)))


def _steps(release: TransactionRelease) -> Iterator[str]:
    """The scores at each step of a greedy search, the chosen item marked."""
    algorithm = release.job.algorithm
    if not isinstance(algorithm, Greedy) or algorithm.score is Score.ALL:
        yield f"The method {algorithm.name} scores no items"
        return
    yield "Scores: MM is the number of minimal moles that contain an item, IL the loss of dropping it"
    moles = _named(release, release.solution.moles.sets[1:])
    for number, step in enumerate((step for step in release.solution.steps if step.moles), 1):
        chosen = release.database.names[step.item]
        yield f"Step {number}: {shown(chosen)} is dropped; minimal moles before: {len(moles)}, after: {step.left}"
        yield from _scores(release, moles, chosen, algorithm.score)
        moles = [mole for mole in moles if chosen not in mole]
    yield "No minimal mole of two items or more is left"


def _scores(release: TransactionRelease, moles: Sequence[tuple[str, ...]], chosen: str, score: Score) -> Iterator[str]:
    counts = Counter(chain.from_iterable(moles))
    losses = zip(release.database.names, release.losses.tolist(), strict=True)
    rows = [
        ["*" if name == chosen else "", shown(name), str(counts[name]), str(loss), _score(score, counts[name], loss)]
        for name, loss in losses
        if counts[name]
    ]
    return _aligned([["", "item", "MM", "IL", str(score)], *rows])


def _score(score: Score, moles: int, loss: int) -> str:
    match score:
        case Score.MMIL:
            return f"{moles}/{loss}"
        case Score.MM:
            return str(moles)
        case _:
            return f"1/{loss}"


def _rest(release: TransactionRelease) -> Iterator[str]:
    yield f"Dropped: {_shown(release, release.dropped) or 'nothing'}"
    if release.solution.returned is not None and release.solution.returned.size:
        yield f"Restored: {_shown(release, release.solution.returned)}"
    yield "The remaining transactions, ordered by their content"
    yield from _grid(release.here().released, _role_names(release))
    yield f"Distortion: {release.lost}/{release.whole} = {float(release.distortion):.4f}"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    return (f"  {line}" for line in aligned(rows, left=len(rows[0])))
