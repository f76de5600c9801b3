"""Builders, readers and renderers of generalization hierarchies.

| you have | take |
|---|---|
| a CSV or JSON file | `read_hierarchy` |
| rows, edges or a nested object in Python | `Hierarchy.from_rows`, `from_edges`, `from_tree` |
| numbers | `intervals`, `cuts` |
| codes of one length | `mask` |
| codes of any length | `prefix`, `suffix` |
| dates | `dates` |
| values in an order | `groups` |
| many rare values | `frequent` |
| names and other columns that tell them apart | `alike` |
| countries, US states, education, marital status, ICD-10, … | `public` |
| spellings of one thing | `spelled` |
| nothing of the kind | `suppress` |

A builder takes the attribute's values: its declared domain, or what a column holds. It takes each value once, and
a missing value is none of them: add it afterwards by `with_missing`. What cannot be placed is an error that counts it.
"""

from __future__ import annotations

from kohort.schema.hierarchies.files import (
    HeldFile,
    file_of,
    held_file,
    read_held,
    read_hierarchy,
)
from kohort.schema.hierarchies.intervals import cuts, intervals
from kohort.schema.hierarchies.likeness import alike
from kohort.schema.hierarchies.prefixes import prefix, suffix
from kohort.schema.hierarchies.public import TREES, known_as, known_codes, known_words, public, titles
from kohort.schema.hierarchies.sets import dates, frequent, groups, mask, suppress, with_missing
from kohort.schema.hierarchies.spec import from_spec, is_builder
from kohort.schema.hierarchies.spelling import spelled, spellings
from kohort.schema.hierarchies.tree import from_edges, from_tree, to_tree
from kohort.schema.hierarchies.view import Level, findings, levels, show

__all__ = [
    "TREES",
    "HeldFile",
    "Level",
    "alike",
    "cuts",
    "dates",
    "file_of",
    "findings",
    "frequent",
    "from_edges",
    "from_spec",
    "from_tree",
    "groups",
    "held_file",
    "intervals",
    "is_builder",
    "known_as",
    "known_codes",
    "known_words",
    "levels",
    "mask",
    "prefix",
    "public",
    "read_held",
    "read_hierarchy",
    "show",
    "spelled",
    "spellings",
    "suffix",
    "suppress",
    "titles",
    "to_tree",
    "with_missing",
]
