"""Defects seeded into a correct release of transactions: each is caught, by the check whose business it is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.transactions.coherence import Coherence
from kohort.transactions.io.options import BasketOptions, Form
from tests.unit.transactions.drafts import BOUGHT, DROPPED, FORMS, PUBLIC, Draft, draft, refused

GOOD = draft()
BREAD_MILK = GOOD.rows.index(("bread", "milk"))
CARD_TEST = GOOD.rows.index(("card", "test"))
PILL = GOOD.rows.index(("pill",))


@pytest.mark.parametrize("writing", FORMS)
def test_correct_release_passes(writing: BasketOptions) -> None:
    """A release without a defect is accepted in every form, and its verdict tells what it holds."""
    right = replace(GOOD, writing=writing)
    verdict = right.verdict(right.written)
    assert (verdict.transactions, verdict.items, verdict.cells) == (8, 5, 13)
    assert (verdict.cohorts, verdict.smallest, verdict.confidence) == (4, 4, (1, 4))
    assert verdict.checks["bytes"] == len(right.written)


def test_the_writer_spells_basket_lines_plainly() -> None:
    """What the tests spell by hand is what kohort writes."""
    assert GOOD.written == GOOD.text


# ── bytes ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + GOOD.text,
        GOOD.text.replace(b"\n", b"\r\n"),
        GOOD.text.replace(b"\n", b"\r\n", 1),
        GOOD.text.replace(b" ", b"  ", 1),
        GOOD.text.replace(b" ", b"\t", 1),
        GOOD.text.replace(b"pill\n", b"pill \n", 1),
        b" " + GOOD.text,
        GOOD.text[:-1],
        GOOD.text.replace(b"bread milk\n", b"milk bread\n", 1),
        GOOD.text.replace(b"bread milk\n", b"bread milk milk\n", 1),
        GOOD.text.replace(b"bread milk\n", b"bread bread milk\n", 1),
    ],
)
def test_bytes_that_are_not_plain(data: bytes) -> None:
    """A mark, other line ends or blanks, items in another order or named twice: all refused as bytes."""
    assert data != GOOD.text
    assert refused(GOOD, data) == "bytes"


@pytest.mark.parametrize("data", [GOOD.text.replace(b"milk", b"m\xfflk", 1), GOOD.text + b"\0\n"])
def test_bytes_that_are_no_text(data: bytes) -> None:
    """Bytes that no text has are refused, whichever check meets them first."""
    assert refused(GOOD, data) in {"bytes", "transactions"}


@pytest.mark.parametrize(
    ("writing", "old", "new"),
    [
        (BasketOptions(form=Form.LONG), b"\n", b"\r\n"),
        (BasketOptions(form=Form.LONG), b"milk", b'"milk"'),
        (BasketOptions(form=Form.MATRIX_HEADER), b"\n", b"\r\n"),
        (BasketOptions(form=Form.MATRIX_HEADER), b"milk", b'"milk"'),
        (BasketOptions(form=Form.LISTS), b"PAR1", b"PAR2"),
    ],
)
def test_bytes_of_other_forms(writing: BasketOptions, old: bytes, new: bytes) -> None:
    """The other forms, too, have one spelling."""
    right = replace(GOOD, writing=writing)
    assert old in right.written
    assert refused(right, right.written.replace(old, new, 1)) == "bytes"


@given(st.integers(0, len(GOOD.text) - 1), st.integers(0, 255))
def test_any_other_byte(place: int, byte: int) -> None:
    """Whatever byte is changed, some check refuses the file."""
    data = GOOD.text[:place] + bytes([byte]) + GOOD.text[place + 1 :]
    if data == GOOD.text:
        assert GOOD.verdict(data) == GOOD.verdict()
    else:
        refused(GOOD, data)


@pytest.mark.parametrize("size", range(len(GOOD.text)))
def test_truncated_file(size: int) -> None:
    """A file cut anywhere is refused."""
    assert refused(GOOD, GOOD.text[:size]) in {"bytes", "transactions", "items"}


# ── transactions and items ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("data", [GOOD.text + b"\n", b"\n" + GOOD.text, GOOD.text + b"pill\n", GOOD.text[1:]])
def test_another_number_of_transactions(data: bytes) -> None:
    """A line more or less is a transaction more or less, be it empty."""
    assert refused(GOOD, data) == "transactions"


@pytest.mark.parametrize("name", ["sugar", "Milk", "milk,"])
def test_foreign_item(name: str) -> None:
    """A name that the input has not, however alike, is refused."""
    assert refused(GOOD.at(CARD_TEST, ("card", name, "test"))) == "items"


@pytest.mark.parametrize("name", ["jam", "tea", "rice"])
def test_item_left(name: str) -> None:
    """An item that was to go everywhere is found where one transaction still has it."""
    place = next(at for at, row in enumerate(GOOD.lineage) if name in BOUGHT[row])
    assert refused(GOOD.at(place, sorted((*GOOD.rows[place], name)))) == "items"


def test_dropped_item_in_the_header() -> None:
    """The header of a matrix names no item that was suppressed, though no transaction has it."""
    right = replace(GOOD, writing=BasketOptions(form=Form.MATRIX_HEADER))
    header, rest = right.written.split(b"\n", 1)
    separator = header.split(b"bread")[1][:1]
    lines = [header + separator + b"tea", *(line + separator + b"0" for line in rest.splitlines())]
    assert refused(right, b"\n".join(lines) + b"\n") == "items"


# ── lineage and private items ────────────────────────────────────────────────────────────────────


def test_swapped_transactions() -> None:
    """Two transactions in one another's place claim the wrong origins."""
    rows = list(range(8))
    rows[BREAD_MILK], rows[CARD_TEST] = CARD_TEST, BREAD_MILK
    assert refused(replace(GOOD, rows=GOOD.taking(rows).rows)) == "lineage"
    assert refused(replace(GOOD, lineage=GOOD.taking(rows).lineage)) == "lineage"


@pytest.mark.parametrize(
    "lineage", [GOOD.lineage[1:], (GOOD.lineage[1], *GOOD.lineage[1:]), (*GOOD.lineage, GOOD.lineage[0])]
)
@pytest.mark.parametrize("cells", [False, True])
def test_origins_that_are_not_all(lineage: tuple[int, ...], *, cells: bool) -> None:
    """Too few origins, too many, or one twice, are no permutation."""
    assert refused(replace(GOOD, lineage=lineage, cells=cells)) == "lineage"


@pytest.mark.parametrize("stranger", [-1, 8])
@pytest.mark.parametrize("place", range(8))
def test_origin_that_is_none(stranger: int, place: int) -> None:
    """A transaction that claims to be none of the input's is refused, in the place of whichever one."""
    lineage = (*GOOD.lineage[:place], stranger, *GOOD.lineage[place + 1 :])
    assert refused(replace(GOOD, lineage=lineage)) == "lineage"


@pytest.mark.parametrize("name", ["milk", "pill", "card"])
@pytest.mark.parametrize("cells", [False, True])
def test_added_item(name: str, *, cells: bool) -> None:
    """An item that a transaction did not have is refused, be it public, private or neither."""
    place = next(at for at, row in enumerate(GOOD.rows) if name not in row)
    wrong = replace(GOOD.at(place, sorted((*GOOD.rows[place], name))).ordered(), cells=cells)
    assert refused(wrong) == "lineage"


def test_public_cell_lost() -> None:
    """A single public cell may only be missing where cells are suppressed."""
    wrong = GOOD.at(BREAD_MILK, ("bread",)).ordered()
    assert refused(wrong) == "lineage"
    assert replace(wrong, cells=True).verdict().cells == 12


@pytest.mark.parametrize("name", ["pill", "test", "card"])
@pytest.mark.parametrize("cells", [False, True])
def test_private_cell_lost(name: str, *, cells: bool) -> None:
    """A cell of an item that is not public must never be missing."""
    place = next(at for at, row in enumerate(GOOD.rows) if name in row)
    row = [one for one in GOOD.rows[place] if one != name]
    assert refused(replace(GOOD.at(place, row).ordered(), cells=cells)) == "private"


@pytest.mark.parametrize("name", ["pill", "card"])
def test_private_item_dropped(name: str) -> None:
    """An item that is not public is not dropped, even where the claim says so."""
    gone = DROPPED | {name}
    rows = tuple(tuple(one for one in row if one not in gone) for row in GOOD.rows)
    assert refused(replace(GOOD, rows=rows, dropped=gone).ordered()) == "private"


# ── coherence and order ──────────────────────────────────────────────────────────────────────────


def kept(*names: str) -> Draft:
    """The release with some of the dropped items given back."""
    gone = DROPPED - set(names)
    return replace(draft(lambda name: name not in gone | {"rice"}), dropped=gone)


@pytest.mark.parametrize(("name", "p", "k"), [("tea", 2, 3), ("jam", 1, 3)])
def test_mole_left(name: str, p: int, k: int) -> None:
    """A set of public items in too few transactions is found, at the size that p allows."""
    assert refused(replace(kept(name), coherence=Coherence.of(h="0.5", k=k, p=p))) == "coherence"


def test_pair_beyond_p() -> None:
    """Nobody is taken to know more than p public items."""
    assert replace(kept("tea"), coherence=Coherence.of(h="0.5", k=3, p=1)).verdict().smallest == 4


@pytest.mark.parametrize(("h", "wrong"), [("0.25", False), ("0.249", True), ("1/4", False), ("6/25", True)])
def test_breach_left(h: str, *, wrong: bool) -> None:
    """A private item in more than the share h is found, and exactly h is not more."""
    claimed = replace(GOOD, coherence=Coherence.of(h=h, k=3, p=2))
    if wrong:
        assert refused(claimed) == "coherence"
    else:
        assert claimed.verdict().confidence == (1, 4)


@pytest.mark.parametrize(("h", "k"), [("0.5", 9), ("0.2", 1)])
def test_the_empty_set_is_judged(h: str, k: int) -> None:
    """Fewer transactions than k, or a private item in too many of all, are a mole of no item."""
    nothing = replace(draft(lambda name: name in {"pill", "test", "card"}), dropped=PUBLIC)
    assert refused(replace(nothing, coherence=Coherence.of(h=h, k=k, p=2))) == "coherence"


def test_kept_order() -> None:
    """Transactions in the order of the input betray who is who, even if all else is right."""
    assert refused(GOOD.taking(sorted(range(8), key=lambda place: GOOD.lineage[place]))) == "order"


@given(st.permutations(range(8)))
def test_any_other_order(places: list[int]) -> None:
    """An order is accepted exactly if the lines of the file are the canonical ones."""
    other = GOOD.taking(places)
    if other.rows == GOOD.rows:
        assert other.verdict() == GOOD.verdict()
    else:
        assert refused(other) == "order"


def test_a_prefix_comes_first() -> None:
    """A transaction comes after those whose content it begins with."""
    assert GOOD.rows.index(max(GOOD.rows)) == PILL
    places = list(range(8))
    shorter, longer = GOOD.rows.index(("bread", "milk")), GOOD.rows.index(("bread", "milk", "pill"))
    places[shorter], places[longer] = longer, shorter
    assert refused(GOOD.taking(places)) == "order"
