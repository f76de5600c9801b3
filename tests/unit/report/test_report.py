"""The figures of a release are JSON that any reader takes."""

from __future__ import annotations

import json
from dataclasses import replace

import polars as pl

import kohort
from kohort.report.release import release_figures


def test_counts_beyond_any_integer_are_still_json() -> None:
    """A lattice of many columns has more nodes than 64 bits count, and than JSON's writers spell."""
    people = pl.DataFrame({"age": ["31", "45", "38"]})
    release = kohort.anonymize(people, kohort.Job.of(kohort.Schema.of(quasi=["age"]), kohort.KAnonymity(3)))
    huge = replace(release, trace={"few": 7, "many": 3**50, "more": 9**5000})
    assert json.loads(json.dumps(release_figures(huge).as_json()))["trace"] == {
        "few": 7,
        "many": float(3**50),
        "more": None,
    }
