"""Check a released table against its certificate without kohort: Python's standard library is enough.

    python check_release.py RELEASE.csv RELEASE.csv.kohort.json [--trust PUBLIC.pub]

It checks the form of the certificate and its digests; the signature, where the library `cryptography` is installed
(with --trust it must be); of CSV and TSV files columns, records, order, labels, how pseudonyms are spelled, classes, k,
whom columns single out, the promises of k-anonymity and distinct l-diversity; the list of checks, and that limits are
told. What it does not check it lists; `kohort check --certificate` checks more.
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
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: The forms of certificates that are known here, and which fields each has besides.
FORMS: Final = {"9": (), "8": ("exposed",)}

#: The fields of a certificate of a table, and what kind of thing each is.
FIELDS: Final = {
    **dict.fromkeys(("form", "size", "k", "records", "incomplete", "suppressed", "classes"), int),
    **dict.fromkeys(("kind", "release", "sha256", "kohort", "job_sha256", "verified", "engine"), str),
    **dict.fromkeys(("libraries", "job", "checks", "class_sizes", "levels", "labels"), dict),
    **dict.fromkeys(("metrics", "perturbed", "pseudonyms", "refined"), dict),
    **dict.fromkeys(("not_promised", "models", "released_unchanged", "parts"), list),
    **dict.fromkeys(("people", "signature", "data_dependent_labels"), object),
}

#: The fields that are checked in full, of any release. Of the others nothing is, or some of it, or of some releases.
CHECKED: Final = "form kind sha256 size job_sha256 signature records classes pseudonyms"

#: The line that is not signed, and what it says.
LINE: Final = re.compile(rb'^  "signature": .*\n', re.MULTILINE)
SIGNATURE: Final = re.compile(r"ed25519 ([0-9a-f]{64}) ([0-9a-f]{128})")

#: A number, and how labels of numbers are spelled, by their kind; `*` is anything, an empty one a missing value.
NUMBER: Final = r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
DAY: Final = "(?:[0-9]{4}|10000)-[0-9]{2}-[0-9]{2}"
LABELS: Final = {
    "range": re.compile(rf"{NUMBER}|\[{NUMBER}-{NUMBER}\]|{DAY}|\[{DAY} – {DAY}\]|\*|"),
    "grid": re.compile(rf"{NUMBER}|\[{NUMBER}-{NUMBER}\)|\[{DAY} – {DAY}\)|\*|"),
    "mean": re.compile(rf"{NUMBER}|\*|"),
}
RANGE: Final = re.compile(rf"\[({NUMBER}|{DAY})(?:-| – )({NUMBER}|{DAY})\]")
PSEUDONYM: Final = re.compile("p[0-9a-f]{32}")

#: What no certificate of a table promises, whatever the job: how each sentence begins.
ALWAYS: Final = ("Linkage with other data", "Columns released unchanged", "Right roles")

#: A certificate, and records of text.
Parts = dict[str, Any]
Rows = list[list[str]]


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
    for line in found:
        sys.stdout.write(f"DIFFERS  {line if line.isprintable() else ascii(line)}\n")
    sys.stdout.write(f"not checked, or only in part: {', '.join(sorted(FIELDS.keys() - {*CHECKED.split()}))}\n")
    sys.stdout.write(f"signature: {signed}; {len(found)} things differ\n")
    return 1 if found else 0


def signature(certificate: bytes, trust: bytes | None) -> str:
    """What is true of the signature: `unsigned`, `signed`, `trusted`, `not checked`; or what is wrong with it."""
    said = _json(certificate).get("signature")
    if said is None:
        return "unsigned" if trust is None else "the certificate is not signed"
    try:
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  may be absent
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415
        from cryptography.hazmat.primitives.serialization import load_pem_public_key  # noqa: PLC0415
    except ImportError:
        if trust is not None:
            raise CannotCheckError("--trust needs the library cryptography (pip install cryptography)") from None
        return "not checked"
    spelled = SIGNATURE.fullmatch(said) if isinstance(said, str) else None
    if spelled is None:
        return "the signature is not spelled as one"
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(spelled[1]))
        key.verify(bytes.fromhex(spelled[2]), LINE.sub(b"", certificate, count=1))
    except (InvalidSignature, ValueError):
        return "the certificate is not what was signed"
    if trust is None:
        return "signed"
    trusted = load_pem_public_key(trust)
    same = isinstance(trusted, Ed25519PublicKey) and trusted.public_bytes_raw() == key.public_bytes_raw()
    return "trusted" if same else "the certificate is signed with another key"


def _json(text: bytes) -> Parts:
    """The JSON object in a text; an empty one where there is none."""
    try:
        found: Parts | None = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def faults(release: bytes, certificate: bytes) -> Iterator[str]:
    """What differs between a release and its certificate."""
    parts = _json(certificate)
    if parts.get("kind") == "transactions":
        raise CannotCheckError("this is the certificate of transactions: check it with kohort")
    wrong = [*_form(parts, certificate)]
    yield from wrong
    if wrong:
        return
    whole = {"sha256": hashlib.sha256(release).hexdigest(), "size": len(release)}
    yield from (name for name, found in whole.items() if found != parts[name])
    try:
        yield from _table(release, parts)
    except (AttributeError, KeyError, TypeError, ValueError, OSError, csv.Error) as fault:
        yield f"the release or the job cannot be read ({type(fault).__name__})"


def _form(parts: Parts, text: bytes) -> Iterator[str]:
    """What is wrong with the form of a certificate: keys, kinds of values, spelling, the digest of the job."""
    if parts.keys() != {*FIELDS, *FORMS.get(str(parts.get("form")), "?")} or parts["kind"] != "table":
        yield f"the certificate is not one of a table in form {' or '.join(FORMS)}"
        return
    booleans = {name for name in FIELDS if isinstance(parts[name], bool)} ^ {"data_dependent_labels"}
    odd = booleans.union(name for name, kind in FIELDS.items() if not isinstance(parts[name], kind))
    if odd:
        yield f"fields of another kind: {', '.join(sorted(odd))}"
        return
    spelled = (json.dumps(parts, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()
    yield from ["the certificate is not spelled as one"] * (spelled != text)
    job = json.dumps(parts["job"], sort_keys=True, ensure_ascii=False)
    yield from ["job_sha256"] * (hashlib.sha256(job.encode()).hexdigest() != parts["job_sha256"])


def _table(release: bytes, parts: Parts) -> Iterator[str]:
    """What differs in the table."""
    job = parts["job"]
    released = {"quasi", "sensitive", "insensitive"}
    columns = [one for one in job["schema"]["attributes"] if one["role"] in released or one.get("pseudonym") is True]
    names, rows = _read(release, parts["release"], job["writing"])
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
    if "person" not in job["schema"]:
        yield from _singled(parts, columns, rows)
    yield from _promises(parts, names, [*classes.values()])
    yield from _checks(parts, columns, rows, len(classes))


def _read(release: bytes, name: str, writing: Parts) -> tuple[list[str], Rows]:
    """The header and the records of a CSV or TSV file, perhaps packed by gzip."""
    kind = str(writing.get("format") or name).lower()
    if not kind.endswith(("csv", "tsv", "tab", "csv.gz", "tsv.gz")):
        raise CannotCheckError("only CSV and TSV files, plain or packed by gzip, can be read without a library")
    text = (gzip.decompress(release) if kind.endswith(".gz") else release).decode()
    separator = writing["separator"] if ".csv" in f".{kind}" else "\t"
    lines = [*csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)]
    if any(len(line) != len(lines[0]) for line in lines):
        raise ValueError("ragged")
    if writing.get("excel_safe"):
        lines = [[cell[1:] if re.match(r"'+[=+\-@\t\r]", cell) else cell for cell in line] for line in lines]
    return lines[0], lines[1:]


def _counts(parts: Parts, sizes: list[int]) -> Parts:
    """What the counts of a certificate must be."""
    found: Parts = {"records": sum(sizes), "classes": len(sizes)}
    models = parts["job"]["models"]
    if "person" not in parts["job"]["schema"]:
        found |= {"k": min(sizes, default=0), "people": None}
    if all(model["kind"] in {"KAnonymity", "DistinctLDiversity"} for model in models):
        k = max((model.get("k", model.get("l", 1)) for model in models), default=1)
        exponents = Counter((size // k).bit_length() - 1 for size in sizes)
        bands = {f"{k << at}..{(k << at + 1) - 1}": count for at, count in exponents.items() if at >= 0}
        found["class_sizes"] = bands | ({f"1..{k - 1}": exponents[-1]} if -1 in exponents else {})
    return found


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
        backwards = any("-" not in low[1:] and float(low) > float(high) for low, high in ends)  # days have hyphens
        if texts & tokens or (kind in LABELS and (backwards or not all(map(LABELS[kind].fullmatch, texts)))):
            yield f"labels of {name}"
        dependent |= kind == "mean" or (kind == "range" and any(low != high for low, high in ends))
    said = parts["data_dependent_labels"]
    if dependent != said and (dependent or not any("hierarchy" in one for one in columns if one["role"] == "quasi")):
        yield "data_dependent_labels"
    yield from ["not_promised"] * (said != any(one.startswith("Secret range ends") for one in parts["not_promised"]))


def _pseudonyms(parts: Parts, columns: list[Parts], rows: Rows) -> Iterator[str]:
    """Columns with something else in the place of pseudonyms, and how many records share one with another."""
    missing, linked = {*parts["job"]["schema"]["missing"]}, Parts()
    for name, place in ((one["name"], place) for place, one in enumerate(columns) if one.get("pseudonym")):
        counts = Counter(row[place] for row in rows if row[place] not in missing)
        linked[name] = sum(count for count in counts.values() if count > 1)
        yield from () if all(map(PSEUDONYM.fullmatch, counts)) else [f"pseudonyms of {name}"]
    yield from () if linked == parts["pseudonyms"] else ["pseudonyms"]


def _singled(parts: Parts, columns: list[Parts], rows: Rows) -> Iterator[str]:
    """How many records have a value that no other has, in each column that is not generalized."""
    unchanged = [place for place, one in enumerate(columns) if one["role"] in {"sensitive", "insensitive"}]
    alone = {columns[at]["name"]: [*Counter(row[at] for row in rows).values()].count(1) for at in unchanged}
    found = [{"columns": [name], "people": len(rows), "unique": count} for name, count in alone.items()]
    said = parts["released_unchanged"]
    if said[: len(found)] != found or any(len(one["columns"]) != 2 for one in said[len(found) :]):  # noqa: PLR2004  a pair
        yield "released_unchanged"


def _promises(parts: Parts, names: list[str], classes: list[Rows]) -> Iterator[str]:
    """Models that are not those of the job, or not met, and limits that are not told."""
    models, person = parts["job"]["models"], "person" in parts["job"]["schema"]
    yield from ["models"] * (len(models) != len(parts["models"]) or not models)
    for model, name in zip(models, parts["models"], strict=False):
        if model["kind"] == "KAnonymity":
            right, met = f"{model['k']}-anonymity", all(len(one) >= model["k"] for one in classes)
        elif model["kind"] == "DistinctLDiversity":
            at = names.index(model["sensitive"])
            right = f"distinct {model['l']}-diversity of {model['sensitive']}"
            met = all(len({row[at] for row in one}) >= model["l"] for one in classes)
        else:
            continue  # which takes kohort
        yield from [f"promise {right}"] * (name != right or not (met or person))
    always = ALWAYS if person else (*ALWAYS, "Several records of a person")
    if any(sum(line.startswith(begin) for line in parts["not_promised"]) != 1 for begin in always):
        yield "not_promised"


def _checks(parts: Parts, columns: list[Parts], rows: Rows, classes: int) -> Iterator[str]:
    """Checks that are not in the list, or that compared something else."""
    labels = {place: len({row[place] for row in rows}) for place, one in enumerate(columns) if one["role"] == "quasi"}
    rest = len(columns) - len(labels) - len(parts["pseudonyms"])
    named = any(one["role"] == "identifying" for one in parts["job"]["schema"]["attributes"])
    due = dict.fromkeys(("records", "lineage", "order"), len(rows)) | {
        **dict(zip(("bytes", "columns", "classes"), (parts["size"], len(columns), classes), strict=True)),
        "identifiers": named * (("exposed" in parts and parts["checks"].get("identifiers")) or len(rows)),  # or names
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
