"""What the steward says of each column: its role, its scale, and how a quasi-identifier may be generalized."""

from __future__ import annotations

from kohort.schema.attribute import Attribute, Grid, Label, Missing, Order, Role, Scale, names_in
from kohort.schema.schema import Schema

__all__ = ["Attribute", "Grid", "Label", "Missing", "Order", "Role", "Scale", "Schema", "names_in"]
