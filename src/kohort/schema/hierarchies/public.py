"""Trees that anybody knows, as files: countries, US states, education, marital status; and codes by their characters.

A file of `public/` has a line for each leaf: its labels from the top down, its codes (columns with `#`), and its names
in five languages, several with `|` between them. What a word means in several rows (`m`: male, mujer) is decided by
the other values: the language or list of codes that has most of them comes first. A value that is in no row is below
`other`; spellings of one leaf are one node.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.schema.hierarchies.prefixes import branching, prefix
from kohort.schema.hierarchies.spelling import ANY, LETTERS, folded, nearest
from kohort.schema.hierarchy import SUPPRESSED, Hierarchy, fault
from kohort.schema.vocabulary.topics import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: What a value is below that is in no row.
OTHER: Final = "other"

#: What the label of several values says if one of them is called alike.
GROUP: Final = " (group)"

#: Shares of the values and of the records at least that a tree knows, before a column is taken for its own.
VALUES, RECORDS = 0.5, 0.95

#: Share of the values that must be codes of one list, and how many at least: short codes may be anything.
CODES, PROOF = 0.95, 5

#: Values at least that a tree knows, and values at most of a column that is looked at.
FEWEST, MOST = 3, 1_000

#: Rows up to which words of three letters are told apart well enough to be corrected, as `maile` is.
FEW: Final = 3

_FOLDER: Final = Path(__file__).with_name("public")


def _read(name: str) -> tuple[Mapping[str, str], list[dict[str, str]]]:
    """What the head of a file says, and its rows by the names of their columns."""
    lines = _FOLDER.joinpath(f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    said = {key: text.strip() for line in lines if line[:2] == "# " for key, _, text in [line[2:].partition(":")]}
    header, *rows = (line.split("\t") for line in lines if line[:2] != "# ")
    return said, [dict(zip(header, row, strict=True)) for row in rows]


def _said(column: str) -> set[str]:
    """The folded words of a column's name."""
    return {folded(word) for word in words_of(column)}


class Tree(NamedTuple):
    """A public tree.

    Attributes:
        name: Its name, as in `public:countries`.
        title: What it is a tree of, and by what.
        source: Whose facts these are.
        rows: The labels of each leaf, from the top down.
        words: For each language and list of codes the row of each folded word.
        columns: Folded words of column names that speak of it.
        unlike: Those that speak of something else, which has the same words.
        ignored: Folded words of values that make no difference.
    """

    name: str
    title: str
    source: str
    rows: tuple[tuple[str, ...], ...]
    words: Mapping[str, Mapping[str, int]]
    columns: frozenset[str]
    unlike: frozenset[str]
    ignored: frozenset[str]

    def places(self, values: Sequence[str], lists: Sequence[str] = ()) -> dict[str, int]:
        """The row of each value that it knows, by these lists of words, or all; misspelt ones are corrected."""
        folds = {text: folded(self._without(text)) for text in values}
        said, words = {*folds.values()}, dict[str, int]()
        for one in sorted(lists or self.words, key=lambda one: -len(said & self.words[one].keys())):
            words = {**self.words[one], **words}
        found = {text: words[fold] for text, fold in folds.items() if fold in words}
        least = FEWEST if len(self.rows) <= FEW else LETTERS
        for text in [text for text in folds if text not in found] if 2 * len(found) >= VALUES * len(folds) else ():
            near = {words[one] for one in nearest(folds[text], words, least=least)}
            found |= dict.fromkeys([text], *near) if len(near) == 1 else {}
        return found

    def _without(self, text: str) -> str:
        """The text without words that make no difference here."""
        kept = [one for one in re.split(r"[\W_]+", text) if folded(one) not in self.ignored]
        return " ".join(kept) if self.ignored and any(kept) else text

    def knows(self, counts: Mapping[str, int], column: str) -> bool:
        """Whether these values are its own; the column's name only counts where they are codes of a few signs."""
        named = _said(column)
        if len(counts) > MOST or self.unlike & named:
            return False
        lists = [
            one for one in self.words if one[0] != "#" or self._are_codes(one, counts, sure=bool(self.columns & named))
        ]
        found = self.places([*counts], lists)
        records = sum(counts[text] for text in found)
        return len(found) >= max(FEWEST, VALUES * len(counts)) and records >= RECORDS * sum(counts.values())

    def _are_codes(self, kind: str, counts: Mapping[str, int], *, sure: bool) -> bool:
        """Whether values are codes of a list; unless the column's name says so, only capital letters prove it."""
        words = self.words[kind]
        codes = [text for text in counts if folded(text) in words and (sure or (text.isalpha() and text.isupper()))]
        fewest = FEWEST if sure and not "".join(codes).isdigit() else PROOF
        return len(codes) >= max(fewest, CODES * len(counts))

    def spellings(self, values: Sequence[str]) -> tuple[int, int]:
        """How many of these values it does not know, and how many others are further spellings of the same leaves."""
        found = self.places(values)
        return len(values) - len(found), len(found) - len({*found.values()})

    def over(self, values: Sequence[str], *, name: str = "") -> Hierarchy:
        """The hierarchy of these values, without levels that put nothing together.

        Raises:
            HierarchyError: it knows fewer than half of them.
        """
        texts = sorted(set(values))
        found = self.places(texts)
        if len(found) < VALUES * len(texts):
            hint = "try another tree, or write one (CSV or JSON)"
            raise fault(f"public:{self.name} knows {len(found):,} of {len(texts):,} values", name, hint=hint)
        levels = [*zip(*self._rows(texts, found), strict=True)]
        kept = levels[:1]
        for level in levels[1:-1]:
            if 1 < len({*level}) < len({*kept[-1]}):
                kept.append(level)
        return Hierarchy.from_rows(zip(*kept, *levels[-1:], strict=True), name=name)

    def _rows(self, texts: Sequence[str], found: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
        """The labels above each value, the values of a row beside each other and unknown ones last."""
        spelt = defaultdict[int, list[str]](list)
        for text in texts:
            spelt[found.get(text, len(self.rows))].append(text)
        leaves, height = {*texts}, len(self.rows[0])

        def apart(label: str) -> str:
            """The label; a value that is called alike is not all of these."""
            return label + GROUP if label in leaves else label

        for row, its in sorted(spelt.items()):
            *above, own = map(apart, self.rows[row] if row < len(self.rows) else [OTHER] * height)
            for text in its:
                alone = len(its) == 1 or (row == len(self.rows) and height > 1)
                yield text, text if alone else own.replace(GROUP, ANY), *reversed(above), SUPPRESSED


class Scheme(NamedTuple):
    """A public list of codes whose first characters have a meaning.

    Attributes:
        name: Its name, as in `public:icd-10`.
        title: What its levels are.
        source: Whose list it is.
        lengths: How many characters of a code name a node, level by level.
        form: What each code matches.
        sure: What only its codes match; some must unless a word of the column's name is in `columns`.
        columns: Folded words of column names that speak of it.
    """

    name: str
    title: str
    source: str
    lengths: tuple[int, ...]
    form: re.Pattern[str]
    sure: re.Pattern[str] | None
    columns: frozenset[str]

    def knows(self, values: Sequence[str], column: str) -> bool:
        """Whether nearly all values have its form, and most can be nothing else or the column's name says so."""
        if sum(map(bool, map(self.form.fullmatch, values))) < CODES * len(values) or not values:
            return False
        sure = [] if self.sure is None else [*filter(self.sure.fullmatch, values)]
        return bool(self.columns & _said(column)) or (len(values) >= PROOF and 2 * len(sure) > len(values))

    def over(self, values: Sequence[str], *, name: str = "") -> Hierarchy:
        """The hierarchy of these codes.

        Raises:
            HierarchyError: fewer than half of them have its form.
        """
        texts = sorted(set(values))
        found = sum(map(bool, map(self.form.fullmatch, texts)))
        if found < VALUES * len(texts):
            raise fault(
                f"public:{self.name} knows {found:,} of {len(texts):,} values", name, hint="is it the right list?"
            )
        return prefix(texts, branching(texts, self.lengths), halves=True, name=name)


@cache
def tree(name: str) -> Tree:
    """The tree of this name."""
    said, rows = _read(name)
    kinds = [one for one in rows[0] if one[0] == "#" or len(one) == len("en")]
    words: dict[str, dict[str, int]] = {one: {} for one in kinds}
    labels = [tuple(text for key, text in row.items() if key not in words) for row in rows]
    for at, row in enumerate(rows):
        for kind in kinds:
            own = labels[at][-1:] if kind == "en" else ()
            words[kind] |= {folded(word): at for word in (*own, *row[kind].split("|")) if word}
    known = (frozenset(map(folded, said.get(key, "").split())) for key in ("columns", "unlike", "ignored"))
    return Tree(name, said["title"], said["source"], tuple(labels), words, *known)


@cache
def schemes() -> tuple[Scheme, ...]:
    """All lists of codes."""
    return tuple(
        Scheme(
            row["name"],
            row["title"],
            row["source"],
            tuple(map(int, row["lengths"].split(","))),
            re.compile(row["form"]),
            re.compile(row["sure"]) if row["sure"] else None,
            frozenset(row["columns"].split()),
        )
        for row in _read("codes")[1]
    )


#: The names of the trees, which are those of the files.
TREES: Final = tuple(sorted(one.stem for one in _FOLDER.glob("*.tsv") if one.stem != "codes"))


def titles() -> dict[str, str]:
    """What each tree and each list of codes is, and whose facts it states, by the names that `public:` takes."""
    found: list[Tree | Scheme] = [*map(tree, TREES), *schemes()]
    return {one.name: f"{one.title} ({one.source})" for one in found}


#: The names that `public:` takes.
PUBLIC: Final = (*TREES, *(row["name"] for row in _read("codes")[1]))


def known_codes(values: Sequence[str], column: str) -> Scheme | None:
    """The list that a column's values are codes of; `None` where there is none.

    >>> known_codes(["2310", "2320", "5223"], "isco08").name, known_codes(["2310", "2320", "5223"], "income")
    ('isco-08', None)
    """
    return next((one for one in schemes() if one.knows(values, column)), None)


def known_as(counts: Mapping[str, int], column: str) -> Tree | None:
    """The tree whose values a column has; `None` where there is none, or several and its name does not say which.

    >>> known_as({"France": 9, "Italy": 8, "Spain": 7}, "x").name
    'countries'
    >>> known_as({"CA": 9, "DE": 8, "IN": 7, "IL": 4, "LA": 2}, "x"), known_as({"A": 9, "B": 8, "AB": 7}, "country")
    (None, None)
    """
    named = _said(column)
    found = [one for one in map(tree, TREES) if one.knows(counts, column)]
    chosen = [one for one in found if one.columns & named] if len(found) > 1 else found
    return chosen[0] if len(chosen) == 1 else None


@cache
def known_words() -> frozenset[str]:
    """The folded words of all trees: none of them is another one misspelt."""
    return frozenset(word for one in map(tree, TREES) for words in one.words.values() for word in words)


def public(text: str, values: Sequence[str], *, name: str = "") -> Hierarchy:
    """The hierarchy of values in a tree, or a list of codes, that anybody knows.

    Raises:
        HierarchyError: it knows fewer than half of the values.

    >>> list(public("countries", ["Italy", "Italia", "Peru"]).rows())[1:]
    [('Italia', 'Italy (any spelling)', '*'), ('Italy', 'Italy (any spelling)', '*')]
    """
    found = tree(text) if text in TREES else next(one for one in schemes() if one.name == text)
    return found.over(values, name=name)
