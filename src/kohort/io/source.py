"""The bytes of delimited text: mapped from a file, or unpacked, piped or decoded into memory.

What a file is: by its first bytes, which decide, and by its name, which must not disagree.
"""

from __future__ import annotations

import codecs
import gzip
import io
import mmap
import stat
import sys
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.errors import FileError, InputError, KohortError, LimitError
from kohort.io.forms import ENDINGS, FORMATS, FileFormat, form_of
from kohort.system import import_optional, memory, zeros_beyond_the_end

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from kohort.io.options import ReadOptions


#: Bytes of a text: (b,) uint8, read-only.
Bytes: TypeAlias = NDArray[np.uint8]

LF: Final = ord("\n")
CR: Final = ord("\r")

#: The content of a file, before anything is known of it.
Content: TypeAlias = bytes | bytearray | mmap.mmap

#: Bytes unpacked, decoded or counted at once: small beside the text, large beside the cost of a call.
PIECE: Final = 1 << 20

#: Below this a packed text may be as repetitive as it likes: it cannot do harm.
_HARMLESS: Final = 1 << 20

#: First bytes of a gzip file.
GZIP: Final = b"\x1f\x8b"

#: Memory that a Zstandard file may ask for to be unpacked: what its own program allows.
_WINDOW: Final = 1 << 27

#: Byte order marks of other encodings; UTF-32's other one starts with UTF-16's.
_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """Delimited text in UTF-8, not yet checked.

    Attributes:
        name: The path as it was given, for messages.
        data: Its bytes, without a byte order mark.
    """

    name: str
    data: Bytes

    @classmethod
    def of(cls, name: str, content: Content) -> Self:
        """The text in `content`, which is not copied.

        Raises:
            InputError: there is no byte in it.
        """
        data = np.frombuffer(memoryview(content).toreadonly(), np.uint8)
        if data[:3].tobytes() == codecs.BOM_UTF8:
            data = data[3:]
        if not data.size:
            raise InputError("the file is empty", where=name)
        return cls(name, data)


def line_of(data: Bytes, offset: int) -> int:
    r"""The physical line, from 1, of the byte at `offset`; lines end in LF, CRLF or CR.

    >>> line_of(np.frombuffer(b"a\r\nb\rc\nd", np.uint8), 7)
    4
    """
    line = 1
    for start in range(0, offset, PIECE):
        piece = data[start : min(start + PIECE, offset)]
        after = data[start + 1 : start + 1 + piece.size]
        pairs = (piece[: after.size] == CR) & (after == LF)
        line += int(np.count_nonzero((piece == LF) | (piece == CR)) - np.count_nonzero(pairs))
    return line


def state(path: str) -> tuple[int, int, int]:
    """What changes when somebody writes to the regular file: its number, size and time.

    Raises:
        InputError: there is no such file, or something that is no regular file.
        FileError: the system does not tell.
    """
    try:
        found = Path(path).stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # no file has NUL or half a character in its name
        raise InputError("no such file", where=path) from None
    except OSError as error:
        raise FileError(f"the file cannot be read: {error.strerror}", where=path) from None
    if not stat.S_ISREG(found.st_mode):
        kind = "a directory" if stat.S_ISDIR(found.st_mode) else "not a regular file"
        raise InputError(f"the input is {kind}", where=path, hint="name a file, or - for standard input")
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def unchanged(paths: Sequence[str], told: str = "") -> Generator[None]:
    """Refuse what was read of files to which somebody wrote meanwhile.

    What is then found wrong with them is not told: it may be no fault of theirs.

    Args:
        paths: The regular files.
        told: What messages call them together; by default the name of the one file.

    Raises:
        InputError: a file changed, or there is no such file, or something that is no regular file.
        FileError: the system does not tell.
    """
    before = [state(path) for path in paths]

    def refuse_changed() -> None:
        if [state(path) for path in paths] != before:
            what = "the files changed while they were read" if told else "the file changed while it was read"
            raise InputError(what, where=told or paths[0], hint="read a copy that no program changes") from None

    try:
        with zeros_beyond_the_end():
            yield
    except KohortError:
        refuse_changed()
        raise
    refuse_changed()


def mapped(path: str) -> Content:
    """The bytes of a file, left on disk until they are looked at."""
    try:
        with Path(path).open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:  # nothing can be mapped where nothing is
        return b""
    except OSError as error:
        raise FileError(f"the file cannot be read: {error.strerror}", where=path) from None


def piped(options: ReadOptions) -> Content:
    """The bytes on standard input, which may have no end.

    Raises:
        LimitError: there are more than may lie in memory.
    """
    content, most = bytearray(), _most(options)
    while piece := sys.stdin.buffer.read(PIECE):
        content += piece
        if len(content) > most:
            raise _too_much("standard input", most, options)
    return content


def _most(options: ReadOptions) -> int:
    """Bytes of a text that may lie in memory: half of what there is, since the table needs some, too."""
    return min(options.max_memory, memory() // 2)


def text_of(name: str, content: Content, options: ReadOptions, *, packed: bool) -> Text:
    """The text in plain or packed bytes.

    Args:
        name: The path as it was given, for messages.
        content: The bytes of the file.
        packed: Whether they are packed by gzip.
        options: The encoding and the limits.

    Raises:
        InputError: the bytes are damaged, or not in the encoding.
        LimitError: the text is larger than the options allow.
    """
    if packed:
        content = _unzipped(name, content, options) if content[:2] == GZIP else _unpacked(name, content, options)
    if not options.is_utf8:
        content = _decoded(name, content, options)
    elif content[:4].startswith(_MARKS):
        hint = "name the encoding, such as utf-16"
        raise InputError("the file starts with the mark of UTF-16 or UTF-32, not of UTF-8", where=name, hint=hint)
    return Text.of(name, content)


def _unzipped(name: str, packed: Content, options: ReadOptions) -> bytearray:
    try:
        with gzip.open(io.BytesIO(packed)) as file:
            return _inside(name, file, len(packed), options)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError("the gzip file is damaged or cut short", where=name) from error


def _unpacked(name: str, packed: Content, options: ReadOptions) -> bytearray:
    library = zstandard()
    unpack = library.ZstdDecompressor(max_window_size=_WINDOW)
    try:
        with unpack.stream_reader(io.BytesIO(packed), read_across_frames=True) as file:
            content = _inside(name, file, len(packed), options)
        _refuse_cut(library, packed)
    except (EOFError, library.ZstdError) as error:
        raise InputError("the Zstandard file is damaged or cut short", where=name) from error
    return content


def _refuse_cut(library: Any, packed: Content) -> None:  # noqa: ANN401  a module that may be absent
    """Refuse a last frame that is not whole: what reads a stream takes the end of its bytes for its own."""
    rest = bytes(packed)
    while rest:
        frame = library.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()
        frame.decompress(rest)
        if not frame.eof:
            raise EOFError
        rest = frame.unused_data


def _inside(name: str, file: Any, size: int, options: ReadOptions) -> bytearray:  # noqa: ANN401  a packed file
    """The text that unpacks from so many bytes."""
    content, most = bytearray(), _most(options)
    while piece := file.read(PIECE):
        content += piece
        if len(content) > min(most, max(options.max_ratio * size, _HARMLESS)):
            raise _too_much(name, most, options)
    inner = form(name.removesuffix(".gz").removesuffix(".zst"), content)
    if inner != "text":
        raise InputError(f"the packed file holds a {inner} file, not text", where=name)
    return content


def zstandard() -> Any:  # noqa: ANN401  a module that may be absent
    """The library that packs with Zstandard; a `MissingExtraError` if it is not installed."""
    return import_optional("zstandard", "for .zst files", "zstd")


def _too_much(name: str, most: int, options: ReadOptions) -> LimitError:
    what = f"the text exceeds {most} bytes of memory, or {options.max_ratio} bytes for one packed byte"
    return LimitError(what, where=name, hint="save the text as a plain UTF-8 file and read that: no memory is needed")


def _decoded(name: str, content: Content, options: ReadOptions) -> bytearray:
    decoder = codecs.getincrementaldecoder(options.encoding)()
    text, most = bytearray(), _most(options)
    for start in range(0, len(content), PIECE):
        piece = content[start : start + PIECE]
        before = decoder.getstate()
        try:
            text += decoder.decode(piece, final=start + PIECE >= len(content)).encode()
        except UnicodeError:
            decoder.setstate(before)
            raise _undecodable(name, text, decoder, piece) from None
        if len(text) > most:
            raise _too_much(name, most, options)
    return text


def _undecodable(
    name: str, text: bytearray, decoder: codecs.IncrementalDecoder, piece: bytes | bytearray
) -> InputError:
    """The error for a piece that cannot be decoded: byte by byte, up to the line where that shows."""
    with suppress(UnicodeError):
        for place in range(len(piece)):
            text += decoder.decode(piece[place : place + 1]).encode()
    line = line_of(np.frombuffer(text, np.uint8), len(text))
    hint = "name the encoding of the file"
    return InputError("a byte that the encoding does not have", where=f"{name}, line {line}", hint=hint)


def foreign(name: str, content: Content) -> FileFormat | None:
    """The format with a module of its own that a file has, by its name or else by its first bytes; `None` if none.

    Raises:
        InputError: the name is of one and the bytes are not.
    """
    head, claimed = bytes(content[:HEAD]), form_of(name)
    begun = [form for form in FORMATS.values() if form.module and form.begins(head)]
    if claimed is None:
        unclaimed = PurePath(name).suffix.lower() not in _SUFFIXES
        return begun[0] if len(begun) == 1 and unclaimed else None  # what is zipped is told by its name alone
    if claimed in begun or not (claimed.magic or begun):
        return claimed
    akin = [form for form in begun if form.module == claimed.module]
    if akin:
        return akin[0]
    hint = "give the file the name of its format"
    raise InputError(f"the name says {claimed.title}, the bytes say {_found(head, b'')}", where=name, hint=hint)


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
        **{end: "text" if form.is_text else form.title for end, form in ENDINGS.items()},
        **dict.fromkeys((".txt", ".psv"), "text"),
        ".gz": "gzip",
        **dict.fromkeys((".zip", ".npz"), "zip"),
        ".xls": "Excel 97",
        **dict.fromkeys((".pkl", ".pickle", ".joblib"), "pickle"),
        ".npy": "NumPy",
        ".json": "JSON",
        **dict.fromkeys((".h5", ".hdf5"), "HDF5"),
        ".bz2": "bzip2",
        ".xz": "xz",
        ".zst": "Zstandard",
    }
)

#: What text can be packed by.
PACKED: Final = frozenset({"gzip", "Zstandard"})

#: What can be read.
READABLE: Final = frozenset({"text", *PACKED, "Parquet", "Arrow"})

_HINTS: Final = MappingProxyType(
    {
        "pickle": "a pickle can run any program; save the table as Parquet or CSV",
        "zip": "unpack it, or save the sheet as CSV",
    }
)


def claimed_format(name: str, default: str = "text") -> str:
    """The format that a file's name claims.

    >>> [claimed_format(name) for name in ("a.TAB", "a.feather", "a.dat.gz", "a.dat")]
    ['text', 'Arrow', 'gzip', 'text']
    """
    return _SUFFIXES.get(PurePath(name).suffix.lower(), default)


def form(name: str, content: Content) -> str:
    """The format of a file, one of `READABLE`, by its bytes and the suffix of its name.

    Raises:
        InputError: The format is not read, or name and bytes disagree.

    >>> form("people.csv", b"name,age")
    'text'
    >>> form("people.csv", b"PAR1 PAR1")
    Traceback (most recent call last):
    kohort.errors.InputError: the name says text, the bytes say Parquet
      where: people.csv
      hint: give the file the name of its format
    """
    head = bytes(content[:HEAD])
    found = _found(head, bytes(content[-HEAD:]))
    claimed = claimed_format(name, found)
    for one in (found, claimed):
        if one not in READABLE:
            hint = _HINTS.get(one, "save the table as CSV or Parquet")
            raise InputError(f"a {one} file is not read", where=name, hint=hint)
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
    known = next((form for magic, form in _MAGIC.items() if head.startswith(magic)), "")
    return known or next((form.title for form in FORMATS.values() if form.begins(head)), "text")
