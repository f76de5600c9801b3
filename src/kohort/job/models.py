"""The privacy models of a job: what its columns and the whole table ask for, and what of that does not go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from kohort.errors import SchemaError, UsageError
from kohort.job.form import ColumnPart, PrivacyPart
from kohort.job.parts import right_part, table
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.delta_disclosure import DeltaDisclosure
from kohort.models.delta_presence import DeltaPresence
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.k_map import KMap
from kohort.models.maximum_risk import MaximumRisk
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from kohort.models.t_closeness import TCloseness
from kohort.release.fit import unfit
from kohort.schema import Role, Schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pydantic_core import ErrorDetails

    from kohort.job.lines import Place
    from kohort.models.base import PrivacyModel
    from kohort.schema import Attribute

T = TypeVar("T")

#: Each model of a job, with the place of the key that asks for it.
Asked = dict["Place", "PrivacyModel"]

#: The keys that ask for a model: of a column, and of the whole table.
_OF_COLUMN: Final = ("l", "entropy-l", "recursive", "t", "alpha", "delta", "beta", "enhanced-beta")
_OF_TABLE: Final = ("k", "k-map", "presence", "max-risk", "average-risk")


def models_of(raw: Mapping[str, object]) -> Asked:
    """The models that a job's tables ask for: k first, then by column, then those of the whole table.

    Keys of a wrong form count as not said: they are told elsewhere.
    """
    said = right_part(PrivacyPart, table(raw, "privacy"))
    asked: Asked = {} if said.k is None else {("privacy", "k"): KAnonymity(said.k)}
    columns = table(raw, "columns")
    for name in columns:
        column = right_part(ColumnPart, {**table(columns, name), "role": Role.SENSITIVE.value})
        asked.update(_present(("columns", name), _of_column(name, column, said.k)))
    whole = {
        "k-map": _made(said.k_map, KMap),
        "presence": _made(said.presence, lambda shares: DeltaPresence(*shares)),
        "max-risk": _made(said.max_risk, MaximumRisk),
        "average-risk": _made(said.average_risk, AverageRisk),
    }
    return {**asked, **_present(("privacy",), whole)}


def _of_column(name: str, said: ColumnPart, k: int | None) -> Mapping[str, PrivacyModel | None]:
    """The models that a column's keys ask for."""
    return {
        "l": _made(said.l, lambda least: DistinctLDiversity(name, least)),
        "entropy-l": _made(said.entropy_l, lambda least: EntropyLDiversity(name, least)),
        "recursive": _made(said.recursive, lambda both: RecursiveLDiversity(name, both.c, both.l)),
        "t": _made(said.t, lambda t: TCloseness(name, t, said.distance)),
        "alpha": None if k is None else _made(said.alpha, lambda alpha: AlphaKAnonymity(name, alpha, k)),
        "delta": _made(said.delta, lambda delta: DeltaDisclosure(name, delta)),
        "beta": _made(said.beta, lambda beta: BasicBetaLikeness(name, beta)),
        "enhanced-beta": _made(said.enhanced_beta, lambda beta: EnhancedBetaLikeness(name, beta)),
    }


def _made(value: T | None, make: Callable[[T], PrivacyModel]) -> PrivacyModel | None:
    """The model of a parameter; `None` where none is given."""
    return None if value is None else make(value)


def _present(above: Place, models: Mapping[str, PrivacyModel | None]) -> Asked:
    """The models that there are, by their places."""
    return {(*above, key): model for key, model in models.items() if model is not None}


def lacking(raw: Mapping[str, object]) -> list[ErrorDetails]:
    """What pydantic would say of the missing k, where nothing else is asked for either."""
    privacy, columns = raw.get("privacy"), table(raw, "columns")
    said = [table(raw, "privacy").get(key) for key in _OF_TABLE]
    said += [table(columns, name).get(key) for name in columns for key in _OF_COLUMN]
    if not (privacy is None or isinstance(privacy, dict)) or any(value is not None for value in said):
        return []
    place = ("privacy",) if privacy is None else ("privacy", "k")
    return [{"type": "missing", "loc": place, "msg": "", "input": None}]


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
    judged = {place: model for place, model in asked.items() if model.sensitive is None or model.sensitive in known}
    place_of = {model: place for place, model in judged.items()}
    for one in unfit(schema, tuple(judged.values())):
        place = ("columns", one.column, "hierarchy") if one.model is None else place_of[one.model]
        faults.append(SchemaError(one.what, where=where(place), hint=one.hint))
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
    """What is said, but lacks what it needs."""
    columns = table(raw, "columns")
    for name in columns:
        said = table(columns, name)
        if said.get("distance") is not None and said.get("t") is None:
            yield ("columns", name, "distance"), "a distance is said, but no t", "say t too, or leave the distance out"
        if said.get("alpha") is not None and table(raw, "privacy").get("k") is None:
            yield ("columns", name, "alpha"), "alpha goes with a k, and none is said", "say k too"
    population = raw.get("population")
    needing = [place for place, model in asked.items() if model.population]
    if population is None:
        for place in needing:
            yield place, f"{place[-1]} needs a population table", "say where it is: [population] path, or --population"
    elif not needing:
        hint = "leave it out, or ask for k-map or presence"
        yield ("population", "path"), "no privacy model needs a population table", hint
