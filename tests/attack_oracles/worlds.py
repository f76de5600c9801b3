"""The worlds that the oracles look at: every algorithm, with every kind of label."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from kohort.algorithms.lattice.datafly import Datafly
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.local import LocalRecoding
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.samarati import Samarati
from kohort.algorithms.lattice.suppress_cells import SuppressCells
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import Ordered
from kohort.algorithms.mondrian.top_down import TopDown
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.k_anonymity import KAnonymity
from kohort.schema import Attribute, Label, Role
from kohort.schema.hierarchies import suppress
from kohort.schema.hierarchy import Hierarchy
from tests.attack_oracles.toy import World

if TYPE_CHECKING:
    from kohort.algorithms.problem import Algorithm
    from kohort.models.base import PrivacyModel

#: Four ages, two in each cell of a grid of 10 and below each node of the hierarchy; and two cities.
AGES = ("20", "25", "30", "35")
CITIES = ("Bari", "Nuoro")

DECADES = Hierarchy.from_rows([[age, f"{age[0]}0s", "*"] for age in AGES])
PLACES = Hierarchy.from_rows([[city, "*"] for city in CITIES])

#: How ages are released, by the name of the label.
LABELS = {
    "range": Attribute("age", Role.QUASI),
    "set": Attribute("age", Role.QUASI, label=Label.SET),
    "ancestor": Attribute("age", Role.QUASI, hierarchy=DECADES, label=Label.ANCESTOR),
    "grid": Attribute("age", Role.QUASI, grid=Fraction(10)),
}

#: One illness may be that of half of a class: the promise is 1/l for l = 2.
HALF = AlphaKAnonymity("illness", Fraction(1, 2), 2)

MONDRIANS: dict[str, Algorithm] = {
    "mondrian": Mondrian(),
    "mondrian, median": Mondrian("median"),
    "mondrian-relaxed": Mondrian(relaxed=True),
    "mondrian-relaxed, median": Mondrian("median", relaxed=True),
    "mondrian, loss": Mondrian("loss"),
    "mondrian-relaxed, loss": Mondrian("loss", relaxed=True),
    "ordered": Ordered(),
    "top-down": TopDown(),
}

LATTICES: dict[str, Algorithm] = {"samarati": Samarati(), "optimal": Optimal(), "datafly": Datafly()}

#: The control: the node is chosen before there are data.
GIVEN: Algorithm = GivenNode((1,))
#: What releases nodes, or single cells, class by class.
LOCALS: dict[str, Algorithm] = {
    "optimal-local": LocalRecoding(Optimal()),
    "suppress-cells": SuppressCells(),
    "suppress-cells-optimal": SuppressCells(proven=True),
}

#: Methods that release ages as they are or not at all.
BY_CELL = ("suppress-cells", "suppress-cells-optimal")

#: Ages as they are or not at all.
CELLS = Attribute("age", Role.QUASI, hierarchy=suppress(AGES), label=Label.ANCESTOR)


def world(how: str, label: str, *models: PrivacyModel, cities: bool = False) -> World:
    """The world of an algorithm and a kind of label, of ages alone or with cities."""
    algorithm = (MONDRIANS | LATTICES | LOCALS)[how]
    age = CELLS if how in BY_CELL else LABELS[label]
    city = Attribute("city", Role.QUASI, hierarchy=PLACES)
    attributes = (age, city) if cities else (age,)
    values = (AGES, CITIES) if cities else (AGES,)
    return World(f"{how}, {label}", attributes, values, algorithm, models or (KAnonymity(2),))


def every_way() -> list[tuple[str, str]]:
    """Every algorithm with every label that it can have."""
    return [(how, label) for how in MONDRIANS for label in LABELS] + [(how, "ancestor") for how in LATTICES | LOCALS]
