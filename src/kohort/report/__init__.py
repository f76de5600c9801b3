"""A release in figures, and what people read of them: text for a terminal, a page, charts, entries of data catalogues.

Each module measures one thing and returns its figures, typed: `release`, `comparison`, `risk`, `attacks`, `perturbed`,
`transactions`. `as_json` of any figures is what `--json` prints. `kohort.report.page` makes the figures of a page, and
`kohort.report.render` writes figures for people.
"""

from __future__ import annotations

from typing import TypeAlias

#: What JSON can say.
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
