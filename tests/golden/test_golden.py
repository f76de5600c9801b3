"""What people read, word for word; see README.md for how to change it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.command import kohort

HERE = Path(__file__).parent

#: Flags of a job on levels over the demo's register.
LEVELS = (
    "demo/people.csv --out levels.csv --quasi age,gender,education --no-model annual_income"
    " --allow-singling annual_income --rest drop --k 5"
    " --hierarchy age=intervals:18..90:5,10,20 --hierarchy gender=suppress --hierarchy education=demo/education.json"
)

PEOPLE = "demo/people.csv --out r.csv --quasi age,gender"

#: Flags of a job with several privacy models.
ASKED = (
    "demo/people.csv --out m.csv --quasi age,gender,city --sensitive profession,annual_income --identifier person_id"
    " --rest drop --k 5 --l profession=3 --t annual_income=0.25 --max-risk 0.1 --person person_id"
    " --perturb annual_income=rounding:step=1000 --allow-singling profession"
)

#: Flags of privacy models that cannot be.
MISFITS = (
    "--l age=2 --t professon=0.2 --alpha profession=2 --distance profession=equal --k-map 5 --max-risk 10"
    " --person gender"
)

#: Flags of a job on transactions.
COHERENT = "--private 5,9 --h 0.6 --k 4 --p 2"

#: Flags of a look at the demo's release.
RISKY = "--quasi gender,city,age,education,profession --sensitive annual_income"

#: The words of each command, and the status it ends with. They run in this order in one folder.
COMMANDS = {
    "help": ("--help", 0),
    "anonymize-help": ("anonymize --help", 0),
    "demo": ("demo --records 200 --k 5", 0),
    "inspect": ("inspect demo/people.csv", 0),
    "init": ("init demo/people.csv --out demo/draft.toml", 0),
    "check-met": ("check demo/release.csv --quasi gender,city,age,education,profession --k 5", 0),
    "check-not-met": ("check demo/people.csv --quasi gender,age --k 5", 1),
    "risk": (f"risk demo/release.csv {RISKY} --known 2 --population-size 5000", 0),
    "dry-run": ("run demo/job.toml --dry-run", 0),
    "exists": ("run demo/job.toml", 7),
    "hierarchy-show": ("hierarchy show demo/city.json --limit 30", 0),
    "hierarchy-check": ("hierarchy check demo/city.json --in demo/people.csv --column gender", 1),
    "faults": ("anonymize demo/people.csv --out r.csv --quasi gendr,age --weight agee=2 --method mondrain --k 1", 2),
    "samarati-dry-run": (f"anonymize {LEVELS} --method samarati --max-suppression 5% --dry-run", 0),
    "optimal": (f"anonymize {LEVELS} --method optimal --max-suppression 5% --objective c-dm --mapping levels.json", 0),
    "infeasible": (f"anonymize {LEVELS} --method optimal --max-level age=0 --max-level education=1 --overwrite", 4),
    "node": (f"anonymize {LEVELS} --method samarati --node age=9,gender=0,education=0 --overwrite", 2),
    "method-misfits": (f"anonymize {PEOPLE} --max-suppression 5% --objective lm --node 0 --max-level age=1", 2),
    "levels-misfits": (
        f"anonymize {PEOPLE} --method optimal --cut median --hierarchy age=dates --node agee=1,gender=0 --time-limit 5",
        2,
    ),
    "models": (f"anonymize {ASKED}", 0),
    "models-misfits": (f"anonymize {PEOPLE} --sensitive profession {MISFITS}", 2),
    "models-infeasible": (f"anonymize {PEOPLE} --sensitive profession --rest drop --k 300 --l profession=300", 4),
    "misfits": ("anonymize demo/people.csv --out r.csv --quasi gendr,age --sensitive annual_income", 2),
    "transactions-help": ("transactions --help", 0),
    "baskets": ("generate baskets --out b.dat --transactions 300 --items 30 --length 4 --patterns 20", 0),
    "inspect-transactions": ("inspect b.dat --transactions", 0),
    "transactions": (f"transactions b.dat --out r.dat {COHERENT} --give-back", 0),
    "transactions-cells": (
        "transactions b.dat --out c.dat --delta 0.8 --seed 7 --k 4 --suppress cells --min-support 1/50",
        0,
    ),
    "transactions-infeasible": ("transactions b.dat --out x.dat --private 0,1,2 --h 0.1", 4),
    "transactions-absent": ("transactions b.dat --out x.dat --private 1,thirty,forty", 2),
    "transactions-faults": (
        "transactions b.dat --out x.parquet --public 1 --h 40% --k 0 --score mil --weight 3 --optimal --give-back",
        2,
    ),
    "few-baskets": ("generate baskets --out few.dat --transactions 12 --items 8 --length 3 --patterns 6", 0),
    "trace": ("transactions few.dat --out few.out --private 5 --h 0.7 --k 3 --p 2 --dry-run --trace", 0),
    "check-coherent": (f"check r.dat --transactions {COHERENT}", 0),
    "check-not-coherent": (f"check b.dat --transactions {COHERENT}", 1),
    "check-empty-set": ("check b.dat --transactions --private 0,1,2 --h 0.1 --k 1000 --show-values", 1),
}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each command prints, standard error below standard output, without paths of this machine."""
    folder = tmp_path_factory.mktemp("golden")
    before = Path.cwd()
    os.chdir(folder)
    try:
        return {name: _said(command, status, folder) for name, (command, status) in COMMANDS.items()}
    finally:
        os.chdir(before)


def _said(command: str, status: int, folder: Path) -> str:
    ran = kohort(*command.split())
    assert ran.status == status
    text = f"$ kohort {command}\n{ran.out}{ran.err}".replace(str(folder), "FOLDER")
    return re.sub(r" +$", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_words_are_those_that_were_read(printed: dict[str, str], name: str) -> None:
    """A command prints exactly what somebody has read and found good."""
    path = HERE / f"{name}.txt"
    if os.environ.get("KOHORT_GOLDEN") == "write":
        path.write_text(printed[name], encoding="utf-8")
    assert printed[name] == path.read_text("utf-8")


def test_no_words_are_left_over() -> None:
    """Every file belongs to a command."""
    assert {path.stem for path in HERE.glob("*.txt")} == set(COMMANDS)
