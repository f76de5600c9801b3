"""`kohort risk --attack`: the tables that attackers have, read and handed over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from kohort.cli import flags, options
from kohort.cli.derive import option
from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.assessment.risk.attacks import Evidence, Outcome
    from kohort.tables.table import Table


class Attacks(NamedTuple):
    """The attacks to try on a file, and the tables that attackers have."""

    attack: Annotated[
        list[str] | None,
        option(
            "Method",
            "Run these attacks on IN, or all: linking, homogeneity, background, exposure, intersection, order, "
            "downcoding, minimality.",
            "A,B",
        ),
    ] = None
    original: Annotated[
        str | None,
        option("Method", "The table that IN was made from: shows which claims of an attack are right.", "FILE"),
    ] = None
    register: Annotated[
        str | None, option("Method", "A table of people that an attacker has and links with IN.", "FILE")
    ] = None
    register_key: Annotated[
        str | None, option("Method", "The column that identifies a person in both register and input.", "COLUMN")
    ] = None
    other_release: Annotated[
        list[str] | None, option("Method", "Another release of some of the same people (repeatable).", "FILE")
    ] = None

    def refuse_unused(self) -> None:
        """Refuse flags that would have no effect, and unknown attacks, before any table is read."""
        if self.attack is None:
            given = {name.replace("_", "-"): value for name, value in self._asdict().items()}
            flags.refuse(given, "this flag is only for attacks", "leave it out, or add --attack all")
        if self.register_key is not None and None in {self.original, self.register}:
            what = "the key is a column of the register and of the input; both are needed"
            raise UsageError(what, where="--register-key", hint="add --register FILE and --original FILE")
        names_of(self.attack)

    def outcomes(self, evidence: Evidence, read: Callable[[str], Table]) -> tuple[Outcome, ...]:
        """The outcomes of the attacks, once the tables that the paths name are read."""
        from dataclasses import replace

        from kohort.assessment.risk.attacks import attacks
        from kohort.assessment.risk.attacks.controls import controlled
        from kohort.cli.screen import progress

        if self.attack is None:
            return ()
        more = replace(
            evidence,
            original=None if self.original is None else read(self.original),
            register=None if self.register is None else read(self.register),
            others=tuple(map(read, self.other_release or ())),
        )
        with progress() as tell:
            tell("attack")
            return controlled(attacks(more, names_of(self.attack)))


def names_of(texts: Sequence[str] | None) -> tuple[str, ...]:
    """The attacks that a flag names; empty for all.

    Raises:
        UsageError: an unknown attack, or none at all.

    >>> names_of(["linking,order", "downcoding"]), names_of(["all"])
    (('linking', 'order', 'downcoding'), ())
    """
    from kohort.assessment.risk.attacks import refuse_unknown

    names = options.names(texts)
    if texts is not None and not names:
        raise UsageError("no attack is named", where="--attack", hint="name attacks, or write --attack all")
    if names == ["all"]:
        return ()
    refuse_unknown(names)
    return tuple(names)
