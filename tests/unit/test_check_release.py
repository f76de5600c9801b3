"""The checker for strangers, which is one file without kohort: it finds what kohort finds."""

from __future__ import annotations

import copy
import hashlib
import json
import random
import re
import sys
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl
import pytest

from kohort.certificate.again import read_certificate
from kohort.certificate.form import FORM, digest
from kohort.certificate.table import Certificate
from kohort.certificate.table_again import Brought, check_table_again
from kohort.errors import InputError
from kohort.io.write import Format
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.t_closeness import TCloseness
from kohort.pipeline import anonymize
from kohort.release import Job, Writing
from kohort.schema import Attribute, Label, Role, Schema
from kohort.signing import write_signing_keys
from tests.jobs import freely
from tests.unit.certificate.test_every_field import again, by_level, changes, table
from tools import check_release

if TYPE_CHECKING:
    from collections.abc import Callable

#: A certificate, as JSON has it.
Parts: TypeAlias = dict[str, Any]

#: What is done to a release and its certificate, as far as both tell it.
Pair: TypeAlias = tuple[list[list[str]], Parts]

PEOPLE = pl.DataFrame(
    {
        "who": [f"IT{at:06d}" for at in range(30)],
        "age": [str(20 + at * 7 % 40) for at in range(30)],
        "height": [str(150 + at * 5 % 31) for at in range(30)],
        "town": [("Asti", "Como", "Bari")[at % 3] for at in range(30)],
        "illness": [("flu", "gout", "=ache")[at * 5 % 3] for at in range(30)],
        "visits": [str(at % 4) for at in range(30)],
    }
)


def made(folder: Path, name: str = "r.csv", *, label: Label | None = None, **writing: Any) -> Path:  # noqa: ANN401  as of Writing
    """A release with a grid, ranges or means, sets, two models, and its certificate."""
    schema = Schema(
        (
            Attribute("who", Role.IDENTIFYING),
            Attribute("age", Role.QUASI, grid=Fraction(10)),
            Attribute("height", Role.QUASI, label=label),
            Attribute("town", Role.QUASI),
            Attribute("illness", Role.SENSITIVE),
            Attribute("visits", Role.INSENSITIVE),
        )
    )
    close = TCloseness("illness", Fraction(9, 10))
    job = freely(Job(schema, (KAnonymity(3), DistinctLDiversity("illness", 2), close), writing=Writing(**writing)))
    PEOPLE.write_csv(folder / "people.csv")
    anonymize(folder / "people.csv", job, target=folder / name)
    return folder / name


def beside(path: Path) -> Path:
    """Where the certificate is."""
    return path.with_name(f"{path.name}.kohort.json")


def refused_by_kohort(path: Path) -> bool:
    """Whether kohort finds that something differs."""
    try:
        known = read_certificate(beside(path))
    except InputError:
        return True
    assert isinstance(known, Certificate)
    try:
        return not check_table_again(path, known, Brought()).met
    except InputError:
        return True


def refused_by_tool(path: Path) -> bool:
    """Whether the tool does."""
    return bool([*check_release.faults(path.read_bytes(), beside(path).read_bytes())])


@pytest.mark.parametrize(
    ("name", "writing"),
    [
        ("r.csv", {}),
        ("r.tsv", {}),
        ("r.csv.gz", {}),
        ("r.csv", {"excel_safe": True}),
        ("r.csv", {"separator": ";"}),
        ("r.dat", {"format": Format.TSV}),
        ("r.csv", {"label": Label.MEAN}),
    ],
)
def test_a_release_of_kohort_passes(name: str, writing: dict[str, Any], tmp_path: Path) -> None:
    """Nothing differs in what nobody changed, in each form of text."""
    path = made(tmp_path, name, **writing)
    assert [*check_release.faults(path.read_bytes(), beside(path).read_bytes())] == []
    assert not refused_by_kohort(path)


# ── a thousand changed pairs ─────────────────────────────────────────────────────────────────────


def _count(draw: random.Random, pair: Pair) -> None:
    """Another count, flag or text where the release tells the right one."""
    name = draw.choice(["k", "records", "classes", "size", "form", "people", "job_sha256", "sha256", "kind", "models"])
    value = pair[1][name]
    pair[1][name] = draw.randrange(1000, 9999) if isinstance(value, int) else f"{draw.random()}"


def _check(draw: random.Random, pair: Pair) -> None:
    """A check left out, one more, or another count."""
    checks = pair[1]["checks"]
    name = draw.choice(sorted(checks))
    match draw.randrange(3):
        case 0:
            del checks[name]
        case 1:
            checks[f"{name} {draw.randrange(100)}"] = 1
        case _:
            name = draw.choice(sorted(checks.keys() - {"identifiers"}))
            checks[name] += draw.randrange(1, 100)


def _field(draw: random.Random, pair: Pair) -> None:
    """A field left out, or one more."""
    name = draw.choice(sorted(pair[1]))
    if draw.random() < 0.5:
        del pair[1][name]
    else:
        pair[1][f"{name}{draw.randrange(100)}"] = copy.deepcopy(pair[1][name])


def _flag(_: random.Random, pair: Pair) -> None:
    """Labels said not to depend on the data."""
    pair[1]["data_dependent_labels"] = not pair[1]["data_dependent_labels"]


def _limits(draw: random.Random, pair: Pair) -> None:
    """A limit that holds for every release left out, or all of them."""
    limits = pair[1]["not_promised"]
    always = [line for line in limits if line.startswith((*check_release.ALWAYS, "Several records", "Secret range"))]
    limits.remove(draw.choice(always))


def _promise(draw: random.Random, pair: Pair) -> None:
    """More promised than is so."""
    models = pair[1]["job"]["models"]
    more = draw.randrange(1, 50)
    if draw.random() < 0.5:
        models[0]["k"] += 7 + more
        pair[1]["models"][0] = f"{models[0]['k']}-anonymity"
    else:
        models[1]["l"] += 2 + more
        pair[1]["models"][1] = f"distinct {models[1]['l']}-diversity of illness"


def _model(draw: random.Random, pair: Pair) -> None:
    """A model that the job has not."""
    pair[1]["models"][draw.randrange(2)] = f"{draw.randrange(2, 99)}-anonymity of some"


def _singled(draw: random.Random, pair: Pair) -> None:
    """Another number of people whom a column singles out."""
    draw.choice(pair[1]["released_unchanged"][:2])["unique"] += draw.randrange(1, 9)


def _sizes(draw: random.Random, pair: Pair) -> None:
    """Classes of other sizes, told by two numbers that are the same, but in fewer records."""
    pair[1]["classes"] += draw.randrange(1, 9)


def _cell(draw: random.Random, pair: Pair) -> None:
    """Another label in one cell."""
    record = draw.choice(pair[0][1:])
    record[draw.randrange(3)] = f"x{draw.randrange(1000)}"


def _order(draw: random.Random, pair: Pair) -> None:
    """Two different records exchanged."""
    rows = pair[0]
    one, other = draw.sample(range(1, len(rows)), 2)
    while rows[one] == rows[other]:
        one, other = draw.sample(range(1, len(rows)), 2)
    rows[one], rows[other] = rows[other], rows[one]


def _record(draw: random.Random, pair: Pair) -> None:
    """A record left out, or twice there."""
    at = draw.randrange(1, len(pair[0]))
    pair[0][at : at + 1] = [] if draw.random() < 0.5 else [pair[0][at], pair[0][at]]


def _column(draw: random.Random, pair: Pair) -> None:
    """A column with another name, or left out."""
    at = draw.randrange(len(pair[0][0]))
    if draw.random() < 0.5:
        pair[0][0][at] += f"{draw.randrange(100)}"
    else:
        for row in pair[0]:
            del row[at]


def _alike(draw: random.Random, pair: Pair) -> None:
    """One illness for everybody in a class: less diversity than is promised."""
    labels = draw.choice(pair[0][1:])[:3]
    for row in pair[0][1:]:
        row[3] = "flu" if row[:3] == labels else row[3]


CHANGES: tuple[Callable[[random.Random, Pair], None], ...] = (
    *(_count, _check, _field, _flag, _limits, _promise, _model, _singled, _sizes),
    *(_cell, _order, _record, _column, _alike),
)


def test_a_thousand_changed_pairs_are_refused_by_both(tmp_path: Path) -> None:
    """Whatever is changed, with the digests made anew, neither kohort nor the tool takes the pair."""
    path = made(tmp_path)
    whole = [line.split(",") for line in path.read_text().splitlines()]
    known = json.loads(beside(path).read_bytes())
    taken: list[tuple[int, str, str]] = []
    for seed in range(1000):
        draw, pair = random.Random(seed), (copy.deepcopy(whole), copy.deepcopy(known))  # noqa: S311  no secret
        change = CHANGES[seed % len(CHANGES)]
        change(draw, pair)
        _write(path, pair, known, anew=seed % 3 != 0)
        for name, refused in (("kohort", refused_by_kohort), ("tool", refused_by_tool)):
            if not refused(path):
                taken.append((seed, change.__name__, name))
    assert taken == []


@pytest.mark.filterwarnings("ignore:.* is released unchanged, and for nearly all:kohort.errors.SourceNote")
@pytest.mark.parametrize("make", [made, table, by_level])
def test_it_agrees_with_kohort_or_says_that_it_does_not_check(
    make: Callable[[Path], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of every change of a certificate: what it refuses kohort refuses, and what kohort alone refuses it lists."""
    path = make(tmp_path)
    assert run(path) == 0
    (line,) = [one for one in capsys.readouterr().out.splitlines() if one.startswith("not checked, or only in part: ")]
    listed, release = {*line.partition(": ")[2].split(", ")}, path.read_bytes()
    wrong: list[tuple[object, ...]] = []
    for place, parts in changes(json.loads(beside(path).read_bytes())):
        if place[0] == "job" and isinstance(parts.get("job"), dict):
            parts["job_sha256"] = digest(parts["job"])
        text = json.dumps(parts, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        if place[0] in {"release", "signature"}:  # which decides how it is read; which is a part of its own
            continue
        found, tool = again(path, parts, tmp_path), [*check_release.faults(release, text.encode())]
        refused = found is None or not found.met
        if refused != bool(tool) and (tool or place[0] not in listed):
            wrong.append((*place, tool))
    assert wrong == []


def _write(path: Path, pair: Pair, known: Parts, *, anew: bool) -> None:
    """Write the pair; of a changed release, the digest and the sizes `anew`."""
    rows, parts = pair
    text = ("\n".join(map(",".join, rows)) + "\n").encode()
    if anew and hashlib.sha256(text).hexdigest() != known["sha256"]:
        parts |= {"sha256": hashlib.sha256(text).hexdigest(), "size": len(text)}
        parts["checks"]["bytes"] = len(text)
    if parts.get("job") != known["job"] and isinstance(parts.get("job"), dict):
        parts["job_sha256"] = digest(parts["job"])
    path.write_bytes(text)
    beside(path).write_text(json.dumps(parts, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


# ── the signature, and what it prints ────────────────────────────────────────────────────────────


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    """A release whose certificate is signed with `key`."""
    write_signing_keys(tmp_path / "key")
    return made(tmp_path, sign_key=str(tmp_path / "key"))


def run(path: Path, *more: str) -> int:
    """The status of the tool."""
    return check_release.main([str(path), str(beside(path)), *more])


def test_a_signed_release(signed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A signature is checked, and a key demanded where one is named."""
    write_signing_keys(tmp_path / "other")
    assert run(signed) == 0
    assert "signature: signed; 0 things differ" in capsys.readouterr().out
    assert run(signed, "--trust", str(tmp_path / "key.pub")) == 0
    assert "signature: trusted" in capsys.readouterr().out
    assert run(signed, "--trust", str(tmp_path / "other.pub")) == 1
    assert run(signed, "--trust", str(signed)) == 2  # the wrong file
    assert "DIFFERS  the certificate is signed with another key" in capsys.readouterr().out
    text = beside(signed).read_bytes()
    beside(signed).write_bytes(text.replace(b'"release": "r.csv"', b'"release": "s.csv"'))
    assert run(signed) == 1
    assert "the certificate is not what was signed" in capsys.readouterr().out
    beside(signed).write_bytes(text.replace(b'"signature": "ed25519 ', b'"signature": "ed25519 0'))
    assert run(signed) == 1
    assert "the signature is not spelled as one" in capsys.readouterr().out


def test_an_unsigned_release(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is called unsigned, and refused where a key is demanded."""
    path = made(tmp_path)
    write_signing_keys(tmp_path / "key")
    assert run(path) == 0
    assert "signature: unsigned; 0 things differ" in capsys.readouterr().out
    assert run(path, "--trust", str(tmp_path / "key.pub")) == 1


def test_what_cannot_be_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Other files than text, certificates of transactions, and files that are not there end in status 2."""
    assert run(made(tmp_path, "r.parquet")) == 2
    beside(tmp_path / "r.parquet").write_text('{"kind": "transactions"}')
    assert run(tmp_path / "r.parquet") == 2
    assert run(tmp_path / "none.csv") == 2
    assert capsys.readouterr().err.count("cannot be checked") == 3
    beside(tmp_path / "r.parquet").write_text("[]")
    assert run(tmp_path / "r.parquet") == 1


def test_without_the_library(signed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `cryptography` a signature is not checked, and a key cannot be demanded."""
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    text = beside(signed).read_bytes()
    assert check_release.signature(text, None) == "not checked"
    assert run(signed, "--trust", str(tmp_path / "key.pub")) == 2


def test_it_is_one_short_file() -> None:
    """A stranger reads it in one go: at most 300 lines, and no import but the standard library and `cryptography`."""
    text = Path(check_release.__file__).read_text()
    assert len(text.splitlines()) <= 300
    imported = {line.split()[1].partition(".")[0] for line in text.splitlines() if re.match(r" *(from|import) ", line)}
    assert imported - {"cryptography", "__future__"} <= sys.stdlib_module_names
    assert check_release.FORM == FORM
    assert check_release.FIELDS.keys() == {field.name for field in fields(Certificate)}
