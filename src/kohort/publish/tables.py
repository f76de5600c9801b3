"""Publish a release as a table of a database that exists, with its files beside it.

The table is made in a transaction, read back within it, and verified; then

    old companions leave  ─►  the transaction is committed  ─►  new companions arrive

Before the commit nobody sees anything, and whatever goes wrong, `kill -9` among it, leaves the database as it was.
After the commit a new table can be taken back, one that replaced another cannot: should the certificate fail to arrive
then, the error says so.
"""

from __future__ import annotations

from contextlib import ExitStack
from io import BytesIO
from operator import methodcaller
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from kohort.errors import FileError, TargetError
from kohort.io.stored import opened
from kohort.publish.commit import commit
from kohort.publish.files import examine, open_temporary
from kohort.system.disk import reporting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kohort.io.stored import Session, StoredTable
    from kohort.publish.commit import Companion

V = TypeVar("V")


def check_table(
    place: StoredTable, *, overwrite: bool, inputs: Sequence[Path] = (), companions: Sequence[Path] = ()
) -> None:
    """Refuse a table that could not be published, before any work is done for it.

    Raises:
        TargetError: a table of that name is there and `overwrite` is not set; or a companion is in the way.
        FileError: the database is missing, or refuses; or a companion's folder is missing or not writable.
    """
    examine(companions, overwrite=overwrite, inputs=inputs)
    with opened(place) as session:
        _refuse_existing(session, overwrite=overwrite)


def publish_table(
    place: StoredTable,
    write: Callable[[BinaryIO], object],
    verify: Callable[[BinaryIO], V],
    *,
    overwrite: bool,
    companions: Sequence[Companion[V]] = (),
    inputs: Sequence[Path] = (),
) -> V:
    """What `verify` found in the table that was read back, once everybody can see it.

    Args:
        place: The table.
        write: Writes the release to the open file it is given, as Parquet.
        verify: Judges the text of the table as it was read back, CSV, and raises to stop everything.
        overwrite: Replace the table and the companions, if they are there.
        companions: Files that describe the release.
        inputs: Files that no companion may replace.

    Raises:
        TargetError: as `check_table`, or an output was changed by another run meanwhile.
        FileError: as `check_table`, or a companion could not be written.
        DurabilityError: everything is in place, but the disk did not confirm the companions.
    """
    places = examine((companion.path for companion in companions), overwrite=overwrite, inputs=inputs)
    with ExitStack() as stack:
        others = [stack.enter_context(open_temporary(one)) for one in places]
        session = stack.enter_context(opened(place))
        replaced = _refuse_existing(session, overwrite=overwrite)
        if replaced:
            session.drop()
        parquet = BytesIO()
        write(parquet)
        session.put(parquet.getvalue())
        verdict = verify(BytesIO(session.text()))
        for companion, output in zip(companions, others, strict=True):
            output.fill(methodcaller("write", companion.content(verdict)))
        with reporting("moving into place", place.path):
            commit(others, where=place.address, beyond=_arrival(session, replaced=replaced))
    return verdict


def _refuse_existing(session: Session, *, overwrite: bool) -> bool:
    exists = session.exists()
    if exists and not overwrite:
        hint = "name another, or add --overwrite (in Python overwrite=True)"
        raise TargetError("the table exists", where=session.place.address, hint=hint)
    return exists


def _arrival(session: Session, *, replaced: bool) -> tuple[Callable[[], None], Callable[[], None]]:
    """The step by which a table is there, and its inverse: it takes a new table back, and no other."""
    done: list[bool] = []

    def commit_table() -> None:
        session.commit()
        done.append(True)

    def restore() -> None:
        if not done:
            return
        if replaced:
            what = "the table was replaced and verified, but its certificate could not be written"
            raise FileError(what, where=session.place.address, hint="publish the table again with --overwrite")
        with opened(session.place) as again:
            again.drop()
            again.commit()

    return commit_table, restore
