"""Publish a release: every byte verified before anyone can see it, and all of its files or none."""

from __future__ import annotations

from kohort.publish.commit import Companion, check_target, publish
from kohort.publish.files import TemporaryFile
from kohort.publish.tables import check_table, publish_table

__all__ = ["Companion", "TemporaryFile", "check_table", "check_target", "publish", "publish_table"]
