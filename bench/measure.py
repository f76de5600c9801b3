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


#: A small process that runs the command and tells what it took. The system counts into a process's peak the memory of
#: the process that started it, and a benchmark that has made a table is large.
LAUNCH = """
import os, sys
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, used = os.wait4(pid, 0)
os.write(int(sys.argv[1]), f"{used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}".encode())
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""


def cost(arguments: Sequence[str], environment: Mapping[str, str] | None = None, python: str = sys.executable) -> Cost:
    """Run Python, or that of another installation, with `arguments` and account for it; the run must succeed."""
    told, tells = os.pipe()
    command = [sys.executable, "-S", "-c", LAUNCH, str(tells), python, *arguments]
    environment = {**os.environ, **(environment or {})}
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, pass_fds=[tells], check=False)
    os.close(tells)
    with os.fdopen(told) as figures:
        cpu, memory = map(float, figures.read().split() or (0, 0))
    if run.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed")
    return Cost(cpu, memory, run.stdout)
