"""Sensitive values: what counts as one, in which order they stand, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from kohort.errors import HierarchyError, InputError
from kohort.schema import Attribute, Missing, Role, Scale
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.sensitive import resolve

NONE = frozenset({"", "n/a"})
ILLNESS = Attribute("illness", Role.SENSITIVE)


def resolved(attribute: Attribute, *values: str | None) -> tuple[list[int], list[int]]:
    """The records with each value, one of each text, and the code of each text."""
    domain, codes = resolve(attribute, values, np.ones(len(values), np.int64), NONE)
    return domain.reference.tolist(), codes.tolist()


def test_spellings_are_one_value() -> None:
    """Texts that differ in case, width or blanks are one value; the values stand in the order of their text."""
    assert resolved(ILLNESS, "HIV", "hiv", " Hiv ", "\uff28\uff29\uff36", "flu") == ([1, 4], [1, 1, 1, 1, 0])


def test_equal_numbers_are_one_value() -> None:
    """Numbers stand in their own order, and two texts of one number are one value."""
    domain, codes = resolve(Attribute("income", Role.SENSITIVE), ["9", "10", "9.0"], np.array([1, 1, 1]), NONE)
    assert domain.numeric
    assert codes.tolist() == [0, 1, 0]


def test_numbers_are_kept_behind_the_values() -> None:
    """As whole numbers with as many digits after the point, by code, also in a hierarchy's order; texts have none."""
    values = ["9", "10.25", "-1", "9.0"]
    domain, codes = resolve(Attribute("income", Role.SENSITIVE), values, np.ones(4, np.int64), NONE)
    assert domain.numbers is not None
    assert (domain.numbers.tolist(), domain.digits, codes.tolist()) == ([-100, 900, 1025], 2, [1, 2, 0, 1])
    assert "1025" not in repr(domain)  # they are values of records
    rows = (("9", "odd", "*"), ("-1", "odd", "*"), ("10.25", "even", "*"))
    turned, codes = resolve(
        Attribute("income", Role.SENSITIVE, hierarchy=Hierarchy.from_rows(rows)), values[:3], np.ones(3, np.int64), NONE
    )
    assert turned.numbers is not None
    assert (turned.numbers.tolist(), codes.tolist()) == ([900, -100, 1025], [0, 2, 1])
    large, _ = resolve(Attribute("id", Role.SENSITIVE), ["1", str(2**70)], np.ones(2, np.int64), NONE)
    assert large.numbers is not None
    assert large.numbers.tolist() == [1, 2**70]
    assert resolve(ILLNESS, ["flu"], np.array([1]), NONE)[0].numbers is None


def test_equal_numbers_are_one_value_among_texts() -> None:
    """One word, or one number with a leading zero, does not make two values of two texts of a number elsewhere."""
    assert resolved(ILLNESS, "1.5", "1.50", "unknown") == ([2, 1], [0, 0, 1])
    assert resolved(ILLNESS, "1", "1.0", "01", "\uff11", " 1.00") == ([1, 4], [1, 1, 0, 1, 1])


def test_what_looks_like_numbers_may_be_names() -> None:
    """Where the schema says categorical, texts of one number are two values, in the order of their text."""
    domain, codes = resolve(
        Attribute("code", Role.SENSITIVE, Scale.CATEGORICAL), ["9", "10", "9.0"], np.array([1, 1, 1]), NONE
    )
    assert not domain.numeric
    assert codes.tolist() == [1, 0, 2]


def test_a_missing_value_is_none() -> None:
    """Null, the empty cell and declared tokens have the code after all values, and are counted nowhere."""
    assert resolved(ILLNESS, None, "flu", "", "n/a") == ([1], [1, 0, 1, 1])
    assert resolved(ILLNESS, None) == ([], [0])


def test_blanks_and_other_spellings_of_a_missing_value_are_none() -> None:
    """What a reader takes for an empty cell or for a declared token adds nothing to diversity."""
    assert resolved(ILLNESS, "flu", " ", "\u200b", "\u00a0", "N/A ", "\uff2e/a") == ([1], [0, 1, 1, 1, 1, 1])
    assert resolved(Attribute("income", Role.SENSITIVE), "9", " ", "10") == ([1, 1], [0, 2, 1])


def test_missing_values_may_be_refused() -> None:
    """Where the schema refuses missing values, their records are counted."""
    with pytest.raises(InputError, match="2 records have no value") as caught:
        resolved(Attribute("illness", Role.SENSITIVE, missing=Missing.REFUSE), None, "flu", "")
    assert caught.value.where == "column illness"


def test_numbers_must_be_numbers_where_the_schema_says_so() -> None:
    """A declared number that is none is counted, and not repeated."""
    with pytest.raises(InputError, match=r"1 value \(1 record\) is not a decimal") as caught:
        resolved(Attribute("income", Role.SENSITIVE, Scale.NUMERIC), "1", "about ten")
    assert "about" not in str(caught.value)


def test_values_follow_the_leaves_of_their_hierarchy() -> None:
    """With a hierarchy the values stand in the order of its leaves, each with its node on every level but the root."""
    tree = Hierarchy.from_rows([["ulcer", "stomach", "*"], ["flu", "lungs", "*"], ["gastritis", "stomach", "*"]])
    attribute = Attribute("illness", Role.SENSITIVE, hierarchy=tree)
    domain, codes = resolve(attribute, ["flu", "ulcer", "gastritis"], np.array([5, 3, 1]), NONE)
    assert domain.reference.tolist() == [3, 1, 5]
    assert codes.tolist() == [2, 0, 1]
    assert [level.tolist() for level in domain.levels] == [[0, 1, 2], [0, 0, 1]]


def test_spellings_at_two_leaves_are_the_value_of_the_first() -> None:
    """A value that the hierarchy lists in two spellings stands where the first of them does."""
    tree = Hierarchy.from_rows([["flu", "lungs", "*"], ["ulcer", "stomach", "*"], ["Flu", "other", "*"]])
    domain, codes = resolve(
        Attribute("illness", Role.SENSITIVE, hierarchy=tree), ["Flu", "ulcer", "flu"], np.array([1, 1, 1]), NONE
    )
    assert codes.tolist() == [0, 1, 0]
    assert [level.tolist() for level in domain.levels] == [[0, 1], [0, 1]]


def test_a_hierarchy_may_be_built_over_the_values() -> None:
    """A builder's text is run over the observed values."""
    domain, codes = resolve(
        Attribute("icd", Role.SENSITIVE, hierarchy="mask:right"), ["A1", "B2", "A3"], np.array([1, 1, 1]), NONE
    )
    assert codes.tolist() == [0, 2, 1]
    assert [level.tolist() for level in domain.levels] == [[0, 1, 2], [0, 0, 1]]


def test_values_that_are_no_leaf_are_counted() -> None:
    """Values that the hierarchy does not know are counted, and not repeated."""
    tree = Hierarchy.from_rows([["flu", "*"]])
    with pytest.raises(HierarchyError, match=r"1 value \(4 records\) is missing from the hierarchy") as caught:
        resolve(Attribute("illness", Role.SENSITIVE, hierarchy=tree), ["flu", "gout"], np.array([1, 4]), NONE)
    assert "gout" not in str(caught.value)
