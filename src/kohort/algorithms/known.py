"""The methods there are: kohort's own, and those of other packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from kohort.algorithms import PLUGINS
from kohort.specification import plugins

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.algorithms.method import Method

#: The methods by their names on the command line and in a job file.
METHODS: Final = cast("Mapping[str, Method]", plugins("kohort.algorithms", PLUGINS))
