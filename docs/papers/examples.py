"""The worked examples of the papers: small tables whose printed figures are all recorded, in tests/papers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from docs.papers.workbench import Work, Workbench, shown, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Example 2 of the paper on coherence, and a matrix used in teaching.
PATIENTS: Final = """\
a c d f g Diabetes
a b c f Hepatitis
b d f x Hepatitis
b c g y z HIV
a c f g HIV
"""
MATRIX: Final = "1,0,1,0,0,0,1\n1,0,1,0,0,1,0\n0,1,1,0,0,0,0\n1,1,0,0,0,1,0\n1,1,1,0,0,0,0\n1,1,1,1,1,1,0\n"

#: Classes as their sensitive values: figures 2 and 3 of the paper on l-diversity, tables 3 and 5 of t-closeness's.
CLASSES: Final[Mapping[str, Sequence[str]]] = {
    "figure-2": ("Heart Heart Viral Viral", "Cancer Heart Viral Viral", "Cancer Cancer Cancer Cancer"),
    "figure-3": ("Heart Viral Cancer Cancer", "Cancer Heart Viral Viral", "Heart Viral Cancer Cancer"),
    "table-3": ("3 4 5", "6 8 11", "7 9 10"),
    "table-5": ("3 5 9", "6 11 8", "4 7 10"),
}

PAPER: Final = ("kohort transactions patients.dat --out safe.dat --private Diabetes,Hepatitis,HIV --h 0.8 --k 2 --p 2",)
TAUGHT: Final = ("kohort transactions matrix.csv --format matrix --out safe.csv --private 3,4 --h 0.5 --k 3 --p 3",)
CHECK: Final = ("kohort check figure-3.csv --quasi class --sensitive value",)


def section(bench: Workbench) -> str:
    """Each example by its command."""
    bench.write("patients.dat", PATIENTS)
    bench.write("matrix.csv", MATRIX)
    for name, classes in CLASSES.items():
        records = [f"{place},{value}\n" for place, of in enumerate(classes) for value in of.split()]
        bench.write(f"{name}.csv", "".join(["class,value\n", *records]))
    return f"""
Where the printed figures of an example are recorded, kohort's are the same. The tables are in
[`docs/papers/examples.py`](papers/examples.py).

{shown(PAPER, TAUGHT, CHECK)}

{table(["example", "figure", "as printed", "kohort", "why they differ"], _rows(bench))}

**Could not be had.** The other examples of these papers are not in our sources.
"""


def _rows(bench: Workbench) -> Iterator[Sequence[object]]:
    for example, figure, printed, found in [*_coherence(bench), *_classes(bench)]:
        rounded = "2.8 is 2√2, rounded down" if figure == "entropy l" else "rounded to three decimals"
        yield example, figure, printed, found, "they do not" if printed == found else rounded


def _coherence(bench: Workbench) -> Iterator[tuple[str, str, str, str]]:
    paper, taught = bench.figures(PAPER), bench.figures(TAUGHT)
    where = "example 2 of Xu, Wang, Fu, Yu (KDD 2008)"
    yield where, "moles of one item", "3", str(len(paper["size1_moles"]))
    yield where, "minimal moles of two items", "7", str(paper["minimal_moles"]["2"])
    yield where, "dropped, in order", "x y z d b", " ".join(paper["dropped"])
    yield where, "distortion", "8/27", paper["distortion_exact"]
    where = "matrix used in teaching"
    yield where, "minimal moles of two and three items", "2, 1", ", ".join(map(str, taught["minimal_moles"].values()))
    yield where, "dropped, in order", "6 5 1", " ".join(taught["dropped"])
    yield where, "distortion", "8/20", taught["distortion_exact"]


def _classes(bench: Workbench) -> Iterator[tuple[str, str, str, str]]:
    of: dict[str, Any] = {}
    for name in CLASSES:
        of[name] = bench.figures([CHECK[0].replace("figure-3", name)])["achieved"]
    where = "Machanavajjhala et al. (TKDD 2007), figure {}"
    yield where.format(2), "k", "4", str(of["figure-2"]["k"]["value"])
    yield where.format(3), "distinct l", "3", str(of["figure-3"]["columns"]["value"]["l"]["value"])
    yield where.format(3), "entropy l", "2.8", str(of["figure-3"]["columns"]["value"]["entropy-l"]["value"])
    where = "Li, Li, Venkatasubramanian (ICDE 2007), table {}"
    yield where.format(3), "t, ordered", "0.375", str(of["table-3"]["columns"]["value"]["t-ordered"]["value"])
    yield where.format(5), "t, ordered", "0.167", str(of["table-5"]["columns"]["value"]["t-ordered"]["value"])


WORK: Final = Work(title="Worked examples", needs_data=False, section=section)
