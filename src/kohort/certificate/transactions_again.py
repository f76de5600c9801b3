"""The certificate of transactions, checked again. It names no item: whoever has the list of private ones brings it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.assessment.checking.transactions import check_transactions
from kohort.certificate.again import Again, Outcome, Part, compared, of_bytes, unchecked
from kohort.errors import InfeasibleError, InputError, UsageError
from kohort.io import ReadOptions
from kohort.io.baskets import read_transactions
from kohort.transactions.coherence import Coherence

if TYPE_CHECKING:
    import os

    from kohort.certificate.transactions import CoherenceCertificate
    from kohort.io.baskets import BasketOptions
    from kohort.transactions.database import Transactions
    from kohort.transactions.roles import RoleChoice


def check_transactions_again(
    path: str | os.PathLike[str],
    known: CoherenceCertificate,
    options: BasketOptions,
    roles: RoleChoice | None = None,
) -> Again:
    """What of the certificate is true of the transactions at `path`.

    Args:
        path: The release.
        known: Its certificate.
        options: The form that it lies in.
        roles: Which items are public and which private; without them coherence is not judged.

    Raises:
        UsageError: the file has not the form, or a name is of no item.
        LimitError: too many sets of items would have to be held.
        FileError: the system failed to read.
    """
    parts = [*of_bytes(path, known)]
    try:
        database = read_transactions(path, options, limits=ReadOptions(allow_empty=True)).database
    except (InputError, InfeasibleError) as fault:
        return Again((*parts, Part("transactions", Outcome.DIFFERENT, f"the file cannot be read: {fault.what}")))
    parts += [
        compared("transactions", known.transactions, len(database)),
        compared("items", known.items, len(database.names)),
        compared("cells", known.cells, database.cells.size),
        _coherence(known, database, roles),
        unchecked(
            "moles before, dropped and removed items, distortion", "only verification sees this: it has the input"
        ),
    ]
    return Again(tuple(parts))


def _coherence(known: CoherenceCertificate, database: Transactions, roles: RoleChoice | None) -> Part:
    """Whether no set of public items is a mole."""
    if roles is None:
        return unchecked(known.model, "the certificate names no item: bring the private ones by --private")
    try:
        model = Coherence.of(h=known.h, k=known.k, p=known.p)
    except UsageError as fault:
        raise InputError(f"the certificate's model is none: {fault.what}") from None
    if model.name != known.model:
        return compared(known.model, known.model, model.name)
    found = check_transactions(database, roles.over(database, model.h), model)
    return Part(model.name, Outcome.SAME if found.met else Outcome.DIFFERENT, "met" if found.met else "NOT met")
