"""The evidence of one column that the rules judge: its name, its distinct values and their counts.

Missing values are set apart, also texts that seem to mean "no value"; blanks around values are trimmed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.schema.nesting import SUPPRESSED
from kohort.schema.numbers import PLAIN_NUMBER
from kohort.schema.open_ends import numbers_open
from kohort.schema.patterns import COMPACT_DATE, DATE, IDENTIFIERS, ISO_DATE, ISO_TIME, POSTAL_CODE, Pattern
from kohort.schema.vocabulary.topics import says_postal_code, topics_of
from kohort.tables.table import Column, narrow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Mask
    from kohort.schema.vocabulary.topics import Topic
    from kohort.tables.table import Texts

#: Share of a column's distinct values that must have a form for the column to have it: some cells are mistyped.
NEARLY_ALL: Final = 0.95

#: Distinct values looked at for a form, evenly spread over the column …
SAMPLE: Final = 2_000

#: … and how near their share must be to `NEARLY_ALL` for all to be looked at: eight standard deviations of a sample's.
DOUBT: Final = 0.04

#: Distinct values at least, all with right check digits, before plain digits are taken for numbers of people: one in
#: ten numbers has a right check digit by chance. Or all days of the calendar, before they are taken for dates.
PROOF: Final = 5

#: From this many distinct values per record on, a value belongs to few people.
MANY: Final = 0.1

#: From this share of records with a value of their own on, the column singles people out.
HALF: Final = 0.5

#: Records at least that must stand in the order of their numbers: fewer do so by chance.
IN_ORDER: Final = 8

#: Share of the records at either end of a column of numbers that may lie far from all others.
OUTLYING: Final = 0.002

#: Share of its span that a running number fills: some records may have been deleted, or never numbered.
FILLED: Final = 0.95

#: Mean letters and words of a cell from which on a column is text that somebody wrote.
LETTERS, WORDS = 30, 5

#: Between thousands: apostrophes; blanks, also those that do not break a line, and thin ones.
_APART: Final = "'\u2019 \u00a0\u202f\u2009"
_SIGN: Final = "[$€£¥%]"


def _digits(separators: str) -> str:
    """A whole number whose thousands one of these signs may separate."""
    return rf"(?:0|[1-9][0-9]{{0,2}}(?:[{separators}][0-9]{{3}})+|[1-9][0-9]{{0,30}})"


#: A number as people and programs write it: with a decimal point, also with nothing before or after it, and an
#: exponent; or with a decimal comma. A currency or % may stand before it or behind it.
_POINT: Final = rf"(?:{_digits(',' + _APART)}(?:\.[0-9]{{0,30}})?|\.[0-9]{{1,30}})(?:[eE][+-]?[0-9]{{1,3}})?"
_COMMA: Final = rf"{_digits('.' + _APART)}(?:,[0-9]{{1,30}})?"
_NUMBER: Final = rf"\A-?(?:{_SIGN}[{_APART}]?)?-?(?:{_POINT}|{_COMMA})(?:[{_APART}]?{_SIGN})?\z"

#: What a number has that is none to a job, and how a reader calls it.
_UNREAD: Final = {
    "[eE]": "an exponent",
    ",": "a comma",
    rf"[{_APART}]|\..*\.": "separated thousands",
    r"\.\z": "nothing after the point",
    _SIGN: "a currency or percent sign",
}
_numbered = re.compile(r"([^0-9]*)[0-9]{1,18}").fullmatch  # no table has more records than 18 digits count


@dataclass(frozen=True, slots=True)
class ColumnEvidence:
    """The evidence of one column.

    Attributes:
        name: Its name.
        topics: The topics of its name, each with the word that names it.
        values: (v,) its distinct values, the missing ones apart; of labels of open ends, such as `90+`, the places.
        sizes: (v,) records with each.
        present: Records that have one.
        records: All records.
        alone: Records with a value of their own.
        separation: Share of the pairs of records that have different values; missing counts as a value.
        middle: The least and the greatest number of nearly all records, `OUTLYING` of them left out at either end; none
            where not all values are plain numbers.
        form: The form that nearly all values have.
        numeric: Whether all are plain numbers, as a job reads them.
        number: Whether all are numbers, however they are written.
        unread: What numbers that a job does not read as such are written with: a comma, an exponent.
        whole: Whether all are plain whole numbers.
        running: Whether they number the records, with one prefix and few gaps.
        ordered: Whether they ascend or descend from record to record.
        prose: Whether cells are long, of many words.
        missing_tokens: Texts among its values that seem to mean "no value".
        trim: Whether nearly all cells have blanks around them.
    """

    name: str
    topics: Mapping[Topic, str]
    values: Texts
    sizes: Counts
    present: int
    records: int
    alone: int
    separation: float
    middle: tuple[str, ...]
    form: Pattern | None
    numeric: bool
    number: bool
    unread: tuple[str, ...]
    whole: bool
    running: bool
    ordered: bool
    prose: bool
    missing_tokens: tuple[str, ...]
    trim: bool

    @property
    def distinct(self) -> int:
        """How many different values there are."""
        return len(self.values)

    @property
    def many(self) -> bool:
        """Whether few records share a value."""
        return self.distinct > MANY * self.present

    @property
    def near_unique(self) -> bool:
        """Whether most records that have a value have their own."""
        return self.alone > HALF * self.present


def evidence_of(column: Column, records: int, missing: AbstractSet[str]) -> ColumnEvidence:
    """The evidence of `column`, with proposals for missing texts and trimming accepted."""
    column, trim = trimmed(column)
    counts = column.counts()
    missing_values = column.absent(missing)
    tokens = nothing_texts(column.values, counts, missing_values)
    if tokens:
        missing_values |= column.absent(tokens)
    values, sizes = column.values.filter(~missing_values), counts[~missing_values]
    gaps = int(counts[missing_values].sum())
    numeric = _all(values, rf"\A(?:{PLAIN_NUMBER})\z")
    if not numeric and (opened := numbers_open(values.to_list())):
        values, numeric = values.replace([*opened.places], [*opened.places.values()]), True
    number = numeric or _all(values, _NUMBER)
    alone = int((sizes == 1).sum())
    serial = _serial(column.values) if alone > HALF * (records - gaps) and not gaps else None
    return ColumnEvidence(
        name=column.name,
        topics=topics_of(column.name),
        values=values,
        sizes=sizes,
        present=records - gaps,
        records=records,
        alone=alone,
        separation=_separation(np.append(sizes, gaps), records),
        middle=_middle(values, sizes) if numeric else (),
        form=_form(column.name, values, numeric=numeric, sole=alone > HALF * (records - gaps)),
        numeric=numeric,
        number=number,
        unread=_unread(values) if number and not numeric else (),
        whole=numeric and _all(values, r"\A-?[0-9]+(?:\.0+)?\z"),
        running=serial is not None and len(values) >= FILLED * (int(serial.max()) - int(serial.min()) + 1),
        ordered=serial is not None and alone == records >= IN_ORDER and _in_order(serial[column.codes]),
        prose=not number and _is_prose(values, sizes),
        missing_tokens=tokens,
        trim=trim,
    )


def _all(values: Texts, pattern: str) -> bool:
    return bool(len(values)) and bool(values.str.contains(pattern).all())


def _unread(values: Texts) -> tuple[str, ...]:
    return tuple(what for signs, what in _UNREAD.items() if values.str.contains(signs).any())


def _separation(sizes: Counts, records: int) -> float:
    pairs = records * (records - 1)
    return 1 - int(sizes @ (sizes - 1)) / pairs if pairs else 0.0


def _middle(values: Texts, sizes: Counts) -> tuple[str, ...]:
    """The least and the greatest number but for the outlying records."""
    order = values.cast(float).arg_sort()
    up_to = np.cumsum(sizes[order.to_numpy()])
    ends = np.searchsorted(up_to, [OUTLYING * up_to[-1], (1 - OUTLYING) * up_to[-1]])
    return tuple(values.gather(order.gather(ends)).to_list())


def _form(name: str, values: Texts, *, numeric: bool, sole: bool) -> Pattern | None:
    sample = values.gather_every(len(values) // SAMPLE + 1).to_list()
    for pattern in _possible(name, len(values), numeric=numeric, sole=sole):
        share = _share(pattern, sample)
        if abs(share - NEARLY_ALL) < DOUBT and len(sample) < len(values):
            share = _share(pattern, values.to_list())
        if share >= NEARLY_ALL:
            return pattern
    return None


def _possible(name: str, distinct: int, *, numeric: bool, sole: bool) -> Iterator[Pattern]:
    """The forms to look for: numbers have few, and those by chance unless each record has its own, or the name says."""
    for pattern in IDENTIFIERS:
        if not (pattern.digits and pattern.checked):
            if not numeric or pattern.digits:
                yield pattern
        elif sole and distinct >= PROOF:
            yield pattern
    if not numeric:
        yield from (ISO_DATE, ISO_TIME, DATE)
    elif distinct >= PROOF:
        yield COMPACT_DATE
    if not numeric or says_postal_code(name):
        yield POSTAL_CODE


def _share(pattern: Pattern, values: Sequence[str]) -> float:
    return sum(map(pattern.matches, values)) / len(values) if values else 0.0


def _serial(values: Texts) -> NDArray[np.int64] | None:
    """(v,) the numbers that all values end in after one prefix of other signs; else nothing."""
    first = _numbered(values[0]) if len(values) else None
    if first is None:
        return None
    tails = values.str.strip_prefix(first[1])
    if not values.str.starts_with(first[1]).all() or not _all(tails, r"\A[0-9]{1,18}\z"):
        return None
    return tails.str.to_integer().to_numpy()


def _in_order(numbers: NDArray[np.int64]) -> bool:
    steps = np.diff(numbers)
    return bool((steps > 0).all() or (steps < 0).all())


def _is_prose(values: Texts, sizes: Counts) -> bool:
    """Whether cells are long and of many words, on average over the records."""
    records = int(sizes.sum())
    if not records or len(values) <= MANY * records:
        return False
    letters = values.str.len_chars().to_numpy()
    words = values.str.count_matches(r"\S+").to_numpy()
    return bool(sizes @ letters >= LETTERS * records and sizes @ words >= WORDS * records)


#: What people write where they have no value, in small letters.
_NOTHING: Final = (
    *("?", "na", "n/a", "#n/a", "n.a.", "nan", "null", "-", "--", "---", ".", "..", "missing"),
    *("k.a.", "n.d.", "s.o.", "s/d"),
)

#: The same, but only among numbers: elsewhere it may say that there is no pain, no treatment, no card.
_NONE: Final = "none"

#: Signs of more; beside them `-` says that there is less.
_SIGNS: Final = r"\A[-+]*\+\z"

#: Nines that stand for no number: 999, 9999 … or -9, -99 …
_NINES: Final = r"\A(?:-9+|9{2,})(?:\.0+)?\z"

#: A text of `_NOTHING` between names, or nines among numbers, mean nothing from this share of records on.
_FREQUENT: Final = 0.01

#: How many times as large as any other number nines must be; negative ones must be the only ones below zero.
_BEYOND: Final = 2

#: Share of cells with blanks around them from which on these belong to no value: the first of a line may lack them.
_BLANKS: Final = 0.95


def nothing_texts(values: Texts, counts: Counts, missing: Mask) -> tuple[str, ...]:
    """The texts among `values` that seem to mean "no value", in alphabetical order.

    A word for nothing is one where all other values are numbers, or where it is frequent. A number of nines is one
    where all values are numbers, and it is frequent and far beyond them. `*`, which is anything in a release, is one
    unless it is the least of some ratings: `*`, `**`, `***`.

    Args:
        values: (v,) distinct values of a column.
        counts: (v,) records with each.
        missing: (v,) which are known to mean no value.
    """
    frequent = counts >= max(_FREQUENT * counts.sum(), 2)
    lower = values.str.to_lowercase()
    words = lower.is_in(_NOTHING).fill_null(value=False).to_numpy() & ~missing
    if values.str.contains(_SIGNS).any():
        words &= ~values.str.contains(r"\A-+\z").fill_null(value=False).to_numpy()
    none = (lower == _NONE).fill_null(value=False).to_numpy() & ~missing
    numbers = values.str.contains(rf"\A(?:{PLAIN_NUMBER})\z").fill_null(value=False).to_numpy()
    starred = (values == SUPPRESSED).fill_null(value=False).to_numpy() & ~missing
    ratings = values.str.contains(r"\A\*\*+\z").fill_null(value=False).to_numpy()
    rest = ~(missing | words | none | starred)
    if rest.any() and numbers[rest].all():
        tokens = words | none | _nines(values, rest, frequent)
    else:
        tokens = words & frequent & (rest | none).any()
    tokens |= starred & (rest & ~ratings).any()
    return tuple(sorted(values.filter(tokens).to_list()))


def may_be_nothing(values: Texts, token: str) -> bool:
    """Whether a text that means no value in another column may mean none among these names, however rare it is.

    It is a value among signs of more and less, and among codes of two letters: NA is Namibia, and N.D. North Dakota.
    """
    if token.lower() not in _NOTHING:
        return False
    others = values.filter(~values.is_in(["", token])).drop_nulls()
    if not token.strip("-"):
        return not others.str.contains(_SIGNS).any()
    form = re.sub("[a-z]", "[a-z]", re.sub("[A-Z]", "[A-Z]", re.escape(token)))
    alike = int(others.str.contains(rf"\A{form}\z").sum())
    return not any(map(str.isalpha, token)) or alike < max(NEARLY_ALL * len(others), 1)


def _nines(values: Texts, numbers: Mask, frequent: Mask) -> Mask:
    """Which of the numbers are nines that no other number comes near to."""
    nines = values.str.contains(_NINES).fill_null(value=False).to_numpy() & numbers & frequent
    others = values.filter(numbers & ~nines).cast(float).to_numpy()
    if nines.any() and others.size:
        places = np.flatnonzero(nines)
        found = values.gather(places).cast(float).to_numpy()
        nines[places] = np.where(found < 0, others.min() >= 0, found > _BEYOND * others.max())
    return nines if others.size else np.zeros_like(nines)


def trimmed(column: Column) -> tuple[Column, bool]:
    """The column without blanks around its values, and whether nearly all cells have some; else as it is."""
    values = column.values
    blank = values.str.contains(r"\A\s+\S|\S\s+\z").fill_null(value=False).to_numpy()
    if not blank.any():
        return column, False
    counts = column.counts()
    if counts[blank].sum() < _BLANKS * counts[~column.absent(())].sum():
        return column, False
    texts = values.str.strip_chars()
    distinct = texts.unique(maintain_order=True)
    place = {text: code for code, text in enumerate(distinct.to_list())}
    codes = np.array([place[text] for text in texts.to_list()], dtype=np.uint32)[column.codes]
    return Column(column.name, distinct, narrow(codes, len(distinct)), column.dtype), True
