"""The answers to what pages ask of transactions: found in a process of its own, given as plain values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import compress, starmap
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kohort.assessment.inspection.distribution import Bar
from kohort.desk.answers import Point, Preview, Rows
from kohort.desk.kinds import document_in
from kohort.desk.questions import SHOWN, Session, changes_in, spread
from kohort.engines.base import engine_of
from kohort.errors import KohortError
from kohort.job.advice import HURRIED, advice_on
from kohort.job.document import document_at
from kohort.job.edits import changed
from kohort.job.faults import placing
from kohort.job.lines import read_toml
from kohort.job.parts import relative, right_part, table
from kohort.publish import Companion
from kohort.report.page.audience import Audience
from kohort.report.render.page.figure import percent, written_number
from kohort.transactions.desk import ItemRoles, ItemsLook, transactions_of
from kohort.transactions.draft import transactions_text
from kohort.transactions.form import BASKETS, ITEMS, TRANSACTIONS
from kohort.transactions.io import read_transactions
from kohort.transactions.io.seen import seen_in
from kohort.transactions.optimum import Optimum
from kohort.transactions.pipeline import anonymize_transactions, dry_run_transactions, problem_of
from kohort.transactions.profile import profile
from kohort.transactions.release import labelled
from kohort.transactions.report.evidence import transaction_dossier_of
from kohort.transactions.report.page import transactions_page
from kohort.transactions.request import TransactionRequest, labels_of, of, reading_of, refuse_target
from kohort.transactions.roles import Drawn, Listed
from kohort.transactions.sweep import Plan, sweep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.arrays import Counts
    from kohort.desk.kinds import Changes, Folder
    from kohort.desk.questions import Writers
    from kohort.transactions.database import Transactions
    from kohort.transactions.io import Reading
    from kohort.transactions.problem import SuppressionProblem
    from kohort.transactions.release import TransactionRelease
    from kohort.transactions.sweep import Outcome

#: What is compared of two versions of a job, by the part of the page and its key.
COMPARED: Final[Mapping[str, tuple[str, str]]] = {
    "transactions": ("done", "transactions"),
    "transactions left empty": ("done", "emptied"),
    "private items": ("done", "private"),
    "items released": ("done", "released_items"),
    "items dropped": ("done", "dropped_items"),
    "occurrences released": ("done", "released_cells"),
    "cohorts": ("verdict", "cohorts"),
    "transactions of the smallest cohort": ("verdict", "smallest"),
}

#: A share that no item is above.
ALL: Final = Fraction(1)


@dataclass(slots=True)
class TransactionSession(Session):
    """The session of a transaction database."""

    page = staticmethod(transactions_page)
    dossier = staticmethod(transaction_dossier_of)

    # --- what is there ------------------------------------------------------------------------------------------------

    def draft(self, source: str, folder: str) -> tuple[str, tuple[()]]:
        """The text of a job over transactions, read as they seem to be written; no file is to lie beside it."""
        return transactions_text(source, seen_in(Path(relative(source, Path(folder))))), ()

    def look(self, text: str, folder: str) -> ItemsLook:
        """The items of a job's transactions."""
        reading = self._read(text, folder)
        held = reading.database
        self.on_progress("inspect")
        found = profile(held, ALL)
        supports = tuple(held.supports.tolist())
        return ItemsLook(
            len(held), held.names, supports, _by_length(held.lengths), found.empty, found.unique, reading.repeated
        )

    def roles(self, text: str, folder: Folder) -> ItemRoles:
        """The roles and the names of the items, as far as the job can say them."""
        held = self._read(text, folder).database
        names, n = self._named(text, folder).names, len(held)
        listed = _listed(text)._replace(labels=dict(zip(held.names, names, strict=True)) if names != held.names else {})
        try:
            job = transactions_of(text, folder).job
        except (KohortError, ExceptionGroup):  # the page says what is wrong with it
            return listed
        made = listed._replace(most=floor(n * job.coherence.h), least=ceil(n * job.min_support))
        if isinstance(job.roles, Listed):
            return made._replace(private=job.roles.private, public=job.roles.public)
        try:
            problem = problem_of(held, job)
        except KohortError as fault:
            return made._replace(drawn=True, why=fault.what)
        return _drawn(problem)._replace(most=made.most, least=made.least, labels=made.labels)

    def records(self, text: str, folder: Folder, first: int) -> Rows:
        """Ten transactions from the one of this number on."""
        held = self._named(text, folder)
        first = max(1, min(first, len(held) - SHOWN + 1))
        rows = range(first - 1, min(first - 1 + SHOWN, len(held)))
        return Rows((), tuple(_items(held, row) for row in rows), first=first)

    # --- what a job would do ------------------------------------------------------------------------------------------

    def preview(self, text: str, folder: Folder) -> Preview:
        """What a job would release; verified as text, and written nowhere."""
        release: TransactionRelease = self._try(text, folder)
        self.on_progress("compare")
        source, file = self._read(text, folder).database, document_in(text, folder)
        advice = advice_on(file, source=source, now=float(release.distortion), most=0)
        return self._preview(release)._replace(changes=changes_in(advice))

    def cost(self, text: str, folder: Folder, changes: Changes) -> Point | None:
        """What the job would lose with these changes; `None` where there is no release."""
        source = self._read(text, folder).database
        try:
            job = transactions_of(changed(text, dict(changes)), folder).job
            self.on_progress("estimate")
            if isinstance(job.algorithm, Optimum):
                job = replace(job, algorithm=Optimum(time_limit=HURRIED))
            return Point(loss=float(dry_run_transactions(source, job).distortion))
        except KohortError:
            return None

    def changes(self, text: str, folder: Folder) -> Rows:
        """Ten transactions before and after, spread over the release."""
        release: TransactionRelease = self._try(text, folder)
        here, rows = release.labelled().here(), spread(len(release.released)).tolist()
        before = tuple(_items(here.source, int(release.lineage[row])) for row in rows)
        return Rows((), before, tuple(_items(here.released, row) for row in rows))

    def frontier(
        self, text: str, folder: Folder, tried: Sequence[tuple[str, tuple[str, ...]]], methods: tuple[str, ...]
    ) -> tuple[Point, ...]:
        """What other values of a parameter would cost by each method; nothing is released, so nothing is verified."""
        vary, values = tried[0]
        made = transactions_of(text, folder)
        roles = made.job.roles
        seeds = (roles.seed,) if isinstance(roles, Drawn) else (0,)
        with placing(made.placed):
            plan = Plan.of(made.job, vary, values, methods=methods, seeds=seeds)
            found = sweep(self._read(text, folder).database, plan, on_progress=self.on_progress)
        return tuple(map(_point, found.points))

    # --- what is released ---------------------------------------------------------------------------------------------

    def _request(self, path: Path) -> TransactionRequest:
        made = of(document_at(path))
        refuse_target(made)
        return made

    def _publish(self, made: TransactionRequest, reports: Writers, *, overwrite: bool) -> TransactionRelease:
        with placing(made.placed):
            return anonymize_transactions(
                made.source,
                made.job,
                target=Path(made.target),
                overwrite=overwrite,
                progress=self.on_progress,
                reports=tuple(starmap(Companion, reports.items())),
                inputs=made.inputs,
                engine=engine_of(made.run.engine),
            )

    def _preview(self, release: TransactionRelease) -> Preview:
        shown: dict[str, Any] = transactions_page(release, audience=Audience.INTERNAL).as_json()
        shown["lost"] = release.lost
        loss, sure = release.lost / (release.whole or 1), shown["verdict"]["confidence"]
        figures = {what: written_number(shown[part][key]) for what, (part, key) in COMPARED.items()}
        figures["occurrences lost, by their weights"] = percent(loss)
        figures["surest inference of a private item"] = percent(sure)
        return Preview(shown, figures, loss, sure, sum(release.seconds.values()))

    # --- what they share ----------------------------------------------------------------------------------------------

    def _read(self, text: str, folder: str | Folder) -> Reading:
        """The transactions, read again only where their file or the way to read it has changed."""
        raw = read_toml(text)
        said = right_part(BASKETS, table(raw, "input"))
        how = reading_of(right_part(TRANSACTIONS, table(raw, "transactions")), said)
        source = relative(said.path, Path(folder))
        reading: Reading = self._once(source, how, lambda: read_transactions(source, how))
        return reading

    def _named(self, text: str, folder: Folder) -> Transactions:
        """The same, whose items are called as people read them."""
        held = self._read(text, folder).database
        said = right_part(ITEMS, table(read_toml(text), "items"))
        try:
            labels = labels_of(said, Path(folder), folder.held)
        except KohortError:  # the page says what is wrong with them
            return held
        return held.renamed(labelled(held.names, labels.items()))

    def _released(self, text: str, folder: Folder) -> TransactionRelease:
        made, reading = transactions_of(text, folder), self._read(text, folder)
        try:
            release = anonymize_transactions(reading.database, made.job, progress=self.on_progress)
        except KohortError as fault:
            raise made.placed(fault) from None
        return replace(release, repeated=reading.repeated)


def _listed(text: str) -> ItemRoles:
    """The roles that a job lists itself, whatever is wrong elsewhere in it."""
    said = right_part(ITEMS, table(read_toml(text), "items"))
    return ItemRoles(tuple(said.private or ()), None if said.public is None else tuple(said.public))


def _drawn(problem: SuppressionProblem) -> ItemRoles:
    names, roles = problem.database.names, problem.roles
    public = tuple(compress(names, roles.public))
    private = tuple(compress(names, roles.private))
    return ItemRoles(private, None if len(public) + len(private) == len(names) else public, drawn=True)


def _by_length(lengths: Counts) -> tuple[Bar, ...]:
    """Transactions by how many items they have, in bands that double."""
    bands = np.bincount([length.bit_length() for length in lengths.tolist()])
    return tuple(Bar(_band(place), int(count)) for place, count in enumerate(bands))


def _band(place: int) -> str:
    """The numbers of so many binary digits.

    >>> [_band(place) for place in range(4)]
    ['0', '1', '2 to 3', '4 to 7']
    """
    low, high = (1 << place) >> 1, (1 << place) - 1
    return str(low) if low >= high else f"{low} to {high}"


def _items(held: Transactions, row: int) -> tuple[str, ...]:
    items: list[int] = held.cells[held.starts[row] : held.starts[row + 1]].tolist()
    return tuple(held.names[item] for item in items)


def _point(one: Outcome) -> Point:
    value, _, method = one.values
    if one.distortion is None:
        return Point(value, method, why=one.why)
    return Point(value, method, loss=float(one.distortion), counts=(one.dropped or 0, sum(one.moles)))
