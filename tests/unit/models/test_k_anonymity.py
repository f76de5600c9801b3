"""k-anonymity asks for classes of k records, and for nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kohort.core.frequency import ClassProfile, Histogram
from kohort.errors import UsageError
from kohort.models.k_anonymity import KAnonymity
from kohort.schema.sensitive import SensitiveDomain


@pytest.mark.parametrize("k", [0, -3, 1, 1.5, "5", True, None, float("nan"), 1e99], ids=repr)
def test_what_is_no_k_is_refused(k: Any) -> None:  # noqa: ANN401  anything at all
    """An integer of at least 2 is a k; 1 would promise nothing."""
    with pytest.raises(UsageError, match="k must be an integer of at least 2"):
        KAnonymity(k)


def test_classes_of_k_records_satisfy() -> None:
    """A class satisfies exactly if it has at least k records, whatever is sensitive in it."""
    model = KAnonymity(3)
    assert model.satisfied(ClassProfile(np.array([1, 2, 3, 4]))).tolist() == [False, False, True, True]
    assert model.satisfied(
        ClassProfile(np.array([3]), (Histogram(SensitiveDomain("s", np.array([3, 1])), np.array([[3, 0]])),))
    ).tolist() == [True]
    assert model.satisfied(ClassProfile(np.empty(0, np.int64))).size == 0


def test_what_it_declares() -> None:
    """Search may rely on sizes alone and on both monotonicities; it looks at nothing sensitive."""
    model = KAnonymity(10)
    assert (model.name, model.declared.smallest_class, model.declared.sensitive) == ("10-anonymity", 10, None)
    assert model.declared.size_only
    assert model.declared.monotone_generalization
    assert model.declared.monotone_suppression
    assert KAnonymity(10) == model
