"""The certificate of a release in the words of data catalogues: one file for each vocabulary.

Each turns a `Dataset`, which holds names and counts and no record's value, into a JSON document. In another package it
is the same function, and an entry point in the group `kohort.metadata`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Every vocabulary by its name on the command line.
PLUGINS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "frictionless": "kohort.report.metadata.frictionless:frictionless",
        "croissant": "kohort.report.metadata.croissant:croissant",
        "dcat": "kohort.report.metadata.dcat:dcat",
    }
)
