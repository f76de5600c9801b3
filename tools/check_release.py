"""Check a released table against its certificate without kohort: Python's standard library is enough.

    python check_release.py RELEASE.csv RELEASE.csv.kohort.json [--trust PUBLIC.pub]

It checks the form of the certificate, its digests and, where the library `cryptography` is installed, its signature; of
CSV and TSV files columns, order, labels, classes, whom columns single out, and the promises of k-anonymity and distinct
l-diversity, in which spellings that look alike are one value. Its first line lists what it does not check, or only in
part; `kohort check --certificate` checks more.
Status 0: nothing differs; 1: something does; 2: it cannot be checked. The format: docs/reference/certificate.md.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
import re
import sys
import unicodedata
import zlib
from collections import Counter
from datetime import date, datetime
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: The form of certificates, and the one before, which told its job otherwise.
FORM: Final = 10
OLDER: Final = 9


def _count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 62  # True is none, nor are 2.0 and "2"


def _text(value: object) -> bool:
    return isinstance(value, str)


def _all(of: type[Any], kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Whether a value is an object, or a list, of such values."""
    return lambda value: type(value) is of and all(map(kind, value.values() if of is dict else value))


#: The fields of a certificate of a table, and whether a value is of their kind.
_KINDS: Final[tuple[tuple[str, Callable[[Any], bool]], ...]] = (
    ("form size k records incomplete suppressed classes", _count),
    ("kind release sha256 kohort job_sha256 verified engine", _text),
    ("checks class_sizes levels pseudonyms refined", _all(dict, _count)),
    ("libraries labels", _all(dict, _text)),
    ("not_promised models", _all(list, _text)),
    ("released_unchanged released_together parts", _all(list, _all(dict, lambda one: type(one) not in {bool, float}))),
    ("job perturbed", lambda value: type(value) is dict),
    ("metrics", _all(dict, lambda one: type(one) in {int, float})),
    ("people", lambda value: value is None or _count(value)),
    ("signature", lambda value: value is None or _text(value)),
    ("data_dependent_labels", lambda value: isinstance(value, bool)),
)
FIELDS: Final = {name: kind for names, kind in _KINDS for name in names.split()}

#: The fields that are checked in full, of any release. Of the others nothing is, or some of it, or of some releases.
CHECKED: Final = "form kind sha256 size job_sha256 signature records classes pseudonyms"

#: The line that is not signed, and what it says.
LINE: Final = re.compile(rb'^  "signature": .*\n', re.MULTILINE)
SIGNATURE: Final = re.compile(r"ed25519 ([0-9a-f]{64}) (?:([0-9TZ:-]{20}) )?([0-9a-f]{128})")

#: The prime of Ed25519, and y of its eight points of low order: with such a key anyone signs anything.
PRIME: Final = (1 << 255) - 19
EIGHTH: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
LOW_ORDER: Final = {0, 1, PRIME - 1, EIGHTH, PRIME - EIGHTH}

#: A number, and how labels of numbers are spelled, by their kind; `*` is anything, an empty one a missing value.
NUMBER: Final = r"-?(?:(?:0|[1-9][0-9]{0,999})(?:\.[0-9]{1,1000})?|\.[0-9]{1,1000})"
DAY: Final = "(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|10000-01-01)"
#: How a column writes an open end of its own, such as `90+`, `under 18` or `1900-1909`.
ENDLESS: Final = rf"(?:[≤≥]|[A-Za-z ]+)? ?(?:{NUMBER}|{DAY})(?:(?: ?[-–] ?| to )(?:{NUMBER}|{DAY}))?[ +&A-Za-z]*"
OPEN: Final = rf"(?:<=?|>=?|=<|=>) ?(?:{NUMBER}|{DAY})"
OPEN_RANGE: Final = re.compile(rf"[<>]=(?:{NUMBER}|{DAY})")
LABELS: Final = {
    "range": re.compile(rf"{NUMBER}|\[{NUMBER}-{NUMBER}\]|{DAY}|\[{DAY} – {DAY}\]|{OPEN}|{ENDLESS}|\*|"),
    "grid": re.compile(rf"{NUMBER}|\[{NUMBER}-{NUMBER}\)|{DAY}|\[{DAY} – {DAY}\)|{OPEN}|{ENDLESS}|\*|"),
    "mean": re.compile(rf"{NUMBER}|\*|"),
}
RANGE: Final = re.compile(rf"\[({NUMBER}|{DAY})(?:-| – )({NUMBER}|{DAY})[\])]")
#: What `excel_safe` marks: formulas, and what a spreadsheet takes for a date.
MONTH: Final = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
MONTHS: Final = rf"[0-9]{{1,2}}[-/ ]?{MONTH}|{MONTH}[-/. ]?[0-9]{{1,4}}"
DAYS: Final = "[0-9]{1,4}[-/][0-9]{1,4}|[0-9]{1,2}[-/][0-9]{1,2}[-/][0-9]{1,2}"
MARKED: Final = re.compile(rf"'+(?:[=+\-@\t\r]|(?:{DAYS}|{MONTHS})\Z)", re.IGNORECASE)
PSEUDONYM: Final = re.compile("p[0-9a-f]{32}")

#: Letters and signs that look like the Latin ones beside them, and what shows nothing.
ALIKE: Final = str.maketrans(
    "авсԁеіјкӏмнорԛѕтѵԝхуαβεζηικνορτυχϳ\u0131\u2010\u2012\u2013\u2014\u2015\u2212\u2018\u2019\u02bc\u2032",
    "abcdeijklmhopqstvwxyabezhiknoptyxji------''''",
)
INVISIBLE: Final = {*map(ord, "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")}.union(
    range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0)
)

#: The keys of a job and those that it may lack, as form 9 told one, and in form 10.
TOLD: Final = (
    "algorithm allow_singling complete insecure_reproducible kind models no_model perturbations reading schema"
)
KEYS: Final = {
    OLDER: (f"{TOLD} writing", "answers purpose time_limit unused_hierarchies"),
    FORM: ("columns input method output privacy resolved", "answers person perturb population purpose"),
}
#: The keys of a column, and of all, that ask for no model; those of models, with their names in form 9.
COLUMN: Final = "allow-singling bounds date-format distance grid hierarchy label max-level max-suppression missing"
NO_MODEL: Final = {*COLUMN.split(), "no-model", "order", "pivot", "pseudonym", "role", "scale", "weight"}
MODELS: Final = {"KAnonymity": ("k",), "DistinctLDiversity": ("l", "sensitive")}
ROLES: Final = {"identifying", "quasi", "sensitive", "insensitive", "drop"}

#: What no certificate of a table promises, whatever the job: how each sentence begins.
ALWAYS: Final = ("Linkage with other data", "Columns released unchanged", "Right roles")

#: A certificate, and records of text.
Parts = dict[str, Any]
Rows = list[list[str]]

#: What is raised where a release, or a job, is none.
UNREADABLE: Final = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, OSError, RecursionError, TypeError, ValueError),
    *(csv.Error, zlib.error),
)


class CannotCheckError(Exception):
    """What is given cannot be checked."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the files that are named, and print what differs; the status."""
    parser = argparse.ArgumentParser(description="Check a released table against its certificate, without kohort.")
    parser.add_argument("release", type=Path)
    parser.add_argument("certificate", type=Path)
    parser.add_argument("--trust", type=Path, help="the public key, in PEM, that must have signed the certificate")
    given = parser.parse_args(arguments)
    try:
        release, certificate = given.release.read_bytes(), given.certificate.read_bytes()
        found = list(faults(release, certificate))
        signed = signature(certificate, None if given.trust is None else given.trust.read_bytes())
    except (CannotCheckError, OSError, ValueError) as fault:  # what is no key in PEM is a ValueError
        sys.stderr.write(f"cannot be checked: {fault if str(fault).isprintable() else ascii(str(fault))}\n")
        return 2
    found += [] if signed in {"unsigned", "trusted", "signed", "not checked"} else [signed]
    sys.stdout.write(f"not checked, or only in part: {', '.join(sorted(FIELDS.keys() - {*CHECKED.split()}))}\n")
    for line in found:
        sys.stdout.write(f"DIFFERS  {line if line.isprintable() else ascii(line)}\n")
    if spelled := SIGNATURE.fullmatch(str(_json(certificate).get("signature"))):
        sys.stdout.write(f"signed by the key {spelled[1]}, {f'at {spelled[2]}' if spelled[2] else 'time not stated'}\n")
    sys.stdout.write(f"signature: {signed}; {len(found)} things differ\n")
    return 1 if found else 0


def signature(certificate: bytes, trust: bytes | None) -> str:
    """What is true of the signature: `unsigned`, `signed`, `trusted`, `not checked`; or what is wrong with it."""
    said = _json(certificate).get("signature")
    if said is None:
        return "unsigned" if trust is None else "the certificate is not signed"
    spelled = SIGNATURE.fullmatch(str(said))
    raw, time, made = spelled.groups() if spelled else ("", "", "")
    if not spelled or any(_weak(bytes.fromhex(point)) for point in (raw, made[:64])):
        return "a signature by a key of low order: anybody's" if spelled else "the signature is not spelled as one"
    try:
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  may be absent
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415
        from cryptography.hazmat.primitives.serialization import load_pem_public_key  # noqa: PLC0415
    except ImportError:
        if trust is not None:
            raise CannotCheckError("--trust needs the library cryptography (pip install cryptography)") from None
        return "not checked"
    signed = LINE.sub(b"", certificate, count=1) + (f"{time}\n".encode() if time else b"")
    try:
        datetime.strptime(time or "2026-11-27T04:30:00Z", "%Y-%m-%dT%H:%M:%SZ")  # noqa: DTZ007  whether it is a time
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(raw)).verify(bytes.fromhex(made), signed)
    except (InvalidSignature, ValueError):
        return "the certificate is not what was signed"
    if trust is None:
        return "signed"
    key = load_pem_public_key(trust)
    trusted = key.public_bytes_raw() if isinstance(key, Ed25519PublicKey) else bytes(32)
    if _weak(trusted):
        raise CannotCheckError("the key to trust is none of Ed25519, or of low order, so that anyone can sign with it")
    return "trusted" if trusted.hex() == raw else "the certificate is signed with another key"


def _weak(point: bytes) -> bool:
    """Whether a point of the curve is of low order, or spelled as none is."""
    y = int.from_bytes(point, "little") % (1 << 255)
    return y >= PRIME or y in LOW_ORDER


def _json(text: bytes) -> Parts:
    """The JSON object in a text; an empty one where there is none. NaN and infinities are none of JSON."""
    try:
        found: Parts | None = json.loads(text, parse_constant=int)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def faults(release: bytes, certificate: bytes) -> Iterator[str]:
    """What differs between a release and its certificate; of what is wrong before, nothing else is looked at."""
    parts = _json(certificate)
    if parts.get("kind") == "transactions":
        raise CannotCheckError("this is the certificate of transactions: check it with kohort")
    try:
        wrong = [*_form(parts, certificate)] or [*_job(parts)]
        yield from wrong or _table(release, parts)
    except UNREADABLE as fault:
        yield f"the release or the job cannot be read ({type(fault).__name__})"


def _form(parts: Parts, text: bytes) -> Iterator[str]:
    """What is wrong with the form of a certificate: keys, kinds of values, spelling, the digest of the job."""
    if parts.keys() != FIELDS.keys() or parts["form"] not in KEYS or parts["kind"] != "table":
        yield f"the certificate is not one of a table in form {FORM} or {OLDER}"
        return
    odd = [name for name, fitting in FIELDS.items() if not fitting(parts[name])]
    if odd:
        yield f"fields of another kind: {', '.join(sorted(odd))}"
        return
    spelled = (json.dumps(parts, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()
    yield from ["the certificate is not spelled as one"] * (spelled != text)
    always, perhaps = ({*keys.split()} for keys in KEYS[parts["form"]])
    yield from ["no kohort accepts the job: keys"] * (not always <= parts["job"].keys() <= always | perhaps)
    job = json.dumps(parts["job"], sort_keys=True, ensure_ascii=False)
    yield from ["job_sha256"] * (hashlib.sha256(job.encode()).hexdigest() != parts["job_sha256"])


def _older(job: Parts) -> Parts:
    """What is looked at of a job, as form 9 told it."""
    columns, resolved, models = job["columns"], job["resolved"], list[Parts]()
    kinds = {"k": "KAnonymity", "l": "DistinctLDiversity"}
    for one in (job, *resolved.get("models", ())):
        held: dict[str | None, Parts] = {**one.get("columns", {})}
        held |= {} if held and one is not job else {None: one.get("privacy", {})}
        for name, table in held.items():
            of = {} if name is None else {"sensitive": name}
            models += [{"kind": kinds.get(key, key), key: table[key], **of} for key in table.keys() - NO_MODEL]
    attributes = [{"name": name, "pseudonym": False, **columns[name]} for name in resolved["columns"]]
    perturbed, person = job.get("perturb", {}).get("columns", {}), job.get("person", {"key": None})["key"]
    return {
        "lost": len(columns) - len(attributes),
        "schema": {"attributes": attributes, "missing": job["input"].get("missing", [""]), "person": person},
        "models": models,
        "reading": job["input"],
        "writing": {"separator": ",", "excel_safe": job["output"].get("excel-safe", False), **job["output"]},
        "no_model": [name for name, one in columns.items() if one.get("no-model")],
        "perturbations": [{"columns": [name, *one.get("together", ())]} for name, one in perturbed.items()],
        "answers": job.get("answers", []),
    }


def _job(parts: Parts) -> Iterator[str]:
    """What of a job no kohort accepts, as far as it is looked at here; it is then told as form 9 told it."""
    job = parts["job"] = _older(parts["job"]) if parts["form"] == FORM else parts["job"]
    columns: list[Parts] = job["schema"]["attributes"]
    roles = {one["name"]: one["role"] for one in columns}
    modelled = {model.get("sensitive") for model in job["models"]}
    known = [(MODELS[one["kind"]][0], one) for one in job["models"] if one["kind"] in MODELS]
    changed = [name for one in job["perturbations"] for name in one.get("columns", [one.get("column")])]
    faults = {
        "names of columns": len(roles) < len(columns) or job.get("lost") or not all(map(_text, roles)),
        "roles": not ROLES.issuperset(roles.values()) or "quasi" not in roles.values(),
        "pseudonyms": any(one["pseudonym"] not in (False, one["role"] == "identifying") for one in columns),
        "whether there are pseudonyms": any(type(one["pseudonym"]) is not bool for one in columns),
        "the person key": job["schema"].get("person") is not None
        and roles.get(job["schema"]["person"]) != "identifying",
        "numbers of models": not all(_count(one[key]) and one[key] > 1 for key, one in known),
        "models": any(one.keys() != {"kind", *MODELS[one["kind"]]} for _, one in known),
        "models of columns": any(roles.get(name) != "sensitive" for name in modelled - {None}),
        "columns without a model": "sensitive" in map(roles.get, roles.keys() - modelled - {*job["no_model"]}),
        "perturbed columns": any(roles.get(name) not in {"sensitive", "insensitive"} for name in changed),
        "excel_safe": type(job["writing"]["excel_safe"]) is not bool,
    }
    yield from (f"no kohort accepts the job: {what}" for what, wrong in faults.items() if wrong)


def _table(release: bytes, parts: Parts) -> Iterator[str]:
    """What differs in the file and in its table."""
    whole, job = {"sha256": hashlib.sha256(release).hexdigest(), "size": len(release)}, parts["job"]
    yield from (name for name, found in whole.items() if found != parts[name])
    released = {"quasi", "sensitive", "insensitive"}
    columns = [one for one in job["schema"]["attributes"] if one["role"] in released or one.get("pseudonym") is True]
    names, rows = _read(release, parts["release"], job["writing"])
    rows = _plainly(rows, job["reading"].get("decimal"))
    if names != [one["name"] for one in columns]:
        yield "columns"
        return
    quasi = [place for place, one in enumerate(columns) if one["role"] == "quasi"]
    rest = [place for place in range(len(columns)) if place not in quasi]
    keys = [tuple(row[place].encode() for place in (*quasi, *rest)) for row in rows]
    yield from ["order"] * any(one > other for one, other in pairwise(keys))
    classes: dict[tuple[str, ...], Rows] = {}
    for row in rows:
        classes.setdefault(tuple(row[place] for place in quasi), []).append(row)
    yield from (name for name, found in _counts(parts, [*map(len, classes.values())]).items() if found != parts[name])
    yield from _labels(parts, columns, rows)
    yield from _pseudonyms(parts, columns, rows)
    yield from _singled(parts, columns, rows)
    yield from _promises(parts, names, [*classes.values()])
    yield from _checks(parts, columns, rows, len(classes))


def _read(release: bytes, name: str, writing: Parts) -> tuple[list[str], Rows]:
    """The header and the records of a CSV or TSV file, perhaps packed by gzip."""
    kind = str(writing.get("format") or name).lower()
    if not kind.endswith(("csv", "tsv", "tab", "csv.gz", "tsv.gz")):
        raise CannotCheckError("only CSV and TSV files, plain or packed by gzip, can be read without a library")
    if kind.endswith(".gz"):
        most = 200 * len(release)  # tables are packed to a tenth, bombs to a thousandth
        release = gzip.GzipFile(fileobj=io.BytesIO(release)).read(most + 1)
        if len(release) > most:
            raise ValueError("a bomb")
    text = release.decode()
    separator = writing["separator"] if ".csv" in f".{kind}" else "\t"
    csv.field_size_limit(1 << 24)
    lines = [*csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)]
    if any(len(line) != len(lines[0]) for line in lines):
        raise ValueError("ragged")
    if text != "".join(_written(line, separator) for line in lines) and not kind.endswith(".gz"):
        raise ValueError("the bytes say more than their cells")
    if writing["excel_safe"]:
        lines = [[cell[1:] if MARKED.match(cell) else cell for cell in line] for line in lines]
    return lines[0], lines[1:]


def _written(line: list[str], separator: str) -> str:
    """A line as kohort writes it: a cell is quoted only where it must be."""
    special = {separator, *'"\r\n\ufeff'}
    odd = (not special.isdisjoint(cell) or [cell] == line == [""] for cell in line)
    cells = ('"' + cell.replace('"', '""') + '"' if quoted else cell for cell, quoted in zip(line, odd, strict=True))
    return separator.join(cells) + "\n"


def _counts(parts: Parts, sizes: list[int]) -> Parts:
    """What the counts of a certificate must be."""
    found: Parts = {"records": sum(sizes), "classes": len(sizes)}
    models = parts["job"]["models"]
    if parts["job"]["schema"].get("person") is None:
        found |= {"k": min(sizes, default=0), "people": None}
    else:  # people of whom the file does not show which records are theirs: at most as many as there are records
        least = max((model["k"] for model in models if model["kind"] == "KAnonymity"), default=1) if sizes else 0
        k, people = parts["k"], -1 if parts["people"] is None else parts["people"]
        found |= {} if least <= k <= min(sizes, default=0) else {"k": "another"}
        found |= {} if bool(sizes) <= people <= sum(sizes) else {"people": "another"}
    if all(model["kind"] in {"KAnonymity", "DistinctLDiversity"} for model in models):
        k = max((model.get("k", model.get("l", 1)) for model in models), default=1)
        exponents = Counter((size // k).bit_length() - 1 for size in sizes)
        bands = {f"{k << at}..{(k << at + 1) - 1}": count for at, count in exponents.items() if at >= 0}
        found["class_sizes"] = bands | ({f"1..{k - 1}": exponents[-1]} if -1 in exponents else {})
    return found


def _plainly(rows: Rows, mark: str | None) -> Rows:
    """Records with plain numbers, in columns whose numbers and labels all have this decimal mark, perhaps thousands."""
    columns = [list(column) for column in zip(*rows, strict=True)] if mark in {",", "."} else []
    for column in columns:
        for between in ("", *".,'\u2019 \u00a0\u202f\u2009".replace(str(mark), "")):  # thousands
            group, point = re.escape(between), re.escape(str(mark))
            more = rf"[0-9]{{0,2}}(?:{group}[0-9]{{3}}){{0,300}}" if between else "[0-9]{0,900}"
            one = rf"-?(?:(?:0|[1-9]{more})(?:{point}[0-9]{{1,900}})?|{point}[0-9]{{1,900}})"
            label = rf"[\[(](?:{one})?-(?:{one})?[\])]|\{{{one}(?:, {one})*\}}|[<>≤≥=]{{1,2}} ?{one}|{one} ?\+"
            if all(map(re.compile(rf"(?:{one}|{label}|[^0-9]*)").fullmatch, column)):
                thousands = re.compile(rf"(?<=[0-9]){group}(?=[0-9]{{3}}(?![0-9]))" if between else r"(?!)")
                column[:] = (re.sub(rf"{point}(?=[0-9])", ".", thousands.sub("", cell)) for cell in column)
                break
    return [list(row) for row in zip(*columns, strict=True)] if columns else rows


def _labels(parts: Parts, columns: list[Parts], rows: Rows) -> Iterator[str]:
    """Labels that are not spelled as their kind is, and whether they were chosen by looking at records."""
    quasi = {one["name"]: place for place, one in enumerate(columns) if one["role"] == "quasi"}
    if parts["labels"].keys() != quasi.keys():
        yield "labels"
        return
    dependent, tokens = False, {*parts["job"]["schema"]["missing"]} - {"", "*"}
    for name, kind in parts["labels"].items():
        texts = {row[quasi[name]] for row in rows}
        ends = [found.groups() for found in map(RANGE.fullmatch, texts) if found]
        backwards = any(_number(low) >= _number(high) for low, high in ends)
        if texts & tokens or (kind in LABELS and (backwards or not all(map(LABELS[kind].fullmatch, texts)))):
            yield f"labels of {name}"
        ranged = any(low != high for low, high in ends) or any(map(OPEN_RANGE.fullmatch, texts))
        dependent |= kind == "mean" or (kind == "range" and ranged)
    said = parts["data_dependent_labels"]
    if dependent != said and (dependent or not any("hierarchy" in one for one in columns if one["role"] == "quasi")):
        yield "data_dependent_labels"
    yield from ["not_promised"] * (said != any(one.startswith("Secret range ends") for one in parts["not_promised"]))


def _number(text: str) -> Fraction:
    """What a number or a day is in order; the last period of all ends after the calendar."""
    if re.fullmatch(NUMBER, text):
        return Fraction(text)
    return Fraction(date.max.toordinal() + 1 if text.startswith("10000") else date.fromisoformat(text).toordinal())


def _pseudonyms(parts: Parts, columns: list[Parts], rows: Rows) -> Iterator[str]:
    """Columns with something else in the place of pseudonyms, and how many records share one with another."""
    missing, linked = {*parts["job"]["schema"]["missing"]}, Parts()
    for name, place in ((one["name"], place) for place, one in enumerate(columns) if one.get("pseudonym")):
        counts = Counter(row[place] for row in rows if row[place] not in missing)
        linked[name] = sum(count for count in counts.values() if count > 1)
        yield from () if all(map(PSEUDONYM.fullmatch, counts)) else [f"pseudonyms of {name}"]
    yield from () if linked == parts["pseudonyms"] else ["pseudonyms"]


def _singled(parts: Parts, columns: list[Parts], rows: Rows) -> Iterator[str]:
    """How many people have a value that no other has, in each column that is not generalized, and in all together."""
    unchanged = [place for place, one in enumerate(columns) if one["role"] in {"sensitive", "insensitive"}]
    every = [*(place for place, one in enumerate(columns) if one["role"] == "quasi"), *unchanged]
    people, names = len(rows) if parts["people"] is None else parts["people"], [one["name"] for one in columns]
    some = [names.index(name) for name in parts["job"].get("answers", []) if name in names]
    whole = [unchanged, every, *map(list, {(*some[:at],): 0 for at in (3, 5, len(some)) if some})] if unchanged else []
    for field, sets in (("released_unchanged", [[place] for place in unchanged]), ("released_together", whole)):
        said, due = parts[field], [[names[at] for at in places] for places in sets]
        fitting = all(
            one.keys() == {"columns", "people", "unique"} and one["people"] == people and type(one["columns"]) is list
            for one in said
        ) and all(_count(one["unique"]) and one["unique"] <= people for one in said)
        fitting = fitting and [one["columns"] for one in said[: len(due)]] == due
        pairs: list[Parts] = said[len(due) :] if fitting else []
        fitting &= all(sets != whole and len(one["columns"]) > 1 and {*one["columns"]} <= {*names} for one in pairs)
        counts = [[*Counter(tuple(row[at] for at in places) for row in rows).values()].count(1) for places in sets]
        if not fitting or (parts["people"] is None and counts != [one["unique"] for one in said[: len(counts)]]):
            yield field


def _promises(parts: Parts, names: list[str], classes: list[Rows]) -> Iterator[str]:
    """Models that are not those of the job, or not met, and limits that are not told."""
    models, schema, left = parts["job"]["models"], parts["job"]["schema"], Counter[str](parts["models"])
    codes = {one["name"] for one in schema["attributes"] if one.get("scale") == "categorical"}
    nothing = {"", *map(even_spelling, schema["missing"])}
    yield from ["models"] * (len(models) != len(parts["models"]) or not models)
    for model in (one for one in models if one["kind"] in MODELS):
        if model["kind"] == "KAnonymity":
            right, met = f"{model['k']}-anonymity", all(len(one) >= model["k"] for one in classes)
        else:
            at, code = names.index(model["sensitive"]), model["sensitive"] in codes
            right = f"distinct {model['l']}-diversity of {model['sensitive']}"
            present = [[row[at] for row in one if even_spelling(row[at]) not in nothing] for one in classes]
            met = all(len({value_of(text, code=code) for text in texts}) >= model["l"] for texts in present)
        yield from [f"promise {right}"] * (not met or left[right] < 1)
        left[right] -= 1
    known = re.compile("[0-9]+-anonymity|distinct [0-9]+-diversity of .*", re.DOTALL).fullmatch
    yield from (f"promise {name}" for name in left.elements() if known(name))
    always = (*ALWAYS, "Several records of a person") if schema.get("person") is None else ALWAYS
    if any(sum(line.startswith(begin) for line in parts["not_promised"]) != 1 for begin in always):
        yield "not_promised"


def value_of(text: str, *, code: bool) -> object:
    """What a sensitive cell says: spellings of one look are one value, and equal numbers, unless they are a `code`."""
    even = even_spelling(text)
    return Fraction(even) if not code and re.fullmatch(NUMBER, even) else even


def even_spelling(text: str) -> str:
    """The text without what a reader does not see: case, width, more blanks, what is invisible, letters of one look."""
    shown = (one for one in text if one.isspace() or unicodedata.category(one) not in {"Cc", "Cf"})
    seen = "".join(one for one in shown if ord(one) not in INVISIBLE)
    small = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", seen).casefold()).translate(ALIKE)
    return " ".join(unicodedata.normalize("NFC", re.sub("(?<=i)\u0307+", "", small)).split())


def _checks(parts: Parts, columns: list[Parts], rows: Rows, classes: int) -> Iterator[str]:
    """Checks that are not in the list, or that compared something else."""
    labels = {place: len({row[place] for row in rows}) for place, one in enumerate(columns) if one["role"] == "quasi"}
    rest = len(columns) - len(labels) - len(parts["pseudonyms"])
    named = any(one["role"] == "identifying" for one in parts["job"]["schema"]["attributes"])
    due = dict.fromkeys(("records", "lineage", "order"), len(rows)) | {
        **dict(zip(("bytes", "columns", "classes"), (parts["size"], len(columns), classes), strict=True)),
        "identifiers": named * len(rows),
        "labels": sum(labels.values()),
        "pseudonyms": len(rows) * len(parts["pseudonyms"]),
        "regions": len(rows) * len(labels),
        "ends": 0 if parts["levels"] else len(rows) * bool(labels),
        "grid": sum(count for place, count in labels.items() if "grid" in columns[place]),
    }
    yield from (f"check {name}" for name, count in due.items() if parts["checks"].get(name, 0) != count)
    optional = {"cells", "perturbation", "complete records", "suppression"}
    yield from (f"check {name}" for name in parts["checks"].keys() - due.keys() - optional)
    if sum(parts["checks"].get(name, 0) for name in ("cells", "perturbation")) != len(rows) * rest:
        yield "checks of columns that are not generalized"


if __name__ == "__main__":
    sys.exit(main())
