"""Single changes of a job that may keep more of its release, each a small function from the job to its steps."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.algorithms.method import LIMIT, METHODS, on_nodes
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.errors.display import many
from kohort.job.models import SLOW
from kohort.job.varied import table
from kohort.models.k_anonymity import KEY
from kohort.schema import Label, Scale
from kohort.schema.numbers import said

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kohort.job.lines import Place
    from kohort.models.base import PrivacyModel
    from kohort.release import Job

#: The values of k and t that people choose from: a step goes from one to the next.
KS: Final = (3, 5, 10, 20, 50, 100, 200, 500, 1_000)
TS: Final = (Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(1, 2))
#: The limits of suppression, in percent.
LIMITS: Final = (1, 5)

#: Builders of hierarchies that know nothing of what names mean.
BLIND: Final = frozenset({"suppress", "groups", "frequency"})

#: Columns that are looked at, those that lose most first, and the loss from which one is.
COLUMNS: Final = 3
LOSS: Final = 0.02

#: By how much a column that loses much may count more than the others.
WEIGHT: Final = 4


class Step(NamedTuple):
    """A change of a job.

    Attributes:
        words: What is changed.
        changes: What each of these keys becomes; `None` takes one out.
        weakens: Which promise it weakens; empty if none.
        doubtful: Whether it seldom pays: such a step is told only where it was measured in full and does.
        dearer: Whether it promises more, and so costs something.
    """

    words: str
    changes: Mapping[Place, object]
    weakens: str = ""
    doubtful: bool = False
    dearer: bool = False


def changed(tables: Mapping[str, object], changes: Mapping[Place, object]) -> dict[str, object]:
    """The tables of a job with these keys changed; a column whose role changes loses what was said of it.

    >>> changed({"privacy": {"k": 5}, "method": {"cut": "loss"}}, {("privacy", "k"): 3, ("method", "cut"): None})
    {'privacy': {'k': 3}, 'method': {}}
    """
    made = deepcopy(dict(tables))
    for place, value in changes.items():
        held = table(made, place[:-1])
        if place[-1] == "role":
            held.clear()
        held.pop(place[-1], None)
        held |= {} if value is None else {place[-1]: value}
    return made


def steps_of(job: Job, losses: Mapping[str, float]) -> Iterator[Step]:
    """The steps from a job on a table.

    Args:
        job: The job.
        losses: What each of its quasi-identifiers loses; empty where there is no release.
    """
    worst = sorted((one.name for one in job.schema.quasi), key=lambda name: -losses.get(name, 1.0))
    worst = [name for name in worst if losses.get(name, 1.0) > LOSS]
    return chain(_names(job, worst), _models(job), _k(job), _method(job), _suppression(job), _columns(job, worst))


def _names(job: Job, worst: list[str]) -> Iterator[Step]:
    """Names released as sets of names, not as nodes of a hierarchy."""
    if on_nodes(job.algorithm):
        return
    every: dict[str, Mapping[Place, object]] = {}
    bare = set[str]()
    for one in job.schema.quasi:
        place = ("columns", one.name)
        if one.name not in worst or one.hierarchy is None or one.scale in {Scale.NUMERIC, Scale.DATE}:
            continue
        if isinstance(one.hierarchy, str) and one.hierarchy.partition(":")[0] in BLIND:
            every[one.name] = {(*place, "hierarchy"): None}
            bare.add(one.name)
        elif one.label is not Label.SET:
            every[one.name] = {(*place, "label"): "set"}
    weakens = "a set lists every name in its class, even one that only one person there has"
    if len(every) > 1:
        words = f"sets of names instead of nodes of a hierarchy, for {many(len(every), 'column')} ({', '.join(every)})"
        changes = {place: value for one in every.values() for place, value in one.items()}
        yield Step(words, changes, weakens * bool(bare))
    for name in sorted(every, key=worst.index)[:COLUMNS]:
        yield Step(f"sets of names instead of nodes of a hierarchy, for {name}", every[name], weakens * (name in bare))


def _models(job: Job) -> Iterator[Step]:
    """Weaker models of sensitive columns: of one, and of all at once."""
    ways = _nearer, _two
    found = [(way, one, value) for way in ways for one in job.models if (value := way(one)) is not None]
    for way in ways:
        every = [(one, value) for each, one, value in found if each is way]
        if len(every) > 1:
            words = f"{_said(*every[0])} instead of stricter models, for {many(len(every), 'sensitive column')}"
            names = ", ".join(_column(one) for one, _ in every)
            changes = {place: key for one, value in every for place, key in _instead(one, value).items()}
            words = words if len({_said(*one) for one in every}) == 1 else f"t one notch looser on {names}"
            yield Step(words, changes, f"a class may reveal more of {names}")
    for _, one, value in found:
        words = f"{_said(one, value)} instead of {one.name.replace(f' of {_column(one)}', '', 1)} on {_column(one)}"
        yield Step(words, _instead(one, value), f"a class may reveal more of {_column(one)}")


def _nearer(model: PrivacyModel) -> tuple[str, object] | None:
    t = getattr(model, "t", None) if model.specification.key == "t" else None
    looser = [] if t is None else [one for one in TS if one > t]
    return ("t", float(looser[0])) if looser else None


def _two(model: PrivacyModel) -> tuple[str, object] | None:
    least = model.specification.key == "l" and getattr(model, "l", 2) <= 2  # noqa: PLR2004  two are the fewest
    return ("l", 2) if model.specification.of_column and not least else None


def _said(model: PrivacyModel, value: tuple[str, object]) -> str:
    key, number = value
    return "distinct 2-diversity" if key == "l" else f"{model.specification.key} = {number}"


def _column(model: PrivacyModel) -> str:
    return str(model.declared.sensitive)


def _instead(model: PrivacyModel, value: tuple[str, object]) -> dict[Place, object]:
    """The changes that put another model in a model's place, with all that it was told."""
    place, (key, number) = ("columns", _column(model)), value
    told = [model.specification.key] if key != model.specification.key else []
    told += [one.name for one in model.specification.parameters if one.origin != "key" and told]
    return {**{(*place, one): None for one in told}, (*place, key): number}


def _k(job: Job) -> Iterator[Step]:
    k = next((job.k for one in job.models if one.specification.key == KEY), None)
    if k is None:
        return
    for less in [one for one in KS if one < k][-1:]:
        yield Step(f"k = {less}", {("privacy", "k"): less}, f"a person is hidden among {less}, not {k:,}")
    for more in [one for one in KS if one > k][:1]:
        yield Step(f"k = {more}", {("privacy", "k"): more}, dearer=True)


def _method(job: Job) -> Iterator[Step]:
    name = job.algorithm.name
    if on_nodes(job.algorithm):
        told: list[Place] = [("method", key) for key in ("objective", "node", "local", "time-limit")]
        told += [("privacy", "max-suppression"), *(("columns", one.name, "max-level") for one in job.schema.quasi)]
        cuts: dict[Place, object] = {("method", "name"): "mondrian", ("method", "cut"): "loss"}
        yield Step(f"mondrian with cuts by loss instead of {name}", {**dict.fromkeys(told), **cuts})
    elif isinstance(job.algorithm, Mondrian):
        if job.algorithm.cut != "loss":
            words = f"cuts by loss instead of {job.algorithm.cut}"
            yield Step(words, {("method", "name"): "mondrian", ("method", "cut"): "loss"})
        if SLOW.isdisjoint(one.specification.key for one in job.models):
            ordered: dict[Place, object] = {("method", "cut"): None, ("method", "dimension"): None}
            yield Step(f"the method ordered instead of {name}", {**ordered, ("method", "name"): "ordered"})


def _suppression(job: Job) -> Iterator[Step]:
    method, limit = METHODS.get(job.algorithm.name), job.algorithm.limit
    if method is None or not method.takes(LIMIT.name) or limit is None or limit.records:
        return
    for percent in LIMITS:
        if (limit.share or 0) < Fraction(percent, 100):
            weakens = f"up to {percent} % of the records are not in the release"
            yield Step(f"up to {percent} % suppressed", {("privacy", "max-suppression"): f"{percent}%"}, weakens)


def _columns(job: Job, worst: list[str]) -> Iterator[Step]:
    """What seldom pays: a column that counts more, finer cut points, a column left out."""
    quasi = {one.name: one for one in job.schema.quasi}
    for name in worst[:COLUMNS]:
        one = quasi[name]
        if one.weight < WEIGHT and len(quasi) > 1:
            yield Step(f"weight {WEIGHT} for {name}", {("columns", name, "weight"): WEIGHT}, doubtful=True)
        grid = one.grid if isinstance(one.grid, Fraction) else Fraction(1)
        half = grid / 2
        if half.denominator <= grid.denominator:  # no halves of whole numbers
            words = f"cut points of {name} every {said(half)} instead of {said(grid)}"
            step = int(half) if half.denominator == 1 else float(half)
            yield Step(words, {("columns", name, "grid"): step}, "public cut points are finer", doubtful=True)
        if len(quasi) > 1:
            yield Step(f"{name} not released", {("columns", name, "role"): "drop"}, doubtful=True)
