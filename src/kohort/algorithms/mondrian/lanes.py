"""Rows put into groups, and groups joined, chunk by chunk: as few instructions as a processor needs for it.

A chunk of a row is its codes of as many attributes as BYTES hold, 64 bits of its sets, and its records. A chunk of a
group is their least codes, their greatest, the bits that any has, and all records. Numba's compiler does not find by
itself that the codes of one row may be compared at once, nor that all of a chunk lies in one place: told so, it takes
a fraction of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

if TYPE_CHECKING:
    from kohort.arrays import Codes

#: Codes that are compared at once fill so many bytes, the least vector register of today's processors.
BYTES: Final = 16

#: Bytes of a chunk of a row, and of a group.
OF_ROW: Final = BYTES + 16
OF_GROUP: Final = 2 * BYTES + 16


class _Instruction:
    """What other kernels compile a call of `put` to; like a kernel, it imports Numba when it is first needed."""

    def __init__(self) -> None:
        """Nothing is compiled yet."""
        self._type: Any = None

    def __call__(self, groups: Codes, at: int, others: Codes, other: int, ends: int, fresh: bool) -> int:  # noqa: FBT001, PLR0917
        """Put a chunk of a row or of a group into one of a group.

        Args:
            groups: (c,) memory of groups.
            at: Where the chunk begins that grows, in bytes.
            others: (c,) memory of rows or groups, of the same type.
            other: Where the chunk begins that is put into it.
            ends: So many bytes behind the other's least codes are its greatest: 0 of a row, BYTES of a group.
            fresh: Whether what was in the group does not count.

        Returns:
            A bit for each code, the first the lowest, that is 1 where its range became wider; behind them one that
            tells whether the bits of sets became more.
        """
        into, of = groups.view(np.uint8)[at : at + OF_GROUP], others.view(np.uint8)[other : other + OF_ROW + ends]
        low, high = (into[start : start + BYTES].view(groups.dtype) for start in (0, BYTES))
        below = (of[:BYTES].view(groups.dtype) < low) | fresh
        above = (of[ends : ends + BYTES].view(groups.dtype) > high) | fresh
        low[below], high[above] = (
            of[:BYTES].view(groups.dtype)[below],
            of[ends : ends + BYTES].view(groups.dtype)[above],
        )
        known, new = into[2 * BYTES :].view(np.uint64), of[ends + BYTES :].view(np.uint64)
        before = np.zeros_like(known) if fresh else known.copy()
        known[:1], known[1:] = before[:1] | new[:1], before[1:] + new[1:]
        grown = np.append(below | above, known[0] != before[0])
        return sum(1 << int(one) for one in np.flatnonzero(grown))

    @property
    def _numba_type_(self) -> Any:  # noqa: ANN401  Numba publishes no types
        """The type by which kernels know it; Numba asks for it by this name."""
        if self._type is None:
            self._type = _compiled()
        return self._type


put: Final = _Instruction()


def _compiled() -> Any:  # noqa: ANN401  the same
    """Numba's type of the instruction."""
    from llvmlite import ir as untyped  # type: ignore[import-untyped]  # noqa: PLC0415  Numba takes 0.3 s
    from numba.core import types  # noqa: PLC0415
    from numba.core.registry import cpu_target  # noqa: PLC0415
    from numba.extending import intrinsic  # noqa: PLC0415

    ir: Any = untyped  # llvmlite and Numba publish no types of these

    def written(context: Any, builder: Any, signature: Any, given: Any) -> Any:  # noqa: ANN401
        codes = context.get_data_type(signature.args[0].dtype)
        size, word = codes.width // 8, ir.IntType(64)
        vector = ir.VectorType(codes, BYTES // size)

        def begin(array: int, at: Any) -> Any:  # noqa: ANN401
            data = context.make_array(signature.args[array])(context, builder, given[array]).data
            return builder.gep(builder.bitcast(data, ir.IntType(8).as_pointer()), [at])

        def place(start: Any, behind: int, of: Any) -> Any:  # noqa: ANN401
            return builder.bitcast(builder.gep(start, [word(behind)]), of.as_pointer())

        def load(start: Any, behind: int, of: Any) -> Any:  # noqa: ANN401
            return builder.load(place(start, behind, of), align=size)

        into, lows, highs = begin(0, given[1]), begin(2, given[3]), begin(2, builder.add(given[3], given[4]))
        least, greatest = load(into, 0, vector), load(into, BYTES, vector)
        bits, records = load(into, 2 * BYTES, word), load(into, 2 * BYTES + 8, word)
        lower, higher = load(lows, 0, vector), load(highs, 0, vector)
        more, joined = load(highs, BYTES, word), load(highs, BYTES + 8, word)
        flags = ir.VectorType(ir.IntType(1), vector.count)
        fresh = builder.icmp_unsigned("!=", given[5], given[5].type(0))
        every = builder.insert_element(flags(ir.Undefined), fresh, ir.IntType(32)(0))
        every = builder.shuffle_vector(every, flags(ir.Undefined), ir.VectorType(ir.IntType(32), vector.count)(None))
        below = builder.or_(builder.icmp_unsigned("<", lower, least), every)
        above = builder.or_(builder.icmp_unsigned(">", higher, greatest), every)
        builder.store(builder.select(below, lower, least), place(into, 0, vector), align=size)
        builder.store(builder.select(above, higher, greatest), place(into, BYTES, vector), align=size)
        before, counted = (builder.select(fresh, word(0), one) for one in (bits, records))
        after = builder.or_(before, more)
        builder.store(after, place(into, 2 * BYTES, word), align=size)
        builder.store(builder.add(counted, joined), place(into, 2 * BYTES + 8, word), align=size)
        wider = builder.zext(builder.bitcast(builder.or_(below, above), ir.IntType(vector.count)), word)
        grown = builder.zext(builder.icmp_unsigned("!=", after, before), word)
        return builder.or_(wider, builder.shl(grown, word(vector.count)))

    def typed(_: Any, groups: Any, at: Any, others: Any, other: Any, ends: Any, fresh: Any) -> Any:  # noqa: ANN401, ARG001, PLR0917
        return types.uint64(groups, types.intp, others, types.intp, types.intp, types.boolean), written

    made, context = intrinsic(typed), cast("Any", cpu_target).typing_context
    context.refresh()  # it knows what was made before
    return context.resolve_value_type(made)
