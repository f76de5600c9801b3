"""Where the machine code of compiled loops is kept between runs.

What lies there is run as it is found. So a folder counts only where nobody but this user and root can change it. They
are tried in this order:

1. the one that NUMBA_CACHE_DIR names, and then no other;
2. `__pycache__` beside the module, also one that can only be read, once `kohort compile` has filled it;
3. this user's folder for caches;
4. a folder of this user alone among the temporary files.

What is missing in folders that can only be read is kept in the first that can be written to. Where there is none, loops
are compiled in memory, in each run. Whoever has to wait for that is told so, once; on a terminal, in any
case.

Each file holds the code of one loop for one kind of arguments, and says so: runs that compile at the same time cannot
mix theirs up, as they can where an index, written apart, says which file has what (Numba's own: a run that read between
two others was given code for other arguments, and ended in status 70).
"""
# Numba publishes few types:
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import hashlib
import inspect
import logging
import pickle
import tempfile
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, InTreeCacheLocator, NullCache
from numba.core.serialize import dumps
from numba.misc.appdirs import AppDirs

from kohort.errors import SourceNote
from kohort.system import POSIX, is_private, user
from kohort.whole_files import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Who waits for a loop to be compiled may listen here.
LOG: Final = logging.getLogger("kohort.machine_code")

_COMPILES: Final = "compiling inner loops, once, for up to a minute"

#: What is told of a folder that keeps machine code, and of none.
_KEPT: Final = "kohort compiles its inner loops once, when first needed, for up to a minute, and keeps them in {}"
_LOST: Final = (
    "kohort compiles its inner loops, which takes up to a minute in each run, since there is no folder for them"
    " that kohort may write to; to keep them, ask the administrator to run `kohort compile`, or set NUMBA_CACHE_DIR"
)


def folders_for(source: Path) -> list[Path]:
    """The folders that keep the machine code of a module: those that can only be read, then one to write to."""
    found: list[Path] = []
    for folder in filter(is_usable, folders(source)):
        found.append(folder)
        if is_writable(folder):
            break
    return found


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
        with suppress(OSError):  # there is no folder for temporary files that can be written to
            yield Path(tempfile.gettempdir()) / f"kohort-{user()}" / own


@cache
def is_usable(folder: Path) -> bool:
    """Whether machine code can be kept there, or lies there already; the folder is made where it is not there."""
    with suppress(OSError):
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    try:
        return is_private(folder) and (is_writable(folder) or any(folder.glob("*.nbc")))
    except OSError:
        return False


class _Beside(InTreeCacheLocator):
    """The place beside a module, whether it can be written to or not."""

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> _Beside:
        """That of a loop."""
        return cls(py_func, py_file)


class _Places(CompileResultCacheImpl):
    """Has Numba look beside the module only; `_Folder` looks elsewhere."""

    _locator_classes = [_Beside]  # noqa: RUF012  as Numba declares it


class _Files:
    """A file for each kind of arguments of one loop, which begins with what its machine code was made from."""

    def __init__(self, path: Path, stamp: object) -> None:
        """Keep where they are.

        Args:
            path: The beginning of their names.
            stamp: Of the module's source; it changes when the module does.
        """
        self._path = path
        self._made_from = (numba.__version__, stamp)

    def load(self, key: object) -> object:
        """What is kept for a key; `None` if that is nothing, or was made from another source or by another Numba."""
        try:
            with self._at(key).open("rb") as file:
                return pickle.load(file) if pickle.load(file) == (*self._made_from, key) else None  # noqa: S301  in a private folder
        except FileNotFoundError:
            return None

    def save(self, key: object, data: object) -> None:
        """Keep it, in place of what was made from another source."""
        with whole_file(self._at(key), overwrite=True) as file:
            file.write(dumps((*self._made_from, key)))
            file.write(dumps(data))

    def _at(self, key: object) -> Path:
        return self._path.with_name(f"{self._path.name}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc")


class _Folder(FunctionCache):
    """The machine code of one loop in one folder. Damaged or full, it costs time, and nothing else."""

    _impl_class = _Places

    def __init__(self, loop: Any, folder: Path) -> None:  # noqa: ANN401  Numba publishes no types
        """Look there."""
        super().__init__(loop)
        locator = self._impl.locator
        self._cache_path = locator._cache_path = str(folder)  # noqa: SLF001  where a locator keeps it
        self._cache_file: Any = _Files(folder / self._impl.filename_base, locator.get_source_stamp())

    def load_overload(self, sig: object, target_context: object) -> Any:  # noqa: ANN401  as above
        """What is kept for such arguments; `None` if nothing is."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001  whatever half a file unpickles to; it is replaced
            return None

    def save_overload(self, sig: object, data: object) -> None:
        """Keep what was compiled, if that can be."""
        with suppress(OSError):
            super().save_overload(sig, data)


class KeptCode(NullCache):
    """The machine code of one loop, in all folders that keep it."""

    def __init__(self, loop: Any) -> None:  # noqa: ANN401  as above
        """Look into each."""
        self._folders = folders_for(Path(inspect.getfile(loop)))
        self._kept = [_Folder(loop, folder) for folder in self._folders]

    def load_overload(self, sig: object, target_context: object) -> Any:  # noqa: ANN401  as above
        """What is kept for such arguments; `None` if the loop has to be compiled, which takes a while and is told."""
        for one in self._kept:
            if (found := one.load_overload(sig, target_context)) is not None:
                return found
        self._tell()
        return None

    def save_overload(self, sig: object, cres: object) -> None:
        """Keep what was compiled, where that can be."""
        if self._last is not None:
            self._kept[-1].save_overload(sig, cres)

    @property
    def _last(self) -> Path | None:
        """The folder to write to; `None` where there is none."""
        return next(filter(is_writable, self._folders[-1:]), None)

    def _tell(self) -> None:
        """Say that this takes a while; where everybody has the code from now on, only to who listens."""
        LOG.info(_COMPILES)
        if self._last is None:
            note(_LOST)
        elif self._last.name != "__pycache__":
            note(_KEPT.format(self._last.parent))


@cache
def note(text: str) -> None:
    """Tell once."""
    warnings.warn(SourceNote(text), stacklevel=2)


def kept(dispatcher: Any) -> Any:  # noqa: ANN401  as above
    """A loop that Numba compiles, with the places of its machine code."""
    dispatcher._cache = KeptCode(dispatcher.py_func)  # noqa: SLF001  as Numba's enable_caching does
    return dispatcher
