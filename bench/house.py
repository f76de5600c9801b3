"""The shape of the source tree: lines, files, packages, imports. `python -m bench.house [SRC]` prints them."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Functions with more parameters are counted.
WIDE = 12

#: This many equal lines in a row are a repeated window; blank lines and comments are left out.
WINDOW = 6


def main(source: Path) -> None:
    """Print the figures of the package `kohort` in the folder `source`."""
    texts = {_module(source, file): file.read_text("utf-8") for file in sorted((source / "kohort").rglob("*.py"))}
    trees = {module: ast.parse(text) for module, text in texts.items()}
    lines = {module: text.splitlines() for module, text in texts.items()}
    imports = {module: _imports(tree, trees) - {module} for module, tree in trees.items()}
    rooms = {(_room(a), _room(b)) for a, others in imports.items() for b in others}
    arrows = {(a, b) for a, b in rooms if a != b and "kohort" not in {a, b}}
    importers = Counter(b for a, others in imports.items() if a != "kohort" for b in others)
    functions = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    widths = [len([*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs]) for one in functions]
    classes = Counter(node.name for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef))
    code = sum(map(_code_lines, texts.values()))
    figures: dict[str, float | int] = {
        "lines": sum(map(len, lines.values())),
        "files": len(texts),
        "names at the top": len({module.split(".")[1] for module in texts if "." in module}),
        "arrows between rooms": len(arrows),
        "floors": _longest(_loaded(trees)),
        "modules with one importer": sum(importers[module] == 1 for module in texts),
        "share of import lines": sum(map(_import_lines, trees.values())) / code,
        "longest parameter list": max(widths),
        f"functions over {WIDE} parameters": sum(width > WIDE for width in widths),
        "casts": sum(text.count("cast(") for text in texts.values()),
        "class names in several modules": sum(count > 1 for count in classes.values()),
        "share of repeated windows": _repeated(lines.values()),
        "public names": len(_public(ast.parse((source / "kohort" / "__init__.pyi").read_text("utf-8")))),
    }
    for name, figure in figures.items():
        print(f"{name:32} {figure:>8.1%}" if isinstance(figure, float) else f"{name:32} {figure:>8,}")


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


def _loaded(trees: Mapping[str, ast.Module]) -> set[tuple[str, str]]:
    """The arrows between rooms of imports outside functions and classes."""
    bare = {module: ast.Module([one for one in tree.body if not _defines(one)], []) for module, tree in trees.items()}
    found = {(_room(a), _room(b)) for a, tree in bare.items() for b in _imports(tree, trees)}
    return {(a, b) for a, b in found if a != b and "kohort" not in {a, b}}


def _defines(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def _longest(arrows: set[tuple[str, str]]) -> int:
    """How many rooms the longest chain of imports runs through; rooms import each other in no circle."""
    below = {room: {b for a, b in arrows if a == room} for arrow in arrows for room in arrow}

    @cache
    def floor(room: str) -> int:
        return 1 + max(map(floor, below[room]), default=0)

    return max(map(floor, below))


def _repeated(texts: Iterable[list[str]]) -> float:
    """The share of windows of lines that occur more than once, imports left out."""
    windows: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        kept = [line.strip() for line in text]
        kept = [line for line in kept if line and not line.startswith(("#", "import ", "from "))]
        windows.update(tuple(kept[at : at + WINDOW]) for at in range(len(kept) - WINDOW + 1))
    return sum(count for count in windows.values() if count > 1) / windows.total()


def _public(stub: ast.Module) -> list[str]:
    """The names that the package lends, those of its stub."""
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return [alias.name for node in imports for alias in node.names if alias.asname]


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "src"))
