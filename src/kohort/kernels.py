"""The one decorator of compiled loops: Numba, kept on disk (`machine_code`), typed for the type checkers."""

from __future__ import annotations

from functools import update_wrapper
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

P = ParamSpec("P")
R = TypeVar("R")


class _Kernel(Generic[P, R]):
    """A loop that Numba compiles when it is first called, by Python or by another kernel.

    Numba takes 0.3 s to import: who asks for help, or for a table's columns, does not pay for it.
    """

    def __init__(self, loop: Callable[P, R], *, inlined: bool = False) -> None:
        """Keep the loop as it is written."""
        update_wrapper(self, loop)
        self.py_func = loop
        self._inlined = inlined
        self._lock = Lock()
        self._compiled: Any = None

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Run the compiled loop."""
        result: R = (self._compiled or self.dispatcher)(*arguments, **named)
        return result

    @property
    def dispatcher(self) -> Any:  # noqa: ANN401  Numba publishes no types
        """What Numba makes of the loop."""
        with self._lock:
            if self._compiled is None:
                from numba import njit  # noqa: PLC0415  see the class

                from kohort.machine_code import kept  # noqa: PLC0415  the same

                compiled = cast("Callable[..., Callable[[Callable[P, R]], Any]]", njit)
                made = kept(compiled(nogil=True, _nrt=False, forceinline=self._inlined)(self.py_func))
                self._compiled = _compiled_by_type(made)
            return self._compiled

    @property
    def _numba_type_(self) -> Any:  # noqa: ANN401  the same
        """The type by which other kernels know this one; Numba asks for it by this name."""
        return self.dispatcher._numba_type_


def _compiled_by_type(dispatcher: Any) -> Any:  # noqa: ANN401  the same
    """A loop that is compiled once for each type that other kernels give it, and not again for each constant."""
    unliteral: Callable[[Any], Any] = vars(import_module("numba.core.types"))["unliteral"]
    template = dispatcher.get_call_template

    def by_type(arguments: Iterable[Any], named: Mapping[str, Any]) -> Any:  # noqa: ANN401  the same
        return template(tuple(map(unliteral, arguments)), {name: unliteral(one) for name, one in named.items()})

    dispatcher.get_call_template = by_type
    return dispatcher


def kernel(loop: Callable[P, R]) -> Callable[P, R]:
    """Compile `loop` with Numba on its first call; the machine code is kept for later runs, if that can be.

    The GIL is released while it runs. A kernel makes no arrays, so uses of those it is given are not counted: with
    counting, each call of one kernel by another takes hold of every array and lets go of it, at 5 ns an array.

    The undecorated loop stays reachable as `.py_func`, which is what the tests compare with.
    """
    return _Kernel(loop)


def inlined(loop: Callable[P, R]) -> Callable[P, R]:
    """Like `kernel`, for a few steps that others take millions of times: they are compiled into these.

    A call hands over each array as some eight words, which may take longer than what is done with it.
    """
    return _Kernel(loop, inlined=True)
