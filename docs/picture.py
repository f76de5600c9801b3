"""Draw the pictures of the documentation from the demo's register; its people are synthetic.

    python docs/picture.py

docs/images/before-after.svg: people in the demo's release, before and after, and what each column kept.
docs/images/lattice.svg: the lattice of three of the columns; it needs the extra `report`.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast

import polars as pl

import kohort
from kohort import io
from kohort.algorithms.lattice.exhaustive import landscape
from kohort.algorithms.problem import Problem
from kohort.cli import main as demo
from kohort.core.suppression import SuppressionLimit
from kohort.job.document import document_at
from kohort.job.request import of
from kohort.report.lattice import lattice_picture
from kohort.samples.italy import italy
from kohort.samples.population import italy_hierarchies
from kohort.schema.hierarchies import from_tree
from kohort.tables.coded import CodedTable

if TYPE_CHECKING:
    from collections.abc import Sequence

K = 10
SHOWN = 6
QUASI = ("gender", "city", "age", "education", "profession")
LINE, GAP = 30, 84
INK, PALE, ACCENT, PAPER = "#1f2933", "#7b8794", "#0b6e4f", "#ffffff"


def main() -> None:
    """Draw both."""
    _write("before-after.svg", _before_after().encode())
    _write("lattice.svg", _lattice(italy(30_000, seed=7)))


def _write(name: str, picture: bytes) -> None:
    path = Path(__file__).parent / "images" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(picture)
    print(f"wrote {path}")


def _lattice(people: pl.DataFrame) -> bytes:
    """Every node of a small lattice, judged: city and education by their trees, age by 10 and 20 years."""
    trees = italy_hierarchies()
    levels = {name: from_tree(trees[name], name=name) for name in ("city", "education")} | {"age": "intervals:10,20"}
    quasi = [kohort.Attribute(name, kohort.Role.QUASI, hierarchy=levels[name]) for name in ("city", "age", "education")]
    table = io.read(people, kohort.ReadOptions())
    engine = CodedTable(table, kohort.Schema(tuple(quasi), rest=kohort.Role.IDENTIFYING).over(table.names))
    problem = Problem(engine.count(), engine.domains, (kohort.KAnonymity(K),))
    judged = landscape(problem, SuppressionLimit.of("1%"), "lm")
    return lattice_picture(judged, [domain.attribute.name for domain in engine.domains])


def _before_after() -> str:
    """Take a typical class of the release that `kohort demo` publishes, and draw it."""
    with TemporaryDirectory() as folder:
        if demo(["demo", "--out", folder]):
            raise SystemExit("kohort demo failed")
        request = of(document_at(Path(folder, "job.toml")))
        people = pl.read_csv(request.source, infer_schema=False)
        release = kohort.anonymize(people, request.job)
        published = pl.read_csv(request.target, infer_schema=False)
    after = cast("pl.DataFrame", release.frame()).cast(pl.String)
    if not after.equals(published):
        raise SystemExit("what is drawn is not what the demo publishes")
    first = _typical(after)
    rows = release.lineage[first : first + SHOWN]
    return _svg(people[rows.tolist()], after[first : first + SHOWN], release)


def _typical(after: pl.DataFrame) -> int:
    """The first record of a class of the usual kind: a range of ages, one gender, a set of places."""
    classes = after.with_row_index().group_by(QUASI, maintain_order=True).agg(pl.len(), pl.col("index").min())
    narrow = classes.filter(
        pl.col("age").str.starts_with("["),
        ~pl.col("city").is_in(["Italia", "*"]),
        ~pl.col("gender").str.starts_with("{"),
    )
    return int(narrow["index"][len(narrow) // 3])


def _svg(before: pl.DataFrame, after: pl.DataFrame, release: kohort.Release) -> str:
    names = ("name", *QUASI, "annual income")
    widths = (125, 65, 290, 75, 100, 165, 110)
    full = before.select(pl.concat_str("first_name", "last_name", separator=" "), *QUASI, "annual_income")
    safe = after.select(pl.lit(""), *(pl.col(name).map_elements(_short, pl.String) for name in QUASI), "annual_income")
    width, height = sum(widths) + 60, 30 + 2 * (SHOWN * LINE + GAP) + 40 + 24 * len(QUASI)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="{INK}">'
    )
    description = (
        "Six synthetic people with name, gender, city, age, education, profession and income. Afterwards the names are "
        f"gone, at least {K} people share each combination of the next five columns, and the incomes are rounded."
    )
    parts = [
        opening,
        "<title>A table of people before and after kohort</title>",
        f"<desc>{description}</desc>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}" rx="8"/>',
        *_table("Before: everyone can be found", 40, names, widths, full.rows(), changed=False),
        *_table(
            f"After: every combination is shared by at least {K} people, and incomes are rounded",
            40 + SHOWN * LINE + GAP,
            names,
            widths,
            safe.rows(),
            changed=True,
        ),
        *_losses(40 + 2 * (SHOWN * LINE + GAP), release),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _short(label: str) -> str:
    """A set with its first two members and the number of the others, where it has more than three."""
    first, second, *others = [*label.split(", "), ""]
    return f"{first}, {second}, {len(others) - 1} more}}" if len(others) > 2 else label  # noqa: PLR2004  see above


def _table(
    title: str,
    top: int,
    names: Sequence[str],
    widths: Sequence[int],
    rows: Sequence[tuple[object, ...]],
    *,
    changed: bool,
) -> list[str]:
    parts = [f'<text x="30" y="{top}" font-size="17" font-weight="600">{escape(title)}</text>']
    for number, cells in enumerate([names, *rows]):
        left, line = 30, top + LINE * (number + 1)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            head = number == 0
            mark = ACCENT if changed and place and not head else PALE if head else INK
            weight = "600" if head or mark == ACCENT else "400"
            parts.append(f'<text x="{left}" y="{line}" fill="{mark}" font-weight="{weight}">{escape(str(cell))}</text>')
            left += width
        if changed and number:
            parts.append(f'<text x="30" y="{line}" fill="{PALE}">removed</text>')
    parts.append(f'<line x1="30" x2="{30 + sum(widths)}" y1="{top + LINE + 8}" y2="{top + LINE + 8}" stroke="{PALE}"/>')
    return parts


def _losses(top: int, release: kohort.Release) -> list[str]:
    total = release.table.records
    parts = [
        f'<text x="30" y="{top}" font-size="17" font-weight="600">Detail kept over all {total:,} people</text>',
    ]
    for number, (name, loss) in enumerate(release.losses.items(), 1):
        line = top + 6 + 24 * number
        parts += [
            f'<text x="30" y="{line}">{escape(name)}</text>',
            f'<rect x="130" y="{line - 12}" width="400" height="14" fill="none" stroke="{PALE}"/>',
            f'<rect x="130" y="{line - 12}" width="{400 * (1 - loss):.0f}" height="14" fill="{ACCENT}"/>',
            f'<text x="540" y="{line}">{100 * (1 - loss):.0f} % kept</text>',
        ]
    return parts


if __name__ == "__main__":
    main()
