"""A job on a transaction database, and the release that came of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, NamedTuple

from kohort.errors import UsageError
from kohort.errors.calls import PATH, called, verb
from kohort.errors.display import Summary, verified
from kohort.io.forms import named_format
from kohort.io.source import claimed_format
from kohort.release.job import SECRET
from kohort.schema.numbers import refuse_inexact
from kohort.transactions.database import held
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.io.write import to_frame
from kohort.transactions.problem import MOST
from kohort.transactions.suppression import Greedy

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from kohort.arrays import Counts, Index, Items
    from kohort.errors.display import ReportText, Rows
    from kohort.release.job import Purpose
    from kohort.transactions.coherence import Coherence
    from kohort.transactions.database import Database, Transactions
    from kohort.transactions.problem import SuppressionAlgorithm, SuppressionSolution
    from kohort.transactions.roles import RoleChoice, Roles
    from kohort.transactions.verify import CoherenceVerdict


def check_min_support(share: Fraction) -> None:
    """Raise if `share` is no exact share below 1."""
    refuse_inexact(share, "min-support")
    if not 0 <= share < 1:
        raise UsageError("a minimum support is a share, from 0 to below 1", where="min-support", hint="such as 0.001")


def check_labels(labels: Iterable[tuple[str, str]], items: Iterable[str]) -> None:
    """Raise if there are labels, and none of them is of one of these items."""
    known = {item for item, _ in labels}
    if known and known.isdisjoint(items):
        hint = "write ITEM,NAME on each line, each item as the transactions have it"
        raise UsageError("the file names no item of the transactions", where="names", hint=hint)


def labelled(items: Sequence[str], labels: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Items as people read them: those that have a label by it, with the item itself in brackets.

    >>> labelled(("7", "8"), [("7", "whole milk")])
    ('whole milk (7)', '8')
    """
    named = dict(labels)
    return tuple(f"{named[item]} ({item})" if item in named else item for item in items)


@dataclass(frozen=True, slots=True, kw_only=True)
class BasketWriting:
    """The format of a released transaction database.

    Attributes:
        form: The format; `None`: that of the input.
        separator: The character between items or cells; `None`: that of the input.
        sign_key: The file of the key that signs the certificate; `None` leaves it unsigned. No output contains it.
    """

    form: Form | None = None
    separator: str | None = None
    sign_key: str | None = field(default=None, metadata=SECRET)

    def over(self, reading: BasketOptions, target: Path) -> BasketOptions:
        """The form of what is written to `target`: as set here, or by its name, or that of the input.

        Raises:
            UsageError: the form and the name contradict each other, or `target` is `-`, which elsewhere is a stream.
        """
        if str(target) == "-":
            hint = "name a file: a release is verified before it is published"
            raise UsageError("a release is not written to standard output", hint=hint)
        claimed, named = claimed_format(target.name), named_format(target)
        form = self.form or (Form.LISTS if claimed == "Parquet" else reading.form)
        if claimed not in {"text", "Parquet"} or (form is Form.LISTS) is not (claimed == "Parquet"):
            what = f"the form {form} is not written to a file whose name ends in {target.suffix.lower() or 'nothing'}"
            raise UsageError(what, where="format", hint="lists are written to .parquet, every other form as plain text")
        read = reading.separator if form is reading.form else None
        own = named.separator if named is not None and form is not Form.BASKET else ""
        return BasketOptions(form=form, separator=self.separator or own or read)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TransactionJob(Summary):
    """Everything that determines a release, except the transactions: equal jobs and transactions give equal bytes.

    Attributes:
        coherence: The promise.
        roles: The public and the private items.
        algorithm: The algorithm that finds the suppression.
        min_support: Items in a smaller share of the transactions are removed first, public and private alike; 0: none.
        weights: Item names and the weight of their cells in the loss; 1 if not given.
        reading: The format of the input.
        writing: The format of the release.
        most: The maximum number of item sets to keep in memory.
        labels: Items and their names, for those who read of them; no byte of the release depends on them.
        purpose: The purpose of the release and who is responsible for it; no byte of the release depends on it.
    """

    coherence: Coherence
    roles: RoleChoice
    algorithm: SuppressionAlgorithm = field(default_factory=Greedy)
    min_support: Fraction = Fraction(0)
    weights: tuple[tuple[str, Fraction], ...] = ()
    reading: BasketOptions = field(default_factory=BasketOptions)
    writing: BasketWriting = field(default_factory=BasketWriting)
    most: int = MOST
    labels: tuple[tuple[str, str], ...] = ()
    purpose: Purpose | None = None

    @classmethod
    @called('TransactionJob.from_toml("job.toml")', source=PATH)
    def from_toml(cls, source: str | os.PathLike[str]) -> TransactionJob:
        r"""The job of a job file on transactions: its path, or its text, which has an equals sign.

        Where the transactions and the release are stands in the file too, and is left out here.

        Raises:
            InputError: the file, or a list of items, cannot be read.
            JobError: everything that is wrong in it, each fault with its line.

        >>> text = 'transactions.format = "basket"\ninput.path = "a.dat"\noutput.path = "b.dat"\n'
        >>> TransactionJob.from_toml(text + 'privacy = {h = 0.4, k = 5, p = 2}\nitems.private = ["pill"]').coherence.k
        5
        """
        return verb(TransactionJob.from_toml)(source)

    def __post_init__(self) -> None:
        """Validate the share, the weights and the limit."""
        check_min_support(self.min_support)
        for _, weight in self.weights:
            refuse_inexact(weight, "weight")
        if any(weight <= 0 for _, weight in self.weights):
            raise UsageError("a weight must be above 0", where="weight")
        if self.most < 1:
            raise UsageError("the limit of sets must be at least 1", where="most")

    def written_to(self, target: Path) -> BasketOptions:
        """The form of the release at `target`; see `BasketWriting.over`."""
        return self.writing.over(self.reading, target)

    def _shown(self) -> tuple[str, Rows]:
        return "TransactionJob", [
            ("Model", self.coherence.name),
            ("Method", self.algorithm.name),
            ("Roles", repr(self.roles)),
            ("Weights", f"{len(self.weights):,}"),
        ]

    def described(self) -> str:
        """The job as canonical JSON, which its certificate holds: the tables of a job file, with sorted keys.

        Lists of names are told by their number alone: a digest of few names is soon guessed. How the input was read is
        left out: it belongs to the input, and the same transactions read from another form are the same transactions.
        """
        return verb(TransactionJob.described)(self)


class LoadedDatabases(NamedTuple):
    """The databases of a release that are in memory: as read, as searched, as released."""

    source: Transactions
    database: Transactions
    released: Transactions


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TransactionRelease(Summary):
    """A release of a transaction database and what it cost.

    Attributes:
        job: The job.
        source: The database as read.
        database: The database that was searched: the source less the items below the minimum support.
        roles: The roles of the searched database's items.
        solution: The suppression, and how it was found.
        released: The transactions with the remaining items, ordered by their own content.
        lineage: (n,) the source's transaction of each released one; never published. It is empty if the transactions
            stay elsewhere.
        dropped: (d,) items of `database` that no released transaction has, in the order in which they were dropped.
        losses: (m,) the loss of dropping each item of `database`: its support, times its weight.
        lost: The loss of the release.
        repeated: Cells of the input that named an item its transaction already had.
        seconds: Wall time of each stage.
        like: What the input was: `file`, or the library of a frame or sparse matrix.
        verdict: What verification found on the bytes.
        path: Where the release was published; `None` while it is only in memory.
        certificate: Where its certificate is; `None` likewise.
        signed_by: The fingerprint of the key that signed the certificate; `None` where it is unsigned.
    """

    job: TransactionJob
    source: Database
    database: Database
    roles: Roles
    solution: SuppressionSolution
    released: Database
    lineage: Index
    dropped: Items
    losses: Counts
    lost: int
    repeated: int
    seconds: Mapping[str, float]
    like: str = "file"
    verdict: CoherenceVerdict | None = None
    path: Path | None = None
    certificate: Path | None = None
    signed_by: str | None = None

    @property
    def whole(self) -> int:
        """What could be lost: the cells of `database`, by their weights."""
        return int(self.losses.sum())

    @property
    def distortion(self) -> Fraction:
        """The share of the (weighted) cells of `database` that the release lacks, exact."""
        return Fraction(self.lost, self.whole or 1)

    def here(self) -> LoadedDatabases:
        """The three databases themselves.

        Raises:
            UnsupportedError: they stay elsewhere.
        """
        three = (held(one, "this") for one in (self.source, self.database, self.released))
        return LoadedDatabases(*three)

    def named(self, items: Items) -> list[str]:
        """The names of items of `database`."""
        places: list[int] = items.tolist()
        return [self.database.names[place] for place in places]

    def labelled(self) -> TransactionRelease:
        """The same release for people to read: items are called by their labels."""
        if not self.job.labels:
            return self
        source, database, released = (
            one.renamed(labelled(one.names, self.job.labels)) for one in (self.source, self.database, self.released)
        )
        return replace(self, source=source, database=database, released=released)

    def baskets(self) -> list[list[str]]:
        """The released transactions as lists of names, in the order of their own content: for small databases."""
        return self.here().released.sets()

    def frame(self) -> object:
        """The released transactions as a frame with one column of lists, `items`: pandas, Arrow or else polars.

        It is of the library that was given. As a sparse matrix in compressed rows, they are `released` itself: its
        `starts` and `cells` are row pointers and columns, its `names` those of the columns.
        """
        return to_frame(self.here().released, self.like)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> TransactionRelease:
        """Publish at `path`, with a certificate beside it; see `kohort.Release.save`."""
        return verb(TransactionRelease.save)(self, path, overwrite=overwrite)

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        audience: Literal["internal", "public"] = "internal",
        overwrite: bool = False,
    ) -> ReportText:
        """The report as text, which a notebook shows as a page; see `kohort.Release.report`."""
        return verb(TransactionRelease.report)(self, path, audience=audience, overwrite=overwrite)

    @called('release.plot("items")')
    def plot(self, figure: str | None = None) -> Figure:
        """The release as a figure of matplotlib; see `kohort.Release.plot`.

        Args:
            figure: One of `moles` (sets of items that identified people), `lengths` (items per transaction) and `items`
                (dropped ones); `None` shows all that there are.
        """
        return verb(TransactionRelease.plot)(self, figure)

    def _shown(self) -> tuple[str, Rows]:
        rows = [
            ("Transactions", f"{len(self.released):,}"),
            ("Items dropped", f"{self.dropped.size:,} of {len(self.database.names):,}"),
            ("Distortion", f"{float(self.distortion):.2%}"),
            ("Model", self.job.coherence.name),
            ("Method", self.job.algorithm.name),
        ]
        rows += [("Published", self.path.name)] if self.path else []
        return f"TransactionRelease, {verified(done=self.verdict is not None)}", rows
