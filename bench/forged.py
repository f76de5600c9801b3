"""Forged pairs of a release and its certificate: `kohort check` and the checker for strangers refuse the same ones.

    python -m bench.forged             a thousand pairs
    python -m bench.forged 5000 3      five thousand, by another seed

Small releases of many kinds are made, and each pair is one of them with a change: of anything in the certificate, with
the digest of its job made anew; or of records, with the counts and digests of the changed file. Told is how many pairs
both refuse, how many both accept (what was changed is no claim about the file, such as a purpose), and how many only
one refuses. Where that is kohort, the field has to stand in the first line that the checker prints; it may also say
that it cannot check a release of this kind. Any other disagreement is printed, and the status is 1.
"""

from __future__ import annotations

import contextlib
import copy
import csv
import hashlib
import io
import json
import random
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from kohort.certificate.again import PartOutcome, checked_signature, read_certificate
from kohort.certificate.form import digest
from kohort.certificate.signing import write_signing_keys
from kohort.certificate.table import Certificate
from kohort.certificate.table_again import check_table_again
from kohort.certificate.table_shown import RecheckInputs
from kohort.cli import main as kohort
from kohort.errors import InputError, VerificationError
from kohort.transactions.recheck import check_transactions_again, written_as
from tools import check_release

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kohort.transactions.certificate import CoherenceCertificate

#: What a certificate says, as JSON has it.
Parts = dict[str, Any]

#: Two records each are of one person, up to here.
_TWICE: Final = 16

_PEOPLE: Final = "who,age,height,town,illness,visits,income\n" + "".join(
    f"{who // 2 if who < _TWICE else who},{20 + who * 7 % 40},{150 + who * 5 % 31},{('Asti', 'Bari', 'Como')[who % 3]},"
    f"{('flu', 'gout', '=ache', '7')[who * 5 % 4]},{who % 4},{1000 + who * 37 % 400}\n"
    for who in range(48)
)
_BASKETS: Final = "".join(" ".join(f"item{(row * step) % 7}" for step in (1, 2, 3)) + "\n" for row in range(1, 60))

_TABLE: Final = "anonymize people.csv --quasi age,town --k 3 --sensitive illness --identifier who --rest drop"
_PLAIN: Final = f"{_TABLE} --l illness=2 --cut nearest"
_LEVELS: Final = f"{_TABLE} --l illness=2 --hierarchy age=intervals:10,20 --hierarchy town=suppress --max-suppression 8"

#: The releases, by what makes them; each is called as it is written.
_MADE: Final = {
    "grid.csv": f"{_PLAIN} --insensitive visits",
    "range.csv": f"{_PLAIN} --labels range --t illness=0.9",
    "person.csv": f"{_PLAIN} --person who",
    "pseudonyms.csv": f"{_PLAIN} --pseudonym who --key-file secret",
    "perturbed.csv": f"{_PLAIN} --sensitive income --no-model income --perturb income=noise:scale=0.2,decimals=0"
    " --allow-singling income",
    "optimal.csv": f"{_LEVELS} --method optimal",
    "local.csv": f"{_LEVELS} --method samarati --local",
    "node.csv": f"{_LEVELS} --method optimal --node 1,1",
    "signed.csv": f"{_PLAIN} --sign-key key",
    "unmodelled.csv": f"{_TABLE} --no-model illness",
    "some.tsv": _PLAIN,
    "some.csv.gz": _PLAIN,
    "folder/": f"{_PLAIN} --records-per-part 20",
    "baskets.dat": "transactions baskets.txt --private item1 --h 0.9 --k 3 --p 2",
}

#: What a value of a certificate is exchanged for.
_VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, 2, -1, 2.0, 2.5, 10**30, 1e300, float("nan"), float("inf"), "", "x", "5", "true", "1e9"),
    *(
        "quasi",
        "sensitive",
        "drop",
        "who",
        "age",
        "illness",
        "Another",
        [],
        {},
        [1],
        ["age"],
        {"k": 2},
        "\N{NO-BREAK SPACE}",
    ),
)


class Pair(NamedTuple):
    """A release and its certificate, and the fields that were changed."""

    release: bytes
    certificate: bytes
    changed: frozenset[str]


class Verdict(NamedTuple):
    """Whether a pair is refused, and which fields differ, where that is known."""

    refused: bool
    fields: frozenset[str]


# ── what is forged ───────────────────────────────────────────────────────────────────────────────


def _places(content: Any, field: str = "") -> Iterator[tuple[Any, Any, str]]:  # noqa: ANN401  whatever JSON has
    """Every list and object in a certificate, each of its places, and the field that it is in."""
    keys: list[Any] = [*content] if isinstance(content, dict | list) else []
    for at in range(len(keys)) if isinstance(content, list) else keys:
        yield content, at, field or str(at)
        yield from _places(content[at], field or str(at))


def _other(value: object, chance: random.Random) -> object:
    """Another value in the place of this one, likely of its kind."""
    if type(value) is int and chance.random() < 0.5:  # noqa: PLR2004  one half
        return chance.choice([value + 1, max(value - 1, 0), float(value), str(value), value == 1])
    if isinstance(value, str) and chance.random() < 0.5:  # noqa: PLR2004  one half
        return chance.choice([f"{value} ", value.upper(), value[1:], f"{value}0"])
    return not value if isinstance(value, bool) else copy.deepcopy(chance.choice(_VALUES))


def _changed(pair: Pair, chance: random.Random) -> Pair:
    """A change of something in the certificate."""
    parts = json.loads(pair.certificate)
    places = [one for one in _places(parts) if one[2] != "job" or chance.random() < 0.4]  # noqa: PLR2004  the job is most of it
    within, at, field = chance.choice(places)
    match chance.randrange(6):
        case 0:
            del within[at]
        case 1 if isinstance(at, int):
            within.insert(at, copy.deepcopy(within[at]))
        case 1:
            within[chance.choice([f"{at}x", "more", "k", "kind", "pseudonym"])] = copy.deepcopy(within[at])
        case 2:
            other, place, _ = chance.choice(places)
            within[at] = copy.deepcopy(other[place])
        case _:
            within[at] = _other(within[at], chance)
    return Pair(pair.release, _spelled(parts), frozenset({field}))


def _spelled(parts: Parts) -> bytes:
    """A certificate as kohort writes it, with the digest of its job."""
    if isinstance(parts.get("job"), dict) and "job_sha256" in parts:
        parts["job_sha256"] = digest(parts["job"])
    return (json.dumps(parts, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


#: Spellings of a cell that a reader takes for the same, and others that are of none.
_CELLS: Final[tuple[Callable[[str], str], ...]] = (
    *(str.upper, lambda text: f"{text} ", lambda text: f"{text}\N{ZERO WIDTH SPACE}", lambda text: f"{text}.0"),
    *(lambda text: "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text),),
    *(lambda text: text.replace("o", "\N{CYRILLIC SMALL LETTER O}"), lambda _: "", lambda _: "x", lambda _: "[20-30)"),
)


def _recorded(pair: Pair, chance: random.Random) -> Pair:
    """A change of some records, perhaps in order again, with what the certificate counts of the file."""
    text, parts = pair.release.decode(), json.loads(pair.certificate)
    header, *rows = csv.reader(io.StringIO(text))
    quasi = [name for name in header if name in parts["labels"]]
    first = [rows[0][header.index(name)] for name in quasi]
    of_class = [row for row in rows if [row[header.index(name)] for name in quasi] == first]
    place, change = chance.randrange(len(header)), chance.choice(_CELLS)
    match chance.randrange(5):
        case 0:
            rows.remove(chance.choice(rows))
        case 1:
            rows.append([*chance.choice(rows)])
        case 2:  # a whole class in spellings of one value
            at = header.index("illness")
            for turn, row in enumerate(of_class):
                row[at] = "gout" if turn % 2 else change("gout")
        case _:
            row = chance.choice(rows)
            row[place] = change(row[place])
    release, certificate = recounted(parts, header, rows, quasi, ordered=chance.random() < 0.8)  # noqa: PLR2004  most
    return Pair(release, certificate, frozenset())


def recounted(
    parts: Parts, header: list[str], rows: list[list[str]], quasi: list[str], *, ordered: bool = True
) -> tuple[bytes, bytes]:
    """A release of these records, in order again, and its certificate with the counts that anyone can make of them."""
    order = [header.index(name) for name in (*quasi, *(name for name in header if name not in quasi))]
    rows = sorted(rows, key=lambda row: [row[at].encode() for at in order]) if ordered else rows
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows([header, *rows])
    release = made.getvalue().encode()
    return release, _counted(parts, release, header, rows, quasi)


def _counted(parts: Parts, release: bytes, header: list[str], rows: list[list[str]], quasi: list[str]) -> bytes:
    """A certificate with the counts of these records, as far as anyone can count them."""
    classes = Counter(tuple(row[header.index(name)] for name in quasi) for row in rows)
    parts |= {"sha256": hashlib.sha256(release).hexdigest(), "size": len(release), "records": len(rows)}
    parts |= {"classes": len(classes)} | ({"k": min(classes.values())} if parts["people"] is None else {})
    labels = {name: len({row[header.index(name)] for row in rows}) for name in quasi}
    on_grid = [name for name, one in parts["job"]["columns"].items() if "grid" in one]
    counts = {"bytes": len(release), "classes": len(classes), "labels": sum(labels.values())}
    counts |= dict.fromkeys(("records", "lineage", "order", "ends"), len(rows))
    counts["grid"] = sum(labels[name] for name in on_grid)
    counts |= {"cells": len(rows) * (len(header) - len(quasi)), "regions": len(rows) * len(quasi)}
    parts["checks"] |= {name: count for name, count in counts.items() if name in parts["checks"]}
    for one in (*parts["released_unchanged"], *parts["released_together"]):
        cells = Counter(tuple(row[header.index(name)] for name in one["columns"]) for row in rows)
        if parts["people"] is None:
            one |= {"people": len(rows), "unique": [*cells.values()].count(1)}
    return _spelled(parts)


# ── what becomes of it ───────────────────────────────────────────────────────────────────────────


def by_kohort(release: Path, beside: Path) -> Verdict:
    """What `kohort check --certificate` finds."""
    try:
        known = read_certificate(beside)
        signed = checked_signature(known, release, None)
        if isinstance(known, Certificate):
            again = check_table_again(release, known, RecheckInputs())
        else:
            coherent = cast("CoherenceCertificate", known)
            again = check_transactions_again(release, coherent, written_as(coherent))
    except (InputError, VerificationError):
        return Verdict(refused=True, fields=frozenset())
    different = [part for part in (signed, *again.parts) if part.outcome is PartOutcome.DIFFERENT]
    fields = {field.partition(".")[0] for part in different for field in part.fields or ("models",)}
    return Verdict(bool(different), frozenset(fields))


def by_a_stranger(release: Path, beside: Path) -> tuple[int, str, list[str]]:
    """The status of the checker, its first line, and what differs."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = check_release.main([str(release), str(beside)])
    lines = (out.getvalue() or err.getvalue()).splitlines()
    return status, lines[0], lines[1:]


def outcome(release: Path, beside: Path, changed: frozenset[str]) -> str:
    """What both make of a pair."""
    known, (status, first, more) = by_kohort(release, beside), by_a_stranger(release, beside)
    if status == 2:  # noqa: PLR2004  it cannot be checked
        return "the checker says that it cannot check it"
    if known.refused == (status == 1):
        return "both refuse it" if known.refused else "both accept it"
    if status == 1:
        return f"DISAGREE: only the checker refuses it: {more[0]}"
    listed = {*first.partition(": ")[2].split(", ")}
    fields = changed or known.fields
    if first.startswith("not checked") and fields and fields <= listed:
        return "only kohort refuses it, as the checker's first line says"
    return f"DISAGREE: only kohort refuses it: {', '.join(sorted(changed | known.fields))}"


def made_in(folder: Path) -> dict[str, Pair]:
    """The releases, each with its certificate."""
    (folder / "people.csv").write_text(_PEOPLE)
    (folder / "baskets.txt").write_text(_BASKETS)
    write_signing_keys(folder / "key")
    found: dict[str, Pair] = {}
    with contextlib.chdir(folder):
        kohort(["key", "secret", "--quiet"])
        for name, words in _MADE.items():
            if kohort([*words.split(), "--out", name, "--quiet"]):
                raise SystemExit(f"this failed: {words}")
            release, beside = _files(folder, name)
            found[name] = Pair(b"" if release.is_dir() else release.read_bytes(), beside.read_bytes(), frozenset())
    return found


def _files(folder: Path, name: str) -> tuple[Path, Path]:
    """Where a release is, and its certificate."""
    return folder / name, folder / name / "certificate.json" if name.endswith("/") else folder / f"{name}.kohort.json"


def forge(pairs: int, seed: int, on_progress: Callable[[str], None]) -> Counter[str]:
    """Forge so many pairs; how many became what."""
    chance, counts = random.Random(seed), Counter[str]()  # noqa: S311  no secret
    with TemporaryDirectory(prefix="kohort-forged-") as place:
        folder = Path(place)
        releases = made_in(folder)
        for name in releases:
            if (found := outcome(*_files(folder, name), frozenset())) not in {"both accept it", _CANNOT}:
                on_progress(f"{name}, as it was made: {found}")
        for turn in range(pairs):
            name = [*releases][turn % len(releases)]
            release, beside = _files(folder, name)
            text = name.endswith(".csv") and turn // len(releases) % 3 == 0
            pair = (_recorded if text else _changed)(releases[name], chance)
            if not name.endswith("/"):
                release.write_bytes(pair.release)
            beside.write_bytes(pair.certificate)
            found = outcome(release, beside, pair.changed)
            if found.startswith("DISAGREE"):
                on_progress(f"pair {turn} of {name}: {found}; changed: {', '.join(pair.changed) or 'records'}")
            counts[found.partition(":")[0]] += 1
    return counts


_CANNOT: Final = "the checker says that it cannot check it"


def main(arguments: list[str]) -> int:
    """Forge and tell; the status is 1 if anything disagrees."""
    pairs, seed = (*map(int, arguments), 1000, 1)[:2] if len(arguments) != 1 else (int(arguments[0]), 1)
    counts = forge(pairs, seed, print)
    print("; ".join(f"{count:,} {what}" for what, count in counts.most_common()))
    return 1 if any(what.startswith("DISAGREE") for what in counts) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
