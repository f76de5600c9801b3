"""The published and the newer ways of suppression, by their names."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kohort.transactions.cells import LocalSuppression
from kohort.transactions.optimum import Optimum
from kohort.transactions.suppression import Greedy, Score

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The methods, each as it is where nothing more is said: the scores, then what goes beyond the paper.
METHODS: Final[Mapping[str, Greedy | Optimum | LocalSuppression]] = MappingProxyType(
    {
        "mmil": Greedy(score=Score.MMIL),
        "mm": Greedy(score=Score.MM),
        "1il": Greedy(score=Score.ONE_IL),
        "all": Greedy(score=Score.ALL),
        "give-back": Greedy(give_back=True),
        "optimal": Optimum(),
        "cells": LocalSuppression(),
    }
)
