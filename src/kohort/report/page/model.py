"""The page model of a table: all that its page shows, typed, with the keys of its JSON in their order.

What does not apply is null. What the public may not know is null too, or is left out of its list; `notes` tells why,
and `kohort.report.page.audience` which.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import JsonValue

from kohort.assessment.comparison import Association
from kohort.pipeline.exposure import GridComparison
from kohort.release.job import Purpose
from kohort.report.figures import BoundFigures, Figures
from kohort.report.page.attributes import LINKED, PageAttribute, PageEffect
from kohort.report.page.request import RequestedTable
from kohort.report.page.result import ClassSizeBand, LossFigures, MetricFigures, TableResult
from kohort.report.page.risks import PageAttack, RisksFigures
from kohort.report.page.subgroups import SampleRecord, SubgroupFigures
from kohort.report.page.verdict import CertificateFigures, TableVerdict
from kohort.shown import Number

#: The version of the page model; it changes when a key does.
FORM: Final = 2


class Heading(Figures, frozen=True):
    """What every page begins with.

    Attributes:
        form: The version of the page model.
        kind: What was released.
        audience: Who reads the page.
        least: The fewest people of a published count; null where everything is shown.
        name: The release's file name, without a folder.
        kohort: The version of kohort.
        notes: What is not shown, and why; for the steward, what of the source looks wrong.
    """

    form: Literal[2]
    kind: Literal["table", "transactions"]
    audience: Literal["internal", "public"]
    least: int | None
    name: str | None
    kohort: str
    notes: tuple[str, ...]


class TablePage(Heading, frozen=True):
    """The page of a table; only the steward's has what follows `certificate`.

    Attributes:
        attributes: Each released column that names nobody; null of a table without records.
        associations: Pairs of columns before and after; internal only, for of rare values they count.
        samples: Three records before and after; internal only.
        attacks: What attacks found; null where none was tried.
        parameters: The job's description, as its certificate has it.
        certificate: What ties the page to the published bytes; null while nothing is published.
        seconds: Wall time of each stage.
        public: The page of the same release for the public.
        grid: The release with grids and without; only where that was compared.
        bound: What no release can lose less than; only where that was asked for. Null: nothing was released.
        changes: What single changes of the job would give, in lines; only of the demo.
    """

    kind: Literal["table"]
    asked: RequestedTable
    done: TableResult
    verdict: TableVerdict
    sizes: tuple[ClassSizeBand, ...]
    metrics: tuple[MetricFigures, ...]
    losses: tuple[LossFigures, ...]
    attributes: tuple[PageAttribute, ...] | None
    associations: tuple[Association, ...]
    subgroups: SubgroupFigures | None
    risks: RisksFigures
    samples: tuple[SampleRecord, ...] | None
    attacks: tuple[PageAttack, ...] | None
    perturbed: tuple[PageEffect, ...]
    pseudonyms: tuple[Annotated[Figures, LINKED], ...]
    parameters: dict[str, JsonValue]
    purpose: Purpose
    certificate: CertificateFigures | None
    seconds: dict[str, Number] | None = None
    public: TablePage | None = None
    grid: GridComparison | None = None
    bound: BoundFigures | None = None
    changes: tuple[str, ...] = ()
