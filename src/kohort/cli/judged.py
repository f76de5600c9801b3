"""What `kohort check` says of a table: whether it meets its privacy models, and which classes fail first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kohort.cli import flags
from kohort.errors import KohortError, UsageError
from kohort.errors.display import many, span, told_suppressed
from kohort.schema.numbers import rounded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.assessment.checking import Check, FailingClass, Finding, Strictest
    from kohort.cli.derive import Given
    from kohort.job.request import Question
    from kohort.release import Job
    from kohort.report import Json
    from kohort.schema import Schema


def requested(source: str, given: Given, *, matched: bool) -> Question:
    """The models and columns that the flags name; `matched`: the file is matched with people of other tables."""
    faults: list[UsageError] = []
    columns = flags.tables(given.only("quasi", "sensitive"), faults)["columns"]
    if all(said["role"] != "quasi" for said in columns.values()):
        hint = "name at least one, or --certificate FILE, which names those of a release"
        faults.append(UsageError("no quasi-identifying column is named", where="--quasi", hint=hint))
    of_columns = [key for key in given.keys if key.is_model and key.of_column]
    for key in of_columns:
        for name in flags.by_column(key.flag, given[key.flag], []):
            columns.setdefault(name, {"role": "sensitive"})
        flags.shape(columns, key, given[key.flag], faults)
    judged_by = {name: said for name, said in columns.items() if said["role"] == "quasi" or len(said) > 1}
    for key in given.keys:
        if key.flag in {"hierarchy", "missing"}:
            flags.shape(columns if key.flag == "hierarchy" else judged_by, key, given[key.flag], faults)
    of_table = [key for key in given.keys if key.is_model and not key.of_column]
    raw = flags.tables(given.only("person", *(key.flag for key in of_table)), faults)
    if any(given[key.flag] is not None for key in (*of_columns, *of_table)):
        raw |= flags.tables(given.only("population"), faults)
    made = flags.question({"privacy": {}, **raw, "columns": columns}, faults)
    return replace(made, schema=treated(made.schema, source, given, matched=matched), population=given["population"])


def suppresses(schema: Schema, name: str) -> bool:
    """Whether whoever has no value in this column is in no release."""
    from kohort.schema import Missing

    return schema.missing_of(name) is Missing.SUPPRESS


def summary(
    found: Check, made: Question, sensitive: Sequence[str], *, values: bool, own: bool
) -> tuple[str, dict[str, Json]]:
    """A check in text and figures.

    Args:
        found: The check.
        made: The models; without any, the report says only what the table achieves.
        sensitive: The columns whose strictest models are reported.
        values: Whether cells of failing classes are shown.
        own: Whether the file was compared with itself, for want of the table before its release.
    """
    quasi = [attribute.name for attribute in made.schema.quasi]
    lines = [*_lines(found, quasi, values=values), *_notes(found, made, sensitive, own=own)]
    return "\n".join(lines), _figures(found, made, quasi, values=values)


# --- as JSON ----------------------------------------------------------------------------------------------------------


def _figures(found: Check, made: Question, quasi: Sequence[str], *, values: bool) -> dict[str, Json]:
    from kohort.models.k_anonymity import k_of

    figures: dict[str, Json] = {
        "met": found.met if found.findings else None,
        "k": k_of(made.models),
        "records": found.records,
        "fully_suppressed": found.suppressed,
        "classes": found.sizes.size,
        "smallest": int(found.sizes.min()),
        "largest": int(found.sizes.max()),
        "classes_by_normalised_text": found.merged,
        "models": [_model(one, quasi, values=values) for one in found.findings],
    }
    if found.people is not None:
        figures["people"] = {"smallest": int(found.people.min()), "largest": int(found.people.max())}
    if made.population is not None:
        figures["fit_no_class"] = found.outside
        figures["without_value"] = dict(found.without_value)
        figures["suppressed"] = [name for name in found.without_value if suppresses(made.schema, name)]
    figures["achieved"] = _strictest_figures(found)
    return figures


def _model(one: Finding, quasi: Sequence[str], *, values: bool) -> Json:
    told: dict[str, Json] = {
        "model": one.model,
        "met": one.met,
        "failing_classes": one.failing_classes,
        "failing_records": one.failing_records,
        "first": [_class(failing, quasi, values=values) for failing in one.first],
    }
    return told | ({"reference": "the file itself"} if one.own_reference else {})


def _class(one: FailingClass, quasi: Sequence[str], *, values: bool) -> Json:
    told: dict[str, Json] = {"size": one.size, "records": one.records}
    if one.population is not None:
        told["population"] = one.population
    if one.values is not None:
        told |= {"values": one.values, "largest_share": None if one.share is None else float(one.share)}
    if values:
        told["cells"] = dict(zip(quasi, one.cells, strict=True))
        told |= {"counts": dict(one.counts)} if one.values is not None else {}
    return told


# --- for a person -----------------------------------------------------------------------------------------------------


def _lines(found: Check, quasi: Sequence[str], *, values: bool) -> Iterator[str]:
    sizes = found.sizes
    ends = span(int(sizes.min()), int(sizes.max()))
    yield f"{many(found.records, 'record')} in {many(sizes.size, 'class')} of {ends}"
    if found.suppressed:
        yield told_suppressed(found.suppressed)
    if found.people is not None:
        yield f"people are counted: {span(int(found.people.min()), int(found.people.max()))} in a class"
    for one in found.findings:
        yield f"{one.model}: {one.told}"
        yield from (f"  {line}" for line in _first(one, quasi, values=values))
    if found.alike or not found.findings:
        yield from _strictest_lines(found)


def _notes(found: Check, made: Question, sensitive: Sequence[str], *, own: bool) -> Iterator[str]:
    from kohort.assessment.population import told_without

    if not sensitive and all(model.declared.sensitive is None for model in made.models):
        yield "note: none of these models limits what a class reveals; name the sensitive columns with --sensitive"
    if any(one.own_reference for one in found.findings) or (sensitive and own):
        yield "note: classes are compared with this file; add --reference FILE to compare with the original table"
    if found.outside:
        yield f"note: no class matches {many(found.outside, 'person', 'people')} of the population table"
    for name, people in found.without_value.items():
        yield f"note: {told_without(name, people, suppressed=suppresses(made.schema, name))}"
    if found.merged < found.sizes.size:
        classes = many(found.merged, "class", "classes")
        yield f"note: regardless of case, blanks and width of its values, the table has {classes}"


def _first(one: Finding, quasi: Sequence[str], *, values: bool) -> Iterator[str]:
    """The smallest failing classes; where nothing is told of them but their size, in one line."""
    told = [_told(failing, quasi, values=values) for failing in one.first]
    rest = [f"and {one.failing_classes - len(told):,} more"] if len(told) < one.failing_classes else []
    if told and not any(";" in line for line in told):
        yield f"classes of {', '.join([*told, *rest])}"
    elif told:
        yield from (f"class of {line}" for line in told)
        yield from rest


def _told(one: FailingClass, quasi: Sequence[str], *, values: bool) -> str:
    parts = [
        f"{one.size:,}" if one.size == one.records else f"{many(one.size, 'person')} in {many(one.records, 'record')}"
    ]
    if one.population is not None:
        parts.append(f"matches {one.population:,} of the population")
    if one.values is not None:
        parts.append(f"{one.values:,} value{'s' * (one.values != 1)}")
    if one.share is not None:
        parts.append(f"the most frequent {float(one.share):.1%}")
    if values:
        parts.append(", ".join(f"{name}={cell or ''}" for name, cell in zip(quasi, one.cells, strict=True)))
        parts += [", ".join(f"{text} {count:,}" for text, count in one.counts)] if one.counts else []
    return "; ".join(parts)


# ── how the missing values of a file were treated ────────────────────────────────────────────────


def treated(schema: Schema, source: str, given: Given, *, matched: bool) -> Schema:
    """The schema with the treatment of missing values, where a file is `matched` with people of other tables.

    Where the job left out incomplete records, it let nobody into the release whom it would else have suppressed.
    """
    tokens, named = given["missing-token"], flags.by_column("missing", given["missing"], [])
    said = certified_job(source) if matched else None
    schema = replace(schema, missing=schema.missing | {*(tokens or (said.schema.missing if said else ()))})
    if said is None:
        return schema
    of = {one.name: one.missing for one in said.of_people.quasi}
    return schema.changed(
        replace(one, missing=of.get(one.name, one.missing)) for one in schema.quasi if one.name not in named
    )


def certified_job(path: str) -> Job | None:
    """What the job of the release at `path` says, if its certificate lies beside it; `None` for any other file."""
    from kohort.certificate.again import PartOutcome, of_bytes, read_certificate
    from kohort.certificate.table import Certificate, Described
    from kohort.engines.outlets import outlet
    from kohort.io.forms import is_store
    from kohort.io.manifest import CERTIFICATE

    if path == "-" or is_store(path):
        return None
    try:
        for place in (outlet(path).certificate, Path(path) / CERTIFICATE):
            if place.is_file():
                known = read_certificate(place)
                same = all(part.outcome is PartOutcome.SAME for part in of_bytes(path, known))
                return Described.certified(known).job if same and isinstance(known, Certificate) else None
    except (KohortError, OSError, ValueError):  # it is no certificate of this version, or the file is no release
        return None
    return None


# ── how strict each privacy model can be with a table, and what it does not see ──────────────────


def _strictest_lines(found: Check) -> Iterator[str]:
    """The strictest parameters, of the whole table and of each sensitive column, and what each leaves unseen."""
    yield "the strictest parameters that this file meets:"
    yield from _achieved_lines(found, None)
    alone = int((found.sizes if found.people is None else found.people).tolist().count(1))
    if alone:
        yield f"  the average does not show that {_people(alone)} alone in {'its' if alone == 1 else 'their'} class"
    for one in found.alike:
        yield f"of {one.sensitive}:"
        yield from _achieved_lines(found, one.sensitive)
        if one.people:
            value = "the same value" if one.uncommon else "the file's most frequent value"
            some = f", {one.uncommon:,} of them not the most frequent" if 0 < one.uncommon < one.people else ""
            yield f"  k does not show that {_people(one.people)} in classes where all have {value}{some}"
        else:
            yield "  no class has only one value"
        yield from (f"  {line}" for line in _unseen(found, one.sensitive))


def _achieved_lines(found: Check, sensitive: str | None) -> Iterator[str]:
    from kohort.models.base import models, variants

    width = max(len(variant.title) for kind in models().values() for variant in variants(kind, "column"))
    for one in found.achieved:
        if one.sensitive == sensitive:
            yield f"  {one.model:{width}}  {one.text}"


def _unseen(found: Check, sensitive: str) -> Iterator[str]:
    """What diversity and closeness leave unseen, by what stricter models find."""
    values = {one.key: one.achieved.value for one in found.achieved if one.sensitive == sensitive}
    if (share := values.get("alpha")) is not None:
        yield f"distinct l does not show that one value makes up {rounded(100 * share, 1, up=True)}% of a class"
    if (gain := values.get("beta")) is not None:
        times = rounded(gain + 1, 1, up=True)
        yield f"t does not show that one value is {times} times as frequent in a class as in the table"


def _people(count: int) -> str:
    return f"{count:,} {'person is' if count == 1 else 'people are'}"


def _strictest_figures(found: Check) -> dict[str, Json]:
    """The same for programs: what the table achieves, and of each sensitive column, by short names of the models."""
    columns: dict[str, Json] = {
        one.sensitive: {
            **_achieved_figures([each for each in found.achieved if each.sensitive == one.sensitive]),
            "people_in_classes_of_one_value": one.people,
            "of_an_uncommon_value": one.uncommon,
        }
        for one in found.alike
    }
    table = _achieved_figures([one for one in found.achieved if one.sensitive is None])
    return {**table, "columns": columns}


def _achieved_figures(some: Sequence[Strictest]) -> dict[str, Json]:
    told: dict[str, Json] = {}
    for one in some:
        told[one.key] = {"model": one.model, "value": one.number, "attained": one.achieved.attained}
        if one.achieved.reason:
            told[one.key] = {"model": one.model, "value": None, "reason": one.achieved.reason}
    return told
