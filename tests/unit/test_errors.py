"""The error tree is what its docstring draws, and a message says what, where and what to do."""

from __future__ import annotations

import pickle
import re

import pytest

from kohort import errors
from kohort.errors import HierarchyError, InputError, JobError, KohortError, SchemaError, UsageError


def _drawn() -> list[tuple[int, str, int]]:
    """Depth, name and exit status of each line of the drawn tree."""
    lines = re.findall(r"^(.*?[├└]─ )(\w+) \.+ (\d+) ", errors.__doc__ or "", re.MULTILINE)
    return [(len(indent) // 4 - 1, name, int(status)) for indent, name, status in lines]


def test_the_tree_is_as_drawn() -> None:
    """Each error derives from the one it is drawn below and has the exit status that is drawn beside it."""
    above = ["KohortError"]
    for depth, name, status in _drawn():
        kind: type[KohortError] = getattr(errors, name)
        del above[depth:]
        assert issubclass(kind, getattr(errors, above[-1]))
        assert kind.exit_status == status
        above.append(name)


def test_the_drawing_is_complete() -> None:
    """Every error is drawn, and no other command can end with status 1: that is for requirements not met."""
    kinds = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, KohortError)}
    assert kinds == {"KohortError", *(name for _, name, _ in _drawn())}
    assert KohortError.exit_status == 1
    assert all(status > 1 for _, _, status in _drawn())


def test_a_message_has_up_to_three_parts() -> None:
    """What is wrong comes first; place and hint follow on lines of their own, where there are any."""
    full = InputError("no such file", where="people.csv", hint="check the path")
    assert str(full) == "no such file\n  where: people.csv\n  hint: check the path"
    assert (full.what, full.where, full.hint) == ("no such file", "people.csv", "check the path")
    assert str(InputError("no such file", hint="check the path")) == "no such file\n  hint: check the path"
    assert str(InputError("no such file")) == "no such file"


def test_errors_survive_a_change_of_process() -> None:
    """An error that comes back from another process says what it said there."""
    error = HierarchyError("two parents", where="column city", hint="name one")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  our own bytes
    assert type(again) is HierarchyError
    assert (str(again), again.where, again.hint) == (str(error), error.where, error.hint)


def _job_error() -> JobError:
    faults = [UsageError("k is missing", where="job.toml, line 3"), SchemaError("no such role", hint="one of quasi, …")]
    return JobError("the job has 2 faults", faults)


def test_a_job_error_prints_all_faults() -> None:
    """The faults of a job come at once, each with its place and hint."""
    error = _job_error()
    assert str(error) == (
        "the job has 2 faults\nk is missing\n  where: job.toml, line 3\nno such role\n  hint: one of quasi, …"
    )
    assert (error.what, error.where, error.hint, error.exit_status) == ("the job has 2 faults", "", "", 2)


def test_a_job_error_is_caught_either_way() -> None:
    """A job's faults are a usage error as a whole and a group of its parts."""
    with pytest.raises(UsageError):
        raise _job_error()
    caught: list[str] = []
    try:
        raise _job_error()
    except* SchemaError as group:
        caught += [str(fault) for fault in group.exceptions]
    except* UsageError as group:
        caught += [str(fault) for fault in group.exceptions]
    assert len(caught) == 2


def test_a_job_error_without_faults_cannot_be() -> None:
    """There is no job error without a fault."""
    with pytest.raises(ValueError, match="non-empty"):
        JobError("the job has 0 faults", [])
