"""The pages about models, risk and weaknesses say only what kohort does."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer.main

import kohort
import kohort.models
from kohort import job
from kohort.cli import app
from tests.command import kohort as run

if TYPE_CHECKING:
    from kohort.models.base import PrivacyModel

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [*sorted((DOCS / "models").glob("*.md")), DOCS / "risk.md", DOCS / "weaknesses.md"]

#: Every privacy model, by the name of its file.
MODELS = sorted({path.stem for path in Path(*kohort.models.__path__).glob("[a-z]*.py")} - {"base"})


def blocks(page: Path, language: str) -> list[str]:
    """The page's blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "pycon")], ids=lambda page: page.stem)
def test_examples_run(page: Path) -> None:
    """What a page shows at the Python prompt is what Python answers, from its first block to its last."""
    session = "\n".join(blocks(page, "pycon"))
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    told: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=told.append)
    assert result.attempted > 0
    assert not result.failed, "".join(told)


def test_python_is_tried() -> None:
    """Python is shown at the prompt only, where what it answers is held against what is said."""
    assert not [page.name for page in PAGES if blocks(page, "python")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_exist(page: Path) -> None:
    """Every `kohort` command and flag that a page shows is one that the command line has."""
    commands = getattr(typer.main.get_command(app), "commands", {})
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in re.findall(r"(?:^|^\$ |`)kohort ([^`\n]+)", text, re.MULTILINE):
        command, *rest = line.partition("#")[0].split()
        flags = {flag for parameter in commands[command].params for flag in parameter.opts}
        assert {word for word in rest if word.startswith("--")} <= flags, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_flags_exist(page: Path) -> None:
    """Every flag that is named in passing is one that some command has."""
    commands = getattr(typer.main.get_command(app), "commands", {})
    flags = {flag for command in commands.values() for parameter in command.params for flag in parameter.opts}
    assert set(re.findall(r"`(--[a-z-]+)", page.read_text(encoding="utf-8"))) <= flags


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    """Every page that is linked to is there."""
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).is_file(), target


def row(name: str, begin: str) -> list[str]:
    """What stands between backticks in the row of a model's table that begins so."""
    text = (DOCS / "models" / f"{name}.md").read_text(encoding="utf-8")
    found = re.search(rf"^\| {re.escape(begin)} \|(.*)\|$", text, re.MULTILINE)
    assert found, begin
    return re.findall(r"`([^`]+)`", found[1])


def shown(name: str) -> PrivacyModel:
    """The model that the page of `name` makes in Python."""
    model: PrivacyModel = eval(row(name, "Python")[0], {"kohort": kohort})  # noqa: S307  our own page
    return model


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_a_page(name: str) -> None:
    """Each model has a page about it, which says what it does not protect from, and the index leads to it."""
    text = (DOCS / "models" / f"{name}.md").read_text(encoding="utf-8")
    assert "## What it does not protect from" in text
    assert f"({name}.md)" in (DOCS / "models" / "index.md").read_text(encoding="utf-8")
    assert type(shown(name)).__module__ == f"kohort.models.{name}"


@pytest.mark.parametrize("name", MODELS)
def test_pages_say_what_models_declare(name: str) -> None:
    """A page says monotone where its model declares it."""
    text, model = (DOCS / "models" / f"{name}.md").read_text(encoding="utf-8"), shown(name)
    says = re.search(r"generalization: (yes|no).*suppression: (yes|no)", text)
    assert says
    declared = model.monotone_generalization, model.monotone_suppression
    assert says.groups() == tuple("yes" if one else "no" for one in declared)


@pytest.mark.parametrize("name", MODELS)
def test_keys_make_the_model(name: str) -> None:
    """The keys of a job file that a page names make the model that it makes in Python."""
    said = "\n".join(f"{key}\nrole = 'sensitive'" if "columns" in key else key for key in row(name, "job file")[:4])
    said = said.replace("\n`hierarchy`", "").removesuffix("\nhierarchy")
    ends = "input.path = 'input.csv'\noutput.path = 'release.csv'\ncolumns.age.role = 'quasi'\n"
    assert shown(name) in job.parse(ends + said).job.models


@pytest.mark.parametrize("name", MODELS)
def test_flags_ask_for_the_model(name: str, tmp_path: Path) -> None:
    """The command that a page gives to check a file judges it by that model, and the flag of a run is in it."""
    for file in ("release", "input", "register"):
        (tmp_path / f"{file}.csv").write_text("age,town,illness,salary\n31,Bari,flu,3000\n")
    command = row(name, "is this file so?")[0]
    words = [str(tmp_path / word) if word.endswith(".csv") else word for word in command.split()[1:]]
    ran = run(*words, "--json")
    assert shown(name).name in [one["model"] for one in json.loads(ran.out)["models"]]
    assert row(name, "flag")[0].removesuffix(" --population register.csv") in command
