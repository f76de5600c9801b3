"""What verification found, and what follows from it.

    standing        "good", "caution" or "bad"; null where nothing was verified. Good: no column that is released as it
                    is, and no pair of them, singles out more than one in `limit` people, no more are exposed by a
                    label, and each sensitive column has a model or an explicit none. Bad: such a column or pair singles
                    out more than half of the people, or a sensitive column has neither. Caution: what lies between.
    limit           k, but at least 3
    singling        [{columns, unique, people, share, over, most}]: each column that is released as it is, then the
                    pairs that the verifier tells of; over: more than one in `limit`; most: more than half
    exposed         people whose exact value a label gives away: {people, range_ends, set_members, means, over}
    unjudged        sensitive columns without a model, though nobody said that they need none
    no_model        sensitive columns of which the job says so

Perturbed columns count as released as they are: what stands in the release tells its person from all others.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from kohort.certificate.described import described
from kohort.certificate.promises import not_promised
from kohort.core.uniques import Singling
from kohort.release.fit import unjudged_sensitive
from kohort.report.page.audience import FEWEST

if TYPE_CHECKING:
    from kohort.release import Job, Release
    from kohort.release.transactions import TransactionRelease
    from kohort.report import Json
    from kohort.report.page.audience import Reader
    from kohort.verify import Verdict


def verdict(release: Release, reader: Reader) -> dict[str, Json]:
    """The verdict; of the public only the names of the checks, for what they compared counts records."""
    found, job = release.verdict, release.job
    part = cast("dict[str, object]", json.loads(job.described()))
    chosen = found is None or found.data_dependent
    promised = [f"Every equivalence class satisfies {model.name}." for model in job.models]
    unpromised = not_promised(described(part), data_dependent=chosen)
    shared: dict[str, Json] = {"promised": [*promised], "not_promised": [*unpromised], **_judged(job)}
    if found is None:
        nothing: dict[str, Json] = {"verified": False, "sha256": None, "bytes": None, "checks": [], "singling": []}
        return nothing | dict.fromkeys(("data_dependent", "exposed", "standing")) | shared
    return {
        "verified": True,
        "sha256": found.sha256 or None,
        "bytes": found.checks.get("bytes"),
        "checks": [
            {"check": name, "count": count if reader.knows_all else None} for name, count in found.checks.items()
        ],
        "data_dependent": found.data_dependent,
        "standing": _standing(release, found),
        "singling": [_singled(one, release, reader) for one in found.singling],
        "exposed": _exposed(found, release, reader),
        **shared,
    }


def _judged(job: Job) -> dict[str, Json]:
    """Which sensitive columns no model is about, and by how many the others are measured."""
    return {"limit": _limit(job), "unjudged": [*unjudged_sensitive(job)], "no_model": [*job.no_model]}


def _limit(job: Job) -> int:
    """One in so many people may be singled out."""
    return max(job.k, FEWEST)


def _standing(release: Release, found: Verdict) -> str:
    """How far what is promised covers what is released."""
    job = release.job
    if unjudged_sensitive(job) or any(one.most for one in found.singling):
        return "bad"
    exposed = Singling((), found.exposed.people, _people(found))
    return "caution" if any(_over(one, job) for one in (*found.singling, exposed)) else "good"


def _over(one: Singling, job: Job) -> bool:
    return one.unique * _limit(job) > one.people


def _people(found: Verdict) -> int:
    """How many people the release is of; records, without a person key."""
    return found.records if found.people is None else found.people


def _singled(one: Singling, release: Release, reader: Reader) -> dict[str, Json]:
    """How many people a column or a pair singles out."""
    return {
        "columns": [*one.columns],
        "unique": reader.people(one.unique, one.people),
        "people": reader.exactly(one.people, release.table.records),
        "share": reader.part(one.unique, one.people),
        "over": _over(one, release.job),
        "most": one.most,
    }


def _exposed(found: Verdict, release: Release, reader: Reader) -> dict[str, Json]:
    """Whose value a label gives away."""
    people = _people(found)
    told = {name: reader.people(count, people) for name, count in asdict(found.exposed).items()}
    return {**told, "over": _over(Singling((), found.exposed.people, people), release.job)}


def certificate(release: Release | TransactionRelease) -> Json:
    """What ties the page to the published bytes; null while nothing is published."""
    if release.certificate is None or release.verdict is None or release.path is None:
        return None
    return {"name": release.certificate.name, "release": release.path.name, "sha256": release.verdict.sha256}
