"""What a file is: by its first bytes, which decide, and by its name, which must not disagree."""

from __future__ import annotations

from pathlib import PurePath
from types import MappingProxyType
from typing import Final

from kohort.errors import InputError

#: Bytes from the start of a file that its format is told by.
HEAD: Final = 32

#: First bytes -> format. Parquet's are also a possible column name, so its end is looked at too.
_MAGIC: Final = MappingProxyType(
    {
        b"ARROW1\0\0": "Arrow",
        b"\x1f\x8b": "gzip",
        b"PK\x03\x04": "zip",
        b"PK\x05\x06": "zip",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "Excel 97",
        b"\x80\x02": "pickle",
        b"\x80\x03": "pickle",
        b"\x80\x04": "pickle",
        b"\x80\x05": "pickle",
        b"FEA1\0": "Feather 1",
        b"\x93NUMPY": "NumPy",
        b"\x89HDF\r\n\x1a\n": "HDF5",
        b"SQLite format 3\0": "SQLite",
        b"%PDF-": "PDF",
        b"Obj\x01": "Avro",
        b"BZh91AY&SY": "bzip2",
        b"\xfd7zXZ\0": "xz",
        b"\x28\xb5\x2f\xfd": "Zstandard",
        b"7z\xbc\xaf\x27\x1c": "7-Zip",
    }
)

_PARQUET: Final = b"PAR1"

#: Last part of a name -> the format it claims; other names claim nothing.
_SUFFIXES: Final = MappingProxyType(
    {
        **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".psv"), "text"),
        **dict.fromkeys((".parquet", ".pq"), "Parquet"),
        **dict.fromkeys((".arrow", ".feather", ".ipc"), "Arrow"),
        ".gz": "gzip",
        **dict.fromkeys((".xlsx", ".xlsm", ".ods", ".zip", ".npz"), "zip"),
        ".xls": "Excel 97",
        **dict.fromkeys((".pkl", ".pickle", ".joblib"), "pickle"),
        ".npy": "NumPy",
        **dict.fromkeys((".json", ".jsonl", ".ndjson"), "JSON"),
        **dict.fromkeys((".h5", ".hdf5"), "HDF5"),
        **dict.fromkeys((".sqlite", ".db"), "SQLite"),
        ".bz2": "bzip2",
        ".xz": "xz",
        ".zst": "Zstandard",
    }
)

#: What can be read.
READABLE: Final = frozenset({"text", "gzip", "Parquet", "Arrow"})

_HINTS: Final = MappingProxyType(
    {
        "pickle": "a pickle can run any program; save the table as Parquet or CSV",
        "zip": "unpack it, or save the sheet as CSV",
    }
)


def format_of(name: str, head: bytes, tail: bytes = b"") -> str:
    """The format of a file: one of `READABLE`.

    Args:
        name: The file's name; only its suffix counts.
        head: Its first `HEAD` bytes.
        tail: Its last bytes.

    Raises:
        InputError: The format is not read, or name and bytes disagree.

    >>> format_of("people.csv", b"name,age")
    'text'
    >>> format_of("people.csv", b"PAR1", b"PAR1")
    Traceback (most recent call last):
    kohort.errors.InputError: the name says text, the bytes say Parquet
      where: people.csv
      hint: give the file the name of its format
    """
    found = _found(head, tail)
    claimed = _SUFFIXES.get(PurePath(name).suffix.lower(), found)
    for form in (found, claimed):
        if form not in READABLE:
            hint = _HINTS.get(form, "save the table as CSV or Parquet")
            raise InputError(f"a {form} file is not read", where=name, hint=hint)
    if claimed == "Parquet" and head.startswith(_PARQUET):
        return claimed  # cut short, it lacks the end: for the Parquet reader to say
    if claimed != found:
        hint = "give the file the name of its format"
        raise InputError(f"the name says {claimed}, the bytes say {found}", where=name, hint=hint)
    return found


def _found(head: bytes, tail: bytes) -> str:
    """The format the bytes tell; text when nothing speaks against it."""
    if head.startswith(_PARQUET) and tail.endswith(_PARQUET):
        return "Parquet"
    return next((form for magic, form in _MAGIC.items() if head.startswith(magic)), "text")
