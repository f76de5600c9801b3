"""The quick suite leaves out what it says, and refuses tests that cost too much; rooms have tests that concern them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import quick
from tools import rooms

HOME = Path(__file__).parents[2]

#: Tests that take 0.1 s of CPU where 0.03 are allowed, and others that the quick suite treats in its own way.
TESTS = """
import signal
import time

import pytest
from hypothesis import given, strategies as st

from tests import cost

cost.LIMIT = 0.03


def work():
    end = time.process_time() + 0.1 * cost.slowness()
    while time.process_time() < end:
        pass


def test_dear():
    work()


@pytest.fixture
def own():
    work()


def test_dear_by_its_fixture(own):
    pass


@pytest.fixture(scope="module")
def shared():
    work()


def test_cheap_but_for_a_shared_fixture(shared):
    pass


@pytest.mark.slow("it works")
def test_slow():
    work()


@pytest.mark.one_of("format")
@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("format", ["csv", "xlsx", "parquet"])
def test_formats(format, size):
    pass


examples = []


@given(st.integers())
def test_law(number):
    examples.append(number)


def test_few_examples():
    assert len(examples) <= 3


def test_interrupted():
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
"""


def session(folder: Path, *words: str, **environment: str) -> str:
    """What a session of the tests above says, in a process that ignores interruptions as a background job does."""
    (folder / "test_made.py").write_text(TESTS, encoding="utf-8")
    ignoring = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); import pytest; sys.exit(pytest.main())"
    )
    command = [sys.executable, "-c", ignoring, "-c", str(HOME / "pyproject.toml"), "-p", "tests.conftest"]
    command += ["-p", "no:cacheprovider", "-p", "no:randomly", "-rsfE", *words, str(folder / "test_made.py")]
    kept = {name: value for name, value in os.environ.items() if name not in {"CI", "HYPOTHESIS_PROFILE"}}
    path = os.pathsep.join([str(HOME), *sys.path])
    environment = {**kept, "PYTHONPATH": path, **environment}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment).stdout


def test_the_quick_suite_is_quick(tmp_path: Path) -> None:
    """Tests that cost too much fail, but for what others share or a marker allows; of formats one is tried."""
    said = session(tmp_path)
    assert sorted(re.findall(r"^FAILED \S+::(\w+)", said, re.MULTILINE)) == ["test_dear", "test_dear_by_its_fixture"]
    assert "s of CPU, where an unmarked one may take 0.0: make it cheaper, or mark it slow, with a reason" in said
    assert "2 failed, 7 passed, 4 skipped" in said
    assert "the quick suite tries one `format` of 3 a run, by its seed; .ci/run tries all" in said
    assert re.search(r"^\d+ s of CPU in tests; the largest process had \d+ MB$", said, re.MULTILINE)


def test_the_whole_suite_is_whole(tmp_path: Path) -> None:
    """With CI=true nothing is left out, and laws have all their examples."""
    said = session(tmp_path, "-k", "formats or law or few", CI="true")
    assert "1 failed, 7 passed" in said
    assert "assert 10 <= 3" in said


def test_a_seed_chooses_and_all_are_chosen() -> None:
    """Some cases are cases; without the quick suite they are all."""
    found = quick.some(range(100), 5)
    assert len({*found}) == (5 if quick.QUICK else 100)
    assert quick.examples(25) == (3 if quick.QUICK else 25)


def test_a_room_has_its_laws_papers_and_faults() -> None:
    """What a test imports decides; a room's folder of tests is among them, and its docstrings are."""
    found = {str(path.relative_to(HOME)) for path in rooms.tests_of(["models"])}
    assert {"src/kohort/models", "tests/laws/test_model_laws.py", "tests/papers/test_models_papers.py"} <= found
    assert {"tests/faults/test_model_defects.py", "tests/unit/models/test_k_anonymity.py"} <= found
    assert "tests/unit/desk/test_pages.py" not in found
    one_module = {str(path.relative_to(HOME)) for path in rooms.tests_of(["specification"])}
    assert {"src/kohort/specification.py", "tests/unit/test_guests.py"} <= one_module


def test_a_change_has_the_tests_of_its_room_and_of_what_tests_share() -> None:
    """A module that tests import counts for them, by way of others too."""
    changed = {HOME / "src" / "kohort" / "specification.py", HOME / "tests" / "toy_models.py", HOME / "README.md"}
    found = rooms.tests_of_changed(changed)
    assert rooms.tests_of(["specification"]) <= found
    using = {path for path in (HOME / "tests").rglob("test_*.py") if "from tests.toy_models" in path.read_text("utf-8")}
    assert using
    assert using - {Path(__file__)} <= found


def test_there_is_no_such_room(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The message lists the rooms."""
    monkeypatch.setattr(sys, "argv", ["rooms.py", "cellar"])
    with pytest.raises(SystemExit):
        rooms.main()
    assert "src/kohort has no cellar; it has algorithms, api," in capsys.readouterr().err
