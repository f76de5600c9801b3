"""Calls from Python: what a wrong one is told, and the methods that a room above carries out.

`kohort` names the functions of these methods, so that a value imports none of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import wraps
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from kohort.errors import CallError

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

#: What a path may be, for `called`.
PATH: Final = "path"

#: Any mapping, for `called`.
MAPPING: Final = "mapping"

#: The function of each of these methods, `module:name` as in an entry point. `kohort/__init__.py` enters them.
VERBS: Final[dict[str, str]] = {}


def called(line: str, **kinds: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A function whose wrong calls raise a `CallError` with the line to write.

    Args:
        line: A call that is right.
        **kinds: Of some parameters, the name of the class that an argument has, also by inheritance; or `PATH` or
            `MAPPING`.

    >>> @called("double(21)")
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> double()  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    kohort.errors.CallError: missing a required argument: 'number'
      where: double
      hint: write double(21)
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(function)

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            hint = f"write {line}"
            try:
                given = parameters.bind(*args, **kwargs).arguments
            except TypeError as error:
                raise CallError(str(error), where=function.__qualname__, hint=hint) from None
            for name, kind in kinds.items():
                value = given.get(name)
                if value is not None or (name in given and parameters.parameters[name].default is not None):
                    _demand(name, value, kind, function.__qualname__, hint)
            return function(*args, **kwargs)

        return checked

    return decorate


def verb(method: Callable[P, R]) -> Callable[P, R]:
    """The function that carries out a method, imported when it is needed."""
    module, _, name = VERBS[method.__qualname__].partition(":")
    function: Callable[P, R] = getattr(import_module(module), name)
    return function


def _demand(name: str, value: object, kind: str, where: str, hint: str) -> None:
    classes = {one.__name__ for one in type(value).__mro__}
    known = {PATH: str | os.PathLike, MAPPING: Mapping}.get(kind)
    if kind in classes if known is None else isinstance(value, known):
        return
    raise CallError(f"{name} is of class {type(value).__name__}, not a {kind}", where=where, hint=hint)
