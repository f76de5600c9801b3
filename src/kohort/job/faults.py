"""The faults of a job: all at once, each at its place, with the nearest right word."""

from __future__ import annotations

import re
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, TypeVar

from kohort.errors import JobError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

T = TypeVar("T")

#: How sure a suggestion must be: `supression` is suppression, `n` is nothing.
NEAR: Final = 0.6

#: What `kohort init` writes as the role of a column that may be an identifier, and before the columns that may be the
#: person key.
UNDECIDED: Final = "undecided"


def job_error(faults: Sequence[UsageError], hint: str = "") -> JobError:
    """All faults in the order of their lines, and what to do about all of them."""
    count = f"{len(faults)} fault{'s' * (len(faults) != 1)}"
    return JobError(f"the job has {count}", sorted(faults, key=_line_number), hint)


def raised(faults: Sequence[UsageError]) -> UsageError:
    """What to raise: the one fault, or all in a group; a caller in Python sees one without the tree of a group."""
    return faults[0] if len(faults) == 1 else job_error([one.with_traceback(None) for one in faults])


def together(make: Callable[[], T], faults: Sequence[UsageError]) -> T:
    """What `make` makes; its faults come together with those that were found before."""
    try:
        made = make()
    except JobError as fault:
        raise job_error([*faults, *fault.faults]) from None
    if faults:
        raise job_error(faults)
    return made


@contextmanager
def placing(placed: Callable[[UsageError], UsageError]) -> Generator[None]:
    """Give a fault that the data show its place: a line of the job file, a flag, or a keyword argument."""
    try:
        yield
    except UsageError as fault:
        raise placed(fault) from None


def _line_number(fault: UsageError) -> int:
    line = re.search(r", line (\d+)", fault.where)
    return int(line[1]) if line else 0


def nearest(word: str, words: Iterable[str]) -> str:
    """A hint that names the words most like `word`; empty where none is.

    >>> nearest("supression", ["suppression", "k"]), nearest("LM", ["lm", "k"])
    ('did you mean suppression?', 'did you mean lm?')
    """
    words = list(words)
    near = get_close_matches(word, words, n=3, cutoff=NEAR) or get_close_matches(word.lower(), words, cutoff=NEAR)
    return f"did you mean {' or '.join(near)}?" if near else ""
