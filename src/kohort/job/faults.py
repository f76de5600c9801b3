"""What pydantic finds wrong in a job, in kohort's words: place, fault, and the nearest right word."""

from __future__ import annotations

import re
from contextlib import contextmanager
from difflib import get_close_matches
from types import MappingProxyType, UnionType
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args, get_origin

from kohort.errors import JobError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    from pydantic_core import ErrorDetails

    from kohort.job.lines import Place
    from kohort.job.parts import Part

T = TypeVar("T")

#: How sure a suggestion must be: `supression` is suppression, `n` is nothing.
_NEAR: Final = 0.6

#: Faults of a job that are listed: more are one mistake many times, or an attack.
_MOST: Final = 100

#: What `kohort init` writes as the role of a column that may be an identifier, and before the columns that may be the
#: person key.
UNDECIDED: Final = "undecided"

#: What a value must be, by pydantic's name of the fault.
_KINDS: Final = MappingProxyType(
    {
        "bool_type": "it must be true or false",
        "string_type": "it must be a text in quotes",
        "list_type": "it must be a list",
        "dict_type": "it must be a table",
        "model_type": "it must be a table",
    }
)


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
    near = get_close_matches(word, words, n=3, cutoff=_NEAR) or get_close_matches(word.lower(), words, cutoff=_NEAR)
    return f"did you mean {' or '.join(near)}?" if near else ""


def shape_faults(errors: Sequence[ErrorDetails], where: Callable[[Place], str], form: type[Part]) -> list[UsageError]:
    """Every fault of a job's form with its place.

    A key that is missing because it was misspelt is one fault, not two.
    """
    errors, more = errors[:_MOST], len(errors) - _MOST
    unknown = {_place(error) for error in errors if error["type"] == "extra_forbidden"}
    meant = {
        (*place[:-1], known)
        for place in unknown
        for known in get_close_matches(place[-1], _known(form, place[:-1]), n=1, cutoff=_NEAR)
    }
    told = [
        _fault(error, where, form) for error in errors if not (error["type"] == "missing" and _place(error) in meant)
    ]
    if more > 0:
        what = f"{more:,} further faults are not listed"
        told.append(UsageError(what, where=where(_place(errors[-1])), hint="correct these first"))
    return told


def _fault(error: ErrorDetails, where: Callable[[Place], str], form: type[Part]) -> UsageError:
    place = _place(error)
    context = error.get("ctx", {})
    match error["type"]:
        case "extra_forbidden":
            known = _known(form, place[:-1])
            hint = nearest(place[-1], known) or f"known keys: {', '.join(known)}"
            return UsageError(f"unknown key {place[-1]}", where=where(place), hint=hint)
        case "missing":
            what = f"the table [{place[0]}]" if len(place) == 1 else place[-1]
            return UsageError(f"{what} is missing", where=where(place[:-1]), hint=f"add {what}")
        case "kohort":
            return UsageError(str(context["what"]), where=where(place), hint=str(context["hint"]))
        case "enum" | "literal_error":
            words = _words(str(context["expected"]))
            if error["input"] == UNDECIDED:
                return UsageError("the role is undecided", where=where(place), hint=f"decide: {', '.join(words)}")
            hint = nearest(str(error["input"]), words)
            return UsageError(f"it must be one of {', '.join(words)}", where=where(place), hint=hint)
        case kind:
            return UsageError(_KINDS.get(kind, error["msg"]), where=where(place))


def _place(error: ErrorDetails) -> Place:
    return tuple(str(part) for part in error["loc"] if isinstance(part, str))


def _words(expected: str) -> list[str]:
    """The words of pydantic's list: `'a', 'b' or 'c'`."""
    return expected.replace(" or ", ", ").replace("'", "").split(", ")


def _known(form: type[Part], place: Place) -> list[str]:
    """The keys that may stand at `place` of a job of this form."""
    held: Any = form
    for key in place:
        held = _without_none(held)
        held = get_args(held)[1] if get_origin(held) is dict else _fields(held)[key]
    return list(_fields(_without_none(held)))


def _without_none(held: Any) -> Any:  # noqa: ANN401  whatever a form's key is declared to hold
    """What a key holds that may also be left out: the one that is not `None` of two."""
    return get_args(held)[0] if isinstance(held, UnionType) else held


def _fields(form: type[Part]) -> dict[str, Any]:
    return {field.alias or name: field.annotation for name, field in form.model_fields.items()}
