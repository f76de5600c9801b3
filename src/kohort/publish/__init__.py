"""Publish a release: every byte verified before anyone can see it, and all of its files or none."""

from __future__ import annotations

from kohort.publish.commit import Companion, check_target, publish
from kohort.publish.drafts import Draft

__all__ = ["Companion", "Draft", "check_target", "publish"]
