"""The one decorator of compiled loops: Numba, cached on disk, typed for the type checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


def kernel(loop: Callable[P, R]) -> Callable[P, R]:
    """Compile `loop` with Numba on its first call; the machine code is cached beside the module.

    The GIL is released while it runs. A kernel makes no arrays, so uses of those it is given are not counted: with
    counting, each call of one kernel by another takes hold of every array and lets go of it, at 5 ns an array.

    The undecorated loop stays reachable as `.py_func`, which is what the tests compare with.
    """
    import numba  # noqa: PLC0415  numba takes 0.3 s to import: pay only where a kernel is defined

    compiled = cast("Callable[..., Callable[[Callable[P, R]], Callable[P, R]]]", numba.njit)
    return compiled(cache=True, nogil=True, _nrt=False)(loop)
