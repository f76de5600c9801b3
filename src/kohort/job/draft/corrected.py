"""A draft with corrections, as a job."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from kohort.job.keywords import Made, said_by
from kohort.job.parts import table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.errors import UsageError
    from kohort.job.draft import Draft
    from kohort.job.keywords import Said
    from kohort.release import Job


def corrected(draft: Draft, corrections: Mapping[str, object]) -> Job:
    """The job of a draft, corrected by the keyword arguments of a job; see `Draft.job`."""
    raw: dict[str, Any] = tomllib.loads(draft.to_toml(), parse_float=Decimal)
    faults: list[UsageError] = []
    said = said_by(corrections, faults, {guess.name: guess.role for guess in draft.guesses})
    _merge(raw, said)
    made = Made(raw, said.hierarchies, tuple(faults))
    return made.request(raw, draft.trees).job


def _merge(raw: dict[str, Any], said: Said) -> None:
    columns, altered = raw["columns"], table(table(raw, "perturb"), "columns")
    for name, column in said.tables["columns"].items():
        if table(columns, name).get("role") != column["role"]:
            columns[name] = {}
            altered.pop(name, None)
            raw["answers"] = [one for one in raw.get("answers", ()) if one != name]
        columns[name] |= column
    altered |= table(table(said.tables, "perturb"), "columns")
    for key, held in said.tables.items():
        if isinstance(held, dict) and key not in {"columns", "perturb"}:
            raw[key] = {**table(raw, key), **held}
        elif key in {"rest", "answers"}:
            raw[key] = held
    if altered:
        raw["perturb"] = {**table(raw, "perturb"), **table(said.tables, "perturb"), "columns": altered}
    else:
        raw.pop("perturb", None)
