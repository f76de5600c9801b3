"""What verification found, and what follows from it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from kohort.certificate.described import described
from kohort.certificate.promises import not_promised

if TYPE_CHECKING:
    from kohort.release import Release
    from kohort.release.transactions import TransactionRelease
    from kohort.report import Json
    from kohort.report.page.audience import Reader


def verdict(release: Release, reader: Reader) -> dict[str, Json]:
    """The verdict; of the public only the names of the checks, for what they compared counts records."""
    found, job = release.verdict, release.job
    part = cast("dict[str, object]", json.loads(job.described()))
    chosen = found is None or found.data_dependent
    promised = [f"Every equivalence class satisfies {model.name}." for model in job.models]
    unpromised = not_promised(described(part), data_dependent=chosen)
    shared: dict[str, Json] = {"promised": [*promised], "not_promised": [*unpromised]}
    if found is None:
        nothing: dict[str, Json] = {"verified": False, "sha256": None, "bytes": None, "checks": []}
        return nothing | {"data_dependent": None, "range_exposure": None} | shared
    return {
        "verified": True,
        "sha256": found.sha256 or None,
        "bytes": found.checks.get("bytes"),
        "checks": [
            {"check": name, "count": count if reader.knows_all else None} for name, count in found.checks.items()
        ],
        "data_dependent": found.data_dependent,
        "range_exposure": reader.records(found.range_exposure, release.table.records),
        **shared,
    }


def certificate(release: Release | TransactionRelease) -> Json:
    """What ties the page to the published bytes; null while nothing is published."""
    if release.certificate is None or release.verdict is None or release.path is None:
        return None
    return {"name": release.certificate.name, "release": release.path.name, "sha256": release.verdict.sha256}
