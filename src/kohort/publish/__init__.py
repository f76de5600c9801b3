"""Publish a release: every byte verified before anyone can see it, and all of its files or none."""

from __future__ import annotations

from kohort.publish.commit import Companion, check_target, publish
from kohort.publish.files import TemporaryFile

__all__ = ["Companion", "TemporaryFile", "check_target", "publish"]
