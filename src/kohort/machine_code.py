"""Where the machine code of compiled loops is kept between runs.

What lies there is run as it is found. So a folder counts only where nobody but this user and root can change it. They
are tried in this order:

1. the one that NUMBA_CACHE_DIR names, and then no other;
2. `__pycache__` beside the module, also one that can only be read, once `kohort compile` has filled it;
3. this user's folder for caches;
4. a folder of this user alone among the temporary files.

Where there is none, loops are compiled in memory, in each run. Whoever has to wait for that is told so, once.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, InTreeCacheLocator, NullCache
from numba.misc.appdirs import AppDirs

from kohort.errors import SourceNote
from kohort.system import POSIX, is_private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: What is told of a folder that keeps machine code, and of none.
_KEPT: Final = "kohort compiles its inner loops when they are first needed, once, and keeps them in {}: up to a minute"
_LOST: Final = (
    "kohort compiles its inner loops, which takes up to a minute in each run, since it can write to no folder of its"
    " own for them; to keep them, have whoever installed it run `kohort compile`, or name a folder in NUMBA_CACHE_DIR"
)


def folder_for(source: Path) -> Path | None:
    """The folder that keeps the machine code of a module; `None` where there is none.

    Args:
        source: The module's file.
    """
    return next(filter(is_usable, folders(source)), None)


def is_writable(folder: Path) -> bool:
    """Whether files can be put into a folder."""
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def folders(source: Path) -> Iterator[Path]:
    """The folders to try for a module, in their order."""
    own = InTreeCacheLocator.get_suitable_cache_subpath(str(source))
    given: str = numba.config.CACHE_DIR  # type: ignore[attr-defined]  # set while it is imported
    if given:
        yield Path(given) / own
        return
    yield source.parent / "__pycache__"
    yield Path(AppDirs("kohort", appauthor=False).user_cache_dir) / own
    if POSIX:
        yield Path(tempfile.gettempdir()) / f"kohort-{os.geteuid()}" / own


@cache
def is_usable(folder: Path) -> bool:
    """Whether machine code can be kept there, or lies there already; the folder is made where it is not there."""
    with suppress(OSError):
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    try:
        return is_private(folder) and (is_writable(folder) or any(folder.glob("*.nbi")))
    except OSError:
        return False


class _Locator(InTreeCacheLocator):
    """Tells Numba the folder."""

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> _Locator | None:
        """The place of a loop's machine code; `None` where no folder keeps it."""
        folder = folder_for(Path(py_file))
        if folder is None:
            return None
        found = cls(py_func, py_file)
        found._cache_path = str(folder)
        return found


class _Places(CompileResultCacheImpl):
    """Has Numba look nowhere else."""

    _locator_classes = [_Locator]  # noqa: RUF012  as Numba declares it


class KeptCode(FunctionCache):
    """The machine code of one loop, on disk. A cache that is damaged or full costs time, and nothing else."""

    _impl_class = _Places

    def load_overload(self, sig: object, target_context: object) -> Any:  # noqa: ANN401  Numba publishes no types
        """What is kept for such arguments; `None` if the loop has to be compiled."""
        found = None
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001  whatever half a file unpickles to
            with suppress(OSError):
                self.flush()
        if found is None:
            self._tell()
        return found

    def save_overload(self, sig: object, data: object) -> None:
        """Keep what was compiled, if that can be."""
        with suppress(OSError):
            super().save_overload(sig, data)

    def _tell(self) -> None:
        """Say that this takes a while, unless it is kept where everybody has it from now on."""
        folder = Path(self.cache_path)
        if not is_writable(folder):
            note(_LOST)
        elif folder.name != "__pycache__":
            note(_KEPT.format(folder.parent))


class _Lost(NullCache):
    """No machine code is kept."""

    def load_overload(self, sig: object, target_context: object) -> None:  # noqa: ARG002  so Numba calls it
        """Nothing is there."""
        note(_LOST)


@cache
def note(text: str) -> None:
    """Tell once."""
    warnings.warn(SourceNote(text), stacklevel=2)


def kept(dispatcher: Any) -> Any:  # noqa: ANN401  as above
    """A loop that Numba compiles, with the place of its machine code."""
    try:
        dispatcher._cache = KeptCode(dispatcher.py_func)  # noqa: SLF001  as Numba's enable_caching does
    except RuntimeError:  # so says Numba where no locator has a place
        dispatcher._cache = _Lost()  # noqa: SLF001  the same
    return dispatcher
