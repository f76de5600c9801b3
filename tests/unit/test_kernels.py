"""Compiled loops where no machine code can be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba

from kohort.kernels import kernel

if TYPE_CHECKING:
    import pytest


def test_without_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no folder can be written to, a loop is compiled for this run alone."""
    asked: list[bool] = []

    def as_it_is(loop: object) -> object:
        return loop

    def njit(*, cache: bool, **_: object) -> Any:  # noqa: ANN401  as Numba's
        asked.append(cache)
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return as_it_is

    monkeypatch.setattr(numba, "njit", njit)

    def double(number: int) -> int:
        return 2 * number

    assert kernel(double)(21) == 42
    assert asked == [True, False]
