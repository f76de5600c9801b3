"""A release of several parts: a folder with the parts, their certificate and the manifest that lists them.

    release/part-00000.csv  part-00001.csv  …  certificate.json  manifest.json

In an object store, and in a copy of what lies there, all but the manifest are below a prefix that it names.

The manifest is written once, from the parts as they were verified, and is the last file that appears: what it does not
list is no part of the release. Joined in its order, the header once, parts of CSV are the file that a release of one
file is; its digest is the one in the certificate. Of Parquet that is the digest of the parts' bytes, one after another.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from kohort.errors import FileError, InputError, UsageError
from kohort.io.forms import FORMATS
from kohort.io.options import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: The files of a folder that are no parts.
MANIFEST: Final = "manifest.json"
CERTIFICATE: Final = "certificate.json"

#: The form of a manifest.
_FORM: Final = 1

#: The formats of parts.
PARTS: Final = tuple(key for key, form in FORMATS.items() if form.in_parts)

#: Parts whose names stand in their order.
_MOST: Final = 100_000

#: Bytes that are read at once.
_PIECE: Final = 1 << 20

#: What the prefix of a release in an object store looks like. What reads folders passes over names with a point.
PREFIX: Final = re.compile(r"\.kohort-parts-[0-9a-f]{32}")


def new_prefix() -> str:
    """A prefix that nobody else has or guesses."""
    return f".kohort-parts-{secrets.token_hex(16)}"


class WrittenPart(NamedTuple):
    """A part that was written.

    Attributes:
        path: Where it is.
        records: How many records it holds.
    """

    path: Path
    records: int


@dataclass(frozen=True, slots=True)
class ListedPart:
    """A part as its manifest lists it.

    Attributes:
        name: The name of its file.
        records: How many records it holds.
        size: How many bytes.
        sha256: The digest of these.
    """

    name: str
    records: int
    size: int
    sha256: str

    @classmethod
    def of(cls, part: WrittenPart) -> ListedPart:
        """A part, as its bytes are now."""
        with part.path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            return cls(part.path.name, part.records, file.tell(), sha256)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What lists the parts of a release.

    Attributes:
        format: The format of every part.
        separator: Between cells of CSV; empty of Parquet.
        parts: The parts, in the order of the records.
        prefix: Where they and the certificate are, below the manifest's own place; empty where they are beside it.
    """

    format: str
    separator: str
    parts: tuple[ListedPart, ...]
    prefix: str = ""

    @property
    def records(self) -> int:
        """How many records there are."""
        return sum(part.records for part in self.parts)

    def encode(self) -> bytes:
        """As JSON with sorted keys: equal manifests are equal bytes."""
        told = {"form": _FORM, "records": self.records, "certificate": CERTIFICATE, **asdict(self)}
        if not self.prefix:
            del told["prefix"]
        return (json.dumps(told, indent=1, sort_keys=True) + "\n").encode()

    def paths(self, folder: Path) -> list[Path]:
        """Where the parts are, of a release in a folder."""
        return [folder / self.prefix / part.name for part in self.parts]


def part_name(place: int, format_: str) -> str:
    """The name of a part, by its place from 0: names stand in the order of the records.

    Raises:
        UsageError: there are too many parts for that.

    >>> part_name(7, "csv")
    'part-00007.csv'
    """
    if place >= _MOST:
        raise UsageError(f"a folder has at most {_MOST:,} parts", hint="give a part more records (--records-per-part)")
    return f"part-{place:05}.{format_}"


def has_manifest(folder: str | Path) -> bool:
    """Whether a folder is a release of parts."""
    return (Path(folder) / MANIFEST).is_file()


def read_manifest(folder: Path) -> Manifest:
    """The manifest in a folder; nothing but what kohort writes is accepted.

    Raises:
        InputError: it is none of this form.
        FileError: the system failed to read it.
    """
    try:
        text = (folder / MANIFEST).read_bytes()
    except OSError as error:
        raise FileError(f"reading the manifest failed: {error.strerror}", where=str(folder / MANIFEST)) from None
    return manifest_of(text, str(folder / MANIFEST))


def manifest_of(text: bytes, where: str) -> Manifest:
    """The manifest with these bytes, which were found there.

    Raises:
        InputError: it is none of this form.
    """
    known = _decoded(text)
    if known is None:
        what = "the file is not a manifest of this version of kohort, or was changed"
        raise InputError(what, where=where, hint="publish the release again")
    return known


def _listed(part: dict[str, Any]) -> ListedPart:
    return ListedPart(part["name"], _whole(part["records"]), _whole(part["size"]), part["sha256"])


def _decoded(text: bytes) -> Manifest | None:
    """The manifest that JSON text describes; `None` where it is none, or written in another way."""
    try:
        told = cast("dict[str, Any]", json.loads(text))
        parts = tuple(_listed(one) for one in told["parts"])
        known = Manifest(told["format"], told["separator"], parts, told.get("prefix", ""))
        if known.format in PARTS and FORMATS[known.format].is_text:
            ReadOptions(separator=known.separator or "")  # refuses what separates no cells
        named = [part_name(place, known.format) for place in range(len(parts))]
        right = known.encode() == text and known.format in PARTS
        right = right and (known.prefix == "" or PREFIX.fullmatch(known.prefix) is not None)
    except (LookupError, TypeError, ValueError, RecursionError, UsageError):
        return None
    return known if right and [part.name for part in parts] == named else None


def _whole(number: object) -> int:
    """A number of records; `TypeError` where it is none."""
    if type(number) is not int:
        raise TypeError(number)
    return number


def altered(folder: Path, known: Manifest) -> str:
    """How the files of a folder are not those that its manifest lists, in words; empty where they are.

    Raises:
        FileError: the system failed to read them.
    """
    listed, folder = {part.name: part for part in known.parts}, folder / known.prefix
    try:
        there = {path.name for path in folder.iterdir()}
        added = sum(name.endswith(PARTS) for name in there - listed.keys())
        found = {
            name for name in listed.keys() & there if ListedPart.of(_written(folder, listed[name])) == listed[name]
        }
    except OSError as error:
        raise FileError(f"reading the parts failed: {error.strerror}", where=str(folder)) from None
    counts = {"missing": len(listed.keys() - there), "added": added, "changed": len((listed.keys() & there) - found)}
    return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)


def others(folder: Path) -> list[str]:
    """The names in a folder of parts that are neither parts nor the manifest nor the certificate, hidden ones too.

    Raises:
        FileError: the system failed to read it.
    """
    known = read_manifest(folder)
    try:
        there = {path.name for path in folder.iterdir()}
    except OSError as error:
        raise FileError(f"reading the parts failed: {error.strerror}", where=str(folder)) from None
    return sorted(there - {MANIFEST, CERTIFICATE, *(part.name for part in known.parts)})


def _written(folder: Path, part: ListedPart) -> WrittenPart:
    return WrittenPart(folder / part.name, part.records)


def listed_parts(folder: str) -> Manifest:
    """The manifest of a folder whose parts are those that it lists, to the byte.

    Raises:
        InputError: they are not, or it is no manifest.
        FileError: the system failed to read.
    """
    known = read_manifest(Path(folder))
    if told := altered(Path(folder), known):
        what = f"the parts are not those that the manifest lists: {told}"
        raise InputError(what, where=folder, hint="copy the whole folder again, or publish the release again")
    return known


def joined(paths: Sequence[Path], *, text: bool) -> Iterator[bytes]:
    r"""The bytes of the parts one after another, the header of text once.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     parts = [Path(folder, "a"), Path(folder, "b")]
    ...     _ = parts[0].write_bytes(b"age\n31\n"), parts[1].write_bytes(b"age\n45\n")
    ...     b"".join(joined(parts, text=True))
    b'age\n31\n45\n'
    """
    for place, path in enumerate(paths):
        with path.open("rb") as file:
            if text and place:
                file.readline()
            while piece := file.read(_PIECE):
                yield piece


def digest_of(paths: Sequence[Path], *, text: bool) -> tuple[str, int]:
    """The sha256 and the size of the joined parts."""
    sha256, size = hashlib.sha256(), 0
    for piece in joined(paths, text=text):
        sha256.update(piece)
        size += len(piece)
    return sha256.hexdigest(), size
