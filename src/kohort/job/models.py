"""The privacy models of a job: what its columns and the whole table ask for, and what of that does not go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kohort.errors import SchemaError, UsageError
from kohort.job.form import COLUMN, PRIVACY, TABLE_JOB
from kohort.job.model_values import asked_for
from kohort.job.parts import missing, misspelt, right_part, table
from kohort.models.base import build, models
from kohort.models.k_anonymity import KEY
from kohort.release.fit import Misfit, unfit
from kohort.schema import Role, Schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kohort.job.keys import KeyValues
    from kohort.job.lines import Place
    from kohort.models.base import PrivacyModel
    from kohort.schema import Attribute
    from kohort.specification import Parameter

#: Each model of a job, with the place of the key that asks for it.
Asked = dict["Place", "PrivacyModel"]

#: The models beside which `ordered` is never tried: it takes a hundred times as long, and keeps no more.
SLOW: Final = frozenset({"t", "beta", "enhanced-beta"})


def models_of(raw: Mapping[str, object]) -> Asked:
    """The models that a job's tables ask for: k first, then by column, then those of the whole table.

    Keys of a wrong form count as not said: they are told elsewhere.
    """
    said = right_part(PRIVACY, table(raw, "privacy"))
    k: int | None = getattr(said, KEY)
    whole = _asked(("privacy",), said, None, k)
    asked = {place: model for place, model in whole.items() if place[-1] == KEY}
    columns = table(raw, "columns")
    for name in columns:
        column = right_part(COLUMN, {**table(columns, name), "role": Role.SENSITIVE.value})
        asked |= _asked(("columns", name), column, name, k)
    return asked | whole


def _asked(above: Place, part: KeyValues, column: str | None, k: int | None) -> Asked:
    found: Asked = {}
    for key, kind in models().items():
        if kind.specification.of_column is (column is not None):
            parameters = asked_for(kind.specification, part, k)
            if parameters is not None:
                found[*above, key] = build(kind, column, parameters)
    return found


def lacking(raw: Mapping[str, object]) -> list[Misfit]:
    """The fault of a missing k, where nothing else is asked for either."""
    privacy, columns = raw.get("privacy"), table(raw, "columns")
    tables = {False: [table(raw, "privacy")], True: [table(columns, name) for name in columns]}
    keys = [(key, tables[kind.specification.of_column]) for key, kind in models().items()]
    said = [one.get(key) for key, some in keys for one in some]
    if not (privacy is None or isinstance(privacy, dict)) or any(value is not None for value in said):
        return []
    if privacy is None:
        return [] if "privacy" in misspelt(TABLE_JOB, raw) else [missing((), "privacy")]
    return [] if KEY in misspelt(PRIVACY, table(raw, "privacy")) else [missing(("privacy",), KEY)]


def misfits(
    raw: Mapping[str, object], asked: Asked, attributes: Sequence[Attribute], where: Callable[[Place], str]
) -> list[UsageError]:
    """What of the models does not go with the rest of the job.

    Args:
        raw: The tables of a job file.
        asked: Its models.
        attributes: Its columns, as far as they are right: what is asked of another is not looked at.
        where: Tells the reader's place for a path of keys.
    """
    schema, faults = _schema(raw, attributes, where)
    known = {attribute.name for attribute in attributes}
    judged = {
        place: model
        for place, model in asked.items()
        if model.declared.sensitive is None or model.declared.sensitive in known
    }
    place_of = {model: place for place, model in judged.items()}
    for model, one in unfit(schema, tuple(judged.values())):
        faults.append(SchemaError(one.what, where=where(place_of[model]), hint=one.hint))
    return faults + [UsageError(what, where=where(place), hint=hint) for place, what, hint in _in_vain(raw, asked)]


def _schema(
    raw: Mapping[str, object], attributes: Sequence[Attribute], where: Callable[[Place], str]
) -> tuple[Schema, list[UsageError]]:
    """What the job says of its columns; without the person key where that cannot be one, whatever the table."""
    key = table(raw, "person").get("key")
    try:
        return Schema(tuple(attributes), person=key if isinstance(key, str) else None), []
    except SchemaError as fault:
        told = SchemaError(fault.what, where=where(("person", "key")), hint=fault.hint)
        return Schema(tuple(attributes)), [told]


def _in_vain(raw: Mapping[str, object], asked: Asked) -> Iterator[tuple[Place, str, str]]:
    columns, k = table(raw, "columns"), table(raw, "privacy").get(KEY)
    for name in columns:
        said = table(columns, name)
        for key, parameter in _further():
            other = parameter.name
            if parameter.origin == "beside" and said.get(other) is not None and said.get(key) is None:
                hint = f"give {key} too, or leave {other} out"
                yield ("columns", name, other), f"{other} is given without {key}", hint
            if parameter.origin == "job" and said.get(key) is not None and k is None:
                yield ("columns", name, key), f"{key} needs {other}", f"give {other} too"
    population = raw.get("population")
    needing = [place for place, model in asked.items() if model.declared.population]
    if population is None:
        hint = "name its file: [population] path, --population, or population=…"
        yield from ((place, f"{place[-1]} needs a population table", hint) for place in needing)
    elif not needing:
        hint = "leave the population out, or add k-map or presence"
        yield ("population", "path"), "no privacy model needs a population table", hint


def _further() -> Iterator[tuple[str, Parameter]]:
    """The parameters of models of columns that do not stand at the model's key, with it."""
    for key, kind in models().items():
        yield from ((key, one) for one in kind.specification.parameters if one.origin != "key")
