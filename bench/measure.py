"""CPU seconds and peak memory of a whole process, as the operating system accounts for them."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run of a command took.

    Attributes:
        cpu: user and system seconds of the process.
        memory: peak resident MiB.
        output: what it printed.
    """

    cpu: float
    memory: float
    output: str


def cost(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Cost:
    """Run Python with `arguments` and account for it; the run must succeed."""
    process = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})}
    )
    assert process.stdout is not None  # noqa: S101  it was asked for
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)} ended with {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output)
