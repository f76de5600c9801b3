"""A system that fails to read a small file is told from a file that is not what it should be: status 6, not 3."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from kohort.errors import FileError
from kohort.job.document import document_at
from kohort.job.sweeps.journal import digest_of
from kohort.samples.tables import own_tables
from kohort.transactions.request import labels_in, names_in

if TYPE_CHECKING:
    from collections.abc import Callable


def tables_beside(path: Path) -> object:
    """The tables in the folder of a file."""
    return own_tables(path.parent)


READERS: tuple[Callable[[Path], object], ...] = (document_at, names_in, labels_in, digest_of, tables_beside)


@pytest.mark.parametrize("read", READERS)
def test_a_disk_that_fails(read: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says why, and where."""

    def failing(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    path = tmp_path / "cities.json"
    path.write_text("{}")
    monkeypatch.setattr(Path, "open", failing)
    monkeypatch.setattr(Path, "read_text", failing)
    with pytest.raises(FileError, match="cannot be read: Input/output error") as caught:
        read(path)
    assert caught.value.where == str(path)
