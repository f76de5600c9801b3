"""MD5 (RFC 1321) of many short texts at once: a call of `hashlib` for each takes longer than all the hashing.

Of each digest only the first 8 of 16 bytes are kept, as a number: what sums of hashes take.
"""

from __future__ import annotations

from math import floor, sin
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.kernels import kernel

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from kohort.arrays import Index

#: The constant of each of the 64 steps.
_SINES: Final = np.array([floor(2**32 * abs(sin(step + 1))) for step in range(64)], np.uint64)

#: By how many bits each step rotates: four steps after one another, again and again, in each of four rounds.
_BITS: Final = np.array(
    [(7, 12, 17, 22)[at % 4] for at in range(16)]
    + [(5, 9, 14, 20)[at % 4] for at in range(16)]
    + [(4, 11, 16, 23)[at % 4] for at in range(16)]
    + [(6, 10, 15, 21)[at % 4] for at in range(16)],
    np.uint64,
)

#: What is left of a sum.
_MASK: Final = np.uint64(0xFFFFFFFF)

#: What the digest of every text begins with.
_FIRST: Final = np.array([0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476], np.uint64)


def first_halves(texts: pl.Series) -> NDArray[np.uint64]:
    """(n,) the first 16 hexadecimal digits of the MD5 of each text in UTF-8, as numbers.

    >>> import polars as pl
    >>> [f"{number:016x}" for number in first_halves(pl.Series(["", "abc"])).tolist()]
    ['d41d8cd98f00b204', '900150983cd24fb0']
    """
    ends = texts.str.len_bytes().to_numpy().astype(np.int64).cumsum()
    whole: str = texts.str.join("").item()
    found = np.tile(_FIRST, (len(texts), 1))
    _digest(np.frombuffer(whole.encode(), np.uint8), ends, np.empty(16, np.uint64), found)
    words: NDArray[np.uint32] = found[:, :2].astype("<u4")
    return np.ascontiguousarray(words).view(">u8").astype(np.uint64).ravel()


@kernel
def _digest(text: NDArray[np.uint8], ends: Index, words: NDArray[np.uint64], found: NDArray[np.uint64]) -> None:
    """Mix each text into the four words that its digest begins with; `words` is room for a block of 64 bytes."""
    start = 0
    for place in range(ends.size):
        end, digest = ends[place], found[place]
        last = (end - start + 8) // 64  # a byte 0x80 and the length follow the text
        for block in range(last + 1):
            _fill(text, start + 64 * block, end, words)
            if block == last:
                bits = np.uint64(8 * (end - start))
                words[14], words[15] = bits & _MASK, bits >> np.uint64(32)
            _mix(words, digest)
        start = end


@kernel
def _fill(text: NDArray[np.uint8], start: int, end: int, words: NDArray[np.uint64]) -> None:
    """The 16 words of a block of a text, and what stands behind its end."""
    for word in range(16):
        held = np.uint64(0)
        for byte in range(4):
            at = start + 4 * word + byte
            if at < end:
                held |= np.uint64(text[at]) << np.uint64(8 * byte)
            elif at == end:
                held |= np.uint64(0x80) << np.uint64(8 * byte)
        words[word] = held


@kernel
def _mix(words: NDArray[np.uint64], digest: NDArray[np.uint64]) -> None:
    """Mix a block into the digest: four rounds of 16 steps."""
    a, b, c, d = digest[0], digest[1], digest[2], digest[3]
    for step in range(16):
        mixed = a + ((b & c) | (~b & d)) + _SINES[step] + words[step]
        a, b, c, d = d, _turned(b, mixed, _BITS[step]), b, c
    for step in range(16):
        mixed = a + ((d & b) | (~d & c)) + _SINES[16 + step] + words[(5 * step + 1) % 16]
        a, b, c, d = d, _turned(b, mixed, _BITS[16 + step]), b, c
    for step in range(16):
        mixed = a + (b ^ c ^ d) + _SINES[32 + step] + words[(3 * step + 5) % 16]
        a, b, c, d = d, _turned(b, mixed, _BITS[32 + step]), b, c
    for step in range(16):
        mixed = a + (c ^ (b | (~d & _MASK))) + _SINES[48 + step] + words[7 * step % 16]
        a, b, c, d = d, _turned(b, mixed, _BITS[48 + step]), b, c
    digest[0], digest[1] = (digest[0] + a) & _MASK, (digest[1] + b) & _MASK
    digest[2], digest[3] = (digest[2] + c) & _MASK, (digest[3] + d) & _MASK


@kernel
def _turned(word: np.uint64, mixed: np.uint64, bits: np.uint64) -> np.uint64:
    """The word, and what was mixed, rotated by so many bits."""
    mixed &= _MASK
    return (word + ((mixed << bits) | (mixed >> (np.uint64(32) - bits)))) & _MASK
