"""`kohort risk --attack`: the tables that attackers have, read and handed over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kohort.cli import flags, options
from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.assessment.risk.attacks import Evidence, Outcome
    from kohort.engines.table import Table

Attack = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B",
        help="Try these attacks on IN, or all: linking, homogeneity, background, exposure, intersection, order, "
        "downcoding, minimality.",
    ),
]
Original = Annotated[
    str | None, typer.Option(metavar="FILE", help="The input of IN: to tell which claims of attackers are right.")
]
Register = Annotated[
    str | None, typer.Option(metavar="FILE", help="A table of people that an attacker has, to link with IN.")
]
RegisterKey = Annotated[str | None, typer.Option(metavar="COLUMN", help="Says in register and input who somebody is.")]
OtherRelease = Annotated[
    list[str] | None, typer.Option(metavar="FILE", help="Another release of some of the same people (repeatable).")
]


def refuse_unused(
    asked: Sequence[str] | None,
    original: str | None,
    register: str | None,
    register_key: str | None,
    other_release: Sequence[str] | None,
) -> None:
    """Refuse flags that would have no effect, and attacks that there are not, before any table is read.

    Raises:
        UsageError: such a flag, or attack.
    """
    given = {"original": original, "register": register, "register-key": register_key, "other-release": other_release}
    if asked is None:
        flags.refuse(given, "it is for attacks", "leave it out, or add --attack all")
    if register_key is not None and None in {original, register}:
        what = "it says who somebody is in the register and the input"
        raise UsageError(what, where="--register-key", hint="add --register FILE and --original FILE")
    names_of(asked)


def names_of(asked: Sequence[str] | None) -> tuple[str, ...]:
    """The attacks that are asked for; none: all.

    Raises:
        UsageError: an attack that there is not, or none at all.

    >>> names_of(["linking,order", "downcoding"]), names_of(["all"])
    (('linking', 'order', 'downcoding'), ())
    """
    from kohort.assessment.risk.attacks import refuse_unknown

    names = options.names(asked)
    if asked is not None and not names:
        raise UsageError("no attack is named", where="--attack", hint="name some, or write --attack all")
    if names == ["all"]:
        return ()
    refuse_unknown(names)
    return tuple(names)


def tried(
    asked: Sequence[str] | None,
    evidence: Evidence,
    read: Callable[[str], Table],
    *,
    original: str | None,
    register: str | None,
    other_release: Sequence[str] | None,
) -> tuple[Outcome, ...]:
    """What comes of the attacks, once the tables that the paths name are read.

    Args:
        asked: The attacks, as they were asked for; `None`: none.
        evidence: What there is already.
        read: Reads a table.
        original: Where the input is.
        register: Where the register is.
        other_release: Where other releases are.
    """
    from dataclasses import replace

    from kohort.assessment.risk.attacks import attacks
    from kohort.cli.screen import progress

    if asked is None:
        return ()
    more = replace(
        evidence,
        original=None if original is None else read(original),
        register=None if register is None else read(register),
        others=tuple(map(read, other_release or ())),
    )
    with progress() as tell:
        tell("attack")
        return attacks(more, names_of(asked))
