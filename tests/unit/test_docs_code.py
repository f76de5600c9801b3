"""The pages about models say what the models declare; `tests/docs` tries what the pages show."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import kohort
import kohort.models
from kohort.models.base import models
from tests.command import kohort as run
from tests.job_sides import table_request as parse

if TYPE_CHECKING:
    from kohort.models.base import PrivacyModel

DOCS = Path(__file__).parents[2] / "docs"

#: Every privacy model, by the name of its file.
MODELS = sorted(place.partition(":")[0].rpartition(".")[2] for place in kohort.models.MODELS.values())


def row(name: str, begin: str) -> list[str]:
    """What stands between backticks in the row of a model's table that begins so."""
    text = (DOCS / "models" / f"{name}.md").read_text(encoding="utf-8")
    found = re.search(rf"^\| {re.escape(begin)} \|(.*)\|$", text, re.MULTILINE)
    assert found, begin
    return re.findall(r"`([^`]+)`", found[1])


def shown(name: str) -> PrivacyModel:
    """The model that the page of `name` makes in Python."""
    known = {"kohort": kohort} | {kind.__name__: kind for kind in models().values()}
    model: PrivacyModel = eval(row(name, "Python")[0], known)  # noqa: S307  our own page
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
    declared = model.declared.monotone_generalization, model.declared.monotone_suppression
    assert says.groups() == tuple("yes" if one else "no" for one in declared)


@pytest.mark.parametrize("name", MODELS)
def test_keys_make_the_model(name: str) -> None:
    """The keys of a job file that a page names make the model that it makes in Python."""
    said = "\n".join(f"{key}\nrole = 'sensitive'" if "columns" in key else key for key in row(name, "job file")[:4])
    said = said.replace("\n`hierarchy`", "").removesuffix("\nhierarchy")
    ends = "input.path = 'input.csv'\noutput.path = 'release.csv'\ncolumns.age.role = 'quasi'\n"
    assert shown(name) in parse(ends + said).job.models


@pytest.mark.parametrize("name", MODELS)
def test_flags_ask_for_the_model(name: str, tmp_path: Path) -> None:
    """The command that a page gives to check a file judges it by that model, and the flag of a run is in it."""
    for file in ("release", "input", "register"):
        (tmp_path / f"{file}.csv").write_text("age,town,illness,salary\n31,Bari,flu,3000\n")
    command = row(name, "check a file")[0]
    words = [str(tmp_path / word) if word.endswith(".csv") else word for word in command.split()[1:]]
    ran = run(*words, "--json")
    assert shown(name).name in [one["model"] for one in json.loads(ran.out)["models"]]
    assert row(name, "flag")[0].removesuffix(" --population register.csv") in command
