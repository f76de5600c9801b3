"""How long every regular expression of the package takes on texts that are made to have it go back and forth.

    python -m bench.expressions

Prints how many expressions and texts there are, and the slowest expressions in CPU seconds; the status is 1 if one of
them takes more than `tests.expressions.SLOWEST`, or grows faster than its text.
"""

from __future__ import annotations

import sys
from typing import Final

from tests.expressions import LENGTH, SLOWEST, adversarial, expressions, slowest

#: How many are shown.
_SHOWN: Final = 10


def main() -> int:
    """Try all, and print the slowest."""
    every = expressions()
    found = sorted(((slowest(one)[0], one) for one in every), key=lambda pair: pair[0], reverse=True)
    texts = sum(1 for one in every for _ in adversarial(one.pattern))
    print(f"{len(every)} expressions, {texts:,} texts of {LENGTH:,} characters")
    for seconds, one in found[:_SHOWN]:
        print(f"{1000 * seconds:9.1f} ms  {one.module}  {one.use}  {one.pattern!r}")
    return int(found[0][0] > SLOWEST)


if __name__ == "__main__":
    sys.exit(main())
