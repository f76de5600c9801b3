"""The checker for strangers, which is one file without kohort: it finds what kohort finds."""

from __future__ import annotations

import contextlib
import copy
import csv
import gzip
import hashlib
import itertools
import json
import random
import re
import sys
from base64 import b64encode
from dataclasses import fields
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from bench.forged import Verdict, by_a_stranger, by_kohort, forge, made_in, recounted
from kohort.certificate.again import read_certificate
from kohort.certificate.form import FORM, digest
from kohort.certificate.signing import read_signing_key, signed_part, write_signing_keys
from kohort.certificate.table import Certificate
from kohort.certificate.table_again import check_table_again
from kohort.certificate.table_shown import RecheckInputs
from kohort.engines.pipeline import anonymize
from kohort.errors import InputError
from kohort.io.forms import Format
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.t_closeness import TCloseness
from kohort.release import Job, Writing
from kohort.schema import Attribute, Label, Role, Schema
from kohort.schema.hierarchies.spelling import even_spelling
from tests.jobs import freely
from tests.quick import some
from tests.unit.certificate.test_every_field import again, by_level, changes, table
from tests.unit.test_signing import WEAK
from tools import check_release

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
        return not check_table_again(path, known, RecheckInputs()).met
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
    privacy, illness = pair[1]["job"]["privacy"], pair[1]["job"]["columns"]["illness"]
    more = draw.randrange(1, 50)
    if draw.random() < 0.5:
        privacy["k"] += 7 + more
        pair[1]["models"][0] = f"{privacy['k']}-anonymity"
    else:
        illness["l"] += 2 + more
        pair[1]["models"][1] = f"distinct {illness['l']}-diversity of illness"


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
    for seed in some(range(1000), 60):
        draw, pair = random.Random(seed), (copy.deepcopy(whole), copy.deepcopy(known))  # noqa: S311  no secret
        change = CHANGES[seed % len(CHANGES)]
        change(draw, pair)
        _write(path, pair, known, anew=seed % 3 != 0)
        for name, refused in (("kohort", refused_by_kohort), ("tool", refused_by_tool)):
            if not refused(path):
                taken.append((seed, change.__name__, name))
    assert taken == []


@pytest.mark.filterwarnings("ignore:.* can be guessed from:kohort.errors.SourceNote")
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
    for place, parts in some(changes(json.loads(beside(path).read_bytes())), 40):
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


# ── what looks like diversity, and like people ───────────────────────────────────────────────────


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The releases of the bench that forges pairs."""
    folder = tmp_path_factory.mktemp("forged")
    made_in(folder)
    return folder


def forged(folder: Path, name: str, change: Callable[[list[list[str]]], list[list[str]]]) -> tuple[Verdict, int, str]:
    """What kohort, and the tool, make of a release whose records are others, with all that anyone can count of them."""
    (header, *rows), path = csv.reader((folder / name).read_text().splitlines()), folder / "forged" / name
    path.parent.mkdir(exist_ok=True)
    parts = json.loads(beside(folder / name).read_bytes())
    quasi = [column for column in header if column in parts["labels"]]
    release, certificate = recounted(parts, header, change(rows), quasi)
    path.write_bytes(release)
    beside(path).write_bytes(certificate)
    status, _, more = by_a_stranger(path, beside(path))
    return by_kohort(path, beside(path)), status, "\n".join(more)


def of_first_class(values: Sequence[str]) -> Callable[[list[list[str]]], list[list[str]]]:
    """The records with these illnesses, turn by turn, for everybody in the first class; age, town and illness stand."""

    def change(rows: list[list[str]]) -> list[list[str]]:
        turns = itertools.cycle(values)
        return [[*row[:2], next(turns), *row[3:]] if row[:2] == rows[0][:2] else row for row in rows]

    return change


#: Two cells that a reader takes for one value, or of which one is none.
ALIKE = [
    *(("gout", "GOUT"), ("gout", " gout"), ("my gout", "my  gout"), ("gout", "go\u200but"), ("gout", "g\xadout")),
    *(("gout", "\uff47\uff4f\uff55\uff54"), ("gout", "g\u043eut"), ("gout", "gout\x07"), ("gout", "gout\ufe0f")),
    *(
        ("\xe9tat", "e\u0301tat"),
        ("Stra\xdfe", "STRASSE"),
        ("III", "\u2162"),
        ("7", "7.0"),
        ("7", " 7.00"),
        (".5", "0.50"),
    ),
    *(("-0", "0"), ("gout", ""), ("gout", " "), ("gout", "\u3000"), ("gout", "\u200b"), ("", " ")),
]


@pytest.mark.parametrize("name", ["grid.csv", "person.csv"])
@pytest.mark.parametrize("values", ALIKE)
def test_two_spellings_are_one_value(name: str, values: tuple[str, str], folder: Path) -> None:
    """Of everybody in a class one value in two spellings, or a value and none, is no diversity, whoever is who."""
    found, status, told = forged(folder, name, of_first_class(values))
    assert found.refused
    assert (status, "DIFFERS  promise distinct 2-diversity of illness" in told) == (1, True)


@pytest.mark.parametrize("name", ["grid.csv", "person.csv"])
@pytest.mark.parametrize("values", [("gout", "flu"), ("7", "07"), ("7", "70"), ("gout", "\xe9"), ("gout", "goat")])
def test_two_values_are_two(name: str, values: tuple[str, str], folder: Path) -> None:
    """What a reader does not take for the same value is diversity: a code with a zero before it, another letter."""
    found, status, told = forged(folder, name, of_first_class(values))
    assert (found, status) == (Verdict(refused=False, fields=frozenset()), 0), told


@pytest.mark.parametrize("name", ["grid.csv", "person.csv"])
@pytest.mark.parametrize("kept", [1, 2])
def test_a_class_of_fewer_records_than_k(name: str, kept: int, folder: Path) -> None:
    """A class of fewer records than k has fewer people, too, where people are counted."""
    first: list[list[str]] = []

    def change(rows: list[list[str]]) -> list[list[str]]:
        first[:] = [row for row in rows if row[:2] == rows[0][:2]]
        return first[:kept] + [row for row in rows if row[:2] != rows[0][:2]]

    found, status, told = forged(folder, name, change)
    assert found.refused
    assert (status, "DIFFERS  promise 3-anonymity" in told) == (1, True)


@given(st.text())
def test_spellings_are_those_of_kohort(text: str) -> None:
    """The one rule for what looks alike is that of kohort, also for what is seldom typed."""
    assert check_release.even_spelling(text) == even_spelling(text)


def test_every_letter_is_read_as_kohort_reads_it() -> None:
    """Whatever the letter, alone and within a word."""
    texts = [f"{one}{chr(at)}{one}" for at in range(0x11000) if not 0xD800 <= at < 0xE000 for one in ("", "i")]
    assert [text for text in texts if check_release.even_spelling(text) != even_spelling(text)] == []


#: Values in the place of a whole number, and where.
NUMBERS = [
    (place, value)
    for place in (
        "k",
        "records",
        "people",
        "suppressed",
        "class_sizes",
        "checks",
        "released_unchanged",
        "model",
    )
    for value in (
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "-1",
        "2.5",
        "3.0",
        '"3"',
        "true",
        "1e1",
        "4611686018427387904",
    )
]


@pytest.mark.parametrize(("place", "value"), NUMBERS)
def test_what_is_no_whole_number(place: str, value: str, folder: Path) -> None:
    """Where a whole number stands, no fraction, text, truth, infinity, or more than a machine's is taken for one."""
    parts = json.loads(beside(folder / "grid.csv").read_bytes())
    within: Any = {"model": parts["job"]["privacy"], "released_unchanged": parts["released_unchanged"][0]}.get(
        place, parts
    )
    at = {"model": "k", "released_unchanged": "unique"}.get(place, place)
    if isinstance(within[at], dict):
        within, at = within[at], min(within[at])
    within[at] = "here"
    parts["job_sha256"] = hashlib.sha256(
        json.dumps(parts["job"], sort_keys=True, ensure_ascii=False).replace('"here"', value).encode()
    ).hexdigest()
    text = (json.dumps(parts, indent=2, sort_keys=True, ensure_ascii=False) + "\n").replace('"here"', value)
    (folder / "numbers.json").write_text(text)
    assert by_kohort(folder / "grid.csv", folder / "numbers.json").refused
    assert by_a_stranger(folder / "grid.csv", folder / "numbers.json")[0] == 1


#: What becomes of a certificate that nobody wrote.
ODD: list[Callable[[str], str]] = [
    lambda text: text.replace('"k": 3,', '"k": 3,\n  "k": 3,', 1),
    lambda text: f"\ufeff{text}",
    lambda text: text.replace('"suppressed": 0', '"suppressed": -0'),
    lambda text: text.replace("local", "\\ud800"),
    lambda text: "[" * 5000 + text,
    lambda text: text.replace('"kind": "table"', '"kind": ["table"]'),
    lambda text: text.replace('"role": "quasi"', '"pseudonym": "true",\n        "role": "quasi"', 1),
    lambda text: text.replace('"role": "quasi"', '"pseudonym": 0,\n        "role": "quasi"', 1),
    lambda text: text.replace('"role": "sensitive"', '"role": ""', 1),
    lambda text: text.replace('"resolved": {', '"resolved": {\n      "names": [],', 1),
]


@pytest.mark.parametrize("change", ODD)
def test_what_is_no_certificate(change: Callable[[str], str], folder: Path) -> None:
    """Keys twice, another encoding or spelling, endless nesting, and jobs of nobody are refused by both."""
    parts = json.loads(beside(folder / "grid.csv").read_bytes())
    text = change(beside(folder / "grid.csv").read_text())
    with contextlib.suppress(ValueError, RecursionError):
        text = text.replace(parts["job_sha256"], digest(json.loads(text)["job"]))
    (folder / "odd.json").write_text(text)
    assert by_kohort(folder / "grid.csv", folder / "odd.json").refused
    assert by_a_stranger(folder / "grid.csv", folder / "odd.json")[0] == 1


#: What becomes of a release that says more than its cells.
MORE: list[Callable[[bytes], bytes]] = [
    lambda text: text.replace(b"flu", b'"flu"', 1),
    lambda text: text.replace(b"\n", b"\r\n"),
    lambda text: text + b"\n",
    lambda text: text[:-1],
    lambda text: text.replace(b"flu", b"fl\xff", 1),
    lambda text: b"\xef\xbb\xbf" + text,
    lambda _: b"",
]


@pytest.mark.parametrize("change", MORE)
def test_bytes_that_say_more_than_their_cells(change: Callable[[bytes], bytes], folder: Path) -> None:
    """Needless quotes, other line ends, and what is no text could tell anything: both refuse it."""
    parts, release = json.loads(beside(folder / "grid.csv").read_bytes()), change((folder / "grid.csv").read_bytes())
    parts |= {"sha256": hashlib.sha256(release).hexdigest(), "size": len(release)}
    parts["checks"]["bytes"] = len(release)
    (folder / "more.csv").write_bytes(release)
    beside(folder / "more.csv").write_text(json.dumps(parts, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    assert by_kohort(folder / "more.csv", beside(folder / "more.csv")).refused
    assert by_a_stranger(folder / "more.csv", beside(folder / "more.csv"))[0] == 1


@pytest.mark.parametrize(
    "packed",
    [gzip.compress(bytes(1 << 22), mtime=0), gzip.compress(b"age\n1\n", mtime=0)[:-9], b"\x1f\x8b\x08", b"age"],
)
def test_what_is_packed_to_harm(packed: bytes, folder: Path) -> None:
    """A bomb, and what is cut or no gzip at all, differs, and ends nothing else."""
    (folder / "bomb.csv.gz").write_bytes(packed)
    assert by_a_stranger(folder / "bomb.csv.gz", beside(folder / "some.csv.gz"))[0] == 1


@pytest.mark.slow("140 pairs are made and judged by two programs")
def test_forged_pairs() -> None:
    """Of some of the pairs that `python -m bench.forged` makes, none is refused by one alone without a word."""
    told: list[str] = []
    counts = forge(140, 5, told.append)
    assert told == []
    assert counts["both refuse it"] > 60


def test_the_first_line_lists_what_is_not_checked(folder: Path) -> None:
    """Whether a pair is refused or not, the first line says what nobody looked at."""
    for name in ("grid.csv", "person.csv"):
        _, first, _ = by_a_stranger(folder / name, beside(folder / "grid.csv"))
        assert first.startswith("not checked, or only in part: checks, class_sizes, ")


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


@pytest.mark.parametrize("raw", WEAK)
def test_a_key_of_low_order(raw: bytes, signed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A signature by such a key is none, with the library and without it; to trust such a key is refused (2)."""
    text, trust = beside(signed).read_text(), tmp_path / "key.pub"
    line = json.loads(text)["signature"]
    for half in (raw, WEAK[2]):
        beside(signed).write_text(text.replace(line, f"ed25519 {raw.hex()} {half.hex()}{'0' * 64}"))
        assert run(signed, "--trust", str(trust)) == run(signed) == 1
        assert capsys.readouterr().out.count("DIFFERS  a signature by a key of low order") == 2
    beside(signed).write_text(text)
    der = bytes.fromhex("302a300506032b6570032100") + raw
    trust.write_text(f"-----BEGIN PUBLIC KEY-----\n{b64encode(der).decode()}\n-----END PUBLIC KEY-----\n")
    assert run(signed, "--trust", str(trust)) == 2


def test_the_time_of_signing(signed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is told and signed; a signature of an earlier version has none."""
    text, key = beside(signed).read_bytes(), read_signing_key(tmp_path / "key")
    beside(signed).write_bytes(key.signed(text, datetime(2020, 1, 1, tzinfo=UTC)))
    assert run(signed, "--trust", str(tmp_path / "key.pub")) == 0
    assert f"signed by the key {key.public.raw.hex()}, at 2020-01-01T00:00:00Z" in capsys.readouterr().out
    beside(signed).write_text(beside(signed).read_text().replace("2020-01-01", "2026-01-01"))
    assert run(signed) == 1
    made = Ed25519PrivateKey.from_private_bytes(key.secret).sign(signed_part(text)).hex()
    line = f"ed25519 {key.public.raw.hex()} {made}"
    beside(signed).write_text(text.decode().replace(json.loads(text)["signature"], line))
    assert run(signed) == 0
    assert "time not stated" in capsys.readouterr().out


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
    """A stranger reads it in one go: at most 500 lines, and no import but the standard library and `cryptography`."""
    text = Path(check_release.__file__).read_text()
    assert len(text.splitlines()) <= 500
    imported = {line.split()[1].partition(".")[0] for line in text.splitlines() if re.match(r" *(from|import) ", line)}
    assert imported - {"cryptography", "__future__"} <= sys.stdlib_module_names
    assert check_release.FORM == FORM
    assert check_release.FIELDS.keys() == {field.name for field in fields(Certificate)}
