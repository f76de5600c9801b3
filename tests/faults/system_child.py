"""kohort's commands on a system that lacks what Linux has: a request on standard input, statuses on standard output.

The libraries look at the system when they are imported, so they come first; then everything is taken away; then kohort
is imported. Windows also refuses to rename or remove a file that is open or mapped, and to open a folder.
"""

from __future__ import annotations

import builtins
import json
import mmap
import os
import sys
import tempfile
import warnings
from errno import EACCES
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

#: What kohort stands on, and what of the standard library asks for the system when it is imported.
LIBRARIES = (
    "asyncio",
    "click",
    "multiprocessing",
    "polars",
    "pydantic",
    "rich.console",
    "tomlkit",
    "tempfile",
)

#: Modules and names that only some systems have.
MODULES = frozenset({"fcntl", "grp", "pwd", "resource", "termios"})
UNIX = ("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "fchmod", "fork", "geteuid", "getuid", "statvfs")
LINUX = ("O_TMPFILE", "memfd_create", "sched_getaffinity")
LINKS = ("link",)


def forbid(modules: frozenset[str]) -> None:
    """Let nobody import these from now on."""
    true_import = builtins.__import__

    def refuse(name: str, *others: Any, **named: Any) -> object:  # noqa: ANN401  as Python's own
        if name.partition(".")[0] in modules:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return true_import(name, *others, **named)

    setattr(builtins, "__import__", refuse)  # noqa: B010  an assignment would need its exact type
    for name in modules:
        sys.modules.pop(name, None)


def hold_open_files() -> None:
    """Refuse to rename, replace or remove what this process has open or mapped, and to open folders."""
    true_open = os.open

    def held(path: object) -> bool:
        real = os.path.realpath(str(path))
        opened = {os.path.realpath(fd) for fd in Path("/proc/self/fd").iterdir()}
        return real in opened or f"{real}\n" in Path("/proc/self/maps").read_text(encoding="utf-8")

    def guarded(call: Callable[..., object]) -> Callable[..., object]:
        def refuse(path: object, *others: object, **named: object) -> object:
            if held(path) or (others and held(others[0])):
                raise PermissionError(EACCES, os.strerror(EACCES), str(path))
            return call(path, *others, **named)

        return refuse

    def open_file(path: str, flags: int, mode: int = 0o777, **named: int) -> int:
        if Path(path).is_dir():
            raise PermissionError(EACCES, os.strerror(EACCES), path)
        return true_open(path, flags, mode, **named)

    for name in ("remove", "rename", "replace", "unlink"):
        setattr(os, name, guarded(getattr(os, name)))
    setattr(os, "open", open_file)  # noqa: B010  the same


def become(system: str) -> None:
    """Take away what `system` lacks."""
    setattr(tempfile, "TemporaryFile", tempfile.NamedTemporaryFile)  # noqa: B010  chosen when it was imported
    for name in LINUX + (UNIX if system != "macos" else ()) + (LINKS if system == "linkless" else ()):
        delattr(os, name)
    if system != "macos":
        forbid(MODULES)
        del mmap.MADV_DONTNEED
        hold_open_files()


def main() -> None:
    """Run each command of the request in its folder, and tell how it ended."""
    request: dict[str, Any] = json.load(sys.stdin)
    for name in LIBRARIES:
        import_module(name)
    assert "kohort" not in sys.modules
    os.chdir(request["folder"])
    if request["system"] == "strict":
        warnings.filterwarnings("error", category=EncodingWarning, module=r"kohort\b")
    elif request["system"] != "linux":
        become(request["system"])
    program = import_module("kohort.cli.program")
    statuses = [program.main(words) for words in request["commands"]]
    sys.stdout.write(json.dumps(statuses))


if __name__ == "__main__":
    main()
