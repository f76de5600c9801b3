"""Writes `kohort.job.options`: the keyword arguments of a job, for editors and type checkers, made of the form's keys.

`make types` and every build of a wheel run it; the file is not in the repository. `kohort.job.keywords` reads arguments
by the form itself, so that those of other packages' models work too.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

SOURCE = Path(__file__).resolve().parent.parent / "src"
sys.path.insert(0, str(SOURCE))  # a build has not installed it yet

from kohort.io.options import ReadOptions  # noqa: E402  as above
from kohort.job.form import TABLE_JOB  # noqa: E402
from kohort.job.keys import keys_of  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.job.keys import Key

TARGET = SOURCE / "kohort" / "job" / "options.py"

HEAD = '''"""The keyword arguments of a job, for type checkers; `tools/keyword_types.py` makes this of the form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction
    from os import PathLike

    from kohort.perturbation.base import Perturbation
    from kohort.schema.hierarchy import Hierarchy

    #: A number; a float counts as the decimal that it prints.
    Number: TypeAlias = float | Fraction | str
'''


def entry(key: Key) -> str:
    """A keyword argument with its type and its sentence."""
    kind = f"Mapping[str, {key.type.hint}]" if key.of_column else key.type.hint
    kind = "Sequence[str]" if key.place[0] == "columns" and not key.of_column else kind
    sentence = key.help.removesuffix(" (repeatable)")
    return "\n".join([f"{key.keyword}: {kind}", *textwrap.wrap(f'"""{sentence}"""', 116, break_on_hyphens=False)])


def part(name: str, base: str, sentence: str, keys: Sequence[Key]) -> str:
    """A typed dictionary of some keyword arguments."""
    entries = textwrap.indent("\n".join(map(entry, keys)), "    ")
    return f'class {name}({base}, total=False):\n    """{sentence}"""\n\n{entries}\n'


def main() -> None:
    """Write the file."""
    keys = [key for key in keys_of(TABLE_JOB) if not key.is_end]
    reading = [key for key in keys if key.place[0] == "input" and key.name in ReadOptions.__slots__]
    promises = [key for key in keys if key.is_model or key.keyword in {"person", "hierarchy"}]
    others = [key for key in keys if key not in reading and key not in promises]
    parts = [
        part("Reading", "TypedDict", "How delimited text is read.", reading),
        part("Promises", "TypedDict", "Privacy models, and what they refer to.", promises),
        part("Options", "Reading, Promises", "Everything that a job can be told.", others),
    ]
    TARGET.write_text("\n\n".join([HEAD, *parts]), encoding="utf-8")


if __name__ == "__main__":
    main()
