"""No text has a regular expression of the package take for ever: each is found in the source, and tried."""

from __future__ import annotations

import ast
import re
from collections import Counter

import pytest

from tests.expressions import ROOT, SLOWEST, Expression, expressions, kept, slowest, sources

#: What the package once had, and kin: some are exponential, some grow with the square or the cube of the length.
BAD = {
    "runs of runs": (r"(?=.*[0-9])(?:[^\W\d_]{1,4}|[0-9]+|(?<=\w)[ ./:_-](?=\w))+", "fullmatch"),
    "digits that are divided anywhere": (r"(?:[^0-9]*[0-9]+){1,2}[^0-9]+([12][0-9]{3}|[0-9]{2})", "fullmatch"),
    "digits on both sides of what may be absent": (r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$", "search"),
    "a point among what has points": (r"[^@\s]+@[^@\s]+\.[^@\s]+", "fullmatch"),
    "a search that starts anywhere in a run": (r"-?\d+\.\d+", "sub"),
    "quotes that are never closed": (r'"(?:[^"\\]|\\.)*"|[^{},"]+', "findall"),
    "elements that are never closed": (rb'<c [^>]*\bt="e"', "findall"),
    "parentheses that are never closed": (r"url\(#([^)]+)\)", "findall"),
    "nested repeats": (r"(?:a+)+b", "match"),
    "two branches with one beginning": (r"(?:\w|[a-z]+)*!", "match"),
    "a repeat behind a name": (r"name:(?:\s*\w*)*;", "fullmatch"),
    "three runs of the same": (r"\w*\w*\w*=", "match"),
    "a reference": (r"(a*)*\1b", "match"),
}
EVERY = Counter(module.rpartition(".")[0] for module in sources())


@pytest.mark.slow
@pytest.mark.parametrize("package", sorted(EVERY))
def test_no_text_takes_long(package: str) -> None:
    """Ten thousand characters take no expression of the package's modules more than 0.1 s of the processor."""
    for one in expressions():
        if one.module.rpartition(".")[0] == package:
            seconds, text = slowest(one)
            assert seconds <= SLOWEST, f"{one} on {text[:40]!r} … {text[-10:]!r}"


@pytest.mark.parametrize(("pattern", "use"), BAD.values(), ids=BAD)
def test_what_takes_long_is_found(pattern: str | bytes, use: str) -> None:
    """The texts are made so that an expression which goes back over what it has read is slow on one of them."""
    assert slowest(Expression("", pattern, use))[0] > SLOWEST


@pytest.mark.slow("all modules are read")
def test_every_expression_is_tried() -> None:
    """Whatever compiled expression a module keeps, however it came to it, is among those found in the source."""
    assert kept() <= {one.pattern for one in expressions()}


def test_expressions_are_seen_in_the_source() -> None:
    """Nothing is imported from `re` by name, nor from another library of expressions, which would hide a use."""
    for module, path in sources().items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = (
                    [node.module]
                    if isinstance(node, ast.ImportFrom)
                    else [one.name for one in node.names if one.asname]
                )
                assert not {"re", "regex", "sre_compile"} & {*names}, module


def test_the_scripts_of_pages_have_none() -> None:
    """What runs in a browser uses no expression: neither a literal nor one that is made of text."""
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix in {".js", ".jinja"}:
            text = path.read_text()
            scripts = [text] if path.suffix == ".js" else re.findall(r"<script[^<>]*>([^<]*)", text)
            for script in scripts:
                assert not re.search(r"RegExp|(?:[=(,:;!&|?{}\[]|return)\s*/(?![/*])", script), path
