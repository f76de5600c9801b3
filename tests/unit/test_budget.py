"""The budget of the house: what `python -m bench.house` counts, and the figures that may only fall."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bench.house import by_room, figures

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]

BUDGET: Mapping[str, int] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["kohort"]["budget"]

#: Two rooms of which the first is above the second.
LAYERS = """
[[tool.importlinter.contracts]]
type = "layers"
layers = ["api", "job | sweep", "core"]
"""


@pytest.fixture(scope="module")
def house() -> Mapping[str, float]:
    """The figures of this tree."""
    return figures(ROOT / "src")


@pytest.mark.parametrize("name", BUDGET)
def test_no_figure_is_above_its_budget(house: Mapping[str, float], name: str) -> None:
    """A change that adds a file, a class or a cast takes one away; what is gained is entered in `pyproject.toml`."""
    assert house[name] <= BUDGET[name]


def tree(folder: Path, **files: str) -> Path:
    """A package of these files, `room__module` by the name of each."""
    for name, text in {"__init__": "", **files}.items():
        file = folder / "src" / "kohort" / f"{name.replace('__', '/') if name != '__init__' else name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (folder / "pyproject.toml").write_text(LAYERS, "utf-8")
    return folder / "src"


LATE = "def late():\n    import kohort.{}\n"
TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import kohort.{}\n"


@pytest.mark.parametrize("text", ["import kohort.{}", LATE, TYPES])
@pytest.mark.parametrize(("at", "to", "up"), [("core", "api", 1), ("job", "sweep", 1), ("api", "core", 0)])
def test_an_import_upward_is_found_wherever_it_stands(tmp_path: Path, text: str, at: str, to: str, up: int) -> None:
    """At the top, in a function and for type checkers; a room beside is no room below."""
    source = tree(tmp_path, **{f"{at}__a": text.format(f"{to}.a"), f"{to}__a": ""})
    assert figures(source)["arrows up"] == up


@pytest.mark.parametrize(("files", "circles"), [(3, 0), (4, 1), (7, 1)])
def test_a_circle_counts_from_four_files(tmp_path: Path, files: int, circles: int) -> None:
    """It counts once, however its files import each other: here the last one does so in a function."""
    made = {f"core__m{at}": f"import kohort.core.m{at + 1}" for at in range(files - 1)}
    source = tree(tmp_path, **made, **{f"core__m{files - 1}": LATE.format("core.m0")})
    assert figures(source)["circles of more than 3 files"] == circles


def test_a_chain_counts_what_an_import_loads(tmp_path: Path) -> None:
    """Neither what a function imports when it is called, nor what type checkers alone read."""
    source = tree(tmp_path, a="import kohort.b", b="import kohort.c", c=LATE.format("d"), d=TYPES.format("a"))
    assert (figures(source)["longest chain of imports"], figures(source)["late imports"]) == (3, 1)


@pytest.mark.parametrize(
    ("fields", "pairs"),
    [("abc", 1), ("abcd", 1), ("abcde", 0), ("ab", 0), ("abx", 0), ("abcz", 1)],
)
def test_a_mirror_shares_most_fields_of_the_larger_record(tmp_path: Path, fields: str, pairs: int) -> None:
    """Three fields and 70 % of the larger record's; what a class has itself is no field of a record."""
    texts = ("".join(f"    {name}: int\n" for name in names) for names in ("abc", fields))
    first, second = (f"class R:\n    kind: ClassVar[str]\n{text}" for text in texts)
    source = tree(tmp_path, core__one=first, api__two=second)
    assert figures(source)["mirror pairs"] == pairs
    assert by_room(source)["core"]["mirror pairs"] == pairs
