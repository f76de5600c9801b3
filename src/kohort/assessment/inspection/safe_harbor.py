"""The identifiers that HIPAA Safe Harbor removes, as findings about the columns of a table.

United States, 45 CFR 164.514(b)(2)(i), (A) to (R). A column is found by its name, by the form of its values, or, as any
other unique number or code, because the inspection takes it for one. A finding says what a column seems to hold; that
no column is found does not show that a table holds none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from kohort.assessment.inspection.evidence import HALF, NEARLY_ALL, SAMPLE
from kohort.schema.patterns import DATE, IDENTIFIERS, PICTURE, SPOKEN_DATE, TELEPHONE, Pattern
from kohort.schema.vocabulary.kinds import kinds_of
from kohort.schema.vocabulary.topics import ends_in, parts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kohort.assessment.inspection.evidence import ColumnEvidence
    from kohort.schema.vocabulary.kinds import Kind

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Identifier:
    """One of the identifiers that the rule lists.

    Attributes:
        letter: Its place in the list.
        title: What it is, in the words of the rule, shortened.
        kinds: What words of names and forms of values stand for it.
    """

    letter: str
    title: str
    kinds: tuple[Kind, ...]


#: The list, in the rule's order.
SAFE_HARBOR: Final = (
    Identifier("A", "names", ("name",)),
    Identifier(
        "B",
        "geographic subdivisions smaller than a state; of a ZIP code three digits may stay where more than 20,000 "
        "people live",
        ("postal code", "area"),
    ),
    Identifier(
        "C",
        "elements of dates but the year, and ages over 89 unless they are one category",
        ("date", "month", "birthday", "birth year", "age"),
    ),
    Identifier("D", "telephone numbers", ("phone",)),
    Identifier("E", "fax numbers", ("fax",)),
    Identifier("F", "e-mail addresses", ("email",)),
    Identifier("G", "social security numbers", ("ssn",)),
    Identifier("H", "medical record numbers", ("record",)),
    Identifier("I", "health plan beneficiary numbers", ("plan",)),
    Identifier("J", "account numbers", ("account",)),
    Identifier("K", "certificate and licence numbers", ("licence",)),
    Identifier("L", "vehicle identifiers and licence plates", ("vehicle",)),
    Identifier("M", "device identifiers and serial numbers", ("device",)),
    Identifier("N", "web addresses (URLs)", ("web",)),
    Identifier("O", "IP addresses", ("ip",)),
    Identifier("P", "biometric identifiers, finger and voice prints among them", ("biometric",)),
    Identifier("Q", "photographs of the full face and the like", ("face",)),
    Identifier("R", "any other unique identifying number, characteristic or code", ("other",)),
)

_OF_KIND: Final[Mapping[Kind, Identifier]] = {kind: one for one in SAFE_HARBOR for kind in one.kinds}

#: Ages above it must be one category, such as 90.
OLDEST: Final = 89

#: No person is older: what is called an age and is greater is none.
_NO_AGE: Final = 130

#: Share of a column's values from which on a form is told of, though the others have another, and how many at least;
#: of a form with check digits half of them, for one in ten texts has right ones by chance.
SOME: Final = 0.05
FEW: Final = 2

#: Of fewer records each has a value of its own in most columns, which says nothing.
_ENOUGH: Final = 30

#: Up to so many values a word is one for something else: a phone service, a photo taken or not.
_FLAG: Final = 3

_MONTHS: Final = 12

#: Characters of a text whose words are looked at.
_LOOKED: Final = 2_000

#: What stands round a word of a text.
_MARKS: Final = ".,;:()[]<>{}\"'"


class Finding(NamedTuple):
    """A column that seems to hold one of the identifiers.

    Attributes:
        letter: Which: a letter of `SAFE_HARBOR`.
        reasons: Why, for a reader.
        share: Share of the different values that have the form, where a form was found; else `None`.
        kind: What the column seems to hold.
    """

    letter: str
    reasons: tuple[str, ...]
    share: float | None
    kind: Kind

    @property
    def title(self) -> str:
        """What the identifier is."""
        return _OF_KIND[self.kind].title


def found_in(evidence: ColumnEvidence, *, identifying: str | None, geocode: bool = False) -> tuple[Finding, ...]:
    """The identifiers that a column seems to hold, by their letters; for each letter one finding.

    Args:
        evidence: The column.
        identifying: Why it is guessed to be identifying; `None` where it is not.
        geocode: Whether it is one of a latitude and a longitude.
    """
    by_form = [*_by_form(evidence)]
    decided = evidence.form is not None and evidence.form in IDENTIFIERS and not evidence.form.digits
    by_name = [] if decided else [*_by_name(evidence, identifying=identifying is not None)]
    found: dict[str, Finding] = {}
    if geocode:
        by_name.append(("area", "latitude and longitude"))
    for kind, reason in by_name:
        _add(found, Finding(_OF_KIND[kind].letter, (reason,), None, kind))
    for pattern, share in by_form:
        if not (pattern.digits and by_name):  # some numbers have a form by chance
            reason = f"{_percent(share)} of its values are {pattern.plural}"
            _add(found, Finding(_OF_KIND[pattern.kind].letter, (reason,), share, pattern.kind))
    mentioned = [(one, share) for one, share in _mentioned(evidence) if one not in {form for form, _ in by_form}]
    for pattern, share in mentioned:
        reason = f"{_percent(share)} of its values mention {pattern.plural}"
        _add(found, Finding(_OF_KIND[pattern.kind].letter, (reason,), share, pattern.kind))
    if identifying is not None and (mentioned or evidence.prose or (not found and _is_code(evidence))):
        _add(found, Finding(_OF_KIND["other"].letter, (identifying,), None, "other"))
    return tuple(found[letter] for letter in sorted(found))


def _is_code(evidence: ColumnEvidence) -> bool:
    """Whether values that identify are of few people each; where no word says so, not just because records are few."""
    says = not evidence.topics.keys().isdisjoint({"id", "name", "naming", "number", "person", "row"})
    return evidence.many and (says or evidence.records >= _ENOUGH)


def _add(found: dict[str, Finding], one: Finding) -> None:
    known = found.get(one.letter)
    if known is not None:
        one = Finding(one.letter, known.reasons + one.reasons, one.share or known.share, known.kind)
    found[one.letter] = one


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


# --- by the values ----------------------------------------------------------------------------------------------------

#: A telephone number that is written as no plain number is.
_WRITTEN_TELEPHONE: Final = Pattern(
    TELEPHONE.plural, lambda text: not text.isdigit() and TELEPHONE.matches(text), TELEPHONE.kind
)

#: The forms to look for where no form is that of nearly all values.
_FORMS: Final = (*(one for one in IDENTIFIERS if not one.digits), DATE, SPOKEN_DATE, PICTURE, _WRITTEN_TELEPHONE)


def _by_form(evidence: ColumnEvidence) -> Iterator[tuple[Pattern, float]]:
    """The forms that all or some of the values have, and the share of those that do."""
    sample = _sample(evidence)
    if evidence.form is not None:
        yield evidence.form, sum(map(evidence.form.matches, sample)) / len(sample)
    elif not evidence.number and not evidence.prose:
        yield from _frequent(sample, lambda form, text: form.matches(text))


def _mentioned(evidence: ColumnEvidence) -> Iterator[tuple[Pattern, float]]:
    """The forms that words of longer texts have, and the share of texts with one."""
    if evidence.form is None and not evidence.number:
        texts = [[word.strip(_MARKS) for word in text[:_LOOKED].split()] for text in _sample(evidence)]
        yield from _frequent(texts, lambda form, words: any(map(form.matches, words)))


def _sample(evidence: ColumnEvidence) -> list[str]:
    return evidence.values.gather_every(evidence.distinct // SAMPLE + 1).to_list()


def _frequent(texts: Sequence[T], has: Callable[[Pattern, T], bool]) -> Iterator[tuple[Pattern, float]]:
    for form in _FORMS:
        count = sum(has(form, text) for text in texts)
        if count >= max(FEW, (HALF if form.checked else SOME) * len(texts)):
            yield form, count / len(texts)


class AmongTexts(NamedTuple):
    """Texts that seem to hold one of the identifiers.

    Attributes:
        kind: What they seem to hold.
        plural: The form that they have, or that a word of theirs has.
        texts: They themselves: not for a report.
    """

    kind: Kind
    plural: str
    texts: tuple[str, ...]

    @property
    def letter(self) -> str:
        """Which identifier: a letter of `SAFE_HARBOR`."""
        return _OF_KIND[self.kind].letter

    @property
    def title(self) -> str:
        """What the identifier is."""
        return _OF_KIND[self.kind].title


def found_among(texts: Sequence[str]) -> tuple[AmongTexts, ...]:
    """The identifiers that texts, each for itself, have the form of or mention, by their letters.

    One telephone number among the items of a shop is one. Check digits are right by chance in one of ten texts, so
    forms with these are told of where most texts have them.

    >>> [(one.letter, len(one.texts)) for one in found_among(["tea", "ask ada@example.org", "www.example.org/ada"])]
    [('F', 1), ('N', 1)]
    """
    words = [(text, [text, *(word.strip(_MARKS) for word in text[:_LOOKED].split())]) for text in texts]
    found: list[AmongTexts] = []
    for form in _FORMS:
        having = tuple(text for text, each in words if any(map(form.matches, each)))
        if len(having) >= (max(FEW, HALF * len(texts)) if form.checked else 1):
            found.append(AmongTexts(form.kind, form.plural, having))
    return tuple(sorted(found, key=lambda one: one.letter))


# --- by the name ------------------------------------------------------------------------------------------------------


def _by_name(evidence: ColumnEvidence, *, identifying: bool) -> Iterator[tuple[Kind, str]]:
    """The kinds that the name speaks of, where the values can be such, and why."""
    for kind, word in kinds_of(evidence.name).items():
        if _VALUES.get(kind, _is_number_of_somebody)(evidence):
            more = f", and some values are over {OLDEST}" if kind == "age" else ""
            yield kind, f'its name says "{word}"{more}'
    says = evidence.topics
    if "whole" in says and not evidence.number:
        yield "name", f'its name is "{says["whole"]}"'
    elif "naming" in says and "name" not in says and identifying and ("person" in says or _are_names(evidence)):
        yield "name", f'its name says "{says["naming"]}"'


def _is_number_of_somebody(evidence: ColumnEvidence) -> bool:
    """Whether values can be numbers, codes or names of people: not a few words, and no measurement."""
    if evidence.number:
        return evidence.whole and evidence.many and not evidence.running
    return evidence.distinct > _FLAG


def _are_texts(evidence: ColumnEvidence) -> bool:
    return not evidence.number and evidence.distinct > _FLAG


def _are_names(evidence: ColumnEvidence) -> bool:
    """Whether nearly all values are written as names of people are: words with capitals, and no digit."""
    return _most(evidence, r"\A\p{Lu}[\p{L}'\x{2019}.-]*(?:,? [\p{L}'\x{2019}.-]+){0,4}\z")


def _are_areas(evidence: ColumnEvidence) -> bool:
    """Whether values can be names of places, or their numbers."""
    if evidence.number:
        ends = any(ends_in(evidence.name, topic) for topic in ("id", "number"))
        return evidence.whole and (ends or "area" in kinds_of(parts_of(evidence.name)[-1]))
    return True


def _are_postal_codes(evidence: ColumnEvidence) -> bool:
    """Whether values can be postal codes: they have digits, and numbers of them are whole and of three to nine."""
    return _most(evidence, r"\A[0-9]{3,9}(?:\.0+)?\z" if evidence.number else "[0-9]")


def _are_dates(evidence: ColumnEvidence) -> bool:
    """Whether values can be dates: they have digits, and are more than years."""
    if evidence.number:
        return evidence.whole and not _most(evidence, r"\A.{1,4}\z")
    return _most(evidence, "[0-9]") and not _most(evidence, r"\A[12][0-9]{3}\z")


def _are_months(evidence: ColumnEvidence) -> bool:
    if evidence.number:
        return evidence.whole and _most(evidence, r"\A(?:[1-9]|1[0-2])(?:\.0+)?\z")
    return evidence.distinct <= _MONTHS


def _are_old(evidence: ColumnEvidence) -> bool:
    """Whether values are ages of which some are over 89, and not all of these 90."""
    if not evidence.numeric:
        return False
    oldest = float(str(evidence.values.cast(float).max()))
    return OLDEST + 1 < oldest <= _NO_AGE


def _most(evidence: ColumnEvidence, pattern: str) -> bool:
    return evidence.distinct > 0 and int(evidence.values.str.contains(pattern).sum()) >= NEARLY_ALL * evidence.distinct


#: What values of a kind are like, where they are no numbers or codes of people.
_VALUES: Final[Mapping[Kind, Callable[[ColumnEvidence], bool]]] = {
    "name": _are_texts,
    "postal code": _are_postal_codes,
    "area": _are_areas,
    "date": _are_dates,
    "birthday": _are_dates,
    "month": _are_months,
    "birth year": lambda evidence: evidence.whole,
    "age": _are_old,
}
