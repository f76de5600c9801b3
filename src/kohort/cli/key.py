"""`kohort key`: a key for pseudonyms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kohort.cli import options
from kohort.cli.screen import say


def key(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where the key goes; no file is ever replaced.")],
    *,
    quiet: options.Quiet = False,
) -> None:
    """Write a new key for pseudonyms, which only you may read."""
    from kohort.perturb.pseudonyms import write_key

    write_key(file)
    text = (
        f"A new key is in {file}, which only you may read (mode 0600).\n"
        "Who has it can make everybody's pseudonym again: keep it apart from the release, and never publish it.\n"
        "A pseudonym is not anonymity: it links what is released of a person, in every release made with this key."
    )
    say(text, quiet=quiet)
