"""Whatever bytes a file holds, reading it ends in a result or in an error of `kohort.errors`: tried by chance.

    python -m bench.fuzz             every parser for a minute
    python -m bench.fuzz 3600        for an hour, divided among them

The files that are varied are those that kohort itself writes for two small inputs, and small ones written here. Bytes
are cut, repeated and mixed with awkward ones; of JSON, values are also exchanged, left out or doubled within its form.
A release is varied together with the digests in its certificate. What is found is printed, with its parser; so is
where a text was that took longer than a minute.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import faulthandler
import hashlib
import io
import json
import os
import random
import shutil
import subprocess
import sys
import time
import traceback
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

import numpy as np
import polars as pl

from kohort.certificate.again import read_certificate
from kohort.certificate.table import Certificate
from kohort.certificate.table_again import check_table_again
from kohort.certificate.table_shown import RecheckInputs
from kohort.cli import main as kohort
from kohort.desk import fields, guard
from kohort.errors import KohortError, LimitError
from kohort.io import ReadOptions, read
from kohort.io.forms import Format
from kohort.io.manifest import listed_parts
from kohort.io.write import write
from kohort.job.document import document_at
from kohort.job.edits import changed
from kohort.job.request import of
from kohort.report.page.build import read_page
from kohort.schema import Attribute, Role, Schema
from kohort.schema.dates import DateFormat
from kohort.schema.hierarchies import read_hierarchy
from kohort.system import on_abort
from kohort.transactions.io import read_transactions
from kohort.transactions.io.options import BasketOptions
from kohort.transactions.recheck import check_transactions_again
from kohort.transactions.roles import Listed
from kohort.verify.labels import parted
from kohort.verify.reading import read as read_again
from kohort.verify.values import days_of, in_days
from kohort.verify.verdict import Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kohort.transactions.certificate import CoherenceCertificate

#: Pieces that mean something to some parser.
_AWKWARD: Final = (
    *(b"\0 \n \r \r\n , ; \" ' \\ { } [ ] : # = . - + * / < > & ! \xff \xc3 \xed\xa0\x80 \xef\xbb\xbf".split(b" ")),
    b" ",
    b"\xe2\x80\xae",
    b"\x1b[2J",
    b"null",
    b"NaN",
    b"1e999",
    b"1e9999999999",
    b"9" * 400,
    b"9" * 5000,
    b"0x1F",
    b"[[",
    b'{"a":' * 60,
    b"x" * 300,
)

#: Seconds that a text may take.
_PATIENCE: Final = 60

#: Which share of JSON is varied in its values, and not in its bytes.
_WHOLE: Final = 0.8

#: What a value of JSON is exchanged for.
_VALUES: Final[tuple[Any, ...]] = (
    None,
    True,
    -1,
    0,
    10**30,
    10**18,
    10**400,
    1e300,
    "1e9999999999",
    "",
    "x",
    "\ud800",
    "\0",
    [],
    {},
    [[]],
    {"": None},
    "1/0",
    "a" * 300,
)

_JOB: Final = b"""[input]
path = "a.csv"
[output]
path = "r.csv"
[privacy]
k = 5
[columns]
age = { role = "quasi", hierarchy = "intervals:5,10", weight = 2 }
illness = { role = "sensitive", l = 2, t = 0.2 }
"""
_PEOPLE: Final = "name,age,city,illness\n" + "".join(
    f"Zanzottera{row},{30 + row % 8},{('Roma', 'Bari', 'Rieti')[row % 3]},{('flu', 'gout', 'cough')[row % 3]}\n"
    for row in range(48)
)
_BASKETS: Final = "".join(" ".join(f"item{(row * step) % 7}" for step in (1, 2, 3)) + "\n" for row in range(1, 60))

_LABELS: Final = """1984-03-01
[1984-03-01 – 1984-05-31]
[1984-01-01 – 1985-01-01)
03/02/1984 11:30 PM
{Bari, Roma}
{(missing), "a, b", "c\\"d"}
""".encode()
_FORM: Final = b"privacy.k=5&privacy.t=illness%3D0.2&columns.age.grid=18%2C30&method.name=optimal&purpose.for=a%0D%0Ab"

_RELEASE: Final = "anonymize people.csv --quasi age,city --rest drop --k 4"

#: The commands that write what is varied, besides the inputs.
_MADE_BY: Final = (
    f"{_RELEASE} --out release.csv --sensitive illness --l illness=2 --report p.json",
    f"{_RELEASE} --out parts/ --records-per-part 20",
    "transactions baskets.txt --out baskets.dat --private item1 --h 0.9 --k 3 --p 2",
)


def _check(path: Path) -> object:
    """What `kohort check --certificate` does with a certificate that is beside its release."""
    known = read_certificate(path)
    release = path.with_name(path.name.removesuffix(".kohort.json"))
    if isinstance(known, Certificate):
        return check_table_again(str(release), known, RecheckInputs())
    return check_transactions_again(
        str(release), cast("CoherenceCertificate", known), BasketOptions(), Listed(private=("item1",), absent=True)
    )


def _check_forged(path: Path) -> object:
    """The same of a release that was varied, with a certificate that has its digest."""
    content, beside = path.read_bytes(), path.with_name(f"{path.name}.kohort.json")
    parts = json.loads(beside.read_bytes())
    parts |= {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    beside.write_text(json.dumps(parts, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    return _check(beside)


def _read_written(path: Path) -> None:
    """Write a table and read it as the verifier does, who has to find the same records by either way."""
    table = read(path, ReadOptions(allow_empty=True))
    schema = Schema(tuple(Attribute(name, Role.INSENSITIVE) for name in table.names))
    file = io.BytesIO()
    write(table, file, Format.CSV)
    claim = Claim(schema, (), table, np.arange(table.records))
    with (path.with_name("written.csv")).open("w+b") as written:
        written.write(file.getvalue())
        written.flush()
        for witness in (None, table):
            found = read_again(written, replace(claim, witness=witness))
            same = [one.values.fill_null("").gather(one.codes).to_list() for one in table.columns]
            if found.astray or same != [one.values.gather(one.codes).to_list() for one in found.table.columns]:
                raise AssertionError("what was written is not what is read")


def _read_labels(path: Path) -> None:
    """Read each line as a set, a date and a label of dates."""
    lines = path.read_bytes().decode(errors="replace").split("\n")
    in_days(lines)
    for form in DateFormat:
        days_of(pl.Series(lines), Attribute("born", Role.QUASI, date_format=form))
    for line in lines:
        if (members := parted(line)) and sorted({*members}) != members:
            raise AssertionError("the members of a set do not ascend")


def _read_form(path: Path) -> None:
    """What the desk makes of the fields of a form."""
    body = path.read_bytes()

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body}

    try:
        sent = asyncio.run(guard._form({"content-type": [guard.FORM]}, cast("Any", receive)))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    except guard.RefusedError:
        return
    for name, text in sent[0].items():
        place = tuple(name.split("."))
        if (len(place) == 2 and place[0] in {"privacy", "method", "purpose"}) or place[:2] == ("columns", "age"):  # noqa: PLR2004  a part and its key
            changed(_JOB.decode(), {place[:3]: fields.read(place[:3], text)})


#: Which file each parser is tried on: its text, or the one that a command wrote.
_PARSERS: Final[dict[str, tuple[str, bytes | None, Callable[[Path], object]]]] = {
    "table": ("a.csv", b'age,city\n30,"Ro""ma"\n31,Bari\r\n', read),
    "Parquet": ("parts/part-00000.parquet", None, read),
    "baskets": ("a.txt", b"tea jam\nbread tea\n", read_transactions),
    "rows of a hierarchy": ("h.csv", b"Roma;Lazio;*\nBari;Puglia;*\n", read_hierarchy),
    "tree": ("h.json", b'{"*": {"Lazio": ["Roma", "Rieti"], "Puglia": ["Bari"]}}', read_hierarchy),
    "job": ("job.toml", _JOB, lambda path: of(document_at(path))),
    "certificate of a table": ("release.csv.kohort.json", None, _check),
    "certificate of transactions": ("baskets.dat.kohort.json", None, _check),
    "release": ("release.csv", None, _check_forged),
    "transactions": ("baskets.dat", None, _check_forged),
    "records": ("a.csv", b'age,city\n30,"Ro""ma"\n30,"Ro""ma"\n30,Bari\n31,Bari\r\n', _read_written),
    "labels": ("labels.txt", _LABELS, _read_labels),
    "form of the desk": ("form.txt", _FORM, _read_form),
    "page": ("p.json", None, read_page),
    "manifest": ("parts/manifest.json", None, lambda path: listed_parts(str(path.parent))),
}


def _write_all(folder: Path) -> None:
    """Write what is varied."""
    (folder / "people.csv").write_text(_PEOPLE)
    (folder / "baskets.txt").write_text(_BASKETS)
    with contextlib.chdir(folder):
        for words in _MADE_BY:
            if kohort([*words.split(), "--quiet"]):
                raise SystemExit(f"this failed: {words}")
    for name, text, _ in _PARSERS.values():
        if text is not None:
            (folder / name).write_bytes(text)


def varied(seed: bytes, chance: random.Random) -> bytes:
    """A text like the seed, with some pieces changed."""
    made = seed
    for _ in range(chance.randint(0, 6)):
        start, end = sorted(chance.randint(0, len(made)) for _ in range(2))
        middle = chance.choice([b"", chance.choice(_AWKWARD), made[start:end] * 2, bytes([chance.randrange(256)])])
        made = made[:start] + middle + made[min(end, start + chance.randint(0, 8)) :]
    return made


def altered(seed: bytes, chance: random.Random, indent: int) -> bytes:
    """JSON with some values exchanged, left out or doubled, in the form that kohort writes."""
    content: Any = json.loads(seed)
    for _ in range(chance.randint(1, 3)):
        places = list(_places(content))
        if not places:
            break
        within, at = chance.choice(places)
        match chance.randint(0, 3):
            case 0:
                del within[at]
            case 1:
                within[at] = copy.deepcopy(chance.choice(_VALUES))
            case 2:
                other, place = chance.choice(places)
                within[at] = copy.deepcopy(other[place])
            case _:
                within[at] = [within[at], copy.deepcopy(within[at])]
    if isinstance(content, dict) and "job" in content:  # else it is refused at once
        job = json.dumps(cast("dict[str, Any]", content)["job"], sort_keys=True, ensure_ascii=False).encode(
            "utf-8", "surrogatepass"
        )
        content["job_sha256"] = hashlib.sha256(job).hexdigest()
    made = json.dumps(content, indent=indent, sort_keys=True, ensure_ascii=chance.choice([True, False]))
    return f"{made}\n".encode("utf-8", "surrogatepass")


def _places(content: object) -> Iterator[tuple[Any, Any]]:
    """Every list and object in a content, with each of its places."""
    inside = cast("dict[str, object]", content).items() if isinstance(content, dict) else ()
    for at, value in list(enumerate(cast("list[object]", content)) if isinstance(content, list) else inside):
        yield content, at
        yield from _places(value)


def main(arguments: list[str]) -> int:
    """Try until the time is over, each parser in processes of its own; the status is 1 if anything was found."""
    seconds = float(arguments[0]) if arguments else 60.0 * len(_PARSERS)
    if len(arguments) > 1:
        return _try(arguments[1], seconds)
    found = False
    for name in _PARSERS:
        until, given_up = time.monotonic() + seconds / len(_PARSERS), 0
        while (left := until - time.monotonic()) > 0:
            words = [sys.executable, "-m", "bench.fuzz", str(left), name]
            ended = subprocess.run(words, check=False, stderr=subprocess.DEVNULL).returncode
            found, given_up = (
                found or ended not in {0, LimitError.exit_status},
                given_up + (ended == LimitError.exit_status),
            )
        if given_up:
            print(
                f"{name}: a library gave the process up {given_up:,} times, which kohort tells (status 8)", flush=True
            )
    return 1 if found else 0


def _try(name: str, seconds: float) -> int:
    """Try one parser; the status is 1 if anything was found, 8 if a library gave the process up."""
    chance = random.Random()  # noqa: S311  no secret
    found: Counter[str] = Counter()
    warnings.simplefilter("ignore")
    tried, until = 0, time.monotonic() + seconds

    def told() -> None:
        print(f"{name}: {tried:,} texts, {found.total():,} of them found something", flush=True)

    def given_up() -> NoReturn:
        told()
        shutil.rmtree(folder)
        os._exit(LimitError.exit_status)

    with TemporaryDirectory(prefix="kohort-fuzz-") as folder:
        on_abort(given_up)
        file, _, parse = _PARSERS[name]
        path = Path(folder, file)
        _write_all(Path(folder))
        seed = path.read_bytes()
        indent = 1 if path.name == "manifest.json" else 2
        while time.monotonic() < until:
            whole = path.suffix == ".json" and chance.random() < _WHOLE
            text = altered(seed, chance, indent) if whole else varied(seed, chance)
            path.write_bytes(text)
            tried += 1
            faulthandler.dump_traceback_later(_PATIENCE, exit=True, file=sys.stdout)  # whatever holds the interpreter
            try:
                parse(path)
            except KohortError:
                continue
            except BaseException as fault:  # noqa: BLE001  whatever is no error of kohort's is what is sought
                place = traceback.extract_tb(fault.__traceback__)[-1]
                key = f"{name}: {type(fault).__name__} at {Path(place.filename).name}:{place.lineno}"
                found[key] += 1
                if found[key] == 1:
                    print(f"{key} by {text!r}", flush=True)
    told()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
