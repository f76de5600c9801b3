"""Draw the classic pictures of this field with `kohort sweep`, and write the page that shows them.

    KOHORT_DATA=FOLDER python docs/classics.py

FOLDER holds adult.csv, the 30,162 complete records of UCI Adult; the register is generated. docs/images/classic-*.svg
and docs/classics.md are written, the same bytes on every run. Every figure on the page is taken from the sweeps.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

from kohort.job.sweeps.picture import Tradeoff, knees

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DOCS: Final = Path(__file__).parent

#: The hierarchy of the marital status of Adult, as a reader would write it.
MARITAL: Final = """\
Married-spouse-absent,spouse away,*
Widowed,spouse away,*
Separated,parted,*
Divorced,parted,*
Married-civ-spouse,married,*
Married-AF-spouse,married,*
Never-married,single,*
"""

#: The register: how it is made, and what stays as it is in its sweeps.
REGISTER: Final = "kohort generate italy --records 30000 --seed 7 --out italy"

PEOPLE: Final = (
    "kohort sweep italy/people.csv --rest drop --sensitive annual_income",
    "--quasi gender,city,age,education,profession",
    "--hierarchy gender=suppress --hierarchy city=italy/city.json --hierarchy age=intervals:18..90:5,10,20",
    "--hierarchy education=italy/education.json --hierarchy profession=italy/profession.json",
)

#: The sweeps, by name: the lines of each command, but for what is written.
SWEEPS: Final[Mapping[str, Sequence[str]]] = {
    "k": (
        "kohort sweep adult.csv --rest drop --order sorted --no-grid --labels own",
        "--quasi age,workclass,education-num,marital-status,occupation,race,sex,native-country",
        "--vary k=2,5,10,20,50,100,150,200 --vary method=mondrian,mondrian-relaxed --vary cut=nearest,median",
    ),
    "attributes": (
        *PEOPLE,
        "--k 10 --vary quasi=2,3,4,5 --vary method=mondrian,mondrian-relaxed",
    ),
    "samarati": (
        "kohort sweep adult.csv --rest drop --quasi sex,race,marital-status,age",
        "--hierarchy sex=suppress --hierarchy race=suppress",
        "--hierarchy marital-status=marital-status.csv --hierarchy age=intervals:16..95:5,10,20",
        "--method samarati --vary max-suppression=0,10,20,50,100,200,500 --vary k=2,5,10,20,50,100",
    ),
    "frontier": (
        *PEOPLE,
        "--max-suppression 1% --vary k=2,3,5,7,10,15,20,30,50,100,200",
        "--vary method=mondrian,mondrian-relaxed,optimal",
    ),
}

#: The pictures: of which sweep, and of what.
PICTURES: Final = (
    ("k", "c_avg"),
    ("k", "c_dm"),
    ("k", "lm"),
    ("attributes", "c_dm"),
    ("attributes", "lm"),
    ("samarati", "suppressed"),
    ("samarati", "lm"),
    ("frontier", "risk-utility"),
)


def command(sweep: str, figure: str) -> str:
    """What is typed to draw a figure of a sweep."""
    drawn = f"--picture classic-{sweep}-{figure}.svg --figure {figure}"
    written = f"--out classic-{sweep}.json --audience internal --overwrite"
    return " \\\n  ".join([*SWEEPS[sweep], written, drawn])


@dataclass(frozen=True, slots=True)
class Found:
    """The points of a sweep, as its JSON has them, by the values of what is varied."""

    points: Mapping[tuple[str, ...], Mapping[str, Any]]

    @classmethod
    def of(cls, path: Path) -> Found:
        """As `--out` wrote them."""
        points = json.loads(path.read_text(encoding="utf-8"))["points"]
        return cls({tuple(point["values"].values()): point for point in points})

    def __call__(self, name: str, *values: object) -> Any:  # noqa: ANN401  as JSON has it
        """A figure of a point: a metric, or what else is told of it."""
        point = self.points[tuple(map(str, values))]
        return point["metrics"].get(name, point.get(name))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of the page."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---:"] * len(head), *rows))


def shown(sweep: str, figure: str, says: str) -> str:
    """A picture with the command that drew it, which is written out for the first figure of a sweep."""
    image = f"![{says}](images/classic-{sweep}-{figure}.svg)"
    if next(other for name, other in PICTURES if name == sweep) == figure:
        return f"```text\n$ {command(sweep, figure)}\n```\n\n{image}"
    return f"The same command with `--picture classic-{sweep}-{figure}.svg --figure {figure}` draws:\n\n{image}"


def run(words: str, folder: Path) -> None:
    """Run a command of kohort as a reader would."""
    _, *arguments = words.replace("\\\n", " ").split()
    subprocess.run([sys.executable, "-m", "kohort", *arguments, "--quiet"], cwd=folder, check=True)  # noqa: S603  ours


def draw(data: Path, folder: Path) -> dict[str, Found]:
    """Draw every picture in a folder, by the commands that the page shows; returns what the sweeps found."""
    (folder / "adult.csv").symlink_to(data / "adult.csv")
    (folder / "marital-status.csv").write_text(MARITAL, encoding="utf-8")
    run(REGISTER, folder)
    for picture in PICTURES:
        run(command(*picture), folder)
    return {name: Found.of(folder / f"classic-{name}.json") for name in SWEEPS}


# --- the page ---------------------------------------------------------------------------------------------------------


def page(found: Mapping[str, Found]) -> str:
    """The page: what each picture shows, how it was made, and its figures."""
    parts = (HEAD, *(of(found[name]) for name, of in SECTIONS.items()), END)
    return "\n\n".join(filled(one) for part in parts for one in part.strip().split("\n\n")) + "\n"


def filled(paragraph: str) -> str:
    """Running text in lines of equal length; a headline, a list, a table, a picture or a block as it is."""
    if paragraph[0] in "#-|!`":
        return paragraph
    return fill(paragraph, 120, break_long_words=False, break_on_hyphens=False)


HEAD: Final = """
# Classic pictures

Papers on k-anonymity plot the same few relations, and so does every exercise: class sizes against k, the cost of one
more attribute, the benefit of suppression, and the cost of less risk. This page shows these pictures, true to the
definitions, and explains what they show and what they do not. One command draws them all:

```text
$ KOHORT_DATA=your-folder python docs/classics.py
```

It needs `adult.csv` in that folder: the 30,162 complete records of UCI Adult, which we may not redistribute. The
register is synthetic and generated by the script. Each picture comes with the `kohort sweep` command that drew it. A
sweep reads and counts the table once and makes no release, so dozens of settings take a few seconds. Every figure on
this page comes from these sweeps.

- **C_AVG** is the mean class size divided by k. The minimum is 1.
- **C_DM** is the sum, over all records, of the number of records in the same class; a suppressed record counts as if
  all records were in its class. C_DM cannot be below k x records.
- **LM** is the sum, over the quasi-identifiers, of the share of the domain that a released value may stand for: 0 if
  everything is kept, and 1 if nothing is.

## C_AVG, C_DM and LM against k

These sweeps use UCI Adult, eight quasi-identifiers, and four forms of Mondrian (LeFevre, DeWitt, Ramakrishnan, ICDE
2006): strict and relaxed, each with the cut nearest the middle and with the textbook's cut at the median. Categories
are ordered by name.
"""


def of_k(found: Found) -> str:
    """Mondrian on Adult."""
    forms = [(method, cut) for method in ("mondrian", "mondrian-relaxed") for cut in ("nearest", "median")]
    ks = sorted({int(values[0]) for values in found.points})

    def cells(name: str, form: str) -> str:
        rows = [[str(k), *(f"{found(name, k, *one):{form}}" for one in forms)] for k in ks]
        return table(["k", *(f"{method}, {cut}" for method, cut in forms)], rows)

    def of(name: str, form: str, *one: str) -> str:
        return f"{found(name, 100, *one):{form}}"

    strict, relaxed = ("mondrian", "nearest"), ("mondrian-relaxed", "median")
    return f"""
{shown("k", "c_avg", "C_AVG against k, for four forms of Mondrian; the figures are in the table below.")}

{cells("c_avg", ".4f")}

C_AVG is divided by k, so it need not grow with k. With cuts nearest the middle, classes are about one and a half times
as large as required. The strict median form tries one cut in each attribute, and gives up if that leaves too few
records on one side. The relaxed median form halves everything until no half has k records: all its classes have about
30,162 / 2, / 4, / 8 … records, so its line jumps.

{shown("k", "c_dm", "C_DM against k, both by ratios: all lines rise with k, above a dotted one of k x records.")}

{cells("c_dm", ",")}

C_DM grows with k because its bound, the dotted line, does. This growth does not measure a loss.

{shown("k", "lm", "LM against k: all lines rise; the cuts nearest the middle lose least at every k.")}

{cells("lm", ".4f")}

**Being near the bounds of C_DM and C_AVG proves nothing about utility.** At k = 100 the relaxed median form has the
smallest classes: C_AVG {of("c_avg", ".2f", *relaxed)} and C_DM {of("c_dm", ",", *relaxed)}, whereas the strict
nearest cuts have {of("c_avg", ".2f", *strict)} and {of("c_dm", ",", *strict)}. It wins by both measures, yet its
release is worth less: LM {of("lm", ".2f", *relaxed)} against {of("lm", ".2f", *strict)}. It gets classes of the right
size by dealing records with tied values to either side, at the price of wide, overlapping ranges. Class sizes show how
evenly records were dealt, not how much information remains: shuffling all records and making a class of every k of them
reaches both bounds and keeps nothing. So kohort always reports LM beside them.
"""


def of_attributes(found: Found) -> str:
    """Attributes of the register."""
    strict, relaxed = "mondrian", "mondrian-relaxed"
    rows = [
        [str(many), *(f"{found('c_dm', many, one):,} | {found('lm', many, one):.4f}" for one in (strict, relaxed))]
        for many in (2, 3, 4, 5)
    ]
    return f"""
## C_DM against the number of quasi-identifiers

This sweep uses the synthetic Italian register, 30,000 people, k = 10: first with gender and city alone, then with age,
education and profession as well.

```text
$ {REGISTER}
```

{shown("attributes", "c_dm", "C_DM against 2 to 5 quasi-identifiers: it falls steeply from 2 to 3, then slowly.")}

{shown("attributes", "lm", "LM against 2 to 5 quasi-identifiers: it rises all the way, most from 4 to 5.")}

{table(["quasi-identifiers", f"{strict}: C_DM", "LM", f"{relaxed}: C_DM", "LM"], rows)}

By C_DM alone, more attributes seem cheaper: it falls from {found("c_dm", 2, strict):,} to
{found("c_dm", 5, strict):,}. Only the size of classes falls. By gender and city, the men of a large
city are one class, however many they are, and no attribute is left to cut; each additional attribute allows further
cuts. Meanwhile the loss rises from {found("lm", 2, strict):.4f} to {found("lm", 5, strict):.4f}: few people agree
in five attributes, so the release must make them equal. This is the curse of dimensionality (Aggarwal: *On k-Anonymity
and the Curse of Dimensionality*, VLDB 2005), and only the second picture shows it.
"""


def of_samarati(found: Found) -> str:
    """Samarati on Adult."""
    limits, ks = (sorted({int(values[place]) for values in found.points}) for place in (0, 1))
    rows = [[str(one), *(f"{found('suppressed', one, k)}: {found('lm', one, k):.5f}" for k in ks)] for one in limits]

    def height(limit: int) -> int:
        return sum(found("node", limit, 50).values())

    return f"""
## Suppression and loss against k and MaxSup

This sweep runs Samarati's algorithm (TKDE 2001) on Adult with sex, race, marital status and age: 60 nodes. The
algorithm chooses a level for each column, may suppress up to MaxSup records, and of all passing nodes of the least
height takes the one with the least LM. The hierarchy of marital status is a file, `marital-status.csv`:

```text
{MARITAL.strip()}
```

{shown("samarati", "suppressed", "Suppressed records against MaxSup, a line for each k, none above MaxSup.")}

{shown("samarati", "lm", "LM against MaxSup, a line for each k: it falls in steps, and rises now and then.")}

The table shows suppressed records and LM, with MaxSup in the rows and k in the columns:

{table(["MaxSup", *(f"k = {k}" for k in ks)], rows)}

Suppressing a few records can save a whole level: at k = 5, LM falls from {found("lm", 10, 5):.5f} to
{found("lm", 20, 5):.5f} for {found("suppressed", 20, 5)} of 30,162 records. And MaxSup is a limit, not a target: few
solutions use all of it.

LM sometimes *rises* although more records may be suppressed: at k = 50 from {found("lm", 100, 50):.5f} to
{found("lm", 200, 50):.5f}, as MaxSup goes from 100 to 200. That is no error. The larger limit lets a node of height
{height(200)} pass where {height(100)} was the least before, and the algorithm prefers the lower node whatever it
loses; in the height, a level of sex counts as much as a level of age. `--method optimal` searches for the least LM
itself, so a larger limit never costs more.

A published report of this experiment has other figures, because it counts differently and suppresses nothing.
[The papers, re-run](papers.md) sets them beside these, derived from that report's own definitions.
"""


def knee(found: Found) -> str:
    """Where the knee is."""
    settings = list(found.points)
    tradeoffs = [Tradeoff(found("highest_risk", *values), found("lm", *values)) for values in settings]
    place = knees(tradeoffs)[0]
    (k, method), (risk, loss) = settings[place], tradeoffs[place]
    return f"Here the knee is k = {k} with `{method}`: at most {risk:.2%} risk for an LM of {loss:.3f}."


def of_frontier(found: Found) -> str:
    """The frontier of the register."""
    return f"""
## The risk-utility frontier and its knee

This sweep uses the register again, with all five attributes. Each mark is a setting. The horizontal axis shows the
highest prosecutor risk, which is 1 / the smallest class; the vertical axis shows the loss. Lower is better for both.

{shown("frontier", "risk-utility", "LM over the highest risk: the frontier falls steeply, bends, and runs on.")}

No other setting beats those on the **frontier** in both measures; you can ignore all others, the hollow marks. Its
**knee** is the point farthest below the straight line between its two ends, after both axes are scaled to 0..1 between
these. To its left, a little less risk costs much more loss; to its right, much more risk saves little. {knee(found)}

Use the knee to start the discussion, not to end it. It depends on the tested settings, and geometry ignores the
sensitivity of the data: for public files, a highest risk of 0.09 or 0.05 is usual, whatever the picture shows.
"""


END: Final = """
## What these pictures do not show

They show only one risk, that of linking a record to its person. A class of ten people with the same diagnosis is
10-anonymous and reveals it; [other models](models/index.md) limit that, and `kohort sweep` varies them as
well (`--vary l:COLUMN=2,3`, `--vary t:COLUMN=0.2,0.4`). Losses are averages; the report of a release shows who was
distorted most. And a sweep releases nothing, so nothing in it is verified. Choose a setting here, and make the release
with `kohort anonymize`.
"""

SECTIONS: Final = {"k": of_k, "attributes": of_attributes, "samarati": of_samarati, "frontier": of_frontier}


def main() -> None:
    """Draw the pictures and write the page."""
    if not os.environ.get("KOHORT_DATA"):
        raise SystemExit("KOHORT_DATA must name the folder that holds adult.csv, UCI Adult's complete records")
    with TemporaryDirectory() as name:
        folder = Path(name)
        found = draw(Path(os.environ["KOHORT_DATA"]).resolve(), folder)
        for picture in PICTURES:
            file = "classic-{}-{}.svg".format(*picture)
            (DOCS / "images" / file).write_bytes((folder / file).read_bytes())
            print(f"wrote images/{file}")
    (DOCS / "classics.md").write_text(page(found), encoding="utf-8")
    print("wrote classics.md")


if __name__ == "__main__":
    main()
