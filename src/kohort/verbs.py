"""Methods that a room above carries out: `kohort` names their functions, and a value imports none of them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

#: The function of each of these methods, `module:name` as in an entry point. `kohort/__init__.py` enters them.
VERBS: Final[dict[str, str]] = {}


def verb(method: Callable[P, R]) -> Callable[P, R]:
    """The function that carries out a method, imported when it is needed."""
    module, _, name = VERBS[method.__qualname__].partition(":")
    function: Callable[P, R] = getattr(import_module(module), name)
    return function
