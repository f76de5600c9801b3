"""How much of the code one table walks through: `python -m bench.walk [--engines local duckdb] [--files]`.

A CSV with two quasi-identifiers and a sensitive column goes through `kohort.anonymize`, and through the command line.
A file counts if a function of it runs after its import. `--files` prints each with the functions that ran and their
lines: few of many mean that a table passes through.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.measure import cost

#: Where the files lie.
_SOURCE: Final = Path(__file__).parents[1] / "src/kohort"

#: Releases a table, then prints file, name, first and last line of each function that was called after its import.
_RUN: Final = """
import json, sys, threading, kohort
from kohort.__main__ import run
root, ran, OPTIMIZED = kohort.__path__[0] + "/", set(), 1  # the body of a class is not
def importing(frame):
    module = frame.f_code.co_name == "<module>" and frame.f_globals["__name__"] != "__main__"
    return module or frame.f_back and importing(frame.f_back)
def follow(frame, event, _):
    code = frame.f_code
    if event == "call" and code not in ran and code.co_filename.startswith(root) and code.co_flags & OPTIMIZED:
        importing(frame) or ran.add(code)
_, face, source, target, engine = sys.argv
sys.argv[1:] = ["anonymize", source, "--out", target, *"--quasi age,city --sensitive illness --k 5".split()]
sys.argv += ["--l", "illness=2", "--engine", engine]
options = dict(quasi=["age", "city"], sensitive=["illness"], k=5, l={"illness": 2})
threading.setprofile(follow)
sys.setprofile(follow)
try:
    kohort.anonymize(source, target=target, engine=engine, **options) if face == "Python" else run()
except SystemExit as ended:
    assert not ended.code
sys.setprofile(None)
lines = {code: [line for *_, line in code.co_lines() if line] for code in ran}
print(json.dumps([[a.co_filename.removeprefix(root), a.co_qualname, min(b), max(b)] for a, b in lines.items()]))
"""


def main() -> None:
    """Print the figures of each engine and face."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", nargs="+", default=["local", "duckdb"])
    parser.add_argument("--files", action="store_true")
    given = parser.parse_args()
    for engine, face in ((engine, face) for engine in given.engines for face in ("Python", "command line")):
        with TemporaryDirectory() as folder:
            people = (f"{20 + row % 40},{row % 7},{('flu', 'cold', 'gout')[row % 3]}\n" for row in range(600))
            Path(folder, "people.csv").write_text(f"age,city,illness\n{''.join(people)}", encoding="utf-8")
            out = cost(["-W", "ignore", "-c", _RUN, face, f"{folder}/people.csv", f"{folder}/out.csv", engine]).output
        ran: dict[str, dict[str, range]] = defaultdict(dict)
        for file, name, first, last in json.loads(out.splitlines()[-1]):
            ran[file][name] = range(first, last + 1)
        rooms = Counter(file.partition("/")[0].removesuffix(".py") for file in ran)
        print(f"{engine}, {face}: {len(ran)} files, {len(rooms)} rooms: {dict(sorted(rooms.items()))}", flush=True)
        for file, some in sorted(ran.items() if given.files else ()):
            lines, whole = len({*chain(*some.values())}), (_SOURCE / file).read_bytes().count(b"\n")
            print(f"  {file:40}{len(some):3} functions, {lines:3} of {whole:3} lines  {' '.join(some)[:150]}")


if __name__ == "__main__":
    main()
