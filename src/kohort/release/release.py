"""What came of a job: the release, what it cost and what was found of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from kohort.errors.calls import PATH, called, verb
from kohort.errors.display import Summary, four_digits, sizes_row, verified
from kohort.io.write import to_frame
from kohort.tables.people import person_codes

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

    from matplotlib.figure import Figure

    from kohort.algorithms.problem import Candidate, Problem
    from kohort.arrays import Counts, Index, Numbers, Shares
    from kohort.assessment.comparison import Comparison
    from kohort.assessment.risk.overall import Risk
    from kohort.assessment.risk.telling import Telling
    from kohort.errors.display import Grid, ReportText, Rows
    from kohort.io.objects import Address
    from kohort.metrics.base import Retention
    from kohort.perturbation.effect import Effect
    from kohort.release.homogeneity import Homogeneity
    from kohort.release.job import Job
    from kohort.tables.dataset import Dataset, Linked, ReleasedRecords
    from kohort.tables.table import Table
    from kohort.verify import Verdict


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Release(Summary):
    """A verified release and what it cost.

    Attributes:
        job: The job.
        records: The released records, and the input record of each.
        suppressed: Records that the recoding suppresses; verification compares the release with it.
        sizes: (c,) records of each class.
        metrics: Cost by metric; see `kohort.metrics`.
        losses: Loss of each quasi-identifier, in 0..1.
        constant: The quasi-identifiers of one value, which NCP leaves out.
        kept: What is left of each quasi-identifier.
        trace: The counts of the search.
        proven: Whether the algorithm proves that its result is optimal.
        seconds: Wall time of each stage.
        problem: The problem of a lattice method; `None` for other methods, whose frequency sets can be large.
        levels: The level of each quasi-identifier; empty for methods without levels.
        refined: With local recoding, the levels of the full-domain release whose classes were refined; otherwise empty.
        candidates: The allowed releases that a lattice method found, best first; the release is the first.
        bound: A lower bound on the cost of every allowed release, in the method's objective.
        population: The population table, if a model needed one.
        verdict: The result of verification on the bytes (for a frame, on its cells as text).
        like: The kind of frame of the input: `polars`, `pandas`, `pyarrow`; files count as polars.
        path: Where the release was published: a path, or an address in an object store; `None` while it is only in
            memory.
        certificate: Where its certificate is; `None` while the release is only in memory.
        signed_by: The fingerprint of the key that signed the certificate; `None` if it is unsigned.
        telling: What released columns tell of hidden ones.
    """

    job: Job
    records: ReleasedRecords
    suppressed: int
    sizes: Counts
    metrics: Mapping[str, float]
    losses: Mapping[str, float]
    trace: Mapping[str, int]
    proven: bool
    seconds: Mapping[str, float]
    problem: Problem | None = None
    levels: Mapping[str, int] = field(default_factory=dict[str, int])
    refined: Mapping[str, int] = field(default_factory=dict[str, int])
    candidates: tuple[Candidate, ...] = ()
    bound: float | None = None
    constant: tuple[str, ...] = ()
    kept: Mapping[str, Retention] = field(default_factory=dict[str, "Retention"])
    population: Dataset | None = None
    verdict: Verdict | None = None
    like: str = "polars"
    path: Path | Address | None = None
    certificate: Path | Address | None = None
    signed_by: str | None = None
    telling: tuple[Telling, ...] = ()

    @property
    def table(self) -> Table:
        """The released records in memory, in the order of their own content."""
        return self.records.data.collect()

    @property
    def source(self) -> Table:
        """The input in memory, as read; without incomplete records where the job leaves them out."""
        return self.records.source.collect()

    @property
    def lineage(self) -> Numbers:
        """(m,) the record of `source` that each released one was; never published."""
        return self.records.lineage

    @property
    def lost(self) -> Shares:
        """(c,) the mean loss of a record's quasi-identifiers in each class, in the order of `table`."""
        return self.records.lost

    @property
    def effects(self) -> tuple[Effect, ...]:
        """What perturbations did to their columns."""
        return self.records.effects

    @property
    def linked(self) -> tuple[Linked, ...]:
        """How far pseudonyms link records."""
        return self.records.linked

    @property
    def incomplete(self) -> int:
        """Records that were left out before counting, because they lack a value."""
        return self.records.whole.records - self.records.source.records

    @property
    def people(self) -> int | None:
        """People whose records are released; `None` where the schema has no person key."""
        people = people_of(self)
        return None if people is None else int(np.bincount(people).astype(np.bool_).sum())

    @property
    def homogeneity(self) -> dict[str, Homogeneity]:
        """Of the sensitive attributes, how alike the values in classes are; counted anew each time."""
        from kohort.release.homogeneity import homogeneity_of  # noqa: PLC0415  a run that only releases asks for none

        return homogeneity_of(self)

    @called("release.frame()")
    def frame(self) -> object:
        """The released records as a frame of the kind that was given: polars, pandas or Arrow."""
        return to_frame(self.table, self.like)

    @called('release.save("release.csv")', path=PATH)
    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Release:
        """Publish at `path`, with a certificate beside it: verified on the written bytes, all or nothing.

        Raises:
            TargetError: a file is there, and `overwrite` is false.
            VerificationError: the written bytes are not what was promised; nothing was published.
            FileError: writing failed; nothing was published.
        """
        return verb(Release.save)(self, path, overwrite=overwrite)

    @called('release.report("report.html")', path=PATH)
    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        audience: Literal["internal", "public"] = "internal",
        overwrite: bool = False,
    ) -> ReportText:
        """The report as text, which a notebook shows as a page; with a path, also written there.

        Args:
            path: Where to write it, as `.html`, `.json` or `.txt`.
            audience: Who reads the page: the steward, or the public, without values and counts below k.
            overwrite: Whether a file at `path` may be replaced.

        Raises:
            UsageError: the ending of the path means no form of a report, or no such audience.
            MissingExtraError: a page needs `kohort[report]`.
        """
        return verb(Release.report)(self, path, audience=audience, overwrite=overwrite)

    @called('release.plot("losses")')
    def plot(self, figure: str | None = None) -> Figure:
        """The release as a figure of matplotlib: detail lost, class sizes, and risks before and after.

        The figure is internal: it shows what the input held. It takes as long as the page of a report.

        Args:
            figure: One of `losses`, `sizes` and `risks`; `None` shows all three. Also `suppressed` and `distorted`, the
                groups of people that lost most.

        Raises:
            UsageError: there is no such figure.
            MissingExtraError: figures need `kohort[report]`.
            UnsupportedError: the release has no records, or they stay where an engine has them.

        >>> import polars as pl
        >>> from kohort import anonymize
        >>> release = anonymize(pl.DataFrame({"age": [31, 34, 38, 52]}), quasi=["age"], k=2)
        >>> release.plot("losses").savefig("losses.png")  # doctest: +SKIP
        """
        return verb(Release.plot)(self, figure)

    @called("release.compare()")
    def compare(self) -> Comparison:
        """The release beside its input: statistics, distributions, associations, and what it cost."""
        from kohort.assessment.comparison import comparison_of, lines_of  # noqa: PLC0415  most releases are not asked

        return comparison_of(
            self.source, self.table, lines_of(self.source, self.table, schema=self.job.schema), k=self.job.k
        )

    @called("release.risk(known=3)")
    def risk(self, *, known: int | None = None, population_size: int | None = None) -> Risk:
        """The re-identification risk of the released records, by the quasi-identifiers of the job.

        Args:
            known: Also compute the risk if only so many of the quasi-identifiers are known.
            population_size: The number of people that the table is a sample of.
        """
        from kohort.assessment.risk.overall import assess  # noqa: PLC0415

        schema = self.job.schema
        return assess(
            self.table,
            [one.name for one in schema.quasi],
            sensitive=[one.name for one in schema.sensitive],
            population=self.population,
            population_size=population_size,
            schema=self.job.of_people,
            known=known,
        )

    def _shown(self) -> tuple[str, Rows]:
        rows = [
            ("Records", f"{self.records.data.records:,} of {self.records.source.records:,}"),
            ("Suppressed", f"{self.suppressed:,}"),
            ("Classes", f"{self.sizes.size:,}"),
        ]
        if self.sizes.size:
            rows.append(sizes_row(int(self.sizes.min()), int(self.sizes.max())))
        rows.append(("Quasi-identifiers", ", ".join(one.name for one in self.job.schema.quasi)))
        rows += self.verdict.singled if self.verdict is not None else []
        rows += [("Models", ", ".join(model.name for model in self.job.models)), ("Method", self.job.algorithm.name)]
        rows += [(name.upper(), four_digits(self.metrics[name])) for name in ("lm", "c_avg") if name in self.metrics]
        rows += [("Published", self.path.name)] if self.path else []
        return f"Release, {verified(done=self.verdict is not None)}", rows

    def _grid(self) -> Grid | None:
        """What each quasi-identifier lost, the greatest loss first."""
        lost = [(name, f"{loss:.1%}") for name, loss in sorted(self.losses.items(), key=lambda one: -one[1])]
        rows = [(*one, self.kept[one[0]].in_words if one[0] in self.kept else "") for one in lost]
        return ("Detail lost", rows, ("Quasi-identifier", "Loss", "What is left")) if rows else None


def people_of(release: Release) -> Index | None:
    """(m,) whose each released record is, as a code, or each group of them elsewhere; `None` without a person key."""
    key, groups = release.job.schema.person, release.records.groups
    if groups is not None:
        return groups.people
    return None if key is None else person_codes(release.source[key]).take(release.lineage)
