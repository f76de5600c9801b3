"""The command line: arguments in, exit status out."""

from __future__ import annotations

from kohort.cli.program import INTERNAL, app, main

__all__ = ["INTERNAL", "app", "main"]
