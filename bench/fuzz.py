"""Whatever bytes a file holds, reading it ends in a result or in an error of `kohort.errors`: hunted by chance.

    python -m bench.fuzz             every parser for a minute
    python -m bench.fuzz 3600        for an hour, divided among them

Texts are pieces of good ones, cut, repeated and mixed with awkward bytes. What is found is printed, with its parser.
"""

from __future__ import annotations

import json
import random
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from kohort.certificate import read_certificate
from kohort.errors import KohortError
from kohort.io import read
from kohort.io.baskets import read_transactions
from kohort.io.manifest import listed_parts
from kohort.job.request import load
from kohort.report.page.build import read_page
from kohort.schema.hierarchies import read_hierarchy

if TYPE_CHECKING:
    from collections.abc import Callable

#: Pieces that mean something to some parser.
_AWKWARD: Final = (
    *(b"\0 \n \r \r\n , ; \" ' \\ { } [ ] : # = . - + * / < > & ! \xff \xc3 \xed\xa0\x80 \xef\xbb\xbf".split(b" ")),
    b" ",
    b"\xe2\x80\xae",
    b"\x1b[2J",
    b"null",
    b"NaN",
    b"1e999",
    b"9" * 400,
    b"0x1F",
    b"[[",
    b'{"a":' * 60,
    b"x" * 300,
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
_CERTIFICATE: Final = json.dumps({"form": 7, "k": 5, "release": {"sha256": "00"}, "models": [], "job": {}}).encode()

_PARSERS: Final[dict[str, tuple[str, bytes, Callable[[Path], object]]]] = {
    "table": ("a.csv", b'age,city\n30,"Ro""ma"\n31,Bari\r\n', read),
    "baskets": ("a.txt", b"tea jam\nbread tea\n", read_transactions),
    "rows of a hierarchy": ("h.csv", b"Roma;Lazio;*\nBari;Puglia;*\n", read_hierarchy),
    "tree": ("h.json", b'{"*": {"Lazio": ["Roma", "Rieti"], "Puglia": ["Bari"]}}', read_hierarchy),
    "job": ("job.toml", _JOB, load),
    "certificate": ("c.json", _CERTIFICATE, read_certificate),
    "page": ("p.json", _CERTIFICATE, read_page),
    "manifest": ("manifest.json", _CERTIFICATE, lambda path: listed_parts(str(path.parent))),
}


def varied(seed: bytes, chance: random.Random) -> bytes:
    """A text like the seed, with some pieces changed."""
    made = seed
    for _ in range(chance.randint(0, 6)):
        start, end = sorted(chance.randint(0, len(made)) for _ in range(2))
        middle = chance.choice([b"", chance.choice(_AWKWARD), made[start:end] * 2, bytes([chance.randrange(256)])])
        made = made[:start] + middle + made[min(end, start + chance.randint(0, 8)) :]
    return made


def main(arguments: list[str]) -> int:
    """Try until the time is over; the status is 1 if anything was found."""
    seconds = float(arguments[0]) if arguments else 60.0 * len(_PARSERS)
    chance = random.Random()  # noqa: S311  no secret
    found: Counter[str] = Counter()
    warnings.simplefilter("ignore")
    for name, (file, seed, parse) in _PARSERS.items():
        tried, until = 0, time.monotonic() + seconds / len(_PARSERS)
        with TemporaryDirectory() as folder:
            path = Path(folder, file)
            while time.monotonic() < until:
                text = varied(seed, chance)
                path.write_bytes(text)
                tried += 1
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
        print(f"{name}: {tried:,} texts", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
