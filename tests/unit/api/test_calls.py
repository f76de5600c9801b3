"""Wrong calls from Python: a typed error with a sentence and the line to write, whatever is passed."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import kohort
from kohort.calls import PATH, called
from kohort.errors import CallError, KohortError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PEOPLE = pl.DataFrame({"age": [36, 36, 41, 41]})

#: The public names without their types, which would keep anybody from writing what is tried here.
WILD: Any = kohort

#: What nobody should pass.
WRONG: tuple[object, ...] = (None, 3, {}, [], object(), 3.5, True, b"x", [1, 2], ("a",))

FUNCTIONS = sorted(name for name in WILD.__all__ if inspect.isfunction(getattr(kohort, name)))


def release() -> kohort.Release:
    """A release of four people."""
    return kohort.anonymize(PEOPLE, quasi=["age"], k=2)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_any_argument_of_a_function(name: str) -> None:
    """A function that is given too little, too much or something else raises no error but kohort's own."""
    function: Callable[..., object] = getattr(kohort, name)
    calls = [partial(function)]
    calls += [partial(function, one) for one in WRONG]
    calls += [partial(function, PEOPLE, one) for one in WRONG]
    calls += [partial(function, *[PEOPLE] * 9)]
    for call in calls:
        try:
            call()
        except KohortError as fault:
            assert fault.what or isinstance(fault, kohort.JobError), call  # noqa: PT017  what else is raised fails too


@pytest.mark.parametrize("name", ["save", "report"])
def test_any_path_of_a_release(name: str) -> None:
    """What is no path is refused by its class."""
    for wrong in WRONG:
        if wrong is not None or name == "save":
            with pytest.raises(CallError, match=f"path is of class {type(wrong).__name__}, not a path"):
                getattr(release(), name)(wrong)


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: WILD.assess(PEOPLE), 'write assess(people, ["age", "city"])'),
        (lambda: WILD.sweep(PEOPLE, quasi=["age"]), 'vary={"k": [5, 10, 20]})'),
        (lambda: WILD.Release.save(release(), 3), 'write release.save("release.csv")'),
        (lambda: WILD.Release.save(release()), 'write release.save("release.csv")'),
        (lambda: WILD.Job.from_toml({}), 'write Job.from_toml("job.toml")'),
        (lambda: WILD.Job.of(WILD.Schema.of(quasi=["age"]), kohort.KAnonymity(2)).to_toml(3), "to_toml"),
        (lambda: WILD.Schema.of(["age"]), 'write Schema.of(quasi=["age", "city"]'),
        (lambda: WILD.Schema(["age"]), 'write Schema.of(quasi=["age", "city"])'),
        (lambda: WILD.Schema(("age",)), 'write Schema.of(quasi=["age", "city"])'),
        (lambda: WILD.Hierarchy((("a",),), 3), "write Hierarchy.from_rows("),
        (lambda: WILD.anonymize_transactions(PEOPLE, {}), "TransactionJob("),
        (lambda: WILD.read_hierarchy(3), 'write read_hierarchy("city.csv")'),
    ],
)
def test_the_line_to_write(call: Callable[[], object], hint: str) -> None:
    """The error is also a `TypeError`, as Python's own is, and has the line to write."""
    with pytest.raises(CallError) as raised:
        call()
    assert isinstance(raised.value, TypeError)
    assert raised.value.exit_status == 2
    assert hint in raised.value.hint


def test_arguments_that_are_right() -> None:
    """A class may be inherited, and an argument with the default `None` may be it; the function stays what it was."""

    @called("at('x')", place=PATH, counts="Mapping", more="int")
    def at(place: str, counts: Mapping[str, int], more: int | None = None) -> tuple[str, Any, int | None]:
        """Give it back."""
        return place, counts, more

    class Counts(dict[str, int]):
        """A mapping by another name."""

    named: type[Counts] = type("Mapping", (Counts,), {})
    assert at("x", named()) == ("x", {}, None)
    assert at("x", named(), None)[2] is None
    assert at.__doc__ == "Give it back."
    assert list(inspect.signature(at).parameters) == ["place", "counts", "more"]
    wild: Any = at
    with pytest.raises(CallError, match="more is of class str, not a int"):
        wild("x", named(), "7")
