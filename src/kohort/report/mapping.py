"""What became of every value: each leaf of a hierarchy and what a full-domain release says in its place.

It holds the values of the domains, so it belongs to the steward and not beside the release. A record may still be
suppressed: the mapping says what its values would have become.
"""

from __future__ import annotations

import csv
import json
from io import StringIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from kohort.errors import UsageError
from kohort.errors.display import INTERNAL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kohort.algorithms.problem import Algorithm
    from kohort.release import Release

#: For each quasi-identifier, by its name: the released value of every value of its domain, in leaf order; a missing
#: value is the empty text.
Mapped: TypeAlias = dict[str, dict[str, str]]


def mapping(release: Release) -> Mapped:
    """The mapping of a release; a table of no records has none, for it has no domains.

    Raises:
        UsageError: the release has no levels.

    >>> import polars as pl
    >>> from kohort import Attribute, Job, KAnonymity, Role, Schema, anonymize
    >>> from kohort.algorithms.lattice.datafly import Datafly
    >>> schema = Schema((Attribute("zip", Role.QUASI, hierarchy="mask:right"),))
    >>> job = Job.of(schema, KAnonymity(2), algorithm=Datafly())
    >>> mapping(anonymize(pl.DataFrame({"zip": ["181", "182"]}), job))
    {'zip': {'181': '18*', '182': '18*'}}
    """
    check(release.job.algorithm)
    mapped: Mapped = {}
    for domain in release.problem.domains if release.problem else ():
        name, hierarchy = domain.attribute.name, domain.hierarchy
        assert hierarchy is not None  # noqa: S101  a job with a lattice method has one for each
        level = release.levels[name]
        released = map(hierarchy.labels[level].__getitem__, hierarchy.maps[level].tolist())
        mapped[name] = dict(zip(hierarchy.leaves, released, strict=True))
    return mapped


def check(algorithm: Algorithm) -> None:
    """Refuse a method whose releases have no mapping: it may release a value differently in every class."""
    if not algorithm.full_domain:
        raise UsageError(
            f"{algorithm.name} may release one value in many ways, so there is no mapping",
            hint="choose a method on levels, such as samarati or optimal",
        )


def writer(path: Path) -> Callable[[Release], bytes]:
    """What writes a release's mapping in the form that the name of its file asks for."""
    if path.suffix not in _FORMS:
        raise UsageError(f"a mapping is written as {' or '.join(_FORMS)}", where=str(path), hint="change the extension")
    form = _FORMS[path.suffix]
    return lambda release: form(mapping(release)).encode()


def csv_text(mapped: Mapped) -> str:
    r"""A line for each value: whom it is for, attribute, value, released.

    >>> csv_text({"zip": {"181": "18*", "": ""}})
    'audience,attribute,value,released\ninternal,zip,181,18*\ninternal,zip,,\n'
    """
    text = StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow((*INTERNAL, "attribute", "value", "released"))
    lines.writerows(
        (*INTERNAL.values(), name, value, released) for name, of in mapped.items() for value, released in of.items()
    )
    return text.getvalue()


def json_text(mapped: Mapped) -> str:
    """One object; in its `mapping`, attribute to value to released value."""
    return json.dumps({**INTERNAL, "mapping": mapped}, indent=2, ensure_ascii=False) + "\n"


_FORMS: Final = MappingProxyType({".csv": csv_text, ".json": json_text})
