"""A draft of a job on transactions: how they seem to be written, and the model; its steward names private items."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final

import tomlkit

from kohort.errors.display import INTERNAL_LINE
from kohort.transactions.form import COHERENCE
from kohort.transactions.io.options import Form

if TYPE_CHECKING:
    from kohort.transactions.io.seen import DetectedForm

HEAD: Final = f"""\
{INTERNAL_LINE}
A kohort job on transactions. Name the private items below, then   kohort run THIS_FILE
  private  must not be inferred of a person: released, within the limits of the model
  public   an attacker may know that a person has the item: suppressed where that would reveal a private item
All items that are not private are public, unless items.public lists these
Every key is described by   kohort schema --transactions"""

#: Endings that a release of plain text keeps.
_TEXT: Final = frozenset({".dat", ".txt", ".csv", ".tsv", ".tab", ".basket", ".data"})


def transactions_text(source: str, seen: DetectedForm) -> str:
    """The TOML text of a job over the transactions at `source`; nobody has said yet which items are private.

    >>> from kohort.transactions.io.seen import DetectedForm
    >>> print(transactions_text("shop.dat", DetectedForm(Form.BASKET))[-137:])
    [transactions]
    format = "basket"
    <BLANKLINE>
    [input]
    path = "shop.dat"
    <BLANKLINE>
    [output]
    path = "shop.release.dat"
    <BLANKLINE>
    [privacy]
    h = 0.4
    k = 10
    p = 4
    <BLANKLINE>
    [items]
    <BLANKLINE>
    """
    document = tomlkit.document()
    for line in HEAD.splitlines():
        document.add(tomlkit.comment(line))
    document["transactions"] = {"format": seen.form.value}
    document["input"] = {"path": source} | ({} if seen.separator is None else {"separator": seen.separator})
    document["output"] = {"path": released(source, seen.form)}
    document["privacy"] = usual_coherence()
    document["items"] = tomlkit.table()
    return tomlkit.dumps(document)


def usual_coherence() -> dict[str, int | float]:
    """The model where nobody has said another: as the flags have it.

    >>> usual_coherence()
    {'h': 0.4, 'k': 10, 'p': 4}
    """
    flags = {key.place[-1]: key.default for key in COHERENCE.keys if key.default is not None}
    return {name: value if isinstance(value, int) else float(value) for name, value in flags.items()}


def released(source: str, form: Form) -> str:
    """What the release of a file is called, beside the job file.

    >>> released("data/shop.dat.gz", Form.BASKET), released("shop.parquet", Form.LISTS), released("a.csv", Form.LONG)
    ('shop.release.dat', 'shop.release.parquet', 'a.release.csv')
    """
    path = PurePath(source)
    endings = [one.lower() for one in path.suffixes if one.lower() in _TEXT]
    usual = ".dat" if form is Form.BASKET else ".csv"
    ending = ".parquet" if form is Form.LISTS else endings[-1] if endings else usual
    return f"{path.name.partition('.')[0] or 'transactions'}.release{ending}"
