"""Python values in the place of a job file's."""

from __future__ import annotations

from pathlib import Path

from kohort.job.codec import plain


def test_a_path_is_its_text() -> None:
    """A hierarchy's file, say, may be given as a path."""
    assert plain({"city": Path("city.json")}) == {"city": "city.json"}
