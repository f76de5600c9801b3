"""When two texts are one value to a reader."""

from __future__ import annotations

import unicodedata


def even_spelling(text: str) -> str:
    r"""The text in compatibility form (NFKC), without case, with single blanks between words and none around.

    >>> even_spelling("  HIV\N{NO-BREAK SPACE} Positive")
    'hiv positive'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
