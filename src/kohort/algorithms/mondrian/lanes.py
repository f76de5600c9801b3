"""Rows put into groups, and groups joined, chunk by chunk: as few instructions as a processor needs for it.

A chunk of a row is its codes of as many attributes as BYTES hold, 64 bits of its sets, and its records. A chunk of a
group is their least codes, their greatest, the bits that any has, and all records. Numba's compiler does not find by
itself that the codes of one row may be compared at once, nor that all of a chunk lies in one place: told so, it takes
a fraction of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, ParamSpec, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.arrays import Codes, Counts, Index
    from kohort.core.frequency import Words

P = ParamSpec("P")
R = TypeVar("R")

#: Codes that are compared at once fill so many bytes, the least vector register of today's processors.
BYTES: Final = 16

#: Words that are compared at once.
OF_WORDS: Final = 4

#: LLVM's name of the instruction that counts the bits of so many words.
POPULATION: Final = f"llvm.ctpop.v{OF_WORDS}i64"

#: Bytes of a chunk of a row, and of a group.
OF_ROW: Final = BYTES + 16
OF_GROUP: Final = 2 * BYTES + 16


class _Instruction(Generic[P, R]):
    """What other kernels compile a call to; like a kernel, it imports Numba when it is first needed."""

    def __init__(self, plain: Callable[P, R], typed: Callable[[], Callable[..., Any]]) -> None:
        """Nothing is compiled yet.

        Args:
            plain: What it does, step by step.
            typed: Makes what Numba asks for: its type for those of its arguments, and what it is compiled to.
        """
        self._plain, self._typed, self._type = plain, typed, cast("Any", None)

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Do it step by step."""
        return self._plain(*arguments, **named)

    @property
    def _numba_type_(self) -> Any:  # noqa: ANN401  Numba publishes no types
        """The type by which kernels know it; Numba asks for it by this name."""
        if self._type is None:
            from numba.core.registry import cpu_target  # noqa: PLC0415  Numba takes 0.3 s
            from numba.extending import intrinsic  # noqa: PLC0415

            made, context = intrinsic(self._typed()), cast("Any", cpu_target).typing_context
            context.refresh()  # it knows what was made before
            self._type = context.resolve_value_type(made)
        return self._type


def _put(groups: Codes, at: int, others: Codes, other: int, ends: int, fresh: bool) -> int:  # noqa: FBT001, PLR0917
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


def _stretch(dear: Index, at: int, low: Index, high: Index, others: int, one: int, whole: int) -> None:  # noqa: PLR0917
    """Add what a span costs that holds one span and another, for OF_WORDS others.

    Args:
        dear: (p,) what is added to.
        at: The first of the others.
        low: Where spans begin.
        high: Where they end.
        others: Where those of the others stand.
        one: Where the one stands.
        whole: What a span costs at most.
    """
    some = slice(others + at, others + at + OF_WORDS)
    length = np.maximum(high[some], high[one]) - np.minimum(low[some], low[one])
    dear[at : at + OF_WORDS] += np.clip(length, 0, whole)


def _count(members: Counts, at: int, bits: Words, others: int, one: int, mask: int) -> None:  # noqa: PLR0917
    """Add how many bits any of two words has, for one word and OF_WORDS others.

    Args:
        members: (p,) what is added to.
        at: The first of the others.
        bits: The words.
        others: Where those of the others stand.
        one: Where the one stands.
        mask: Which bits count.
    """
    words = (bits[others + at : others + at + OF_WORDS] | bits[one]) & np.uint64(mask)
    members[at : at + OF_WORDS] += [int(word).bit_count() for word in words]


def _ir() -> Any:  # noqa: ANN401  llvmlite and Numba publish no types
    """What writes instructions."""
    from llvmlite import ir  # type: ignore[import-untyped]  # noqa: PLC0415

    return ir


def _compiled_put() -> Any:  # noqa: ANN401  the same
    """What Numba asks of `put`."""
    from numba.core import types  # noqa: PLC0415

    ir = _ir()

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

    return typed


def _compiled_stretch() -> Any:  # noqa: ANN401  the same
    """What Numba asks of `stretch`."""
    from numba.core import types  # noqa: PLC0415

    ir = _ir()

    def written(context: Any, builder: Any, signature: Any, given: Any) -> Any:  # noqa: ANN401
        def least(first: Any, second: Any) -> Any:  # noqa: ANN401
            return builder.select(builder.icmp_signed("<", first, second), first, second)

        def most(first: Any, second: Any) -> Any:  # noqa: ANN401
            return builder.select(builder.icmp_signed(">", first, second), first, second)

        words = _Words(ir, context, builder, signature, given)
        others = builder.add(given[4], given[1])
        low = least(words.load(2, others), words.spread(words.one(2, given[5])))
        high = most(words.load(3, others), words.spread(words.one(3, given[5])))
        length = least(most(builder.sub(high, low), words.type(None)), words.spread(given[6]))
        words.add(0, given[1], length)
        return context.get_dummy_value()

    def typed(_: Any, dear: Any, at: Any, low: Any, high: Any, others: Any, one: Any, whole: Any) -> Any:  # noqa: ANN401, ARG001, PLR0917
        return types.none(dear, types.intp, low, high, types.intp, types.intp, types.intp), written

    return typed


def _compiled_count() -> Any:  # noqa: ANN401  the same
    """What Numba asks of `count`."""
    from numba.core import cgutils, types  # noqa: PLC0415

    ir = _ir()

    def written(context: Any, builder: Any, signature: Any, given: Any) -> Any:  # noqa: ANN401
        words = _Words(ir, context, builder, signature, given)
        both = builder.or_(words.load(2, builder.add(given[3], given[1])), words.spread(words.one(2, given[4])))
        set_ = builder.and_(both, words.spread(given[5]))
        kind = ir.FunctionType(words.type, [words.type])
        ones = cast("Any", cgutils).get_or_insert_function(builder.module, kind, POPULATION)
        words.add(0, given[1], builder.call(ones, [set_]))
        return context.get_dummy_value()

    def typed(_: Any, members: Any, at: Any, bits: Any, others: Any, one: Any, mask: Any) -> Any:  # noqa: ANN401, ARG001, PLR0917
        return types.none(members, types.intp, bits, types.intp, types.intp, types.uint64), written

    return typed


class _Words:
    """OF_WORDS words of the arrays that an instruction is given, while it is compiled."""

    def __init__(self, ir: Any, context: Any, builder: Any, signature: Any, given: Any) -> None:  # noqa: ANN401
        """Keep what writes it."""
        self.type = ir.VectorType(ir.IntType(64), OF_WORDS)
        self._index, self._undefined = ir.IntType(32), ir.Undefined
        self._first = ir.VectorType(self._index, OF_WORDS)(None)
        self._builder, self._given = builder, given
        self._data = [
            context.make_array(of)(context, builder, value).data if hasattr(of, "dtype") else None
            for of, value in zip(signature.args, given, strict=True)
        ]

    def one(self, array: int, at: Any) -> Any:  # noqa: ANN401
        """A word of an array."""
        return self._builder.load(self._builder.gep(self._data[array], [at]))

    def load(self, array: int, at: Any) -> Any:  # noqa: ANN401
        """Those from one on."""
        return self._builder.load(self._place(array, at), align=8)

    def add(self, array: int, at: Any, more: Any) -> None:  # noqa: ANN401
        """Add to those from one on."""
        self._builder.store(self._builder.add(self.load(array, at), more), self._place(array, at), align=8)

    def spread(self, word: Any) -> Any:  # noqa: ANN401
        """The same word so many times."""
        undefined = self.type(self._undefined)
        first = self._builder.insert_element(undefined, word, self._index(0))
        return self._builder.shuffle_vector(first, undefined, self._first)

    def _place(self, array: int, at: Any) -> Any:  # noqa: ANN401
        return self._builder.bitcast(self._builder.gep(self._data[array], [at]), self.type.as_pointer())


put: Final = _Instruction(_put, _compiled_put)
stretch: Final = _Instruction(_stretch, _compiled_stretch)
count: Final = _Instruction(_count, _compiled_count)
