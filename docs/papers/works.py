"""The page: its sections in their order, taken from the works again or from the page as it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from docs.classics import filled
from docs.papers import averages, coherence, examples, register, samarati

if TYPE_CHECKING:
    from docs.papers.workbench import Work, Workbench

DOCS: Final = Path(__file__).parents[1]
PAGE: Final = DOCS / "papers.md"

WORKS: Final = (samarati.WORK, register.WORK, averages.WORK, *coherence.WORKS, examples.WORK)

HEAD: Final = """
# The papers, re-run

kohort stands on five works and on the papers behind them. This page sets the figures that they print beside those that
kohort computes, and says in one line why they differ. One command writes the page and its pictures:

```text
$ KOHORT_DATA=your-folder python -m docs.papers
```

Without `KOHORT_DATA` it renews the sections that need no public data, and keeps the others. The figures of a section
come from the commands that it shows, typed in this order; Adult and Connect are files that we may not redistribute.

**Where the printed figures come from.** We do not have the works at hand, and no figure here is guessed. A figure is
called printed only where the project's rules (`semantics.md`, which the tests cite) or its tests record it. They know
the five works by what is in them, not by their titles: each has a section, and the last one is for the papers behind
them. Each section ends with what could not be had. Two of the works are programs with known faults: where our sources
record a fault, the figures are derived again with it, in separate plain code, so that both can be compared.
"""


def page(sections: dict[str, str]) -> str:
    """The page of these sections, by their works' titles."""
    return "\n".join([_filled(HEAD), *(sections[work.title] for work in WORKS)])


def sections_of(text: str) -> dict[str, str]:
    """The sections of a page, by title."""
    parts = text.split("\n## ")[1:]
    return {part.partition("\n")[0]: f"## {part.strip()}\n" for part in parts}


def written(work: Work, bench: Workbench) -> str:
    """A section as it stands on the page."""
    return _filled(work.text(bench))


def _filled(text: str) -> str:
    """Running text in lines of equal length; tables, blocks and pictures as they are."""
    return "\n\n".join(map(filled, text.strip().split("\n\n"))) + "\n"
