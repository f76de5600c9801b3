"""Every attack gets near 1 where everything is open, and no further than its baseline where nothing is."""

from __future__ import annotations

import pytest

from kohort.assessment.risk.attacks import ATTACKS
from kohort.assessment.risk.attacks.controls import CONTROLS


def test_every_attack_has_controls() -> None:
    """There is a positive and a negative control of every attack."""
    assert tuple(CONTROLS) == tuple(ATTACKS)


@pytest.mark.parametrize("name", CONTROLS)
def test_positive_control(name: str) -> None:
    """On a table made for it the attack makes claims, nearly all are right, and many more than by guessing."""
    found = CONTROLS[name]().positive
    assert found.precision > 0.94
    assert found.claims > 0
    assert found.interval()[0] > 2 * found.baseline
    assert found.rate > (0.25 if name == "minimality" else 0.94)
    assert found.likely is None or found.likely < 0.01


@pytest.mark.parametrize("name", CONTROLS)
def test_negative_control(name: str) -> None:
    """On a table that gives nothing away the rate does not exceed the baseline beyond chance."""
    found = CONTROLS[name]().negative
    low, high = found.interval()
    assert low <= found.baseline <= high
    assert found.rate < 0.1
    assert found.likely is None or found.likely > 0.01
