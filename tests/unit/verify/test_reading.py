"""How a release is read for verification."""

from __future__ import annotations

import hashlib

from kohort.verify.reading import Digest


def test_a_digest_is_of_all_that_was_written() -> None:
    """Pieces count as one text, and each is taken whole."""
    digest = Digest()
    assert [digest.write(piece) for piece in (b"age", b"", b"\n[20-29]\n")] == [3, 0, 9]
    assert digest.sha256 == hashlib.sha256(b"age\n[20-29]\n").hexdigest()
