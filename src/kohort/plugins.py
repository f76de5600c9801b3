"""Plug-ins of other packages: found by entry points, and added to kohort's own."""

from __future__ import annotations

from importlib.metadata import entry_points
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kohort.specification import Specification


class Described(Protocol):
    """A plug-in: whatever has a specification."""

    @property
    def specification(self) -> Specification:
        """What is said of it."""
        ...


P = TypeVar("P", bound=Described)


def by_key(own: Iterable[P], group: str) -> Mapping[str, P]:
    """Kohort's own plug-ins and those that other packages offer in an entry-point group, by their keys.

    Args:
        own: Kohort's own, in the order in which they are listed everywhere.
        group: The group, such as `kohort.metrics`; each entry point is a plug-in itself.

    Raises:
        UsageError: Two plug-ins have the same key.
    """
    found = {one.specification.key: one for one in own}
    for point in sorted(entry_points(group=group)):
        plugin = cast("P", point.load())
        key = plugin.specification.key
        if key in found:
            raise UsageError(f"two plug-ins are called {key}", where=f"{group}: {point.value}", hint="uninstall one")
        found[key] = plugin
    return MappingProxyType(found)
