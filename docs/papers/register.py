"""The Italian register: its distributions, what k costs it, and its statistics before and after."""

from __future__ import annotations

from collections import Counter
from csv import DictReader
from typing import TYPE_CHECKING, Any, Final

from docs.classics import PEOPLE, REGISTER
from docs.papers.workbench import UNKNOWN, Work, Workbench, shown, table
from kohort.samples.population import AGE_GROUPS, EDUCATION_BY_AGE, EDUCATIONS, GENDER_ODDS, GENDERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PICTURE: Final = "paper-register-c_dm.svg"

METHODS: Final = ("mondrian", "mondrian-relaxed", "optimal")
CURVE: Final = (
    *PEOPLE,
    f"--vary k=2,5,10,20,50,100,200 --vary method={','.join(METHODS)} --max-suppression 1% --cut nearest",
)
MANY: Final = (*PEOPLE, "--k 10 --cut nearest --vary quasi=2,3,4,5 --vary method=mondrian,mondrian-relaxed")

HIERARCHIES: Final = PEOPLE[2:]
RELEASE: Final = (
    "kohort anonymize italy/people.csv --out register.csv --k 10 --rest drop --cut nearest",
    "--sensitive annual_income --no-model annual_income --allow-singling annual_income",
    "--perturb annual_income=noise:scale=0.1 --seed 7 --insecure-reproducible",
    *PEOPLE[1:],
)
COMPARE: Final = ("kohort compare italy/people.csv register.csv --k 10 --queries 0", *PEOPLE[1:])


def section(bench: Workbench) -> str:
    """The register's curves, statistics and distributions."""
    bench.type([REGISTER, "--quiet"])
    bench.type([*CURVE, f"--out curve.json --audience internal --picture {PICTURE} --figure c_dm --quiet"])
    bench.type([*MANY, "--out many.json --audience internal --quiet"])
    bench.type([*RELEASE, "--quiet"])
    found = {one["name"]: one for one in bench.figures(COMPARE)["attributes"]}
    picture = f"images/{PICTURE}"
    return f"""
A register of synthetic Italians is generated, made k-anonymous with Mondrian, and its income perturbed.

{shown([REGISTER])}

**How it is drawn.** *As recorded* are the odds that semantics.md has for this register; *kohort* is the share among
30,000 generated people. They differ by chance alone: the last column is the difference in standard errors.

{table(["attribute", "value", "as recorded", "kohort", "standard errors"], _shares(bench))}

**C_DM against k.** {UNKNOWN.capitalize()} as printed; the true curve:

{shown([*CURVE, f"--out curve.json --audience internal --picture {PICTURE} --figure c_dm"])}

![C_DM against k: both forms of Mondrian rise with k x records; the optimum of LM lies above.]({picture})

{table(["k", "k x records", *(f"{one}: {of}" for one in METHODS for of in ("C_DM", "LM"))], _curve(bench))}

C_DM is at least k x records for *every* k-anonymous release, so its growth with k is no loss, and being near that line
proves nothing about utility: from k = 5 on, the full-domain optimum of LM, which may suppress 1 % of the records, has
the largest C_DM and the least loss.

**C_DM against the number of quasi-identifiers**, gender and city first, then age, education, profession, at k = 10:

{shown([*MANY, "--out many.json --audience internal"])}

{table(["quasi-identifiers", "mondrian: C_DM", "LM", "mondrian-relaxed: C_DM", "LM"], _many(bench))}

**Statistics before and after**, {UNKNOWN} as printed. A release at k = 10 with noise on the income:

{shown(RELEASE, COMPARE)}

{table(["attribute", "mean before", "after", "variance before", "after", "generalized records"], _statistics(found))}

Names have codes along the top level of their hierarchy. Mean and variance are taken over **all** released records, a
generalized value counting as the mean of its leaves. Statistics over the values left as they were would describe other
people: only {_left(found["city"])} of the cities and {_left(found["profession"])} of the professions are released
as they were. The income keeps its mean and variance by construction: the noisy values are rescaled to both.

**Distributions before and after.** A label counts for each of its values alike, a range as uniform:

{table(["attribute", "value", "before", "after"], _distributions(found))}

**Could not be had.** Our sources record how the register is drawn, that its curves are of C_DM, and by which rules its
statistics must be taken. They have no figure of the printed curves, statistics and distributions, nor the professions,
incomes and cities of the work: kohort's are its own, so its figures could not equal the printed ones.
"""


def _shares(bench: Workbench) -> Iterator[tuple[object, ...]]:
    with (bench.folder / "italy/people.csv").open(newline="", encoding="utf-8") as file:
        people = [(one["gender"], int(one["age"]), one["education"]) for one in DictReader(file)]
    genders, ages = Counter(one[0] for one in people), Counter(one[1] for one in people)
    for gender, odds in zip(GENDERS, GENDER_ODDS, strict=True):
        yield "gender", gender, *_apart(odds / 100, genders[gender], len(people))
    for years, odds in AGE_GROUPS:
        yield "age", _years(years), *_apart(odds / 10_000, sum(ages[age] for age in years), len(people))
    for years, degrees in EDUCATION_BY_AGE:
        of = Counter(education for _, age, education in people if age in years)
        for name, one in zip(EDUCATIONS, degrees, strict=True):
            yield f"education at {_years(years)}", name, *_apart(one / sum(degrees), of[name], of.total())


def _years(years: range) -> str:
    return f"{years[0]}-{years[-1]}"


def _apart(share: float, found: int, of: int) -> tuple[str, str, str]:
    """A declared share, the share found, and how many standard errors lie between them."""
    error = (share * (1 - share) / of) ** 0.5
    apart = (found / of - share) / error if error else 0
    return f"{share:.2%}", f"{found / of:.2%}", f"{round(apart, 1) + 0.0:+.1f}"


def _curve(bench: Workbench) -> Iterator[tuple[object, ...]]:
    sweep = bench.read("curve.json")
    of = {(point["values"]["k"], point["values"]["method"]): point["metrics"] for point in sweep["points"]}
    for k in sweep["vary"]["k"]:
        cells = (cell for one in METHODS for cell in (f"{of[k, one]['c_dm']:,}", f"{of[k, one]['lm']:.4f}"))
        yield k, f"{int(k) * sweep['records']:,}", *cells


def _many(bench: Workbench) -> Iterator[list[object]]:
    rows: dict[str, list[object]] = {}
    for point in bench.read("many.json")["points"]:
        many, of = point["values"]["quasi"], point["metrics"]
        rows.setdefault(many, [many]).extend((f"{of['c_dm']:,}", f"{of['lm']:.4f}"))
    yield from rows.values()


def _statistics(found: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    for name, one in found.items():
        before, after = (one[when]["numeric"] or one[when]["ordinal"] for when in ("before", "after"))
        figures = (f"{of[what]:,.4f}" for what in ("mean", "variance") for of in (before, after))
        yield name, *figures, _share(30_000 - one["single"], 30_000)


def _left(one: Any) -> str:  # noqa: ANN401  as JSON has it
    return _share(one["single"], 30_000)


def _distributions(found: dict[str, Any]) -> Iterator[Sequence[object]]:
    for name in ("gender", "education", "age", "annual_income"):
        for one in found[name]["distribution"]["bins"]:
            yield name, one["label"], _share(one["before"], 30_000), _share(one["after"], 30_000)


def _share(part: float, whole: int) -> str:
    return f"{part / whole:.1%}"


WORK: Final = Work(title="The Italian register", needs_data=False, pictures=(PICTURE,), section=section)
