"""Wrong calls from Python: a typed error with a sentence and the line to write, whatever is passed."""

from __future__ import annotations

import inspect
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import kohort
from kohort import system
from kohort.api.tables import threads_of
from kohort.errors import CallError, KohortError
from kohort.errors.calls import PATH, called

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

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


#: Calls that are right.
RIGHT: Mapping[str, tuple[tuple[object, ...], Mapping[str, object]]] = {
    "anonymize": ((PEOPLE,), {"quasi": ["age"], "k": 2}),
    "anonymize_transactions": (([["a", "b"], ["a"]],), {"private": ["b"], "h": 0.5, "k": 2, "p": 1}),
    "assess": ((PEOPLE, ["age"]), {}),
    "check": ((PEOPLE, ["age"]), {}),
    "compare": ((PEOPLE, PEOPLE), {}),
    "draft": ((PEOPLE,), {}),
    "inspect": ((PEOPLE,), {}),
    "perturb": ((PEOPLE, {"age": "noise:scale=0.1"}), {}),
    "sweep": ((PEOPLE,), {"quasi": ["age"], "vary": {"k": [2]}}),
}

#: What else nobody should pass, where an argument has a name.
ODD: tuple[object, ...] = (*WRONG, "x", "", -1, 10**30, float("nan"), [None], {1: 2}, {"age": None}, "\ud800", "\0")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RIGHT)
def test_any_argument_by_name(name: str) -> None:
    """Whatever an argument with a name is, no error but kohort's own is raised."""
    function: Callable[..., object] = getattr(kohort, name)
    right, named = RIGHT[name]
    kinds = inspect.signature(function).parameters.values()
    for key in [one.name for one in kinds if one.kind is inspect.Parameter.KEYWORD_ONLY]:
        for odd in ODD if key not in {"target", "engine"} else ():  # which may be any text
            with suppress(KohortError):
                function(*right, **{**named, key: odd})


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "2", None])
def test_a_number_of_threads(wrong: object) -> None:
    """It is a positive integer, and more than are of use are not begun."""
    for name in ("anonymize", "sweep"):
        right, named = RIGHT[name]
        with pytest.raises(CallError, match="threads is not a positive integer"):
            getattr(WILD, name)(*right, **named, threads=wrong)
    assert threads_of(10**9, "anonymize") == system.MOST_THREADS


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    """NUL and half a character are in no name, and bytes that are no text in no certificate."""
    for wrong in ("a\0b.", "a\ud800.", "a\udc80."):
        for save, form in ((release().save, "csv"), (release().report, "html")):
            with pytest.raises(KohortError, match="holds NUL, or bytes that are not UTF-8"):
                save(tmp_path / f"{wrong}{form}")
    for wrong in ("a\0b.csv", "a\ud800.csv"):
        with pytest.raises(KohortError, match="no such file"):
            kohort.read(tmp_path / wrong)
        with pytest.raises(KohortError, match="no such key file"):
            kohort.anonymize(PEOPLE, quasi=["age"], k=2, sign_key=str(tmp_path / wrong))
    assert [*tmp_path.iterdir()] == []


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
