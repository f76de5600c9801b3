"""The tests that concern rooms of src/kohort, derived from what they import: `python tools/rooms.py models [ROOM …]`.

A file of tests concerns a room if it lies in a folder of that name, if its own name begins so, or if a fifth of what it
imports comes from there; a module that few files import counts more. `--changed [BASE]` prints the tests that concern
what differs from where this branch left BASE: the rooms, the tests themselves, and those that import what tests share.
`--python [BASE]` prints the changed files of Python.
"""

from __future__ import annotations

import argparse
import ast
import math
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

HOME: Final = Path(__file__).resolve().parent.parent
SOURCE: Final = HOME / "src" / "kohort"

#: A room that has this share of what a file imports is what its tests are about.
SHARE: Final = 1 / 5


def main() -> None:
    """Print the files, from the folder of the project, one a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help="a folder or a module of src/kohort")
    parser.add_argument("--changed", nargs="?", const="", metavar="BASE", help="the tests of what has changed")
    parser.add_argument("--python", nargs="?", const="", metavar="BASE", help="the changed files of Python")
    options = parser.parse_args()
    if unknown := set(options.rooms) - rooms():
        parser.error(f"src/kohort has no {', '.join(sorted(unknown))}; it has {', '.join(sorted(rooms()))}")
    if options.python is not None:
        found = {path for path in changed(options.python) if path.suffix == ".py"}
    elif options.changed is not None:
        found = tests_of_changed(changed(options.changed))
    else:
        found = tests_of(options.rooms)
    print(*sorted(str(path.relative_to(HOME)) for path in found), sep="\n")  # noqa: T201  what it is for


@cache
def rooms() -> set[str]:
    """The folders and modules of src/kohort."""
    return {path.stem for path in SOURCE.glob("[a-z]*") if path.suffix == ".py" or (path / "__init__.py").is_file()}


def tests_of(names: Iterable[str]) -> set[Path]:
    """The files of tests that concern rooms, and the rooms themselves, whose docstrings have examples."""
    return {path for name in names for path in (*_concerned()[name], *_places(name))}


def tests_of_changed(files: Iterable[Path]) -> set[Path]:
    """The files of tests that concern changed files."""
    found = {path for path in files if path.name.startswith("test_")}
    shared = {_module(path) for path in files if HOME / "tests" in path.parents} - {"tests.conftest"}
    found |= {path for path, names in _imports().items() if names & shared}
    changed_rooms = {path.relative_to(SOURCE).parts[0].partition(".")[0] for path in files if SOURCE in path.parents}
    return found | tests_of(changed_rooms & rooms())


def changed(base: str) -> set[Path]:
    """The files that differ from where this branch left `base`, committed or not; those that are gone are left out."""
    for name in [base] if base else ["origin/HEAD", "main", "master"]:
        left = _git("merge-base", "HEAD", name)
        if left:
            break
    else:
        sys.exit(f"There is no branch {base or 'main'} here to compare with: make check BASE=the branch you left")
    names = [*_git("diff", "--name-only", left[0]), *_git("ls-files", "--others", "--exclude-standard")]
    return {HOME / name for name in names if (HOME / name).is_file()}


def _git(*words: str) -> list[str]:
    """The lines that git answers; none where it fails."""
    run = subprocess.run(["git", *words], cwd=HOME, capture_output=True, text=True, check=False)  # noqa: S603, S607
    return run.stdout.splitlines() if run.returncode == 0 else []


def _places(room: str) -> Iterator[Path]:
    return (path for path in (SOURCE / room, SOURCE / f"{room}.py") if path.exists())


def _module(path: Path) -> str:
    return ".".join(path.relative_to(HOME).with_suffix("").parts)


@cache
def _concerned() -> dict[str, set[Path]]:
    """Room -> the files of tests that concern it."""
    imported = {path: _names(path) for path in sorted((HOME / "tests").rglob("test_*.py"))}
    importers = Counter(module for names in imported.values() for module in names)
    found: dict[str, set[Path]] = {room: set() for room in rooms()}
    for path, names in imported.items():
        weights: Counter[str] = Counter()
        for module, count in names.items():
            weights[module.split(".")[1]] += round(1e6 * count * math.log(len(imported) / importers[module]))
        named = {*path.parts, *(room for room in rooms() if path.stem.startswith(f"test_{room}"))}
        for room in rooms():
            if room in named or weights[room] >= max(1, weights.total() * SHARE):
                found[room].add(path)
    return found


@cache
def _public() -> dict[str, str]:
    """Name -> module, of the names that `kohort` lends out."""
    tree = ast.parse((SOURCE / "__init__.pyi").read_text("utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level == 0]
    return {name.name: node.module or "" for node in imports for name in node.names if node.module != "typing"}


@cache
def _nodes(path: Path) -> Sequence[ast.AST]:
    """Where a file takes names of others."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return [node for node in nodes if isinstance(node, ast.ImportFrom | ast.Attribute)]


def _names(path: Path) -> Counter[str]:
    """Module of kohort -> how many of its names a file takes."""
    found: Counter[str] = Counter()
    for node in _nodes(path):
        match node:
            case ast.ImportFrom(module="kohort", names=names):
                found.update(_public().get(one.name, f"kohort.{one.name}") for one in names)
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("kohort."):
                found[module] += len(names)
            case ast.Attribute(value=ast.Name(id="kohort"), attr=attr) if attr in _public():
                found[_public()[attr]] += 1
            case _:
                pass
    return Counter({module: count for module, count in found.items() if module.split(".")[1] in rooms()})


@cache
def _imports() -> dict[Path, set[str]]:
    """Test file -> the modules of tests that it imports, by way of others too."""
    direct: dict[str, set[str]] = {}
    paths = sorted((HOME / "tests").rglob("*.py"))
    for path in paths:
        direct[_module(path)] = {
            name
            for node in _nodes(path)
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "tests"
            for name in (node.module or "", *(f"{node.module}.{one.name}" for one in node.names))
        }
    found: dict[Path, set[str]] = {}
    for path in paths:
        reached: set[str] = set()
        ahead = [_module(path)]
        while ahead:
            new = direct.get(ahead.pop(), set()) - reached
            reached |= new
            ahead += new
        if path.name.startswith("test_"):
            found[path] = reached
    return found


if __name__ == "__main__":
    main()
