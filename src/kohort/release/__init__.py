"""A job, and the release that came of it."""

from __future__ import annotations

from kohort.release.job import Job, Writing, plain
from kohort.release.release import Release

__all__ = ["Job", "Release", "Writing", "plain"]
