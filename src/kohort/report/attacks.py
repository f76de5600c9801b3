"""Attacks on a release, tried by those who know its input's quasi-identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.assessment.risk.attacks import Outcome
    from kohort.release import Release


def attacked(release: Release, names: Sequence[str] = ()) -> tuple[Outcome, ...]:
    """What the attacks called `names`, or all, find in a release, and in their controls."""
    from kohort.assessment.risk.attacks import Evidence, attacks, refuse_unknown  # noqa: PLC0415  only where some are tried
    from kohort.assessment.risk.attacks.controls import controlled  # noqa: PLC0415  as above

    refuse_unknown(names)
    if not release.table.records:
        return ()
    schema = release.job.schema
    quasi, sensitive = (tuple(one.name for one in part) for part in (schema.quasi, schema.sensitive))
    evidence = Evidence(release.table, quasi, sensitive, original=release.source, schema=release.job.of_people)
    return controlled(attacks(evidence, names))
