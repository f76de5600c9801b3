"""`kohort convert`: transactions in another form, as they are."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final

from kohort.cli import flags, options
from kohort.cli.derive import BASKETS, Given, Keys
from kohort.cli.screen import progress, say
from kohort.errors import UsageError
from kohort.shown import many

#: The flags of a job on transactions that say how they are read and written.
_FLAGS: Final = (
    *("path", "out", "out-format", "out-separator", "format", "key", "person", "item", "separator", "encoding"),
    "min-support",
)

#: What a file that was only converted is called, instead of a release.
_WRITTEN: Final = MappingProxyType(
    {
        "out": {"help": "The file to write; it gets no certificate."},
        "out-format": {"help": "The format of that file; that of the input if not given."},
        "out-separator": {"help": "The character between its items or cells; if not given, that named for the input."},
    }
)

#: What is said first.
UNPROTECTED: Final = "Converted, not anonymized: every transaction is as it was, and nothing protects the people."


def convert(
    job: Annotated[Given, Keys(form=BASKETS, only=_FLAGS, changed=_WRITTEN)],
    *,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write transactions in another form; this does not anonymize them."""
    options.use_threads()
    from kohort.pipeline.transactions import convert_transactions

    faults: list[UsageError] = []
    raw = flags.tables(job, faults)
    # the promise of a job on transactions, which nobody looks at here
    raw["privacy"], raw["items"]["private"] = {"h": 1, "k": 2, "p": 1}, ["(nothing is promised)"]
    made = flags.transaction_request(raw, faults)
    made.refuse_output()
    target = Path(made.target)
    try:
        with progress(quiet=quiet) as tell:
            found = convert_transactions(made.source, made.job, target, overwrite=overwrite, tell=tell)
    except UsageError as fault:
        raise made.placed(fault) from None
    removed = f"; {many(found.removed, 'item')} below the minimum support removed" if found.removed else ""
    counts = (
        f"{many(found.transactions, 'transaction')}, {many(found.items, 'item')}, {many(found.cells, 'cell')}{removed}"
    )
    text = f"{UNPROTECTED}\n{counts}\nwrote {target} ({found.form})"
    figures = {**found._asdict(), "form": str(found.form), "file": str(target), "anonymized": False}
    say(text, figures, as_json=json, quiet=quiet, internal=True)
