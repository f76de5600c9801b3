"""Labels say what their regions hold, and lose what they may stand for; regions released alike are one class."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kohort.core.frequency import FrequencySet
from kohort.core.labels import labels_at
from kohort.core.recoding import FullDomain, Multidimensional, RegionClasses, classes_of, set_text
from kohort.schema import Attribute, Label, Role
from kohort.schema.domain import resolve
from kohort.schema.hierarchies import from_tree, intervals
from kohort.schema.hierarchy import Hierarchy
from tests.reference import labels as plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.schema.domain import Domain

INTEGERS = ("1", "2", "5", "9", "14", "-3")
DECIMALS = ("1.5", "1.50", "2", "0.25", "-1", "3.75", "-0.50")
AGES = tuple(map(str, range(16, 96, 7)))
#: Names that could be misread, in a set above all.
NASTY = ("a", "b, c", "{d}", '"e"', "(missing)", " f", "g ", "h\\i", "è", "-", "*", "j-k")
CITIES = ("Bari", "Lecce", "Milano", "Torino")

ALL_AGES = intervals(map(str, range(16, 96)), (5, 10, 20), low=16, high=95)
SOME_NUMBERS = Hierarchy.from_rows([(text, str(len(text)), "*") for text in INTEGERS])
#: Leaves that do not occur, and the name of a city for a region that holds another city too.
REGIONS = from_tree({"Nord": ["Torino", "Milano", "Aosta"], "Bari": ["Lecce", "Bari"], "Isole": ["Nuoro"]}, root="*")


def case(pool: Sequence[str], **parts: Any) -> tuple[Sequence[str], dict[str, Any]]:  # noqa: ANN401  an attribute's
    """Values to draw from, and what the schema says of them."""
    return pool, parts


CASES: Mapping[str, tuple[Sequence[str], dict[str, Any]]] = {
    "range": case(INTEGERS),
    "range of decimals": case(DECIMALS),
    "range in bounds": case(AGES, bounds=(16, 95)),
    "range in a hierarchy": case(AGES, bounds=(16, 95), hierarchy=ALL_AGES),
    "mean": case(INTEGERS, label="mean"),
    "mean of decimals": case(DECIMALS, label="mean"),
    "step": case(INTEGERS, grid=5),
    "step finer than values": case(INTEGERS, grid="2.5"),
    "step coarser than decimals": case(DECIMALS, grid=2, bounds=(-2, 8)),
    "cuts": case(AGES, grid=(0, 18, "64.5", 120)),
    "set of numbers": case(DECIMALS, label="set"),
    "set of numbers in bounds": case(AGES, label="set", bounds=(16, 95)),
    "set of numbers in a hierarchy": case(INTEGERS, label="set", hierarchy=SOME_NUMBERS),
    "ancestor of numbers": case(INTEGERS, label="ancestor", hierarchy=SOME_NUMBERS),
    "ancestor of ages": case(AGES, label="ancestor", hierarchy=ALL_AGES),
    "set": case(NASTY),
    "set of sorted names": case(NASTY, order="sorted"),
    "set in a hierarchy": case(CITIES, label="set", hierarchy=REGIONS),
    "range of names": case(CITIES, label="range"),
    "range of sorted names": case(CITIES, label="range", order="sorted"),
    "range of leaves": case(CITIES, label="range", hierarchy=REGIONS),
    "range of leaves by frequency": case(CITIES, label="range", hierarchy=REGIONS, order="frequency"),
    "ancestor": case(CITIES, hierarchy=REGIONS),
    "ancestor by frequency": case(CITIES, hierarchy=REGIONS, order="frequency"),
    "ancestor of sorted names": case(CITIES, hierarchy=REGIONS, order="sorted"),
}


class Regions:
    """One column, record by record, and the region of each record; as the package sees them, and plainly."""

    def __init__(self, attribute: Attribute, cells: Sequence[str], regions: Sequence[int]) -> None:
        """Count the records of each value in each region."""
        records = Counter(cells)
        self.domain, codes = resolve(attribute, list(records), np.array(list(records.values())), frozenset({""}))
        code = dict(zip(records, codes.tolist(), strict=True))
        pieces = Counter(zip((code[cell] for cell in cells), regions, strict=True))
        tuples = np.arange(len(pieces))
        quasi = np.array([[one] for one, _ in pieces], dtype=np.uint16)
        of, counts = np.array([region for _, region in pieces]), np.array(list(pieces.values()))
        inside = [quasi[of == region] for region in range(max(regions) + 1)]
        low, high = (np.array([end(codes) for codes in inside], dtype=np.uint16) for end in (_least, _greatest))
        self.recoding = Multidimensional(tuples, of, counts, low, high)
        self.frequency = FrequencySet(quasi, np.empty((tuples.size, 0), np.uint16), counts)
        numeric = self.domain.scale == "numeric"
        self.plainly = plain.Values(attribute, cells, numeric)
        self.inside = [
            [cell for cell, of in zip(cells, regions, strict=True) if of == region] for region in set(regions)
        ]

    def classes(self) -> RegionClasses:
        """As the package labels them."""
        return classes_of(self.recoding, self.frequency, (self.domain,))

    def released(self) -> list[plain.Released]:
        """As they are labelled plainly: texts that are equal stand for what the widest of them does."""
        labels = [plain.label(self.plainly, self.domain.label, inside) for inside in self.inside]
        if self.domain.label is Label.MEAN:
            return labels
        widest: defaultdict[str, Fraction] = defaultdict(Fraction)
        for label in labels:
            widest[label.text] = max(widest[label.text], label.loss)
        return [plain.Released(label.text, widest[label.text]) for label in labels]


def _least(codes: np.ndarray[Any, Any]) -> list[int]:
    return [int(codes.min())]


def _greatest(codes: np.ndarray[Any, Any]) -> list[int]:
    return [int(codes.max())]


def drawn(name: str, seed: int, *, missing: bool) -> Regions:
    """Some records of a case, in few regions."""
    pool, parts = CASES[name]
    draw = np.random.default_rng([seed, missing])
    records = int(draw.integers(1, 40))
    cells = draw.choice([*pool, *[""] * missing], records).tolist()
    regions = np.unique(draw.integers(0, int(draw.integers(1, 24)), records), return_inverse=True)[1].tolist()
    return Regions(Attribute("x", Role.QUASI, **parts), cells, regions)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_labels_and_losses_are_those_of_the_definition(name: str, *, missing: bool) -> None:
    """Each region's text, and its loss by counting the values that the text may stand for, are as computed plainly."""
    for seed in range(10):
        regions = drawn(name, seed, missing=missing)
        labels, expected = regions.classes().labels[0], regions.released()
        assert [labels.texts[text] for text in labels.of] == [one.text for one in expected]
        assert labels.losses.tolist() == pytest.approx([float(one.loss) for one in expected], abs=1e-12)
        assert sorted(set(labels.of.tolist())) == list(range(len(labels.texts)))
        assert len(set(labels.texts)) == len(labels.texts)


def test_every_kind_of_label_is_tried() -> None:
    """The cases reach every kind of label, for names and for numbers where both can have it."""
    kinds = {
        (domain.scale.value, domain.label.value) for domain in (drawn(name, 1, missing=True).domain for name in CASES)
    }
    assert kinds == {
        *(("numeric", kind) for kind in ("range", "set", "ancestor", "mean", "grid")),
        *(("categorical", kind) for kind in ("range", "set", "ancestor")),
    }


# ── What is printed ──────────────────────────────────────────────────────────────────────────────


def texts_of(cells: Sequence[Sequence[str]], **parts: Any) -> list[str]:  # noqa: ANN401  an attribute's
    """The label of each region, from the cells in it."""
    flat = [cell for inside in cells for cell in inside]
    of = [region for region, inside in enumerate(cells) for _ in inside]
    labels = Regions(Attribute("x", Role.QUASI, **parts), flat, of).classes().labels[0]
    return [labels.texts[text] for text in labels.of]


def test_labels_in_print() -> None:
    """Each kind of label as a reader sees it."""
    ages = [["31", "22"], ["40"], ["22", "65"]]
    assert texts_of(ages) == ["[22-31]", "40", "[22-65]"]
    assert texts_of(ages, grid=20) == ["[20-40)", "[40-60)", "[20-80)"]
    assert texts_of(ages, label="set") == ["{22, 31}", "40", "{22, 65}"]
    assert texts_of(ages, label="mean") == ["26.5", "40", "43.5"]
    assert texts_of(ages, hierarchy="intervals:0..99:50", label="ancestor") == ["[0-50)", "40", "*"]
    towns = [["Bari", "Lecce"], ["Nuoro"], ["Bari", "Torino"]]
    assert texts_of(towns) == ["{Bari, Lecce}", "Nuoro", "{Bari, Torino}"]
    assert texts_of(towns, label="range", order="sorted") == ["[Bari-Lecce]", "Nuoro", "[Bari-Torino]"]
    assert texts_of(towns, hierarchy=REGIONS) == ["Bari", "Nuoro", "*"]


def test_missing_values_in_print() -> None:
    """Alone the missing value is an empty cell; with numbers nothing is told; among names it is named."""
    ages = [["31", ""], ["", ""], ["31"]]
    for parts in ({}, {"label": "mean"}, {"label": "ancestor", "hierarchy": "suppress"}):
        wanted: dict[str, Any] = parts
        assert texts_of(ages, **wanted) == ["*", "", "31"]
    assert texts_of(ages, grid=5) == ["*", "", "[30-35)"]
    assert texts_of(ages, label="set") == ["{(missing), 31}", "", "31"]
    towns = [["Bari", ""], [""], ["Bari"]]
    assert texts_of(towns) == ["{(missing), Bari}", "", "Bari"]
    assert texts_of(towns, label="range", order="sorted") == ["[(missing)-Bari]", "", "Bari"]
    assert texts_of(towns, hierarchy=REGIONS) == ["*", "", "Bari"]


def test_a_mean_has_two_digits_more_than_the_values() -> None:
    """Means are exact to two further digits, ties upward, whatever the sign; without closing zeros."""
    assert texts_of([["1", "1", "2"], ["1", "2"], ["-1", "-1", "-2"]], label="mean") == ["1.33", "1.5", "-1.33"]
    assert texts_of([["0.1", "0.2", "0.2"], ["0.3"]], label="mean") == ["0.167", "0.3"]
    assert texts_of([["0"] * 199 + ["1"], ["0"] * 199 + ["-1"]], label="mean") == ["0.01", "0"]


def test_a_mean_of_immense_numbers_is_exact() -> None:
    """Neither the sum nor its hundredths overflow, and no float rounds them."""
    big = 2**61
    assert texts_of([[str(big), str(big + 1), str(big + 1)], ["5"]], label="mean") == [f"{big}.67", "5"]
    assert texts_of([[str(10**20), str(10**20 + 300)], ["7"]], label="mean") == [f"{10**20 + 150}", "7"]


def test_sets_quote_what_could_be_misread() -> None:
    """Members that hold a comma, a brace, a quote or outer blanks, or that look like a missing one, are quoted."""
    assert set_text(["b", "a, b", "(missing)", ""]) == '{(missing), "(missing)", "a, b", b}'
    assert set_text(["{a}", 'say "hi"', " c"]) == '{" c", "say \\"hi\\"", "{a}"}'
    assert set_text(["é", "z"]) == "{z, é}"
    assert set_text(["a, b"]) == "a, b"


def test_many_names_in_small_regions() -> None:
    """Sets are found where there are far more names than records in a region."""
    names = [f"town {place:02}" for place in range(40)]
    regions = [[name] for name in names] + [[names[0], names[39], names[0]]]
    assert texts_of(regions) == [*names, "{town 00, town 39}"]


# ── RegionClasses ──────────────────────────────────────────────────────────────────────────────────────


def test_regions_released_alike_are_one_class() -> None:
    """A class is the records with equal labels, however many regions they are in."""
    regions = Regions(
        Attribute("x", Role.QUASI, label=Label.MEAN), ["1", "3", "2", "2", "0", "4", "9"], [0, 0, 1, 1, 2, 2, 3]
    )
    classes = regions.classes()
    assert classes.of.tolist() == [0, 0, 0, 1]
    assert (classes.sizes.tolist(), classes.regions.tolist()) == ([6, 1], [2, 2, 2, 1])
    assert classes.first.tolist() == [0, 3]
    assert classes.labels[0].texts == ("2", "9")
    assert classes.labels[0].losses.tolist() == pytest.approx([2 / 9, 0, 4 / 9, 0])


def test_equal_labels_lose_alike() -> None:
    """A value that is also a node's name may stand for all that is below the node."""
    classes = Regions(Attribute("x", Role.QUASI, hierarchy=REGIONS), ["Bari", "Bari", "Lecce"], [0, 1, 1]).classes()
    assert classes.labels[0].texts == ("Bari",)
    assert classes.labels[0].losses.tolist() == [0.2, 0.2]
    assert classes.sizes.tolist() == [3]


def test_a_value_spelled_like_a_set_loses_as_much() -> None:
    """Where a value is printed as a set of others is, both are one label."""
    regions = Regions(Attribute("x", Role.QUASI, label=Label.SET), ["a", "b", "{a, b}", "{a, b}"], [0, 0, 1, 1])
    classes = regions.classes()
    assert classes.labels[0].texts == ("{a, b}",)
    assert classes.labels[0].losses.tolist() == [0.5, 0.5]
    assert classes.sizes.tolist() == [4]


def test_classes_need_all_labels_equal() -> None:
    """Regions that differ in one attribute are different classes."""
    x = Attribute("x", Role.QUASI)
    first = Regions(x, ["1", "1", "2"], [0, 1, 2])
    second = Regions(x, ["1", "2", "2"], [0, 1, 2])
    quasi = np.concatenate([one.frequency.quasi for one in (first, second)], axis=1).astype(np.uint16)
    frequency = FrequencySet(quasi, first.frequency.sensitive, first.frequency.counts)
    recoding = Multidimensional(first.recoding.tuples, first.recoding.regions, first.recoding.counts, quasi, quasi)
    assert classes_of(recoding, frequency, (first.domain, second.domain)).sizes.tolist() == [1, 1, 1]


@pytest.mark.parametrize("parts", [{}, {"label": "mean"}, {"grid": 5}, {"hierarchy": "suppress"}], ids=repr)
def test_a_domain_of_one_value_loses_nothing(parts: dict[str, Any]) -> None:
    """Where there is one value, no label can stand for another."""
    for value in ("7", "x") if not parts.get("grid") else ("7",):
        labels = Regions(Attribute("x", Role.QUASI, **parts), [value] * 3, [0, 0, 1]).classes().labels[0]
        assert labels.losses.tolist() == [0, 0]


def test_no_records_have_no_labels() -> None:
    """An empty table has no regions, no labels and no classes."""
    domains: list[Domain] = [
        resolve(Attribute("x", Role.QUASI, label=label), [], np.empty(0, np.int64), frozenset())[0]
        for label in (None, Label.RANGE)
    ]
    codes, nothing = np.empty((0, 2), np.uint16), np.empty(0, np.int64)
    frequency = FrequencySet(codes, codes[:, :0], nothing)
    classes = classes_of(Multidimensional(nothing, nothing, nothing, codes, codes), frequency, tuple(domains))
    assert [labels.texts for labels in classes.labels] == [(), ()]
    assert classes.sizes.size == 0


# ── Full-domain ──────────────────────────────────────────────────────────────────────────────────


def towns() -> Domain:
    """The domain of some cities, with a hierarchy of more leaves and a missing value."""
    cells = ["Bari", "Lecce", "Milano", "Torino", ""]
    counts = np.ones(5, np.int64)
    return resolve(Attribute("town", Role.QUASI, hierarchy=REGIONS), cells, counts, frozenset({""}))[0]


@pytest.mark.parametrize("level", range(3))
def test_labels_of_a_level_are_its_nodes(level: int) -> None:
    """Each node by its own label, used once; it loses what it covers of all leaves, those that never occur included."""
    domain = towns()
    hierarchy = domain.hierarchy
    assert hierarchy is not None
    nodes = np.array([len(hierarchy.labels[level]) - 1, 0, 0])
    labels = labels_at(domain, level, nodes)
    assert [labels.texts[of] for of in labels.of] == [hierarchy.labels[level][node] for node in nodes]
    assert len(labels.texts) == len(set(nodes.tolist()))
    leaves = len(hierarchy.leaves)
    assert leaves == 7
    under = [sum(int(of) == node for of in hierarchy.maps[level]) for node in nodes.tolist()]
    assert labels.losses.tolist() == [(one - 1) / (leaves - 1) for one in under]


def test_a_hierarchy_of_one_leaf_loses_nothing() -> None:
    """Where there is one value, its root stands for no other."""
    domain, _ = resolve(Attribute("x", Role.QUASI, hierarchy="suppress"), ["a"], np.array([3]), frozenset({""}))
    for level, text in ((0, "a"), (1, "*")):
        labels = labels_at(domain, level, np.zeros(2, np.int64))
        assert (list(labels.texts), labels.losses.tolist()) == ([text], [0, 0])


def test_full_domain_classes_leave_suppressed_records_out() -> None:
    """Classes are the regions of a node; tuples without a region are counted as suppressed."""
    domain = towns()
    hierarchy = domain.hierarchy
    assert hierarchy is not None
    quasi = np.array([[0], [2], [1], [4]], np.uint16)
    frequency = FrequencySet(quasi, np.empty((4, 0), np.uint16), np.array([5, 2, 1, 4]))
    nodes = hierarchy.maps[1][domain.leaves[[0, 2]]][:, np.newaxis]
    classes = classes_of(FullDomain((1,), nodes, np.array([0, 1, 0, -1])), frequency, (domain,))
    assert classes.sizes.tolist() == classes.regions.tolist() == [6, 2]
    assert classes.suppressed == 4
    assert [classes.labels[0].texts[of] for of in classes.labels[0].of] == ["Nord", "Bari"]
