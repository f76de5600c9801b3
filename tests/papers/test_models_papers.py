"""The example tables of the papers on l-diversity and t-closeness, class by class, with the figures that they print.

Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-Diversity: Privacy beyond k-Anonymity (TKDD 2007), figures 1 to 3
and section 4. Li, Li, Venkatasubramanian: t-Closeness: Privacy Beyond k-Anonymity and l-Diversity (ICDE 2007), tables 3
to 5 and section 5. And what neither says: under a suppression limit, both models are not monotone.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.core.frequency import ClassProfile, FrequencySet, profile
from kohort.models.base import satisfied_jointly
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from kohort.models.t_closeness import TCloseness
from kohort.schema import Attribute, Role
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.sensitive import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.models.base import PrivacyModel


def classes(of: Sequence[Sequence[str]], hierarchy: Hierarchy | None = None) -> ClassProfile:
    """The profile of classes that are written as their records' sensitive values."""
    values = [value for records in of for value in records]
    domain, codes = resolve(
        Attribute("s", Role.SENSITIVE, hierarchy=hierarchy), values, np.ones(len(values), np.int64), frozenset({""})
    )
    class_of = np.repeat(np.arange(len(of)), [len(records) for records in of])
    tuples = np.empty((len(values), 0), np.uint16), codes[:, None].astype(np.uint16)
    return profile(FrequencySet(*tuples, np.ones(len(values), np.int64), (domain,)), class_of, len(of))


def judged(model: PrivacyModel, of: ClassProfile) -> list[bool]:
    """Which classes satisfy."""
    return [bool(passes) for passes in model.satisfied(of)]


#: Figure 2: 4-anonymous, and everybody in his thirties has cancer.
FOUR_ANONYMOUS = classes(
    [
        ["Heart Disease", "Heart Disease", "Viral Infection", "Viral Infection"],
        ["Cancer", "Heart Disease", "Viral Infection", "Viral Infection"],
        ["Cancer", "Cancer", "Cancer", "Cancer"],
    ]
)

#: Figure 3: the same people in classes of three diseases each.
THREE_DIVERSE = classes(
    [
        ["Heart Disease", "Viral Infection", "Cancer", "Cancer"],
        ["Cancer", "Heart Disease", "Viral Infection", "Viral Infection"],
        ["Heart Disease", "Viral Infection", "Cancer", "Cancer"],
    ]
)


def test_four_anonymity_lets_everybody_have_cancer() -> None:
    """Figure 2 is 4-anonymous and, for its last class, diverse in no sense at all."""
    assert judged(KAnonymity(4), FOUR_ANONYMOUS) == [True, True, True]
    assert judged(DistinctLDiversity("s", 2), FOUR_ANONYMOUS) == [True, True, False]
    assert judged(EntropyLDiversity("s", Fraction(2)), FOUR_ANONYMOUS) == [True, True, False]
    assert judged(RecursiveLDiversity("s", Fraction(3), 2), FOUR_ANONYMOUS) == [True, True, False]


def test_three_diverse_table() -> None:
    """Figure 3 is 3-diverse by its values; by entropy it is 2.8-diverse, for 2**1.5 = 2.828."""
    assert satisfied_jointly(DistinctLDiversity("s", 3), THREE_DIVERSE)
    assert not satisfied_jointly(DistinctLDiversity("s", 4), THREE_DIVERSE)
    assert satisfied_jointly(EntropyLDiversity("s", Fraction("2.8")), THREE_DIVERSE)
    assert judged(EntropyLDiversity("s", Fraction("2.83")), THREE_DIVERSE) == [False, False, False]


def test_recursive_diversity_is_strict() -> None:
    """In figure 3, r = (2, 1, 1): 2 < c (1 + 1) for c above 1, and 2 < c 1 for c above 2."""
    for c, least in ((1, 2), (2, 3)):
        assert judged(RecursiveLDiversity("s", Fraction(c), least), THREE_DIVERSE) == [False, False, False]
        assert judged(RecursiveLDiversity("s", Fraction(101 * c, 100), least), THREE_DIVERSE) == [True, True, True]


#: Section 5.2: salaries of 3,000 to 11,000; the classes {3, 4, 5} and {6, 8, 11}, and who is left.
SALARIES = classes([["3", "4", "5"], ["6", "8", "11"], ["7", "9", "10"]])

#: Table 5: the same people in other classes.
CLOSE_SALARIES = classes([["3", "5", "9"], ["6", "11", "8"], ["4", "7", "10"]])


def test_salaries_of_one_class_are_low() -> None:
    """D[P1, Q] = 0.375 and D[P2, Q] = 0.167 by the ordered distance, which numbers get by themselves."""
    exact = [Fraction(3, 8), Fraction(1, 6)]
    for place, t in enumerate(exact):
        assert judged(TCloseness("s", Fraction(str(round(float(t), 3)))), SALARIES)[place]
        assert not judged(TCloseness("s", t - Fraction(1, 10**6)), SALARIES)[place]
    assert judged(TCloseness("s", exact[0], "equal"), SALARIES) == [False, False, False]


#: Figure 1: the hierarchy of diseases.
DISEASES = Hierarchy.from_rows(
    [
        [leaf, organ, system, "respiratory and digestive system diseases"]
        for system, organs in {
            "respiratory system diseases": {
                "respiratory infection": ["flu", "pneumonia", "bronchitis"],
                "vascular lung diseases": ["pulmonary edema", "pulmonary embolism"],
            },
            "digestive system diseases": {
                "stomach diseases": ["gastric ulcer", "stomach cancer", "gastritis"],
                "colon diseases": ["colitis", "colon cancer"],
            },
        }.items()
        for organ, leaves in organs.items()
        for leaf in leaves
    ]
)


@pytest.mark.parametrize(
    ("other", "apart"),
    [("bronchitis", Fraction(1, 3)), ("pulmonary embolism", Fraction(2, 3)), ("stomach cancer", Fraction(1))],
)
def test_diseases_are_apart_by_their_common_ancestor(other: str, apart: Fraction) -> None:
    """Flu is 1/3 from bronchitis, 2/3 from pulmonary embolism and 1 from stomach cancer: of two, half moves so far."""
    pair = classes([["flu"], [other]], DISEASES)
    assert judged(TCloseness("s", apart / 2), pair) == [True, True]
    assert judged(TCloseness("s", apart / 2 - Fraction(1, 10**6)), pair) == [False, False]


#: The diseases of the same classes.
CLOSE_DISEASES = classes(
    [
        ["gastric ulcer", "stomach cancer", "pneumonia"],
        ["gastritis", "flu", "bronchitis"],
        ["gastritis", "bronchitis", "stomach cancer"],
    ],
    DISEASES,
)


def test_close_table() -> None:
    """Table 5 has 0.167-closeness of salary, which table 3 has not."""
    assert satisfied_jointly(TCloseness("s", Fraction("0.167")), CLOSE_SALARIES)
    assert not satisfied_jointly(TCloseness("s", Fraction("0.166")), CLOSE_SALARIES)
    assert not satisfied_jointly(TCloseness("s", Fraction("0.167")), SALARIES)


def test_hierarchical_distance_by_the_formula_of_the_paper() -> None:
    """Section 5.3 sums, over inner nodes, height times the lesser of what its children have too much and too little.

    Of {gastritis, flu, bronchitis}, in ninths: the root moves 2 for 1, the stomach and the infections 1 for 1/3 each.
    """
    moved = (2 + Fraction(1, 3) + Fraction(1, 3)) / 9
    assert judged(TCloseness("s", moved), CLOSE_DISEASES) == [True, True, True]
    assert judged(TCloseness("s", moved - Fraction(1, 10**6)), CLOSE_DISEASES) == [True, False, True]


#: Records of a table by two nodes of a lattice: the class at the lower, the class at the upper, the disease.
LOWER_AND_UPPER = [
    ("2300", "23**", "flu"),
    ("2300", "23**", "HIV"),
    ("2311", "23**", "flu"),
    ("4100", "41**", "HIV"),
]


@pytest.mark.parametrize(
    "model",
    [
        TCloseness("s", Fraction(1, 10), "equal"),
        EntropyLDiversity("s", Fraction(2)),
        RecursiveLDiversity("s", Fraction(3, 2), 2),
    ],
    ids=lambda model: model.name,
)
def test_generalizing_may_make_more_records_fail(model: PrivacyModel) -> None:
    """With two records to be suppressed, the lower node is a release and the upper one, above it, is not.

    At the lower node the two people of 2300 are as the table; those who fail are one and one. Above, somebody with flu
    joins them, all three fail, and so does the fourth. No search may conclude from the one node on the other.
    """
    failing: list[int] = []
    for node in (0, 1):
        places = sorted({record[node] for record in LOWER_AND_UPPER})
        of = classes([[record[2] for record in LOWER_AND_UPPER if record[node] == place] for place in places])
        failing.append(int(of.sizes[~model.satisfied(of)].sum()))
    assert failing == [2, 4]
    assert not model.declared.monotone_suppression
