"""The compiled core as functions of Python: what each takes is checked here by kind, and in C by size and content.

An array is handed over as the place of its first item, their number and their width; the GIL is released while C runs.
A wheel brings the library. A checkout has the C beside it and builds it when it is first needed, or has changed.
"""

from __future__ import annotations

import ctypes
from functools import cache
from itertools import cycle
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from kohort.errors import MissingExtraError
from kohort.native import build

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: What C returns where an argument does not fit the others.
REFUSED: Final = -1


class Array(ctypes.Structure):
    """An array of NumPy as C knows it."""

    _fields_ = (("at", ctypes.c_void_p), ("size", ctypes.c_int64), ("item", ctypes.c_int64))
    held: object  # what lies at `at`, where nothing else keeps it


#: An array's fields as bytes: made of these, it takes a third of the time.
_PACK: Final = Struct("Pqq").pack


class Parameter(Protocol):
    """How one argument is handed over."""

    def from_param(self, given: Any, /) -> Any:  # noqa: ANN401  ctypes asks for it by this name
        """The argument as C takes it."""
        ...


#: Bits of an array's flags, which NumPy's C interface names: one number is quicker to ask for than three.
_CONTIGUOUS: Final = 0x1
_ALIGNED: Final = 0x100
_WRITEABLE: Final = 0x400


class Of:
    """Arrays of some types, C-contiguous and aligned; those that C writes to must be writable."""

    def __init__(self, *types: type[np.generic], written: bool = False) -> None:
        """Take these."""
        self._types = frozenset(map(np.dtype, types))
        self._layout = _CONTIGUOUS | _ALIGNED | (_WRITEABLE if written else 0)

    def from_param(self, given: NDArray[Any]) -> Array:
        """The array as C takes it."""
        layout = given.flags.num
        if given.dtype not in self._types or layout & self._layout != self._layout:
            raise TypeError(f"an array of {given.dtype} in this layout cannot be handed to the compiled core")
        quick = layout & _WRITEABLE and given.size  # where the bytes tell their place, which is ten times as quick
        place = ctypes.addressof(ctypes.c_char.from_buffer(given.data)) if quick else given.ctypes.data
        return Array.from_buffer_copy(_PACK(place, given.size, given.itemsize))


class Together:
    """Arrays of these kinds by turns, as one row of them."""

    def __init__(self, *kinds: Of) -> None:
        """Take these."""
        self._kinds = kinds

    def from_param(self, given: Sequence[NDArray[Any]] | Array) -> Array:
        """The arrays as C takes them: an array of arrays; or what this made of them before, while they were kept."""
        if isinstance(given, Array):
            return given
        row = [kind.from_param(array) for kind, array in zip(cycle(self._kinds), given, strict=False)]
        held = (Array * len(row))(*row)
        found = Array(ctypes.addressof(held), len(row), ctypes.sizeof(Array))
        found.held = held  # as long as the call lasts
        return found


#: A number.
NUMBER: Final = ctypes.c_int64

#: Arrays that are read.
BYTES: Final = Of(np.uint8)
WORDS: Final = Of(np.uint64)
INDEX: Final = Of(np.int64)
SIZES: Final = Of(np.int32)
SHARES: Final = Of(np.float64)
CODES: Final = Of(np.uint8, np.uint16, np.uint32)
NUMBERS: Final = Of(np.uint32, np.int64)
LISTED: Final = Of(np.uint32)
MARKS: Final = Of(np.bool_)

#: Arrays that are written to.
TO_BYTES: Final = Of(np.uint8, written=True)
TO_WORDS: Final = Of(np.uint64, written=True)
TO_INDEX: Final = Of(np.int64, written=True)
TO_SIZES: Final = Of(np.int32, written=True)
TO_SHARES: Final = Of(np.float64, written=True)
TO_NUMBERS: Final = Of(np.uint32, written=True)
TO_GROUPS: Final = Of(np.uint32, np.int64, written=True)
TO_CODES: Final = Of(np.uint16, np.uint32, written=True)
TO_MARKS: Final = Of(np.bool_, written=True)

#: Columns of records.
COLUMNS: Final = Together(BYTES, INDEX, CODES)


class Function:
    """A function of the library, which is loaded when one is first called.

    Raises:
        IndexError: C was given something that leads beyond an array's end, or arrays that do not fit each other.
        MissingExtraError: there is no library, and none can be built.
    """

    def __init__(self, name: str, *parameters: Parameter | type[Any]) -> None:
        """Know its parameters."""
        self._name, self._parameters = name, parameters
        self._called: Any = None

    def __call__(self, *arguments: object) -> int:
        """What it returns."""
        if self._called is None:
            called: Any = library()[self._name]
            called.argtypes, called.restype = self._parameters, NUMBER
            self._called = called
        found: int = self._called(*arguments)
        if found == REFUSED:
            raise IndexError(f"{self._name} was given what does not fit its arrays")
        return found


@cache
def library() -> ctypes.CDLL:
    """The library, loaded; in a checkout it is built first where it has to be."""
    try:
        if is_stale():
            build.build()
        return ctypes.CDLL(str(build.LIBRARY))
    except OSError as error:
        raise MissingExtraError(f"kohort's compiled core cannot be loaded: {error}", hint=build.HINT) from None


def is_stale() -> bool:
    """Whether the C lies here, and no library that is as new."""
    sources = [path.stat().st_mtime for path in build.SOURCES if path.exists()]
    return bool(sources) and not (build.LIBRARY.exists() and build.LIBRARY.stat().st_mtime >= max(sources))


#: A dictionary: its slots, where its values occurred first, their heads, ends and bytes, and how many they are.
VALUES: Final = (TO_WORDS, TO_INDEX, TO_WORDS, TO_INDEX, TO_BYTES, TO_INDEX)

#: Find the cells of delimited text: see `kohort.io.records`.
SCAN: Final = Function("kohort_scan", BYTES, *[NUMBER] * 6, TO_INDEX, TO_SIZES, NUMBER, TO_INDEX)

#: Code the cells of a column, and put its values into a larger table: see `kohort.io.dictionary`.
LOOK_UP: Final = Function("kohort_look_up", BYTES, INDEX, SIZES, NUMBER, *VALUES, TO_NUMBERS, NUMBER)
MEMBERS: Final = Function("kohort_members", BYTES, INDEX, *VALUES, TO_NUMBERS, TO_INDEX)
REHASH: Final = Function("kohort_rehash", WORDS, TO_WORDS)

#: Number equal rows: see `kohort.core.frequency`.
GROUP: Final = Function("kohort_group", WORDS, NUMBER, TO_GROUPS, TO_INDEX, TO_SIZES, TO_INDEX)

#: Count in each group how many have a record's value: see `kohort.core.frequency`.
SHARED: Final = Function("kohort_shared", CODES, INDEX, TO_WORDS, TO_NUMBERS)

#: Look how records fit into their labels: see `kohort.verify.labels`.
FIT: Final = Function(
    "kohort_fit", CODES, NUMBERS, CODES, Together(SIZES, SIZES, SIZES, INDEX, LISTED), TO_BYTES, TO_BYTES
)

#: Find who alone in a class stands at an end of a range: see `kohort.verify.classes`.
ONLY: Final = Function("kohort_only", BYTES, NUMBERS, TO_BYTES, TO_BYTES)

#: Write records as text, and compare a text with them: see `kohort.io.write` and `kohort.verify.reading`. A column is
#: its cells one after another, where each begins and the last one ends, and the code of each record.
WRITE: Final = Function("kohort_write", COLUMNS, *[NUMBER] * 2, TO_BYTES, TO_INDEX)
COMPARE: Final = Function("kohort_compare", BYTES, COLUMNS, Together(TO_BYTES), *[NUMBER] * 2, TO_INDEX)

#: Cut a partition down to its leaves: see `kohort.algorithms.mondrian.sizes`.
BUFFER: Final = Together(TO_CODES, TO_WORDS, TO_NUMBERS, TO_INDEX)
RULE: Final[tuple[Any, ...]] = Together(INDEX, INDEX, SHARES, INDEX), *[NUMBER] * 4
CARVE: Final = Function(
    "kohort_carve",
    BUFFER,
    *RULE,
    Together(TO_CODES, TO_CODES, TO_INDEX, TO_CODES, TO_INDEX, TO_INDEX, TO_INDEX),
    Together(TO_INDEX, TO_INDEX, TO_CODES, TO_CODES),
    *[NUMBER] * 4,
)

#: Cut what models judge: see `kohort.algorithms.mondrian.waves`.
MEMORY: Final = Together(*[TO_INDEX] * 4, TO_CODES, TO_CODES)
CUTS: Final = Together(INDEX, INDEX)
PROPOSE_CUTS: Final = Function("kohort_propose_cuts", BUFFER, *RULE, MEMORY, TO_INDEX, TO_INDEX, TO_INDEX, NUMBER)
PROFILE_CUTS: Final = Function(
    "kohort_profile_cuts", BUFFER, MEMORY, INDEX, NUMBER, CUTS, INDEX, NUMBER, TO_INDEX, TO_INDEX
)
SETTLE_CUTS: Final = Function("kohort_settle_cuts", BUFFER, INDEX, NUMBER, CUTS, MARKS, TO_INDEX)
CORNERS: Final = Function("kohort_corners", BUFFER, INDEX, MEMORY, TO_CODES, TO_CODES)

#: Cut by what cuts save: see `kohort.algorithms.mondrian.loss_kernels`, and `.by_loss` for the last three.
LOSS: Final = Together(*[INDEX] * 11, WORDS, TO_WORDS, *[TO_INDEX] * 5)
RANKED: Final = TO_INDEX, TO_MARKS, TO_INDEX, TO_INDEX, TO_INDEX, TO_WORDS
LOSS_MEMORY: Final = Function("kohort_loss_memory", NUMBER, NUMBER, NUMBER)
PROPOSE: Final = Function("kohort_propose", LOSS, TO_CODES, *[NUMBER] * 5)
CARVE_BY_LOSS: Final = Function(
    "kohort_carve_by_loss", LOSS, TO_CODES, TO_CODES, *[NUMBER] * 3, CODES, TO_INDEX, TO_INDEX
)
RANK: Final = Function("kohort_rank", LOSS, TO_CODES, INDEX, NUMBER, Together(*RANKED))
COUNT_SIDES: Final = Function(
    "kohort_count_sides", LOSS, TO_CODES, INDEX, Together(*RANKED), INDEX, CODES, INDEX, TO_INDEX, TO_INDEX
)
CUT: Final = Function("kohort_cut", LOSS, TO_CODES, TO_CODES, INDEX, Together(*RANKED), TO_INDEX, MARKS, TO_INDEX)

#: Groups of tuples, and what they cost: see `kohort.algorithms.mondrian.costs`.
COSTS: Final = Together(INDEX)
GROUPS: Final = Together(TO_INDEX, TO_INDEX, TO_WORDS)
GATHER: Final = Function("kohort_gather", COSTS, CODES, INDEX, INDEX, GROUPS)
COST_GROUPS: Final = Function("kohort_cost_groups", COSTS, GROUPS, TO_INDEX)
COST_WITH_EACH: Final = Function("kohort_cost_with_each", COSTS, GROUPS, CODES, TO_INDEX)

#: Grow two groups: see `kohort.algorithms.mondrian.top_down`.
GROW_BOXES: Final = Function("kohort_grow_boxes", SHARES, INDEX, *[NUMBER] * 2, *[TO_SHARES] * 2, TO_MARKS)

#: Order tuples: see `kohort.algorithms.mondrian.ordered` and, for the last two, `.reordering`.
CHAIN: Final = Function("kohort_chain", COSTS, CODES, INDEX, TO_INDEX)
TURN: Final = Function("kohort_turn", CODES, NUMBER, TO_INDEX, TO_INDEX)
FOLLOW: Final = Function("kohort_follow", COSTS, GROUPS, TO_INDEX, *[NUMBER] * 2)
LEAN: Final = Function("kohort_lean", COSTS, CODES, INDEX, GROUPS, TO_INDEX)

#: Divide an order, and make regions of it: see `kohort.algorithms.mondrian.division` and, for the last one, `.ordered`.
WINDOW: Final = Together(TO_INDEX)
DIVIDE: Final = Function("kohort_divide", COSTS, CODES, INDEX, *[NUMBER] * 5, MARKS, WINDOW, TO_INDEX, TO_INDEX)
TRACE: Final = Function("kohort_trace", INDEX, TO_INDEX)
ENCLOSE: Final = Function("kohort_enclose", CODES, NUMBER, *[INDEX] * 2, *[TO_CODES] * 2)

#: Transactions under other codes, by item, and looked through: see `kohort.transactions._rows`.
NARROW: Final = Function("kohort_narrow", INDEX, *[SIZES] * 2, TO_INDEX, TO_SIZES)
TRANSPOSE: Final = Function("kohort_transpose", INDEX, SIZES, TO_INDEX, TO_SIZES)
LOOK: Final = Function("kohort_look", INDEX, *[SIZES] * 2, *[INDEX] * 3, *[TO_INDEX] * 2)

#: List candidates, and bound them: see `kohort.transactions._levels` and, for the last two, `._rows`.
CANDIDATES: Final[tuple[Any, ...]] = SIZES, NUMBER, INDEX, SIZES
JOIN: Final = Function("kohort_join", TO_INDEX, SIZES, *[INDEX] * 3, *[TO_INDEX] * 3, TO_SIZES, *[TO_INDEX] * 2)
FLOORS: Final = Function("kohort_floors", *[INDEX] * 3, NUMBER, INDEX, TO_INDEX)
TALLY: Final = Function("kohort_tally", *[INDEX, SIZES] * 2, NUMBER, TO_SIZES)
BOUNDS: Final = Function("kohort_bounds", SIZES, *CANDIDATES, TO_SIZES, TO_INDEX)

#: Count cohorts, as bitmaps and as lists: see `kohort.transactions._bitmaps` and `._engines`.
MARK: Final = Function("kohort_mark", INDEX, *[SIZES] * 2, TO_WORDS)
CROSS: Final = Function("kohort_cross", *[WORDS] * 2, NUMBER, TO_SIZES)
COUNT_BITS: Final = Function("kohort_count_bits", WORDS, *CANDIDATES, TO_WORDS, TO_INDEX)
UNPACK: Final = Function("kohort_unpack", WORDS, *CANDIDATES, INDEX, TO_WORDS, SIZES, TO_SIZES)
MEET: Final = Function(
    "kohort_meet", *[WORDS] * 2, SIZES, *CANDIDATES, INDEX, *[NUMBER] * 2, TO_WORDS, TO_SIZES, TO_INDEX
)
SEARCH: Final = Together(*[INDEX, SIZES] * 2, SIZES, *[INDEX] * 2, TO_SIZES, TO_INDEX, TO_SIZES)
COUNT_LISTS: Final = Function("kohort_count_lists", SEARCH, NUMBER, INDEX, SIZES, *[TO_INDEX] * 2)
DEAL: Final = Function("kohort_deal", SEARCH, NUMBER, INDEX, SIZES, INDEX, TO_INDEX, TO_SIZES)
MARK_COHORTS: Final = Function("kohort_mark_cohorts", INDEX, *[SIZES] * 2, NUMBER, TO_SIZES, TO_MARKS)

#: Drop items, and give them back: see `kohort.transactions.suppression` and `.optimum`. Moles come with both sides.
SIDES: Final = INDEX, SIZES, INDEX, SIZES
DROP: Final = Function("kohort_drop", *SIDES, INDEX, *[NUMBER] * 2, TO_SIZES, *[TO_INDEX] * 2, TO_MARKS, TO_INDEX)
GIVE_BACK: Final = Function("kohort_give_back", *SIDES, SIZES, TO_INDEX, TO_MARKS)
MARK_DISPENSABLE: Final = Function("kohort_mark_dispensable", *SIDES, INDEX, TO_INDEX, TO_MARKS)

#: Put transactions in order: see `kohort.transactions.recode`.
SORT_ROWS: Final = Function("kohort_sort_rows", INDEX, SIZES, TO_WORDS, *[TO_INDEX] * 2, *[NUMBER] * 3)
COPY_RUNS: Final = Function("kohort_copy_runs", SIZES, *[INDEX] * 2, TO_SIZES)

# ── Models ───────────────────────────────────────────────────────────────────────────────────────

#: Measure classes, or judge them: see `kohort.models`, where each is called. A histogram is its counts and its columns;
#: with places, of which value each count is. Sums of shares are added up in the order of the values.
COUNTED: Final = INDEX, NUMBER
PLACED: Final = *COUNTED, INDEX
COUNT_VALUES: Final = Function("kohort_count_values", *COUNTED, TO_INDEX)
FIND_ENDS: Final = Function("kohort_find_ends", *PLACED, INDEX, *[TO_INDEX] * 2)
ADD_TERMS: Final = Function("kohort_add_terms", *COUNTED, *[SHARES] * 2, TO_INDEX, TO_SHARES)
ADD_TAILS: Final = Function("kohort_add_tails", *COUNTED, *[TO_INDEX] * 3)
JUDGE_SHARES: Final = Function("kohort_judge_shares", *PLACED, INDEX, NUMBER, TO_MARKS)
FIND_SHARES: Final = Function("kohort_find_shares", *PLACED, *[TO_INDEX] * 2)
MOVE: Final = Function("kohort_move", *COUNTED, INDEX, NUMBER, *[TO_INDEX] * 2, TO_SHARES)
MOVE_IN_ORDER: Final = Function("kohort_move_in_order", *PLACED, INDEX, TO_INDEX, TO_SHARES)
MOVE_BY_NODE: Final = Function("kohort_move_by_node", *PLACED, *[INDEX] * 2, *[NUMBER] * 2, TO_INDEX, TO_SHARES)

# ── The verifier ─────────────────────────────────────────────────────────────────────────────────

#: Hash texts: see `kohort.verify.aggregates`. Follow released transactions to their origins, and count their cohorts:
#: see `kohort.transactions.verify` for the first two, and `.cohorts` there for the others.
HASH: Final = Function("kohort_hash", BYTES, INDEX, TO_WORDS)
DESCENTS: Final = Function("kohort_descents", INDEX, SIZES)
HOLD: Final = Function("kohort_hold", *[INDEX, SIZES] * 2, INDEX, *[SIZES] * 2, TO_INDEX)
GROUP_COHORTS: Final = Function(
    "kohort_group_cohorts",
    *(INDEX, SIZES, SIZES, NUMBER),
    *(TO_SIZES, TO_SIZES, TO_INDEX, TO_SIZES, TO_SIZES, TO_SIZES),
    *(TO_INDEX, TO_SIZES, TO_SIZES, TO_INDEX),
)
COUNT_COHORTS: Final = Function("kohort_count_cohorts", *[SIZES] * 2, *[TO_INDEX] * 6, *[NUMBER] * 3, TO_INDEX)

# ── Lattice ──────────────────────────────────────────────────────────────────────────────────────

#: Roll classes up, and add up what is in them: see `kohort.algorithms.lattice.rollup`; for the last two `.judge` and
#: `.hidden`. Fields come with room, then with what each of their entries says.
FIELDS: Final = INDEX, WORDS, WORDS, TO_WORDS
ROLLED: Final = Together(*FIELDS, WORDS, TO_WORDS, TO_INDEX, TO_SIZES, TO_SIZES)
WEIGHED: Final = Together(*FIELDS, SHARES)
ROLL: Final = Function("kohort_roll", ROLLED, WORDS, *[INDEX] * 2, NUMBER)
ADD_ROWS: Final = Function(
    "kohort_add_rows", Of(np.int32, np.int64), SIZES, NUMBER, Of(np.int32, np.int64, written=True)
)
TOTAL: Final = Function("kohort_total", INDEX, MARKS)
WEIGH: Final = Function("kohort_weigh", WEIGHED, WORDS, INDEX, MARKS, INDEX, Of(np.float64, written=True))

#: Find the nodes that may be parted from a class, with room for hulls: see `kohort.algorithms.lattice.local`.
PROPOSE_NODES: Final = Function(
    "kohort_propose_nodes", Of(np.uint16, np.uint32), *[INDEX] * 6, TO_NUMBERS, NUMBER, TO_INDEX, TO_INDEX
)

# ── Perturbation and baskets ──────────────────────────────────────────────────────────────────────

#: Form the groups of MDAV, and swap ranks: see `kohort.perturbation.microaggregation` and `.rank_swapping`.
PLACES: Final = Together(SHARES, INDEX, TO_INDEX, *[INDEX] * 2, *[TO_SHARES] * 2)
HALVE: Final = Function("kohort_halve", SHARES, NUMBER, TO_INDEX, *[TO_SHARES] * 2)
FORM_GROUPS: Final = Function(
    "kohort_form_groups", PLACES, NUMBER, TO_INDEX, TO_SHARES, SHARES, INDEX, SHARES, *[TO_SHARES] * 2, TO_INDEX
)
DRAW_PARTNERS: Final = Function("kohort_draw_partners", *[TO_INDEX] * 2, SHARES, NUMBER)

#: Find names in basket lines, and bring cells together: see `lines` and, for the others, `cells` in `transactions.io`.
SPLIT: Final = Function("kohort_split", BYTES, *[NUMBER] * 4, TO_INDEX, TO_SIZES, *[TO_INDEX] * 2)
RENUMBER: Final = Function("kohort_renumber", TO_NUMBERS, TO_INDEX)
SCATTER: Final = Function("kohort_scatter", LISTED, SIZES, TO_INDEX, TO_SIZES)
SETTLE: Final = Function("kohort_settle", TO_INDEX, TO_SIZES, SIZES)
