"""kohort makes tables and transaction databases safe to release, proves it, and measures what it cost.

The public names are here and nothing else. All but the errors are fetched from their module on first
use, so that `import kohort` loads none of the libraries that the work itself needs.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from kohort.errors import (
    DurabilityError,
    FileError,
    HierarchyError,
    InfeasibleError,
    InputError,
    JobError,
    KohortError,
    LimitError,
    MissingExtraError,
    SchemaError,
    TargetError,
    UnsupportedError,
    UsageError,
    VerificationError,
)

__version__ = "0.1.0"

#: Public name -> the module that defines it.
_MODULES = MappingProxyType(
    {
        "Attribute": "kohort.schema",
        "BestEffort": "kohort.algorithms.best_effort",
        "Check": "kohort.checking",
        "Datafly": "kohort.algorithms.datafly",
        "Exhaustive": "kohort.algorithms.exhaustive",
        "GivenNode": "kohort.algorithms.given",
        "Hierarchy": "kohort.hierarchy",
        "Job": "kohort.release",
        "KAnonymity": "kohort.models.k_anonymity",
        "Label": "kohort.schema",
        "Missing": "kohort.schema",
        "Mondrian": "kohort.algorithms.mondrian",
        "Optimal": "kohort.algorithms.optimal",
        "Order": "kohort.schema",
        "ReadOptions": "kohort.io.options",
        "Release": "kohort.release",
        "Role": "kohort.schema",
        "Samarati": "kohort.algorithms.samarati",
        "Scale": "kohort.schema",
        "Schema": "kohort.schema",
        "SuppressionLimit": "kohort.suppression",
        "Verdict": "kohort.verify.verdict",
        "Writing": "kohort.release",
        "anonymize": "kohort.pipeline",
        "check": "kohort.checking",
        "read_hierarchy": "kohort.hierarchies.files",
        "rehearse": "kohort.pipeline",
        "save": "kohort.pipeline",
    }
)

__all__ = [
    "Attribute",
    "BestEffort",
    "Check",
    "Datafly",
    "DurabilityError",
    "Exhaustive",
    "FileError",
    "GivenNode",
    "Hierarchy",
    "HierarchyError",
    "InfeasibleError",
    "InputError",
    "Job",
    "JobError",
    "KAnonymity",
    "KohortError",
    "Label",
    "LimitError",
    "Missing",
    "MissingExtraError",
    "Mondrian",
    "Optimal",
    "Order",
    "ReadOptions",
    "Release",
    "Role",
    "Samarati",
    "Scale",
    "Schema",
    "SchemaError",
    "SuppressionLimit",
    "TargetError",
    "UnsupportedError",
    "UsageError",
    "Verdict",
    "VerificationError",
    "Writing",
    "anonymize",
    "check",
    "read_hierarchy",
    "rehearse",
    "save",
]

if TYPE_CHECKING:  # the same names as in _MODULES; a misspelt one is an error to type checkers too
    from kohort.algorithms.best_effort import BestEffort
    from kohort.algorithms.datafly import Datafly
    from kohort.algorithms.exhaustive import Exhaustive
    from kohort.algorithms.given import GivenNode
    from kohort.algorithms.mondrian import Mondrian
    from kohort.algorithms.optimal import Optimal
    from kohort.algorithms.samarati import Samarati
    from kohort.checking import Check, check
    from kohort.hierarchies.files import read_hierarchy
    from kohort.hierarchy import Hierarchy
    from kohort.io.options import ReadOptions
    from kohort.models.k_anonymity import KAnonymity
    from kohort.pipeline import anonymize, rehearse, save
    from kohort.release import Job, Release, Writing
    from kohort.schema import Attribute, Label, Missing, Order, Role, Scale, Schema
    from kohort.suppression import SuppressionLimit
    from kohort.verify.verdict import Verdict
else:

    def __getattr__(name: str) -> object:
        """The public `name`, from its own module."""
        if name not in _MODULES:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    """The public names, also those not fetched yet."""
    return [*__all__, "__version__"]
