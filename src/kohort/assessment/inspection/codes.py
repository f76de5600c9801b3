"""Tells codes by their shape, and proposes a hierarchy of their prefixes.

A postal code, a diagnosis or a branch of industry says by its beginning what it belongs to; a number that counts does
not: `P-1`, `P-12` and `P-120` have nothing in common. Codes have one length, or numbers of fixed widths or with leading
zeros; what may be either is left alone. Dates whose year stands last keep their end. No reason repeats a value.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.assessment.inspection.evidence import HALF, NEARLY_ALL, SAMPLE
from kohort.core.frequency import people_in
from kohort.errors.display import many
from kohort.schema.hierarchies import alike, known_as, known_codes, known_words, spellings
from kohort.schema.hierarchies.prefixes import branching
from kohort.schema.hierarchies.spelling import called
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.numbers import is_numeric_text
from kohort.schema.patterns import DATE, SPOKEN_DATE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from kohort.arrays import Index
    from kohort.tables.table import Column

#: Up to so many values a column is a list of names, for which groups of neighbours are proposed. More names need a tree
#: by somebody who knows them.
FEW_NAMES: Final = 8

#: Letters of a code's words at most: longer ones are words of a language.
_LETTERS: Final = 4

#: Characters of the longest code: a digest in hexadecimal digits has as many.
_LONGEST: Final = 64

#: A year of two digits that is no day of a month.
_LAST_DAY: Final = 31

_code = re.compile(
    rf"(?=.{{1,{_LONGEST}}}\Z)(?=.*[0-9])"
    rf"(?:[^\W\d_]{{1,{_LETTERS}}}+(?![^\W\d_])|[0-9]++|(?<=\w)[ ./:_-](?=\w))++"  # each begins unlike the others
).fullmatch
_runs = re.compile(r"([0-9]+)|([^\W\d_]+)|.").finditer
_decimal = re.compile(r"[^.]*\.[0-9]*").fullmatch
_month_and_year = re.compile(r"(?:0[1-9]|1[0-2])[-/.][12][0-9]{3}").fullmatch
_year_first = re.compile(r"[12][0-9]{3}[^0-9].*").fullmatch
_year_last = re.compile(  # a time has more numbers
    r"[^0-9]*+[0-9]++(?:[^0-9]++[0-9]++)??[^0-9]++([12][0-9]{3}|[0-9]{2})"
).fullmatch


@dataclass(frozen=True, slots=True)
class CodeRule:
    """How the values of a column are generalized as codes.

    Attributes:
        hierarchy: A builder: all or nothing where prefixes would be a guess.
        why: The reason, for a comment.
    """

    hierarchy: str
    why: str


_postal = re.compile(  # British, Canadian, Dutch: no other codes are written so
    r"[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}|[A-Z][0-9][A-Z][ -]?[0-9][A-Z][0-9]|[1-9][0-9]{3} [A-Z]{2}", re.IGNORECASE
).fullmatch


def rule_of(values: Sequence[str], *, postal: bool = False, column: str = "") -> CodeRule | None:
    """How values are generalized as codes; `None` where they are none.

    Cost: in the number of values times their length.

    >>> rule_of(["00184", "00185", "20121"], postal=True).hierarchy
    'prefix:1,4:halves'
    >>> rule_of([f"A-{1000 + 7 * n}" for n in range(9)] + [f"CH-{2000 + n}" for n in range(9)]).hierarchy
    'prefix:1,4,5,6:halves'
    >>> rule_of([f"P-{n}" for n in range(1, 20)]).hierarchy
    'suppress'
    """
    some = sorted(values)[:: len(values) // SAMPLE + 1]  # the order of the records must not matter
    if postal or _all(some, _postal):
        digits = _all(some, _has_digit)
        return _prefixes(values, "prefixes of postal codes: the area stays longest") if digits else None
    scheme = known_codes(some, column)
    if scheme is not None and (
        rule := _prefixes(values, f"{scheme.title} ({scheme.source}): a prefix stays", scheme.lengths)
    ):
        return rule
    if len(values) <= FEW_NAMES or is_numeric_text(values):
        return None
    if _all(some, _dated):
        return _dates(values, some)
    return _unknown(values, some)


def public_rule(counts: Mapping[str, int], column: str) -> CodeRule | None:
    """How values are generalized by a tree that anybody knows; `None` where it would put none of them together.

    >>> public_rule({"France": 9, "Italy": 8, "Spain": 7}, "x")
    CodeRule(hierarchy='public:countries', why='countries by region and subregion (UN M49, ISO 3166-1)')
    """
    tree = known_as(counts, column)
    if tree is None or tree.over([*counts]).height == 1:
        return None
    unknown, further = tree.spellings([*counts])
    told = f"{tree.title} ({tree.source})"
    told += (
        f"; {len(counts):,} spellings, {len(counts) - unknown - further + bool(unknown):,} groups" if further else ""
    )
    told += f"; {many(unknown, 'value is', 'values are')} not in it" if unknown else ""
    return CodeRule(f"public:{tree.name}", told)


def spelling_rule(counts: Mapping[str, int]) -> CodeRule | None:
    """How values are generalized some of which are spellings of one thing; `None` where none are.

    >>> spelling_rule({"Bari": 9, "BARI": 1, "Roma": 3}).why
    '3 spellings, 2 groups by their text'
    """
    groups = len(spellings(counts, known=known_words()))
    return (
        CodeRule("spellings", f"{len(counts):,} spellings, {groups:,} groups by their text")
        if groups < len(counts)
        else None
    )


def _unknown(values: Sequence[str], some: Sequence[str]) -> CodeRule | None:
    if _same_length(values) and all(map(_has_digit, values)):
        return _prefixes(values, "prefixes: values of one length with digits look like codes")
    if not _all(some, _code):
        return None
    if _count([text for text in some if _code(text)]):
        what = "all or nothing: the numbers may be counts or codes"
        return CodeRule("suppress", f'{what}; for prefixes write "prefix", for groups a tree (CSV or JSON)')
    return _prefixes(values, "prefixes: numbers of fixed widths or with leading zeros look like codes")


def _dated(text: str) -> bool:
    return DATE.matches(text) or SPOKEN_DATE.matches(text) or _month_and_year(text) is not None


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _share(values: Sequence[str], matches: Callable[[str], object]) -> float:
    return sum(map(bool, map(matches, values))) / len(values) if values else 0.0


def _all(values: Sequence[str], matches: Callable[[str], object]) -> bool:
    """Whether nearly all values have a form: some cells are mistyped."""
    return _share(values, matches) >= NEARLY_ALL


def _same_length(values: Sequence[str]) -> bool:
    return len({*map(len, values)}) == 1 < len(values[0]) <= _LONGEST


def _prefixes(values: Sequence[str], why: str, lengths: Sequence[int] = ()) -> CodeRule | None:
    """Those prefixes at which codes part, of all lengths or of these; few codes of one length are masked."""
    found = branching(values, lengths or range(1, min(max(map(len, values)), _LONGEST)))
    if found:
        return CodeRule(f"prefix:{','.join(map(str, found))}:halves", why)
    return CodeRule("mask:right", why) if _same_length(values) else None


def _count(values: Sequence[str]) -> bool:
    """Whether numbers inside the values may count something: of several widths, none with a leading zero.

    A number's width is compared with those after the same text, where several values have it, else with all in its
    place. Behind the only point numbers are decimals.
    """
    widths: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for text in values:
        shape = ""
        for run in _runs(text):
            if run[1] and not (_decimal(text) and text[: run.start()].endswith(".")):
                widths[shape][text[: run.start()]].append(run[1])
            shape += "0" if run[1] else "a" if run[2] else run[0]
    return any(_varies(groups) for groups in widths.values())


def _varies(groups: defaultdict[str, list[str]]) -> bool:
    """Whether numbers in one place, by the text before them, have several widths and no leading zeros."""
    numbers = [one for group in groups.values() for one in group]
    if len({*map(len, numbers)}) == 1 or any(one[0] == "0" and len(one) > 1 for one in numbers):
        return False
    return len(groups) > HALF * len(numbers) or any(len({*map(len, group)}) > 1 for group in groups.values())


def _dates(values: Sequence[str], some: Sequence[str]) -> CodeRule:
    """Dates in a form that is no scale: the year stays where it is first, or last beyond doubt."""
    if _same_length(values) and _all(some, _year_first):
        return CodeRule("mask:right", "dates that begin with the year, which stays longest")
    ends = [found[1] for text in values if (found := _year_last(text))]
    digits = {*map(len, ends)}
    sure = any(len(end) > 2 or int(end) > _LAST_DAY for end in ends)  # noqa: PLR2004  digits
    if len(digits) == 1 and sure and len(ends) == len(values):
        return CodeRule(
            f"suffix:{max(digits)}:halves", "dates that end in the year, which stays; year first (ISO) keeps more"
        )
    return CodeRule("suppress", "all or nothing: dates in no form that kohort reads; year first (ISO) keeps more")


def tree_of(
    column: Column,
    others: Sequence[Column],
    *,
    k: int,
    missing: Collection[str] = ("",),
    spelled: bool = False,
    people: Index | None = None,
) -> Hierarchy:
    """The tree of a column's values; a missing value is none.

    Args:
        column: The names.
        others: The columns that say how alike they are.
        k: Values of fewer people are one branch.
        missing: The texts that mean no value.
        spelled: Whether the first level is one thing each, where that has several spellings.
        people: (n,) the person of each record; `None` counts each record as a person.
    """
    absent = column.absent(missing)
    rows = np.flatnonzero(~absent[column.codes])
    place = np.cumsum(~absent) - 1
    told = [([text or "" for text in one.values.to_list()], one.codes[rows].astype(np.int64)) for one in others]
    texts = [text for text, none in zip(column.values.to_list(), absent.tolist(), strict=True) if not none]
    codes = place[column.codes[rows]]

    def tree(names: Sequence[str], of: Index) -> Hierarchy:
        held = None if people is None else people_in(of, len(names), np.ones(of.size, np.int64), people[rows])
        return alike(names, of, told, k=k, people=held, name=column.name)

    if not spelled:
        return tree(texts, codes)
    counts = dict(zip(texts, np.bincount(codes, minlength=len(texts)).tolist(), strict=True))
    groups = spellings(counts, known=known_words())
    things = {text: at for at, of in enumerate(groups) for text in of}
    labels = [called(of, of[0]) for of in groups]
    upper = tree(labels, np.array([things[text] for text in texts])[codes])
    above = {row[0]: row for row in upper.rows()}
    found = ((text, *above[labels[at]]) for text, at in things.items())
    return Hierarchy.from_rows(found, name=column.name, data_dependent=True)
