"""Builds the compiled core with the system's C compiler, or with the one that `ziglang` brings.

Used by `hatch_build.py` for a wheel, by `library` in a checkout, and by the tests with sanitizers. It needs nothing but
Python itself: while a wheel is built, nothing else is installed.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: The core as it is written, and compiled. Python loads a library of any name.
SOURCES: Final = tuple(sorted(Path(__file__).parent.glob("*.[ch]")))
LIBRARY: Final = Path(__file__).with_name("core.so")

#: What the C counts on: that sums wrap around, that products are rounded before they are added, whatever the processor,
#: and that rows are moved as words, whatever they hold.
MEANING: Final = ("-std=c11", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-fPIC")

#: Nothing that only some processors of a kind have: a wheel is for all of them.
FLAGS: Final = (*MEANING, "-O3", "-g0", "-fvisibility=hidden")

#: What brings a compiler where the system has none: some 100 MB, fetched while a wheel is built and then removed.
ZIG: Final = "ziglang>=0.13"

#: What to do where there is no compiler.
HINT: Final = "install a C compiler (gcc or clang), or run: pip install ziglang"


def compilers() -> Iterator[list[str]]:
    """The commands of the C compilers there are: the one that CC names, then the system's, then that of `ziglang`."""
    if named := shlex.split(os.environ.get("CC", "")):
        yield named
    yield from ([found] for name in ("cc", "gcc", "clang") if (found := shutil.which(name)))
    if find_spec("ziglang"):
        yield [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline"]  # which else takes this machine's processor


def build(target: Path = LIBRARY, flags: Sequence[str] = FLAGS) -> None:
    """Compile the core to `target`, which is there as a whole or not at all.

    Raises:
        OSError: there is no compiler, none of them compiles it, or the folder cannot be written to.
    """
    told, written = "there is no C compiler", [str(path) for path in SOURCES if path.suffix == ".c"]
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".build-") as folder:
        made = Path(folder) / target.name
        for compiler in compilers():
            command = [*compiler, *flags, "-shared", *written, "-o", str(made)]
            try:
                run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  a compiler
            except OSError as error:
                told = f"{compiler[0]}: {error.strerror}"
                continue
            if run.returncode == 0:
                made.replace(target)
                return
            told = f"{compiler[0]}: {run.stderr[-2000:]}"
    raise OSError(f"the compiled core cannot be built: {told}")
