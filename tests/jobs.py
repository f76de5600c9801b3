"""Jobs for tests: what need not be said before a release, and random jobs that say whatever the form can say.

`tables()` and `transaction_tables()` draw the tables of a job file that kohort accepts, keys of all sorts together.
What a plug-in takes is drawn by the bounds of its specification, so that a new model or perturbation is drawn too;
`tests/laws/test_job_laws.py` fails if a key of the form is never drawn.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import cycle
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hypothesis import strategies as st

from kohort.algorithms.method import METHODS, Choices, on_nodes
from kohort.certificate.signing import write_signing_keys
from kohort.io.forms import Format
from kohort.io.manifest import PARTS
from kohort.metrics.known import OBJECTIVES
from kohort.models.base import models
from kohort.perturbation.pseudonyms import write_key
from kohort.perturbation.text import METHODS as PERTURBATIONS
from kohort.perturbation.text import perturbation_from
from kohort.schema import Label, Missing, Order
from kohort.schema.dates import DateFormat, Period
from kohort.transactions.io.options import Form
from kohort.transactions.roles import Draw
from kohort.transactions.suppression import Score

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from hypothesis.strategies import DrawFn, SearchStrategy

    from kohort import Job
    from kohort.specification import Parameter, Specification

    #: The tables of a job file.
    Tables = dict[str, Any]

    #: Keys, each with the values that it may have.
    Keys = Mapping[str, Sequence[Any]]

T = TypeVar("T")


def freely(job: Job) -> Job:
    """The job, with leave to release sensitive columns without a model, and any column that singles people out."""
    modelled = {model.declared.sensitive for model in job.models}
    free = tuple(one.name for one in job.schema.sensitive if one.name not in modelled)
    unchanged = tuple(one.name for one in job.schema.released if not one.pseudonym)
    return replace(job, no_model=free, allow_singling=job.allow_singling or unchanged)


# --- the files that random jobs name ----------------------------------------------------------------------------------

TREE: Final = "towns.csv"
KEY: Final = "key.json"
SIGN_KEY: Final = "sign.key"
ITEMS: Final = {
    "private.txt": "hiv\nhepatitis C\n",
    "public.txt": "bread\nmilk, fresh\n",
    "weights.txt": "bread=0.5\n",
    "names.txt": 'bread,white bread\n"milk, fresh",whole milk\n',
}


def write_files(folder: Path) -> None:
    """Write the files that random jobs name; relative names are looked for in the current folder."""
    (folder / TREE).write_text("Roma,Italia,*\nNapoli,Italia,*\nParis,France,*\n", encoding="utf-8")
    write_key(folder / KEY)
    write_signing_keys(folder / SIGN_KEY)
    for name, text in ITEMS.items():
        (folder / name).write_text(text, encoding="utf-8")


# --- names, numbers and tables of them --------------------------------------------------------------------------------
# A law over a thousand jobs can pay for some dozens of draws each: a draw takes a whole table of a job.

#: Names that mean something to a flag, to TOML, to Python or to a job, among plain ones.
NAMES: Final = (
    *(
        "age",
        "a,b",
        "town",
        'say "hi"',
        "it's",
        "net.income",
        " blank ",
        "größe",
        "日本",
        "illness",
        "#1",
        "[x]",
        "all",
    ),
    *("k", "-q", "two\nlines", "sex", '"', ",", "a b", "\\", "{}", "É", "0", "true", "name", "x:y", "…", "a=b", "="),
)


def names(count: int) -> SearchStrategy[list[str]]:
    """So many different names."""
    return st.integers(0, len(NAMES) - 1).map(lambda at: [*NAMES[at:], *NAMES[:at]][:count])


def pool(needed: Keys = MappingProxyType({}), /, **optional: Sequence[Any]) -> list[Tables]:
    """Tables with the needed keys and some of the optional ones, whose hyphens are underscores; the plainest first.

    The values of each key take turns, so that all of them occur if the pool is drawn from often enough.
    """
    chance = Random(len(optional))  # noqa: S311  no secret
    found = [{name: values[0] for name, values in needed.items()}]
    turns = {name: cycle(values) for name, values in {**needed, **optional}.items()}
    for _ in range(12 * (len(needed) + len(optional))):
        keys = [*needed, *(name for name in optional if chance.random() < 1 / 2)]
        found.append({name.replace("_", "-"): next(turns[name]) for name in keys})
    return found


def numbers(low: int, high: int, *, fractions: bool = False) -> list[object]:
    """Numbers from `low` to `high` hundredths, each as a job file may write it: a number, or a text."""
    cents = sorted({low, high, *(low + (high - low) * part // 7 for part in range(1, 7))})
    found: list[object] = [form(one / 100) for one in cents for form in (float, "{:g}".format)]
    found += [one // 100 for one in cents if one % 100 == 0]
    return found + [f"{one}/3" for one in (1, 2, 4, 7) if fractions and low <= one * 33 and one * 34 <= high]


#: Bounds that a plug-in has and its specification does not say.
_NARROWER: Final[Mapping[str, Mapping[str, int]]] = {
    "alpha": {"exclusiveMinimum": 0, "exclusiveMaximum": 1},
    "high": {"exclusiveMinimum": 0, "exclusiveMaximum": 1},
    "keep": {"exclusiveMaximum": 1},
    "share": {"exclusiveMinimum": 0},
    "t": {"exclusiveMaximum": 1},
    "threshold": {"exclusiveMinimum": 0, "exclusiveMaximum": 1},
}


def within(one: Parameter, *, texts: bool = True, fractions: bool = False) -> Sequence[object]:
    """Values within the bounds of a parameter, as a job file may write them.

    Args:
        one: The parameter.
        texts: Whether a whole number may be a text.
        fractions: Whether a number may be a fraction.
    """
    bounds: dict[str, Any] = {**one.bounds, **_NARROWER.get(one.name, {})}
    if "enum" in bounds:
        return list(bounds["enum"])
    if bounds["type"] == "integer":
        low = bounds.get("minimum", 0)
        return [*range(low, low + 4), *(str(one) for one in range(max(low, 1), low + 4) if texts)]
    low = 100 * bounds["exclusiveMinimum"] + 1 if "exclusiveMinimum" in bounds else 100 * bounds.get("minimum", -5)
    high = 100 * bounds["exclusiveMaximum"] - 1 if "exclusiveMaximum" in bounds else 100 * bounds.get("maximum", 9)
    return numbers(low, high, fractions=fractions)


# --- columns ----------------------------------------------------------------------------------------------------------

YEARS: Final = (1930, "2000", 9999)
POSITIVE: Final = numbers(1, 900)
LEVELS: Final = (0, 1, "2", 9, "10")
ORDERS: Final = [*map(str, Order)]
TREES: Final = (
    *("mask:right", "intervals:5,10,20", "intervals:0..90:5,10:open", "mask:left:0", "prefix:1,3", "suffix", "dates"),
    *("dates:dd.mm.yy:1930:year", "groups:2,4", "suppress", "public:countries", "spellings", "frequency:5%"),
    *(TREE, f"{TREE}:pad", f"{TREE}:first", f"{TREE}:qualify"),
)
_GRIDS: Final = (*POSITIVE, [0, 18, 65], [-3.5, "0", 7], [18, 30.25], "round")


def _labels(*but: Label) -> list[str]:
    return [one.value for one in Label if one not in but]


#: What may be said of any quasi-identifier, and of any number.
_SHARED: Final[Keys] = {"weight": POSITIVE, "missing": [*map(str, Missing)]}
_NUMBER: Final[Keys] = {"scale": ["numeric"], "bounds": [[0, 120], [-5, "7.5"], ["0", 0.1], [1.5, 900]], **_SHARED}
_LONG: Final[Keys] = {"scale": ["date"], "date-format": [one.value for one in DateFormat if not one.is_short]}
_SHORT: Final[Keys] = {"date-format": [one.value for one in DateFormat if one.is_short], "pivot": YEARS}
_PERIODS: Final[Keys] = {"grid": [*map(str, Period)]}
#: Quasi-identifiers under a method that needs no hierarchies: numbers, names, dates.
_FREE: Final = [
    pool({"grid": _GRIDS}, label=["grid", "companions", "own"], **_NUMBER),
    pool({"hierarchy": TREES, "grid": ["hierarchy"]}, **_NUMBER),
    pool({"label": _labels(Label.GRID, Label.ANCESTOR)}, **_NUMBER),
    pool({"order": ["frequency", "sorted"]}, label=_labels(Label.GRID, Label.ANCESTOR, Label.MEAN), **_SHARED),
    pool({"hierarchy": TREES}, scale=["categorical"], order=ORDERS, label=_labels(Label.GRID, Label.MEAN), **_SHARED),
    pool(scale=["categorical"], **_SHARED),
    pool({"scale": ["date"]}, label=["range", "set-of-names", "companions", "own"], **_SHARED),
    pool({**_LONG, **_PERIODS}, label=["grid"], **_SHARED),
    pool({**_LONG, "hierarchy": ["dates", "dates:month,year"]}, **_SHARED),
    pool(_SHORT, label=["range", "set-of-names", "companions", "own"], **_SHARED),
    pool({**_SHORT, **_PERIODS}, scale=["date"], **_SHARED),
]
#: The same under lattice methods.
_ON_LEVELS: Final = [
    pool(
        {"hierarchy": TREES},
        scale=["numeric", "categorical"],
        max_level=LEVELS,
        label=["ancestor"],
        order=ORDERS,
        **_SHARED,
    )
]


def _specifications(*, of_column: bool) -> list[Specification]:
    return [kind.specification for kind in models().values() if kind.specification.of_column is of_column]


#: Whether the counts of a model may stand in quotes: kohort reads them so, and its schema refuses them.
QUOTED_COUNTS: Final = False


def _asked(told: Specification) -> list[Tables]:
    """Tables that ask for a model, with values within the bounds of its parameters."""
    own = {one.name: within(one, texts=QUOTED_COUNTS, fractions=True) for one in told.own}
    beside = {one.name: within(one) for one in told.parameters if one.origin == "beside"}
    values: list[Any] = pool(own)
    if told.is_range:
        values = [sorted(one.values(), key=lambda end: Fraction(str(end))) for one in values]
    elif len(own) == 1:
        values = [value for one in values for value in one.values()]
    return [*pool({told.key: values, **beside}), *(pool({told.key: values}) if beside else ())]


#: The keys that ask for a model of a column; the models of the whole table, besides k; and those of columns, by pairs.
OF_COLUMN: Final = frozenset(one.key for one in _specifications(of_column=True))
OF_TABLE: Final = frozenset(one.key for one in _specifications(of_column=False))
_OF_TABLE: Final = [{}, *(one for told in _specifications(of_column=False) if told.key != "k" for one in _asked(told))]
_OF_COLUMN: Final = [
    one | other
    for told in _specifications(of_column=True)
    for one, other in zip(_asked(told), [{}, *_asked(_specifications(of_column=True)[len(told.key) % 3])], strict=False)
]
#: What a model needs that its specification does not say.
_NEEDS: Final = {"hierarchical": {"hierarchy": "mask:right"}, "ordered": {"scale": "numeric"}}
_SENSITIVE: Final = pool(
    scale=["numeric", "categorical"], hierarchy=TREES, missing=[*map(str, Missing)], allow_singling=[True]
)


def _fitting(column: Tables, k: int | None) -> Tables:
    """A sensitive column with what its models need."""
    if k is None:
        column.pop("alpha", None)
    if "k-e" in column and column.get("scale") == "categorical":
        del column["scale"]
    return column | _NEEDS.get(column.get("distance", ""), {})


# --- the whole table --------------------------------------------------------------------------------------------------


def is_on_levels(method: str) -> bool:
    """Whether a method needs a hierarchy of every quasi-identifier."""
    return on_nodes(METHODS[method](Choices()))


_CHOICES: Final[Keys] = {
    "cut": ["nearest", "median", "loss"],
    "dimension": ["widest", "most-values", "random:7"],
    "objective": [*OBJECTIVES, *(one.replace("_", "-") for one in OBJECTIVES)],
    "local": [True],
    "time_limit": [1, "30", 0.5, 600],
    "node": [[0, 1], ["2", 0], ["10", "2"]],
}


def _told(name: str) -> list[Tables]:
    """A method with choices that it takes, a node of two columns among them."""
    method, levels = METHODS[name], is_on_levels(name)
    taken = {key: one for key, one in _CHOICES.items() if method.takes(key)}
    objectives = {"objective": taken.pop("objective")} if "objective" in taken else {}
    objectives |= {"objective": [*objectives["objective"], *["first"] * 9]} if method.first else {}
    taken |= {"labels": ["ancestor"]} if levels else {"labels": _labels(), "order": ORDERS}
    told: Keys = {"name": [name]}
    return [*pool({**told, **objectives}, grid=["round", "none"], **taken), *pool(told, **taken)]


_METHODS: Final[list[list[Tables]]] = [
    [{}],
    *map(_told, METHODS),
    *(_told(name) for name, one in METHODS.items() if one.takes("node")),
]
_LIMITS: Final = (None, 0, 20, 0.05, "5%", "20", "0.5%", ".25")
_MARKS: Final = (",", ";", "\t")
_WRITTEN: Final[Keys] = {"separator": _MARKS, "sign_key": [SIGN_KEY]}
_TEXT_PARTS: Final = [one.value for one in Format if one.form.is_text]
_OUTPUT: Final = [
    pool({"path": ["release.csv", "out/r.tsv", "r.csv.gz"]}, format=_TEXT_PARTS, excel_safe=[True], **_WRITTEN),
    pool({"path": ["release.parquet"], "format": [*map(str, Format)]}, **_WRITTEN),
    pool({"path": ["r/", "s3://b/r/"]}, records_per_part=[1, 9], format=[*map(str, PARTS)], **_WRITTEN),
    pool({"path": ["postgresql://me@host/base#people"]}, **_WRITTEN),
]
_SPILLING: Final[Keys] = {"memory_limit": ["4GiB", "500MB", "1.5 GB"], "spill_folder": ["spill", "/spill"]}
_RUN: Final = pool(
    engine=["local", "duckdb", "spark"],
    master=["local[*]", "spark://host:7077"],
    spark_conf=[{"spark.executor.memory": "8g"}, {"spark.a": "-Da=b", "spark.b": ""}],
    **_SPILLING,
)
_TEXTS: Final = ("a study", "é 'x' \"y\" # = ,", "two\nlines", '"quoted"', "5", "true")
_PURPOSE: Final = pool(purpose=_TEXTS, recipient=_TEXTS, legal_basis=_TEXTS, requested_by=_TEXTS, approved_by=_TEXTS)
_INPUT: Final = pool(
    header=[True, False],
    separator=[",", ";", "\t", "|"],
    quote=['"', "", "'"],
    encoding=["utf-8", "cp1252", "UTF-16"],
    skip_rows=[0, 3],
    trim=[True, False],
    decimal=[",", "."],
    skip_blank=[True, False],
    allow_empty=[True, False],
    missing=[[""], ["", "?"], ["", "NA", "a,b", " ", "=", '"']],
)


def _reading(said: Tables, columns: list[str], complete: int, *, named: bool) -> Tables:
    """A table and how it is read; names are for one without a header."""
    made: Tables = {"path": "people.csv"} | said
    made |= {"complete-records": "all" if complete < 0 else columns[:complete]} if complete else {}
    return made | ({"names": columns} if named and not said.get("header") else {})


# --- what is perturbed ------------------------------------------------------------------------------------------------

#: A parameter and another that it must lie below.
_PAIRS: Final = (("lower", "upper"), ("bottom", "top"))
#: Parameters without which a method is refused; a top stands for the bottom or top that coding needs.
_NEEDED: Final = frozenset({"k", "keep", "step", "top"})


def _changes(key: str) -> list[Tables]:
    """A method of perturbation with parameters."""
    told = PERTURBATIONS[key].specification
    given = {one.name: within(one) for one in told.parameters}
    given |= {one.name: [*given[one.name], "5%"] for one in told.parameters if one.bounds.get("maximum") == 1}
    needed = {name: one for name, one in given.items() if name in _NEEDED}
    optional = {name: one for name, one in given.items() if name not in needed}
    return [_apart(one) for one in pool({"method": [key], **needed}, **optional)]


def _apart(said: Tables) -> Tables:
    """Bounds with something between them."""
    pairs = [(low, high) for low, high in _PAIRS if {low, high} <= said.keys()]
    lost = {low for low, high in pairs if Fraction(str(said[low])) >= Fraction(str(said[high]))}
    return {key: value for key, value in said.items() if key not in lost}


_CHANGED: Final = [one for key in PERTURBATIONS for one in _changes(key)]
_VALUEWISE: Final = [*_changes("rounding"), *_changes("coding")]


#: Chooses which table of a pool a job has. Hypothesis would draw a third of all jobs from the plainest ones: it decides
#: how many columns there are, and whether something is said at all.
_CHANCE: Final = st.tuples(*[st.integers(0, 2**16)] * 3).map(lambda seeds: Random(str(seeds)))  # noqa: S311  as above


@st.composite
def _perturbed(draw: DrawFn, chance: Random, columns: Mapping[str, Tables]) -> Tables:
    """Perturbations of some columns that may be perturbed, and a seed where something is drawn."""
    free = [name for name, said in columns.items() if said["role"] in {"sensitive", "insensitive"}]
    judged = {name for name in free if not OF_COLUMN.isdisjoint(columns[name])}
    left = [name for name in free if draw(_EITHER)]
    made: Tables = {}
    while left:
        name = left.pop()
        said = chance.choice(_VALUEWISE if name in judged else _CHANGED)
        others = [one for one in free if one not in judged | {name, *made} and said["method"] == "microaggregation"]
        left = [one for one in left if one not in others]
        made[name] = said | ({"together": others} if others else {})
    random = any(_is_random(name, said) for name, said in made.items())
    seed = {"seed": 7, "insecure-reproducible": True} if random and draw(_EITHER) else {}
    return ({"columns": made} if made else {}) | seed


def _is_random(name: str, said: Tables) -> bool:
    parameters = {key: value for key, value in said.items() if key not in {"method", "together"}}
    return perturbation_from([name, *said.get("together", ())], said["method"], parameters).random


# --- jobs -------------------------------------------------------------------------------------------------------------

_EITHER: Final = st.booleans()
_FEW: Final = st.integers(0, 2)
_MAYBE: Final[list[Tables]] = [{}, {"pseudonym": True}]


@st.composite
def _columns(
    draw: DrawFn, chance: Random, take: Iterator[str], quasi: Iterable[str], k: int | None, *, levels: bool
) -> Tables:
    """The columns, in the order in which flags name roles."""
    found: Tables = {
        name: {"role": "quasi"} | chance.choice(chance.choice(_ON_LEVELS if levels else _FREE)) for name in quasi
    }
    for _ in range(draw(_FEW)):
        judged = chance.choice(_OF_COLUMN) if draw(_EITHER) else {"no-model": True}
        found[next(take)] = {"role": "sensitive"} | _fitting(chance.choice(_SENSITIVE) | judged, k)
    found |= {next(take): {"role": "identifying"} | chance.choice(_MAYBE)} if draw(_EITHER) else {}
    scaled: list[Tables] = [{}, {"scale": "numeric"}, {"scale": "categorical", "allow-singling": True}]
    found |= {next(take): {"role": "insensitive"} | chance.choice(scaled)} if draw(_EITHER) else {}
    return found | ({next(take): {"role": "drop"}} if draw(_EITHER) else {})


def fragments() -> Iterator[Tables]:
    """Parts of jobs that have, between them, every word that `tables` draws from a pool."""
    yield from ({"columns": {"": one}} for some in (*_FREE, *_ON_LEVELS, _SENSITIVE, _OF_COLUMN) for one in some)
    yield from ({"perturb": {"columns": {"": one}}} for one in _CHANGED)
    whole: Keys = {"method": _METHODS, "output": _OUTPUT}
    yield from ({name: one} for name, pools in whole.items() for some in pools for one in some)
    yield from ({name: one} for name, some in (("input", _INPUT), ("run", _RUN)) for one in some)


@st.composite
def tables(draw: DrawFn) -> Tables:
    """The tables of a job file that kohort accepts."""
    chance, take = draw(_CHANCE), iter(draw(names(8)))
    quasi = [next(take) for _ in range(draw(st.integers(1, 2)))]
    method: Tables = {**chance.choice(chance.choice(_METHODS))}
    if "node" in method:
        levels = method["node"][: len(quasi)]
        method["node"] = dict(zip(quasi, levels, strict=True)) if draw(_EITHER) else levels
    whole, k = chance.choice(_OF_TABLE), chance.choice([None, 10, 25, 1_000])
    name = method.get("name", "mondrian")
    columns = draw(_columns(chance, take, quasi, k, levels=is_on_levels(name)))
    k = k if k or whole or any(not OF_COLUMN.isdisjoint(said) for said in columns.values()) else 10
    made: Tables = {"privacy": ({} if k is None else {"k": k}) | whole}
    limit = chance.choice(_LIMITS) if METHODS[name].takes("limit") else None
    made["privacy"] |= {} if limit is None else {"max-suppression": limit}
    made |= chance.choice([{}, {"rest": "refuse"}, {"rest": "insensitive"}, {"rest": "drop"}])
    keys = [name for name, said in columns.items() if said["role"] == "identifying"]
    if draw(_EITHER) and keys:
        made["person"] = {"key": keys[0]}
    named = draw(_EITHER)
    answers = [name for name, said in columns.items() if said["role"] == "insensitive" and named]
    answers += [next(take)] if draw(_EITHER) else []
    made |= {"answers": answers} if answers else {}
    complete = draw(st.integers(-1, 2))
    made["input"] = _reading(chance.choice(_INPUT), [*columns], complete, named=draw(_EITHER))
    made["input"] |= {"key-file": KEY} if any("pseudonym" in columns[one] for one in keys) else {}
    made["output"] = chance.choice(chance.choice(_OUTPUT))
    made |= {} if {"k-map", "presence"}.isdisjoint(whole) else {"population": {"path": "people of the town.csv"}}
    parts = {"method": method, "perturb": draw(_perturbed(chance, columns))}
    parts |= {"run": chance.choice(_RUN), "purpose": chance.choice(_PURPOSE)}
    return made | {name: part for name, part in parts.items() if part} | {"columns": columns}


# --- transactions -----------------------------------------------------------------------------------------------------

_SHARES: Final = [*numbers(1, 99), "2/5", "1/3"]
_BASKETS: Final = [
    *pool(format=["basket", "matrix", "matrix-header"]),
    *pool({"format": ["long", "lists"]}, item=NAMES, key=NAMES),
    *pool({"format": ["long", "lists"], "person": NAMES}, item=NAMES),
]
_DRAWN: Final = pool({"delta": _SHARES}, seed=[0, 7], draw=[*map(str, Draw)], min_support=_SHARES)
_PRIVATE: Final[tuple[Tables, ...]] = (
    {"private": ["hiv", "a,b"]},
    {"private-file": "private.txt"},
    {"no-private": True},
)
_PUBLIC: Final[tuple[Tables, ...]] = ({}, {"public": ["bread", "a=b", "日本"]}, {"public-file": "public.txt"})
_LISTED: Final = [one | other for one in _PRIVATE for other in _PUBLIC]
_WEIGHTS: Final[tuple[Tables, ...]] = (
    {},
    {"weight": {"bread": 2, "a=b": "0.5", "it's": 0.25}},
    {"weight-file": "weights.txt", "names-file": "names.txt"},
)
_ITEMS: Final = [
    *(one | weight for one in _DRAWN for weight in _WEIGHTS),
    *(
        one | more | weight
        for one in _LISTED
        for more in pool(allow_absent=[True], min_support=_SHARES)
        for weight in _WEIGHTS
    ),
]
_SETS: Final = (1, 10**6)
_SUPPRESSION: Final = [
    *pool(score=[*map(str, Score)], give_back=[True], max_sets=_SETS, suppress=["items"]),
    *pool({"optimal": [True]}, time_limit=_CHOICES["time_limit"], max_sets=_SETS),
    *pool({"suppress": ["cells"]}, max_sets=_SETS),
]
_TRANSACTIONS: Final[Keys] = {
    "transactions": _BASKETS,
    "input": pool({"path": ["baskets.dat", "b.parquet"]}, separator=_MARKS, encoding=["utf-8", "cp1252"]),
    "output": pool({"path": ["release.dat"]}, format=[*map(str, Form)], **_WRITTEN),
    "privacy": pool({"h": _SHARES, "k": [2, 50], "p": [1, 5]}),
    "items": _ITEMS,
    "method": _SUPPRESSION,
    "run": pool(engine=["local"]) + pool({"engine": ["duckdb"]}, **_SPILLING),
    "purpose": _PURPOSE,
}


@st.composite
def transaction_tables(draw: DrawFn) -> Tables:
    """The tables of a job file on transactions that kohort accepts."""
    chance = draw(_CHANCE)
    found = {name: chance.choice(parts) for name, parts in _TRANSACTIONS.items()}
    usual = "lists" if found["input"]["path"].endswith(".parquet") else "basket"
    form = found["output"].get("format", found["transactions"].get("format", usual))
    found["output"] = found["output"] | {"path": "release.parquet" if form == "lists" else "release.dat"}
    return {name: one for name, one in found.items() if one or name == "transactions"}
