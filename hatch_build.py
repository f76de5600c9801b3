"""The step of hatch that puts what is made into a wheel, or beside the sources of an editable installation.

It makes the compiled core, and the types of keyword arguments. The C compiler is the system's. Where it has none, the
build asks for `ziglang`, which brings one and is fetched into the environment of this build alone.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path
from runpy import run_path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: Where the core lies, and how it is built.
PLACE = "src/kohort/native"
CORE = run_path(str(Path(__file__).parent / PLACE / "build.py"))


#: The types of keyword arguments, and what makes them of the form of a job: it imports kohort's own files and NumPy.
TYPES = "src/kohort/job/options.py"
TYPER = str(Path(__file__).parent / "tools" / "keyword_types.py")


class Made(BuildHookInterface[Any]):
    """Makes what is in no repository before the files of a wheel are gathered."""

    def dependencies(self) -> list[str]:
        """What makes the types needs, and a compiler, where the system has none."""
        return ["numpy>=2.0", *([] if next(CORE["compilers"](), None) else [CORE["ZIG"]])]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002  as hatch calls it
        """Build it, and say what machines the wheel is for: it has no part of any one Python's interface."""
        CORE["build"]()
        run_path(TYPER, run_name="__main__")
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data |= {"pure_python": False, "tag": f"py3-none-{platform}"}
        build_data["artifacts"] += [f"{PLACE}/{CORE['LIBRARY'].name}", TYPES]
