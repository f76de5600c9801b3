"""docs/glossary.md: each word of the field is in it, once; models and metrics as their specifications define them."""

from __future__ import annotations

import os
import re
import textwrap
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from kohort.assessment.risk.figures import FIGURES
from kohort.metrics.known import METRICS, OBJECTIVES
from kohort.models.base import models
from tests.docs.pages import ROOT, blocks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kohort.models.base import PrivacyModel

PAGE = ROOT / "docs" / "glossary.md"

#: The table of all quality metrics.
METRIC_PAGE = ROOT / "docs" / "reference" / "metrics.md"

#: The page with the table of risk figures.
RISK_PAGE = ROOT / "docs" / "risk.md"

#: Columns of a line of the glossary.
WIDTH = 130

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


def defined(term: str, definition: str) -> None:
    """Check that the page defines the term so; `KOHORT_GOLDEN=write` writes it in the place of its old definition."""
    page = PAGE.read_text(encoding="utf-8")
    lines = textwrap.fill(definition, WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
    found = re.search(rf"^{re.escape(term)}\n((?: {{4}}.*\n)+)", page, re.MULTILINE | re.IGNORECASE)
    assert found, f"{term} is not in the glossary"
    if os.environ.get("KOHORT_GOLDEN") == "write":
        page = f"{page[: found.start(1)]}{lines}\n{page[found.end(1) :]}"
        PAGE.write_text(page, encoding="utf-8")
    assert f"\n{lines}\n" in page


def metric_table() -> str:
    """What the specification of each metric says of it."""
    rows = [
        f"| `{key.replace('-', '_')}` | {one.specification.title} | {one.specification.sentence}"
        f" | {'least' if one.less_is_better else 'greatest'} | {'yes' if key in OBJECTIVES else 'no'}"
        f" | {'one level per column' if one.full_domain else 'any'} |"
        for key, one in METRICS.items()
    ]
    head = "| key | metric | meaning | best | objective | releases |\n|---|---|---|---|---|---|"
    return "\n".join([head, *rows])


def risk_table() -> str:
    """What each risk figure says of itself."""
    rows = [
        f"| `{key}` | {one.caption} | {one.sentence} | {one.unit} | {'yes' if one.public else 'no'} | {one.source} |"
        for key, one in FIGURES.items()
    ]
    return "\n".join(["| key | figure | meaning | unit | public page | source |\n|---|---|---|---|---|---|", *rows])


def test_a_word_has_one_meaning() -> None:
    """No term is defined twice, whatever its case."""
    assert [term for term, times in Counter(term.casefold() for term in terms()).items() if times > 1] == []


@pytest.mark.parametrize("word", [word.strip() for word in WORDS.split(",")])
def test_a_word_of_the_design_is_defined(word: str) -> None:
    """The words that everything is said in are in the glossary."""
    assert word in terms()


@pytest.mark.parametrize("kind", models().values(), ids=lambda kind: kind.specification.key)
def test_a_model_is_defined(kind: type[PrivacyModel]) -> None:
    """The title of its page is a term, the sentence of its specification the definition, which leads to the page."""
    page = f"models/{kind.__module__.rpartition('.')[2]}.md"
    title = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    defined(title, f"{kind.specification.sentence} [Page]({page}).")


@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_is_defined(metric: str) -> None:
    """Its title is a term, the sentence of its specification the definition, with its name in `--json`."""
    one = METRICS[metric].specification
    defined(one.title, f"`{metric.replace('-', '_')}`: {one.sentence}")


@pytest.mark.parametrize(("path", "table"), [(METRIC_PAGE, metric_table), (RISK_PAGE, risk_table)])
def test_every_figure_has_a_row(path: Path, table: Callable[[], str]) -> None:
    """The tables of metrics and of risk figures are what these say of themselves."""
    page = path.read_text(encoding="utf-8")
    if os.environ.get("KOHORT_GOLDEN") == "write":
        page = re.sub(r"\| key \|(?:.*\n)*?(?=\n|\Z)", lambda _: f"{table()}\n", page)
        path.write_text(page, encoding="utf-8")
    assert f"\n{table()}\n" in page


def test_a_definition_follows_its_term() -> None:
    """No term is left without a meaning."""
    for block in blocks(PAGE):
        for term, meaning in re.findall(r"^(\S.*)\n(.*)$", block.text, re.MULTILINE):
            assert meaning.startswith("    "), term
