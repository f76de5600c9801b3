"""What in a job on transactions is right key by key, and together makes no sense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kohort.errors import UsageError
from kohort.io.baskets.options import Form
from kohort.job.form import RunPart
from kohort.job.parts import Misfit, part, right_part, table
from kohort.job.transactions_form import CoherencePart, ItemsPart, SuppressionPart, TransactionsPart
from kohort.transactions.coherence import Coherence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Endings of files that hold lists where no form is said.
_PARQUET: Final = (".parquet", ".pq")

#: Forms whose cells have no column of their own.
_NO_COLUMNS: Final = frozenset({Form.BASKET, Form.MATRIX, Form.MATRIX_HEADER})

#: What a file can say instead of the job.
_LISTS: Final = ("private", "public", "weight")

#: What only drawn roles, and what only listed ones have.
_DRAWN: Final = ("seed", "draw")
_LISTED: Final = ("private", "private-file", "no-private", "public", "public-file", "allow-absent")


def form_of(said: TransactionsPart, path: object) -> Form:
    """The form that is said; where none is, that of a file with such a name."""
    return said.format or (Form.LISTS if str(path).lower().endswith(_PARQUET) else Form.BASKET)


def misfits(raw: Mapping[str, object]) -> Iterator[Misfit]:
    """What does not go together in the tables of a job; keys of a wrong form count as not said."""
    yield from _of_reading(raw)
    yield from _of_privacy(raw)
    yield from _of_roles(raw)
    yield from _of_method(raw)
    yield from _of_run(raw)


def _of_reading(raw: Mapping[str, object]) -> Iterator[Misfit]:
    said = right_part(TransactionsPart, table(raw, "transactions"))
    form = form_of(said, table(raw, "input").get("path"))
    if said.key is not None and said.person is not None:
        fault = UsageError("key and person are one column", hint="use person if it identifies a person, otherwise key")
        yield Misfit(("transactions", "person"), fault)
    if said.format is None and table(raw, "transactions").get("format") is not None:
        return  # which form is meant is not known
    columns = {"key": said.key, "person": said.person, "item": said.item}
    for key in (key for key, column in columns.items() if column is not None and form in _NO_COLUMNS):
        fault = UsageError(
            f"transactions in the format {form} have no such column", hint="leave it out, or set the format"
        )
        yield Misfit(("transactions", key), fault)


def _of_privacy(raw: Mapping[str, object]) -> Iterator[Misfit]:
    said = part(CoherencePart, table(raw, "privacy"))
    if said is None:
        return
    try:
        Coherence(said.h, said.k, said.p)
    except UsageError as fault:
        yield Misfit(("privacy", fault.where), fault)


def _of_roles(raw: Mapping[str, object]) -> Iterator[Misfit]:
    said = {key for key, value in table(raw, "items").items() if value is not None and value is not False}
    for key in (key for key in _LISTS if {key, f"{key}-file"} <= said):
        yield Misfit(("items", f"{key}-file"), UsageError(f"{key} says the same", hint="leave one out"))
    drawn = "delta" in said
    for key in (key for key in (_LISTED if drawn else _DRAWN) if key in said):
        what = "the roles are drawn at random (delta)" if drawn else "it applies only to randomly drawn roles (delta)"
        yield Misfit(("items", key), UsageError(what, hint="leave one out" if drawn else "leave it out, or add delta"))
    for key in (key for key in ("private", "private-file") if {key, "no-private"} <= said):
        yield Misfit(("items", "no-private"), UsageError(f"{key} names private items", hint="leave one out"))
    known = {field.alias or name for name, field in ItemsPart.model_fields.items()}
    if not drawn and "items" in raw and said <= known and said.isdisjoint(_LISTED[:3]):
        public = not said.isdisjoint(("public", "public-file"))
        what = "public items alone protect nothing" if public else "no private item is named"
        yield Misfit(
            ("items",),
            UsageError(
                what, hint="name them with private or private-file, draw the roles with delta, or set no-private (k^m)"
            ),
        )


def _of_method(raw: Mapping[str, object]) -> Iterator[Misfit]:
    said = right_part(SuppressionPart, table(raw, "method"))
    cells = said.suppress == "cells"
    chosen = {"score": said.score is not None, "give-back": said.give_back, "suppress": said.optimal and cells}
    if said.optimal or cells:
        method = (
            "the optimum suppresses whole items"
            if said.optimal
            else "suppression of cells always uses mmil and gives back"
        )
        hint = f"leave it out, or {'leave out optimal' if said.optimal else 'suppress items'}"
        for key in (key for key, given in chosen.items() if given):
            yield Misfit(("method", key), UsageError(f"{method}: this choice has no effect", hint=hint))
    if said.time_limit is not None and not said.optimal:
        fault = UsageError("only the search for the optimum has a time limit", hint="leave it out, or add optimal")
        yield Misfit(("method", "time-limit"), fault)


def _of_run(raw: Mapping[str, object]) -> Iterator[Misfit]:
    """A limit of memory where all transactions are read into it."""
    said = right_part(RunPart, table(raw, "run"))
    limits = {"memory-limit": said.memory_limit, "spill-folder": said.spill_folder}
    if said.engine == "local":
        for key in (key for key, value in limits.items() if value is not None):
            hint = "leave it out, or name an engine that leaves transactions where they are (duckdb, spark)"
            yield Misfit(("run", key), UsageError("transactions are read into memory as a whole", hint=hint))
