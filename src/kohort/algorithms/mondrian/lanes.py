"""Ranges of a row's codes widened side by side, as one vector instruction for each 16 bytes.

Numba's compiler does not find by itself that the codes of one row may be compared at once: told so, it takes a
twentieth of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

if TYPE_CHECKING:
    from kohort.arrays import Codes

#: Codes that are compared at once fill so many bytes, the least vector register of today's processors.
BYTES: Final = 16


class _Instruction:
    """What other kernels compile a call of `widen` to; like a kernel, it imports Numba when it is first needed."""

    def __init__(self) -> None:
        """Nothing is compiled yet."""
        self._type: Any = None

    def __call__(self, low: Codes, high: Codes, at: int, lows: Codes, highs: Codes, row: int, fresh: bool) -> int:  # noqa: FBT001, PLR0917
        """Widen BYTES of the ranges `low`..`high`, from byte `at` on, by those of `lows`..`highs` from byte `row` on.

        All four are contiguous and of one type. Where the ranges are `fresh`, what was there does not count.

        Returns:
            A bit for each of these codes, the first the lowest, that is 1 where its range became wider.
        """
        ranges = [array.reshape(-1).view(np.uint8) for array in (low, high, lows, highs)]
        least, greatest, lower, higher = (
            one[place : place + BYTES].view(low.dtype) for one, place in zip(ranges, (at, at, row, row), strict=True)
        )
        below, above = (lower < least) | fresh, (higher > greatest) | fresh
        least[below], greatest[above] = lower[below], higher[above]
        return sum(1 << int(one) for one in np.flatnonzero(below | above))

    @property
    def _numba_type_(self) -> Any:  # noqa: ANN401  Numba publishes no types
        """The type by which kernels know it; Numba asks for it by this name."""
        if self._type is None:
            self._type = _compiled()
        return self._type


widen: Final = _Instruction()


def _compiled() -> Any:  # noqa: ANN401  the same
    """Numba's type of the instruction."""
    from llvmlite import ir as untyped  # type: ignore[import-untyped]  # noqa: PLC0415  Numba takes 0.3 s
    from numba.core import types  # noqa: PLC0415
    from numba.core.registry import cpu_target  # noqa: PLC0415
    from numba.extending import intrinsic  # noqa: PLC0415

    ir: Any = untyped  # llvmlite and Numba publish no types of these

    def written(context: Any, builder: Any, signature: Any, given: Any) -> Any:  # noqa: ANN401
        codes = context.get_data_type(signature.args[0].dtype)
        size = codes.width // 8
        vector = ir.VectorType(codes, BYTES // size)

        def place(array: int, at: int) -> Any:  # noqa: ANN401
            data = context.make_array(signature.args[array])(context, builder, given[array]).data
            bytes_ = builder.bitcast(data, ir.IntType(8).as_pointer())
            return builder.bitcast(builder.gep(bytes_, [given[at]]), vector.as_pointer())

        low, high = place(0, 2), place(1, 2)
        least, greatest, lows, highs = (builder.load(one, align=size) for one in (low, high, place(3, 5), place(4, 5)))
        flags = ir.VectorType(ir.IntType(1), vector.count)
        fresh = builder.icmp_unsigned("!=", given[6], given[6].type(0))
        fresh = builder.insert_element(flags(ir.Undefined), fresh, ir.IntType(32)(0))
        fresh = builder.shuffle_vector(fresh, flags(ir.Undefined), ir.VectorType(ir.IntType(32), vector.count)(None))
        below = builder.or_(builder.icmp_unsigned("<", lows, least), fresh)
        above = builder.or_(builder.icmp_unsigned(">", highs, greatest), fresh)
        builder.store(builder.select(below, lows, least), low, align=size)
        builder.store(builder.select(above, highs, greatest), high, align=size)
        wider = builder.bitcast(builder.or_(below, above), ir.IntType(vector.count))
        return builder.zext(wider, ir.IntType(64))

    def typed(_: Any, low: Any, high: Any, at: Any, lows: Any, highs: Any, row: Any, fresh: Any) -> Any:  # noqa: ANN401, ARG001, PLR0917
        return types.uint64(low, high, types.intp, lows, highs, types.intp, types.boolean), written

    made, context = intrinsic(typed), cast("Any", cpu_target).typing_context
    context.refresh()  # it knows what was made before
    return context.resolve_value_type(made)
