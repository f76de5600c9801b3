"""The step of hatch that puts the compiled core into a wheel, or beside the sources of an editable installation.

The C compiler is the system's. Where it has none, the build asks for `ziglang`, which brings one and is fetched into
the environment of this build alone.
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


class CompiledCore(BuildHookInterface[Any]):
    """Builds the core before the files of a wheel are gathered."""

    def dependencies(self) -> list[str]:
        """A compiler, where the system has none."""
        return [] if next(CORE["compilers"](), None) else [CORE["ZIG"]]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002  as hatch calls it
        """Build it, and say what machines the wheel is for: it has no part of any one Python's interface."""
        CORE["build"]()
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data |= {"pure_python": False, "tag": f"py3-none-{platform}"}
        build_data["artifacts"].append(f"{PLACE}/{CORE['LIBRARY'].name}")
