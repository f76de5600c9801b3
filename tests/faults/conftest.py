"""Folders in memory: these tests confirm thousands of files, and waiting for the disk would teach nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Where Linux keeps files in memory, and the bytes that must be free there: a container may have only 64 MiB.
_MEMORY: Final = Path("/dev/shm")  # noqa: S108  a folder of its own is made in it
_FREE: Final = 1 << 30


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """A folder of the test's own, in memory where there is room."""
    if not os.access(_MEMORY, os.W_OK) or shutil.disk_usage(_MEMORY).free < _FREE:
        yield tmp_path
        return
    with TemporaryDirectory(prefix="kohort-test-", dir=_MEMORY) as folder:
        yield Path(folder)
