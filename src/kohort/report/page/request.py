"""What the job asks for: models, method, and what becomes of each column."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from pydantic import JsonValue

from kohort.algorithms.lattice.local import LocalRecoding
from kohort.release import plain
from kohort.report.figures import Figures
from kohort.schema import Label, Role
from kohort.schema.hierarchies import is_builder
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.release import Job
    from kohort.report.page.audience import Reader
    from kohort.schema import Attribute


class ColumnRequest(Figures, frozen=True):
    """What becomes of a column; `declared` is false where its role is that of the rest."""

    name: str
    role: Role
    how: str
    declared: bool


class RequestedTable(Figures, frozen=True):
    """What the job asks for: models, method with its parameters, and each column's part."""

    k: int
    models: tuple[str, ...]
    method: dict[str, JsonValue]
    max_suppression: str | None
    columns: tuple[ColumnRequest, ...]


#: How each kind of label is described.
_LABELS: Mapping[Label, str] = {
    Label.RANGE: "released as ranges",
    Label.SET: "released as sets",
    Label.ANCESTOR: "released as nodes of its hierarchy",
    Label.MEAN: "released as means",
    Label.GRID: "released as intervals of its grid",
    Label.NAMES: "names released as sets",
    Label.OWN: "released in its own way",
    Label.COMPANIONS: "names released as sets in which nobody's name stands alone",
}


def request(job: Job) -> RequestedTable:
    """What was written in the job, and nothing else."""
    limit = job.algorithm.limit
    perturbed = {column: one.name for one in job.perturbations for column in one.columns}
    return RequestedTable(
        k=job.k,
        models=tuple(model.name for model in job.models),
        method=method(job.algorithm.name, job.algorithm, "limit"),
        max_suppression=None if limit is None else str(limit),
        columns=tuple(
            ColumnRequest(
                name=one.name,
                role=one.role,
                how=_how(one, perturbed.get(one.name)),
                declared=one.name not in job.schema.undeclared,
            )
            for one in job.schema.attributes
        ),
    )


def method(name: str, algorithm: object, *others: str) -> dict[str, JsonValue]:
    """The method's name, and its parameters but for `others`."""
    if isinstance(algorithm, LocalRecoding):
        return method(name, algorithm.search, *others)
    parts = cast("dict[str, JsonValue]", plain(algorithm))
    return {"name": name} | {key: part for key, part in parts.items() if key not in {"kind", "name", *others}}


def _how(attribute: Attribute, perturbed: str | None) -> str:
    if not attribute.role.released:
        return "pseudonyms in its place" if attribute.pseudonym else "removed"
    if attribute.role is not Role.QUASI:
        return perturbed or "released unchanged"
    return ", ".join(_generalized(attribute)) or "generalized"


def _generalized(attribute: Attribute) -> list[str]:
    words: list[str] = []
    if attribute.hierarchy is not None:
        words.append(hierarchy_text(attribute.hierarchy))
    if attribute.max_level is not None:
        words.append(f"at most level {attribute.max_level}")
    if isinstance(attribute.grid, Fraction):
        words.append(f"grid of {_number(attribute.grid)}")
    elif attribute.grid == "hierarchy":
        words.append("grid of its hierarchy")
    elif isinstance(attribute.grid, tuple):
        words.append(f"grid at {', '.join(map(_number, attribute.grid))}")
    if attribute.bounds is not None:
        words.append("from {} to {}".format(*map(_number, attribute.bounds)))
    if attribute.label is not None:
        words.append(_LABELS[attribute.label])
    if attribute.weight != 1:
        words.append(f"weight {_number(attribute.weight)}")
    return words


def hierarchy_text(hierarchy: Hierarchy | str) -> str:
    """A hierarchy in a few words: a builder as it was written, without the name of any file."""
    if isinstance(hierarchy, Hierarchy):
        return f"hierarchy of height {hierarchy.height}"
    return hierarchy if is_builder(hierarchy) else "hierarchy of a file"


def _number(value: Fraction) -> str:
    """As it was written, or nearly."""
    return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"


def parameters(job: Job, reader: Reader) -> dict[str, JsonValue]:
    """The job as its certificate describes it; for the public without digests of hierarchies and names of files."""
    described: dict[str, JsonValue] = json.loads(job.described())
    columns = cast("dict[str, dict[str, JsonValue]]", described["columns"])
    for one in () if reader.knows_all else job.schema.attributes:
        if one.hierarchy is not None:
            columns[one.name]["hierarchy"] = hierarchy_text(one.hierarchy)
    return described
