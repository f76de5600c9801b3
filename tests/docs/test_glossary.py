"""docs/glossary.md: each word of the field is in it, once."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from kohort.metrics.known import METRICS
from tests.docs.pages import ROOT, blocks

if TYPE_CHECKING:
    from pathlib import Path

PAGE = ROOT / "docs" / "glossary.md"

#: The words that code, command line and errors use, each in one meaning.
WORDS = """
microdata, record, attribute, domain, role, identifying, quasi-identifying, sensitive, insensitive, scale,
generalization hierarchy, level, height, leaf, frequency set, equivalence class, class profile, lattice, node, recoding,
region, cut, suppression, suppression limit, privacy model, quality metric, loss, release, verdict, certificate, risk,
prosecutor, journalist, marketer, transaction, public item, private item, cohort, support, breach, mole, perturbation,
pseudonym
"""


def terms() -> list[str]:
    """Every term that the page defines."""
    lines = [line for block in blocks(PAGE) if block.kind == "{glossary}" for line in block.lines]
    return [line for line in lines if line and not line.startswith(" ")]


def test_a_word_has_one_meaning() -> None:
    """No term is defined twice, whatever its case."""
    assert [term for term, times in Counter(term.casefold() for term in terms()).items() if times > 1] == []


@pytest.mark.parametrize("word", [word.strip() for word in WORDS.split(",")])
def test_a_word_of_the_design_is_defined(word: str) -> None:
    """The words that everything is said in are in the glossary."""
    assert word in terms()


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "models").glob("*_*.md")), ids=lambda page: page.stem)
def test_a_model_is_defined(page: Path) -> None:
    """The title of each model's page is a term, and its definition leads there."""
    title = page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    assert title.casefold() in {term.casefold() for term in terms()}
    assert f"(models/{page.name})" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_is_defined(metric: str) -> None:
    """The name that a metric has in `--json` stands beside what it means."""
    assert f"`{metric.replace('-', '_')}`" in PAGE.read_text(encoding="utf-8")


def test_a_definition_follows_its_term() -> None:
    """No term is left without a meaning."""
    for block in blocks(PAGE):
        for term, meaning in re.findall(r"^(\S.*)\n(.*)$", block.text, re.MULTILINE):
            assert meaning.startswith("    "), term
