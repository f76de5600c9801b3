"""A real Postgres server, for what is read from one and written into one."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Postgres server on loopback that this test started."""
    found = shutil.which("initdb") or next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))), None)
    if found is None:
        pytest.skip("no Postgres server is installed: initdb is not found")
    programs = Path(found).resolve().parent
    folder = tmp_path_factory.mktemp("postgres")
    who: dict[str, Any] = {}
    if os.geteuid() == 0:  # the server refuses to be run by root
        who["user"] = "nobody"
        shutil.chown(folder, "nobody")
        for above in (folder, *folder.parents[:3]):
            above.chmod(above.stat().st_mode | 0o011)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = folder / "data"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **who}
    try:
        subprocess.run(
            [programs / "initdb", "-D", data, "-U", "ada", "-A", "trust", "-E", "UTF8", "--locale=C"],
            check=True,
            cwd=folder,
            **quiet,
        )
        options = f"-c listen_addresses=127.0.0.1 -p {port} -c unix_socket_directories={folder} -c fsync=off"
        subprocess.run(
            [programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start"],
            check=True,
            cwd=folder,
            **quiet,
        )
    except (subprocess.CalledProcessError, OSError) as refused:
        pytest.skip(f"the Postgres server does not start here ({type(refused).__name__})")
    yield f"postgresql://ada:secret@127.0.0.1:{port}/postgres"
    subprocess.run([programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"], check=False, cwd=folder, **quiet)
