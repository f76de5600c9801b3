"""How the release in a file was made: what the certificate beside it says where no flag does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kohort.cli import options
from kohort.errors import KohortError

if TYPE_CHECKING:
    from kohort.certificate.described import Described
    from kohort.cli.derive import Given
    from kohort.schema import Schema


def treated(schema: Schema, given: Given, *, matched: bool) -> Schema:
    """The schema with the treatment of missing values, where the file is `matched` with people of other tables.

    Where the job left out incomplete records, it let nobody into the release whom it would else have suppressed.
    """
    from kohort.schema import Missing

    tokens, named = given["missing-token"], options.readable(given["missing"])
    said = certified_job(given["path"]) if matched else None
    schema = replace(schema, missing=schema.missing | {*(tokens or (said.missing if said else ()))})
    if said is None:
        return schema
    of = {one.name: Missing.SUPPRESS if one.name in said.required else one.missing for one in said.quasi}
    return schema.changed(
        replace(one, missing=of.get(one.name, one.missing)) for one in schema.quasi if one.name not in named
    )


def certified_job(path: str) -> Described | None:
    """What the job of the release at `path` says, if its certificate lies beside it; `None` for any other file."""
    from kohort.certificate.again import PartOutcome, of_bytes, read_certificate
    from kohort.certificate.described import described
    from kohort.certificate.table import Certificate
    from kohort.io.forms import is_store
    from kohort.io.manifest import CERTIFICATE
    from kohort.pipeline.outlets import outlet

    if path == "-" or is_store(path):
        return None
    try:
        for place in (outlet(path).certificate, Path(path) / CERTIFICATE):
            if place.is_file():
                known = read_certificate(place)
                same = all(part.outcome is PartOutcome.SAME for part in of_bytes(path, known))
                return described(known.job) if same and isinstance(known, Certificate) else None
    except (KohortError, OSError, ValueError):  # it is no certificate of this version, or the file is no release
        return None
    return None
