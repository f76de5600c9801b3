"""What was asked for: the promise, the method, and what becomes of each column."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from kohort.release import plain
from kohort.release.job import Purpose
from kohort.schema import Label, Role
from kohort.schema.hierarchies import is_builder
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.release import Job
    from kohort.release.transactions import TransactionJob
    from kohort.report import Json
    from kohort.report.page.audience import Reader
    from kohort.schema import Attribute

#: How each kind of label is told.
_LABELS: Mapping[Label, str] = {
    Label.RANGE: "released as ranges",
    Label.SET: "released as sets",
    Label.ANCESTOR: "released as nodes of its hierarchy",
    Label.MEAN: "released as means",
    Label.GRID: "released as intervals of its grid",
}


def asked(job: Job) -> dict[str, Json]:
    """The promise, the method, and each column's part; nothing but what was written in the job."""
    limit = job.algorithm.limit
    perturbed = {column: one.name for one in job.perturbations for column in one.columns}
    return {
        "k": job.k,
        "models": [model.name for model in job.models],
        "method": _method(job),
        "max_suppression": None if limit is None else str(limit),
        "columns": [
            {
                "name": one.name,
                "role": one.role.value,
                "how": _how(one, perturbed.get(one.name)),
                "declared": one.name not in job.schema.undeclared,
            }
            for one in job.schema.attributes
        ],
    }


def _method(job: Job) -> dict[str, Json]:
    """The method's name, and what else was said of it."""
    parts = cast("dict[str, Json]", plain(job.algorithm))
    return {"name": job.algorithm.name} | {
        name: part for name, part in parts.items() if name not in {"kind", "name", "limit"}
    }


def _how(attribute: Attribute, perturbed: str | None) -> str:
    """What becomes of a column, in a few words."""
    if not attribute.role.released:
        return "pseudonyms in its place" if attribute.pseudonym else "removed"
    if attribute.role is not Role.QUASI:
        return perturbed or "released unchanged"
    return ", ".join(_generalized(attribute)) or "generalized"


def _generalized(attribute: Attribute) -> list[str]:
    """What was said of how a quasi-identifier is generalized."""
    told: list[str] = []
    if attribute.hierarchy is not None:
        told.append(hierarchy_text(attribute.hierarchy))
    if attribute.max_level is not None:
        told.append(f"at most level {attribute.max_level}")
    if isinstance(attribute.grid, Fraction):
        told.append(f"grid of {_number(attribute.grid)}")
    elif attribute.grid == "hierarchy":
        told.append("grid of its hierarchy")
    elif isinstance(attribute.grid, tuple):
        told.append(f"grid at {', '.join(map(_number, attribute.grid))}")
    if attribute.bounds is not None:
        told.append("from {} to {}".format(*map(_number, attribute.bounds)))
    if attribute.label is not None:
        told.append(_LABELS[attribute.label])
    if attribute.weight != 1:
        told.append(f"weight {_number(attribute.weight)}")
    return told


def hierarchy_text(hierarchy: Hierarchy | str) -> str:
    """A hierarchy in a few words: a builder as it was said, without the name of any file."""
    if isinstance(hierarchy, Hierarchy):
        return f"hierarchy of height {hierarchy.height}"
    return hierarchy if is_builder(hierarchy) else "hierarchy of a file"


def _number(value: Fraction) -> str:
    """As it was written, or nearly."""
    return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"


def purpose(job: Job | TransactionJob) -> dict[str, Json]:
    """What the release is for and who answers for it, in the job's words; null where it has none."""
    return {**asdict(job.purpose or Purpose())}


def parameters(job: Job, reader: Reader) -> dict[str, Json]:
    """The job as its certificate describes it; for the public without digests of hierarchies and names of files."""
    described = cast("dict[str, Json]", plain(job))
    if reader.knows_all:
        return described
    schema = cast("dict[str, list[dict[str, Json]]]", described["schema"])
    for part, attribute in zip(schema["attributes"], job.schema.attributes, strict=True):
        if attribute.hierarchy is not None:
            part["hierarchy"] = hierarchy_text(attribute.hierarchy)
    return described
