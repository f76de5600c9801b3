"""The privacy models there are, kohort's own and those of other packages, and how one is made of its parameters."""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, cast

from kohort.errors import UsageError
from kohort.models import MODELS
from kohort.specification import plugins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kohort.models.base import PrivacyModel


@cache
def models() -> Mapping[str, type[PrivacyModel]]:
    """Every model by its key in a job; those of other packages are entry points `kohort.models`.

    Raises:
        UsageError: another package brings a model by a key that is taken, or that is not the model's own.

    >>> models()["entropy-l"].specification.title
    'entropy l-diversity'
    """
    found = cast("Mapping[str, type[PrivacyModel]]", plugins("kohort.models", MODELS))
    for key, kind in found.items():
        if kind.specification.key != key:
            what = f"{kind.__name__} is registered as {key}, but its own key is {kind.specification.key}"
            raise UsageError(what, where="entry points kohort.models", hint="name the entry point by the model's key")
    return found


def build(kind: type[PrivacyModel], sensitive: str | None, parameters: Mapping[str, object]) -> PrivacyModel:
    """The model with these parameters, of a sensitive attribute unless there is none.

    Raises:
        UsageError: They are none that it takes.
    """
    make = cast("Callable[..., PrivacyModel]", kind)
    return make(**({} if sensitive is None else {"sensitive": sensitive}), **parameters)


class Variant(NamedTuple):
    """A model as it is measured.

    Attributes:
        key: Its short name: `l`, `recursive-2`, `t-ordered`.
        title: As the literature calls it: `recursive (c,2)-diversity`.
        model: The model with an example of each parameter.
    """

    key: str
    title: str
    model: PrivacyModel


def variants(kind: type[PrivacyModel], sensitive: str) -> Iterator[Variant]:
    """The model with every example of its parameters; about `sensitive`, if it is about an attribute.

    >>> [one.key for one in variants(models()["recursive"], "illness")]
    ['recursive-2', 'recursive-3']
    """
    told = kind.specification
    for values in product(*(one.examples for one in told.parameters)):
        key, title = told.flag.removeprefix("--"), told.title
        for one, value in zip(told.parameters, values, strict=True):
            if len(one.examples) > 1:
                key = f"{key}-{value}"
                title, found = re.subn(rf"\b{one.name}\b", str(value), title)
                title += "" if found else f", {value} {one.name}"
        parameters = {one.name: value for one, value in zip(told.parameters, values, strict=True)}
        yield Variant(key, title, build(kind, sensitive if told.of_column else None, parameters))
