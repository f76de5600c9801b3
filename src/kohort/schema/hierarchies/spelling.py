"""Values that are spellings of one thing, put together by their text: `New York`, `new york`, `NEW-YORK`.

What differs in capitals, accents, blanks and punctuation is one word. Where that occurs, people typed; then a rare word
is also that of a frequent one that begins alike, is as long but for one letter, and differs in one (of 5 letters or
more) or two (of 8 or more), if there is one such word, and it has twenty times the records. Two frequent words are
never put together.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from functools import lru_cache
from string import whitespace
from typing import TYPE_CHECKING, Final

from kohort.schema.hierarchy import SUPPRESSED, Hierarchy

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

#: What a label of several spellings says.
ANY: Final = " (any spelling)"

#: Letters at least of a word with a letter wrong, and how many more for another one.
LETTERS, MORE = 5, 3

#: How many times the records of a misspelling its word has at least.
TIMES: Final = 20

#: Words at most among which misspelt ones are looked for.
MOST: Final = 1_000

#: Signs that say nothing between two letters, and around a word; between two digits they do: `1-4`.
_QUOTES: Final = "'\u2019\""
_SIGNS: Final = rf"[\s\-_./,;:`()|&{_QUOTES}]+"
_ENDS: Final = f"{whitespace}\u1680\u2028\u2029.,;:(){_QUOTES}"
_numbers = re.compile(rf"(?<=[0-9]){_SIGNS}(?=[0-9])").sub
_between = re.compile(rf"(?<=\w){_SIGNS}(?=\w)").sub
_word = re.compile(r"[^\W\d_]{3}").search


@lru_cache(1 << 12)  # several trees look at a column's values
def folded(text: str) -> str:
    """The text without what says nothing: capitals, accents, blanks, punctuation between letters, leading zeros.

    >>> folded(" Côte d'Ivoire "), folded("HS-grad"), folded("1st-4th"), folded("1-4"), folded("A-"), folded("004")
    ('cotedivoire', 'hsgrad', '1st4th', '1~4', 'a-', '4')
    """
    signs = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(one for one in signs if unicodedata.category(one) not in {"Mn", "Cf"})
    if plain.isdigit():
        return plain.lstrip("0") or "0"
    return _between("", _numbers("~", plain.replace("&", " and ").strip(_ENDS)))


def nearest(word: str, words: Iterable[str], *, least: int = LETTERS) -> list[str]:
    """Of the words that begin alike and differ in few enough letters those that differ least; `least` has one wrong.

    >>> nearest("slovakla", ["slovakia", "slovenia"]), nearest("iran", ["iraq"])
    (['slovakia'], [])
    """
    allowed = (len(word) >= least) + (len(word) >= least + MORE)
    found: defaultdict[int, list[str]] = defaultdict(list)
    for one in words if allowed else ():
        if one[:1] == word[:1] and abs(len(one) - len(word)) <= 1 and not any(map(str.isdigit, one + word)):
            changes = SequenceMatcher(None, one, word, autojunk=False).get_opcodes()
            found[sum(max(a - b, c - d) for tag, b, a, d, c in changes if tag != "equal")].append(one)
    closest = min(found, default=allowed + 1)
    return found[closest] if closest <= allowed else []


def spellings(counts: Mapping[str, int], *, known: Collection[str] = ()) -> list[list[str]]:
    """The values in groups of one thing each, the most frequent spelling first; without three letters in a row, alone.

    Args:
        counts: How many records have each value.
        known: Folded words that are right, however rare.

    >>> spellings({"New York": 60, "new york": 3, "NEW-YORK": 1, "New Yorc": 1, "Newark": 9, "A": 1, "a": 1})
    [['A'], ['New York', 'new york', 'NEW-YORK', 'New Yorc'], ['Newark'], ['a']]
    """
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for text in sorted(counts, key=lambda one: (-counts[one], one)):
        groups[folded(text) if _word(text) else f"\0{text}"].append(text)
    if len(groups) < len(counts) and len(groups) <= MOST:  # some were typed in several ways
        records = Counter({word: sum(counts[one] for one in texts) for word, texts in groups.items()})
        for word in [one for one in sorted(records) if one not in known]:
            frequent = (one for one, of in records.items() if of >= TIMES * records[word])
            if len(near := nearest(word, frequent)) == 1:
                groups[near[0]] += groups.pop(word)
    return sorted(groups.values())


def spelled(counts: Mapping[str, int], *, known: Collection[str] = (), name: str = "") -> Hierarchy:
    """The hierarchy whose first level has a node for each thing, called after its most frequent spelling; then `*`.

    >>> spelled({"Bari": 5, "BARI": 1, "Roma": 3}).labels[:2]
    (('Bari', 'BARI', 'Roma'), ('Bari (any spelling)', 'Roma'))
    """
    rows = ((text, called(of, of[0]), SUPPRESSED) for of in spellings(counts, known=known) for text in of)
    return Hierarchy.from_rows(rows, name=name, data_dependent=True)


def called(texts: Sequence[str], label: str) -> str:
    """The label of some spellings; of a single one, itself."""
    return texts[0] if len(texts) == 1 else label + ANY


# --- when two texts are one value to a reader -------------------------------------------------------------------------

#: Small letters that look like a Latin one, or whose capitals do; in one script no two look like the same, so that
#: different words of it stay different. The Greek mu is none of them: micrograms are no milligrams.
_CYRILLIC: Final = ("авсԁеіјкӏмнорԛѕтѵԝху", "abcdeijklmhopqstvwxy")
_GREEK: Final = ("αβεζηικνορτυχϳ", "abezhiknoptyxj")

#: Beside them: the dotless i of Turkish, whose capital is I; dashes; signs that are typed as an apostrophe.
_OTHERS: Final = ("\u0131\u2010\u2012\u2013\u2014\u2015\u2212\u2018\u2019\u02bc\u2032", "i------''''")

#: Letters and signs, and those in place of which they are taken.
LATIN: Final = dict(zip(_CYRILLIC[0] + _GREEK[0] + _OTHERS[0], _CYRILLIC[1] + _GREEK[1] + _OTHERS[1], strict=True))
_LATIN: Final = str.maketrans(LATIN)

#: What shows nothing and is neither a format character nor a control: a joiner, fillers, variation selectors.
_FILLERS: Final = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
_SELECTORS: Final = (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_INVISIBLE: Final = frozenset((*_FILLERS, *map(chr, _SELECTORS)))

#: Most values: ASCII without capitals, with single blanks between words; text that is evened out.
EVEN: Final = r"(?:[!-@\[-~]+(?: [!-@\[-~]+)*)?"
is_even: Final = re.compile(EVEN).fullmatch

#: The dots of what Turkish İ becomes in small letters: an i has one already.
_second_dot: Final = re.compile("(?<=i)\N{COMBINING DOT ABOVE}+")


def even_spelling(text: str) -> str:
    r"""The text without what a reader does not see: one form for all spellings that look alike.

    In compatibility form (NFKC), without case, with single blanks between words and none around; without what is
    invisible (zero-width and format characters, soft hyphens, writing directions, variation selectors, controls);
    and with Latin letters in place of the Cyrillic and Greek ones that look like them. Accents stay.

    >>> even_spelling("  HIV\N{NO-BREAK SPACE} Positive")
    'hiv positive'
    >>> even_spelling("\N{CYRILLIC CAPITAL LETTER EN}I\N{ZERO WIDTH SPACE}V\N{RIGHT-TO-LEFT MARK}")
    'hiv'
    """
    if is_even(text):
        return text
    latin = text if text.isascii() else text.translate(_LATIN)
    if latin.isascii() and latin.isprintable():  # most values are, and nothing else can be wrong with them
        return " ".join(latin.lower().split())
    seen = "".join(char for char in text if not _is_invisible(char))
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", seen).casefold())
    return " ".join(unicodedata.normalize("NFC", _second_dot.sub("", folded.translate(_LATIN))).split())


def _is_invisible(char: str) -> bool:
    """Whether it shows nothing, not even a blank."""
    category = unicodedata.category(char)
    return category == "Cf" or (category == "Cc" and not char.isspace()) or char in _INVISIBLE
