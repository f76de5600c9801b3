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
        "Role": "kohort.schema",
        "Scale": "kohort.schema",
        "Schema": "kohort.schema",
    }
)

__all__ = [
    "Attribute",
    "DurabilityError",
    "FileError",
    "HierarchyError",
    "InfeasibleError",
    "InputError",
    "JobError",
    "KohortError",
    "LimitError",
    "MissingExtraError",
    "Role",
    "Scale",
    "Schema",
    "SchemaError",
    "TargetError",
    "UnsupportedError",
    "UsageError",
    "VerificationError",
]

if TYPE_CHECKING:  # the same names as in _MODULES; a misspelt one is an error to type checkers too
    from kohort.schema import Attribute, Role, Scale, Schema
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
