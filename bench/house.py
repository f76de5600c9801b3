"""The shape of the source tree: lines, files, records, imports. `python -m bench.house [SRC] [--rooms]` prints them.

`[tool.kohort.budget]` in `pyproject.toml` limits some of the figures, by name; `tests/unit/test_budget.py` holds it.
"""

from __future__ import annotations

import argparse
import ast
import tomllib
from collections import Counter
from functools import cache
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Functions with more parameters are counted.
WIDE = 12

#: This many equal lines in a row are a repeated window; blank lines and comments are left out.
WINDOW = 6

#: Two records mirror each other if they share this many fields, and this share of the larger one's.
MIRRORED = 3
MIRRORED_SHARE = 0.7

#: What a build makes of other files.
MADE = {"kohort.job.options"}

#: So many files may import each other in a circle: a record and the functions of its methods.
SMALL = 3


def main() -> None:
    """Print the figures of the package `kohort` in a folder, or those of each room."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, nargs="?", default=Path("src"), metavar="SRC")
    parser.add_argument("--rooms", action="store_true", help="what each room has, as a table for a decision record")
    options = parser.parse_args()
    if options.rooms:
        columns = ("lines", "files", "classes", "mirror pairs", "casts", "late imports")
        print(f"| room | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
        for room, counts in sorted(by_room(options.source).items()):
            print(f"| {room} | {' | '.join(f'{counts[column]:,}' for column in columns)} |")
        return
    for name, figure in figures(options.source).items():
        print(f"{name:32} {figure:>8.1%}" if isinstance(figure, float) else f"{name:32} {figure:>8,}")


def figures(source: Path) -> dict[str, float | int]:
    """The figures of the package `kohort` in the folder `source`, by their names."""
    texts = _texts(source)
    trees = {module: ast.parse(text) for module, text in texts.items()}
    imports = {module: _imports(tree, trees) - {module} for module, tree in trees.items()}
    arrows = _rooms((a, b) for a, others in imports.items() for b in others)
    importers = Counter(b for a, others in imports.items() if a != "kohort" for b in others)
    functions = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    widths = [len([*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs]) for one in functions]
    classes = Counter(node.name for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef))
    stub = source / "kohort" / "__init__.pyi"
    return {
        "lines": sum(len(text.splitlines()) for text in texts.values()),
        "files": len(texts),
        "classes": classes.total(),
        "mirror pairs": len(mirror_pairs(trees)),
        "names at the top": len({module.split(".")[1] for module in texts if "." in module}),
        "arrows between rooms": len(arrows),
        "arrows up": len(_upward(arrows, source.resolve().parent / "pyproject.toml")),
        "floors": _longest(_rooms(_loaded(trees, types=True))),
        "longest chain of imports": _longest(_loaded(trees, types=False)),
        "circles of more than 3 files": sum(len(circle) > SMALL for circle in circles(imports)),
        "modules with one importer": sum(importers[module] == 1 for module in texts),
        "late imports": sum(map(_late, trees.values())),
        "share of import lines": sum(map(_import_lines, trees.values())) / (sum(map(_code_lines, texts.values())) or 1),
        "longest parameter list": max(widths, default=0),
        f"functions over {WIDE} parameters": sum(width > WIDE for width in widths),
        "casts": sum(text.count("cast(") for text in texts.values()),
        "class names in several modules": sum(count > 1 for count in classes.values()),
        "share of repeated windows": _repeated(text.splitlines() for text in texts.values()),
        "public names": len(_public(ast.parse(stub.read_text("utf-8")))) if stub.is_file() else 0,
    }


def by_room(source: Path) -> dict[str, Counter[str]]:
    """What each room has; a mirror pair of two rooms counts in both."""
    texts = _texts(source)
    trees = {module: ast.parse(text) for module, text in texts.items()}
    found: dict[str, Counter[str]] = {_room(module): Counter() for module in texts}
    for module, text in texts.items():
        counts = found[_room(module)]
        counts["lines"] += len(text.splitlines())
        counts["files"] += 1
        counts["classes"] += sum(isinstance(node, ast.ClassDef) for node in trees[module].body)
        counts["casts"] += text.count("cast(")
        counts["late imports"] += _late(trees[module])
    for pair in mirror_pairs(trees):
        for room in {_room(module) for module, _ in pair}:
            found[room]["mirror pairs"] += 1
    return found


def mirror_pairs(trees: Mapping[str, ast.Module]) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Pairs of records that share most of their fields: of each, its module and its name."""
    classes = [(module, node) for module, tree in trees.items() for node in tree.body if isinstance(node, ast.ClassDef)]
    records = {(module, node.name): _fields(node) for module, node in classes}
    records = {place: fields for place, fields in records.items() if len(fields) >= MIRRORED}

    def mirror(a: set[str], b: set[str]) -> bool:
        shared = len(a & b)
        return shared >= max(MIRRORED, MIRRORED_SHARE * max(len(a), len(b)))

    return [(a, b) for a, b in combinations(records, 2) if mirror(records[a], records[b])]


def _fields(record: ast.ClassDef) -> set[str]:
    """The names that a class annotates, which are the fields of a record; those of the class itself are left out."""
    noted = [node for node in record.body if isinstance(node, ast.AnnAssign)]
    noted = [node for node in noted if not ast.unparse(node.annotation).startswith("ClassVar")]
    return {node.target.id for node in noted if isinstance(node.target, ast.Name)}


def circles(imports: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """The largest groups of modules in which each imports every other, by way of others and when called, too."""
    reached = {module: _reached(module, imports) for module in imports}
    found = {frozenset(b for b in others if a in reached[b]) for a, others in reached.items()}
    return {circle for circle in found if circle}


def _reached(module: str, imports: Mapping[str, set[str]]) -> set[str]:
    """The modules that a module imports, itself or by way of others."""
    found: set[str] = set()
    ahead = [module]
    while ahead:
        new = imports[ahead.pop()] - found
        found |= new
        ahead += new
    return found


def _upward(arrows: set[tuple[str, str]], project: Path) -> set[tuple[str, str]]:
    """The arrows to a room that the layers of a project put above, or beside; none where there are no layers."""
    if not project.is_file():
        return set()
    contracts = tomllib.loads(project.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")
    height = {room: -place for place, layer in enumerate(layers) for room in layer.split(" | ")}
    return {(a, b) for a, b in arrows if {a, b} <= height.keys() and height[a] <= height[b]}


def _texts(source: Path) -> dict[str, str]:
    """The text of each module but those that the build makes."""
    files = sorted((source / "kohort").rglob("*.py"))
    return {_module(source, one): one.read_text("utf-8") for one in files if _module(source, one) not in MADE}


def _module(source: Path, file: Path) -> str:
    parts = file.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _room(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def _imports(tree: ast.Module, modules: Mapping[str, object]) -> set[str]:
    """The package's own modules that a module imports, those for type checkers among them."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            deeper = {f"{node.module}.{alias.name}" for alias in node.names} & modules.keys()
            found |= deeper or {node.module}
    return found & modules.keys()


def _code_lines(text: str) -> int:
    """Lines that are neither blank, nor a comment, nor part of a docstring."""
    kept = {
        place for place, line in enumerate(text.splitlines(), 1) if line.strip() and not line.lstrip().startswith("#")
    }
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            kept -= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    return len(kept)


def _import_lines(tree: ast.Module) -> int:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in found)


def _late(tree: ast.Module) -> int:
    """Import statements inside functions."""
    outside = sum(_imported(node) for node in tree.body if not _defines(node))
    return _imported(tree) - outside


def _imported(tree: ast.AST) -> int:
    return sum(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(tree))


def _defines(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def _loaded(trees: Mapping[str, ast.Module], *, types: bool) -> set[tuple[str, str]]:
    """The imports of modules outside functions and classes, with those for type checkers or without."""

    def counts(node: ast.stmt) -> bool:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return types
        return not _defines(node)

    bare = {module: ast.Module([one for one in tree.body if counts(one)], []) for module, tree in trees.items()}
    return {(a, b) for a, tree in bare.items() for b in _imports(tree, trees) if a != b}


def _rooms(imports: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """The arrows between rooms that imports between modules make; the package's own file has none."""
    found = {(_room(a), _room(b)) for a, b in imports}
    return {(a, b) for a, b in found if a != b and "kohort" not in {a, b}}


def _longest(arrows: set[tuple[str, str]]) -> int:
    """Through how many rooms or modules the longest chain of imports runs; these import each other in no circle."""
    below: dict[str, set[str]] = {one: set() for one in chain.from_iterable(arrows)}
    for a, b in arrows:
        below[a].add(b)

    @cache
    def floor(one: str) -> int:
        return 1 + max(map(floor, below[one]), default=0)

    return max(map(floor, below), default=1)


def _repeated(texts: Iterable[list[str]]) -> float:
    """The share of windows of lines that occur more than once, imports left out."""
    windows: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        kept = [line.strip() for line in text]
        kept = [line for line in kept if line and not line.startswith(("#", "import ", "from "))]
        windows.update(tuple(kept[at : at + WINDOW]) for at in range(len(kept) - WINDOW + 1))
    return sum(count for count in windows.values() if count > 1) / (windows.total() or 1)


def _public(stub: ast.Module) -> list[str]:
    """The names that the package lends, those of its stub."""
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return [alias.name for node in imports for alias in node.names if alias.asname]


if __name__ == "__main__":
    main()
