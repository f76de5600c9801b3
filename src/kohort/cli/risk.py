"""`kohort risk`: whom an attacker could find in a file, and by what."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from kohort.cli import flags, judged, options
from kohort.cli.derive import Given, Keys, option
from kohort.cli.screen import progress, say
from kohort.errors import UsageError
from kohort.job.codec import names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.assessment.risk.attacks import Evidence, Outcome
    from kohort.tables.table import Table


#: The flags of a job that this command takes.
_FLAGS: Final = (
    "path",
    *options.READING,
    *("missing-token", "quasi", "sensitive", "hierarchy", "missing", "person", "population"),
)

#: How flags differ from the keys of a job.
_CHANGED: Final = MappingProxyType(
    {
        "sensitive": {"help": "Columns that no attacker knows beforehand (repeatable); all others are examined."},
        "hierarchy": {"help": "A hierarchy file or builder that defines what labels cover in the population table."},
        "missing": options.MISSING,
        "population": {"first": True},
    }
)


class PopulationFlags(NamedTuple):
    """The population behind the file, and how risk is counted."""

    population_size: int | None = option(
        "Promise", "Estimate the risk in a population of this size, of which IN is a sample.", "N", first=True
    )
    sampling_fraction: str | None = option(
        "Promise", "Alternatively, the share of the population that is in IN, such as 0.05.", "SHARE"
    )
    threshold: str = option(
        "Promise",
        "Count the people at a greater risk than this: 0.2 is the risk in classes of five.",
        "SHARE",
        default="0.2",
    )
    known: int | None = option(
        "Promise", "Also report the risk if an attacker knows only M of the quasi-identifying columns.", "M"
    )
    seed: int = option(
        "Promise",
        "The seed of the sample that is drawn if there are too many sets of columns to try all.",
        "N",
        default=0,
    )


def risk(
    table: Annotated[Given, Keys(only=_FLAGS, changed=_CHANGED)],
    sample: PopulationFlags,
    attacks: Attacks,
    *,
    show_values: bool = option("Run", "Show cells of the smallest classes: values of records."),
    json: options.Json = False,
) -> None:
    """Report whom an attacker could find in a file, and how; write nothing."""
    from kohort.assessment.risk.attacks import Evidence
    from kohort.assessment.risk.overall import assess
    from kohort.assessment.risk.reidentification import threshold_of
    from kohort.report.figures import as_json
    from kohort.report.render.risk import attacks_text, risk_text

    columns, sensitive = names(table["quasi"]), names(table["sensitive"])
    if not columns:
        raise UsageError("no quasi-identifying column is named", where="--quasi", hint="name at least one")
    if table["population"] is None and attacks.attack is None:
        what, hint = "is only for a population table", "leave it out, or add --population FILE"
        flags.refuse({flag: table[flag] for flag in ("hierarchy", "missing", "missing-token")}, what, hint)
    attacks.refuse_unused()
    unasked = replace(table, values={**table.values, "sensitive": None})
    schema = judged.requested(table["path"], unasked, matched=True).schema
    limit = threshold_of(sample.threshold)  # before any table is read

    def read(path: str) -> Table:
        return options.read_table(table, path)

    released = read(table["path"])
    population = None if table["population"] is None else read(table["population"])
    key, seed = attacks.register_key, sample.seed
    evidence = Evidence(released, tuple(columns), tuple(sensitive), key=key, schema=schema, seed=seed)
    outcomes = attacks.outcomes(evidence, read)
    with progress() as on_progress:
        on_progress("assess")
        found = assess(
            released,
            columns,
            sensitive=sensitive,
            person=table["person"],
            population=population,
            population_size=sample.population_size,
            sampling_fraction=sample.sampling_fraction,
            threshold=limit,
            known=sample.known,
            schema=schema,
            seed=seed,
        )
    figures = replace(found, worst_values=found.worst_values if show_values else None, attacks=outcomes)
    text = risk_text(figures) + ("\n\n" + attacks_text(outcomes) if outcomes else "")
    say(text, as_json(figures), as_json=json, internal=True)


# --- `kohort risk --attack`: the tables that attackers have, read and handed over -------------------------------------


class Attacks(NamedTuple):
    """The attacks to try on a file, and the tables that attackers have."""

    attack: list[str] | None = option(
        "Method",
        "Run these attacks on IN, or all: linking, homogeneity, background, exposure, intersection, order, "
        "downcoding, minimality.",
        "A,B",
        first=True,
    )
    original: str | None = option(
        "Method", "The table that IN was made from: shows which claims of an attack are right.", "FILE", first=True
    )
    register: str | None = option("Method", "A table of people that an attacker has and links with IN.", "FILE")
    register_key: str | None = option(
        "Method", "The column that identifies a person in both register and input.", "COLUMN"
    )
    other_release: list[str] | None = option(
        "Method", "Another release of some of the same people (repeatable).", "FILE"
    )

    def refuse_unused(self) -> None:
        """Refuse flags that would have no effect, and unknown attacks, before any table is read."""
        if self.attack is None:
            given = {name.replace("_", "-"): value for name, value in self._asdict().items()}
            flags.refuse(given, "is only for attacks", "leave it out, or add --attack all")
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
        with progress() as on_progress:
            return controlled(attacks(more, names_of(self.attack), on_progress=on_progress))


def names_of(texts: Sequence[str] | None) -> tuple[str, ...]:
    """The attacks that a flag names; empty for all.

    Raises:
        UsageError: an unknown attack, or none at all.

    >>> names_of(["linking,order", "downcoding"]), names_of(["all"])
    (('linking', 'order', 'downcoding'), ())
    """
    from kohort.assessment.risk.attacks import refuse_unknown

    named = names(texts)
    if texts is not None and not named:
        raise UsageError("no attack is named", where="--attack", hint="name attacks, or write --attack all")
    if named == ["all"]:
        return ()
    refuse_unknown(named)
    return tuple(named)
