"""What the register of Italy is drawn from: names, places and professions, and the odds of each.

Random choices that are a function of a seed and a row number, by declared integer odds.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import accumulate
from math import lcm
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias, TypedDict, cast

import numpy as np
import polars as pl

from kohort.errors import FileError, TargetError, UsageError
from kohort.system.disk import refuse_name, whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from kohort.arrays import Index

#: Random bits, one word per attribute of a row.
Words: TypeAlias = "NDArray[np.uint64]"

#: Rows made at once unless told otherwise: 4 MiB of random words.
BATCH = 1 << 16

#: Words that a step of the generator's counter gives.
_WORDS = 4

#: Bits of a word that decide a draw; the bits above them hold its condition.
_BITS = 48


@dataclass(frozen=True, slots=True, eq=False)
class RandomDraw:
    """A choice among outcomes whose odds depend on a condition, made by one search in a sorted table.

    The table lists, condition after condition, the upper bound of each possible outcome's share of 48 bits.

    >>> coin = RandomDraw.of([(1, 1), (0, 1)])  # fair under condition 0, always outcome 1 under condition 1
    >>> words = np.array([0, 1 << 63, 5], dtype=np.uint64)
    >>> coin(words, given=np.array([0, 0, 1])).tolist()
    [0, 1, 1]
    """

    bounds: Words
    outcomes: Index

    @classmethod
    def of(cls, odds: Sequence[Sequence[int]]) -> RandomDraw:
        """A draw with relative `odds[condition][outcome]`; outcomes of odds 0 never occur."""
        bounds: list[int] = []
        outcomes: list[int] = []
        for condition, row in enumerate(odds):
            total = sum(row)
            possible = [(o, upto) for o, (weight, upto) in enumerate(zip(row, accumulate(row), strict=True)) if weight]
            bounds += [(condition << _BITS) + (upto << _BITS) // total for _, upto in possible]
            outcomes += [outcome for outcome, _ in possible]
        return cls(np.array(bounds, dtype=np.uint64), np.array(outcomes, dtype=np.int64))

    def __call__(self, words: Words, *, given: Index | None = None) -> Index:
        """(n,) outcomes for (n,) random words under (n,) conditions; condition 0 where none is given."""
        share = words >> np.uint64(64 - _BITS)
        if given is not None:
            share |= given.astype(np.uint64) << np.uint64(_BITS)
        return self.outcomes[np.searchsorted(self.bounds, share, side="right")]


def evenly(groups: Sequence[tuple[range, int]]) -> list[int]:
    """The odds of each number of consecutive ranges, a range's odds being shared evenly by the numbers in it.

    >>> evenly([(range(3), 1), (range(3, 5), 2)])
    [2, 2, 2, 6, 6]
    """
    shares = lcm(*(len(numbers) for numbers, _ in groups))
    return [weight * shares // len(numbers) for numbers, weight in groups for _ in numbers]


def below(words: Words, limits: Index) -> Index:
    """(n,) whole numbers from 0 to less than (n,) `limits`, each as likely as the others; limits are at most 2^32.

    >>> below(np.array([0, 1 << 63, (1 << 64) - 1], dtype=np.uint64), np.array([10, 10, 10])).tolist()
    [0, 5, 9]
    """
    return ((words >> np.uint64(32)) * limits.astype(np.uint64) >> np.uint64(32)).astype(np.int64)


def key_of(seed: int) -> Words:
    """(2,) the key of the counter-based generator Philox that a seed of any size stands for."""
    return np.random.SeedSequence(seed).generate_state(2, np.uint64).astype(np.uint64)


def words_of(key: Words, first: int, rows: int, *, steps: int = 2, slot: int = 0, stream: int = 0) -> Words:
    """(4 · steps, rows) random words of the rows from `first` on, one line per attribute; streams are independent."""
    source, width = np.random.Philox(key=key, counter=[steps * first, slot, 0, stream]), steps * _WORDS
    return np.ascontiguousarray(source.random_raw(rows * width).reshape(rows, width).T)


def stretches(records: int, *, seed: int, batch: int) -> Iterator[tuple[int, int]]:
    """The first row and the number of rows of each batch; a single empty one for no records.

    Raises:
        UsageError: A negative number of records or seed, or a batch of no rows: at the call, not at the first batch.

    >>> list(stretches(25, seed=7, batch=10))
    [(0, 10), (10, 10), (20, 5)]
    """
    for name, value, least in (("records", records, 0), ("seed", seed, 0), ("batch", batch, 1)):
        if value < least:
            raise UsageError(f"{name} must be at least {least}, not {value}")
    return ((first, min(batch, records - first)) for first in range(0, max(records, 1), batch))


#: A tree of names as JSON holds it: a name and, above the leaves, a list of children under the name of their level.
Tree: TypeAlias = dict[str, "str | list[Tree]"]

#: No tables of one's own.
NONE: Final[Mapping[str, Tree]] = MappingProxyType({})

GENDERS: Final = ("male", "female")
GENDER_ODDS: Final = (48, 52)

EDUCATIONS: Final = ("High School", "Bachelor", "Master", "Doctoral")

#: Years of age, hundredths of a percent of all people.
AGE_GROUPS: Final = (
    (range(18, 30), 1224),
    (range(30, 40), 1365),
    (range(40, 50), 1435),
    (range(50, 60), 1576),
    (range(60, 70), 1694),
    (range(70, 80), 1553),
    (range(80, 91), 1153),
)

#: Years of age, relative odds of each of `EDUCATIONS`.
EDUCATION_BY_AGE: Final = (
    (range(18, 25), (80, 10, 0, 0)),
    (range(25, 35), (70, 25, 3, 2)),
    (range(35, 45), (60, 30, 5, 5)),
    (range(45, 55), (55, 25, 10, 10)),
    (range(55, 65), (50, 20, 15, 15)),
    (range(65, 75), (45, 15, 20, 20)),
    (range(75, 91), (40, 10, 25, 25)),
)

YOUNGEST: Final = 18

#: The lists of children of a tree, under these names from the root down.
CITY_LEVELS = ("macro_areas", "regions", "provinces", "cities")
PROFESSION_LEVELS = ("sectors", "fields", "professions")
_EDUCATION_LEVELS = ("stages", "degrees")


class City(TypedDict):
    """A leaf of cities.json; inhabitants are rough thousands."""

    name: str
    inhabitants: int


class Profession(TypedDict):
    """A leaf of professions.json: relative odds among the holders of each education, and least and greatest income."""

    name: str
    holders: dict[str, int]
    income: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The names, places and professions that a register is drawn from, and how; outcomes index the lists."""

    male_names: list[str]
    female_names: list[str]
    last_names: list[str]
    cities: Sequence[City]
    professions: Sequence[Profession]
    genders: Sequence[str]
    educations: Sequence[str]
    gender: RandomDraw
    first_name: RandomDraw  # given the gender; female names count on from the male ones
    last_name: RandomDraw
    city: RandomDraw
    age: RandomDraw  # counted from the youngest
    education: RandomDraw  # given the age
    profession: RandomDraw  # given the education


@cache
def population() -> Population:
    """The population, read once from the tables beside this module."""
    return population_of({})


def population_of(own: Mapping[str, Tree]) -> Population:
    """The population of some tables of one's own, by their names, and of those beside this module."""
    tables = {name: own.get(name) or tree_of(name) for name in ("names", "cities", "professions")}
    cities = cast("list[City]", leaves(tables["cities"], CITY_LEVELS))
    professions = cast("list[Profession]", leaves(tables["professions"], PROFESSION_LEVELS))
    return drawn_from(tables["names"], cities, professions)


def drawn_from(
    names: Tree,
    cities: Sequence[City],
    professions: Sequence[Profession],
    *,
    genders: Sequence[str] = GENDERS,
    educations: Sequence[str] = EDUCATIONS,
    schooling: Sequence[Sequence[int]] | None = None,
) -> Population:
    """A population of these names, places and professions.

    Args:
        names: Male, female and last ones.
        cities: With their inhabitants.
        professions: With their holders and incomes.
        genders: What men and women are called.
        educations: The educations that professions have holders of.
        schooling: The odds of each education by age, from the youngest on; those of Italy where there are none.
    """
    lists = cast("dict[str, list[str]]", names)
    male, female, last_names = lists["male"], lists["female"], lists["last"]
    schooling = schooling or [odds for years, odds in EDUCATION_BY_AGE for _ in years]
    return Population(
        male_names=male,
        female_names=female,
        last_names=last_names,
        cities=cities,
        professions=professions,
        genders=genders,
        educations=educations,
        gender=RandomDraw.of([GENDER_ODDS]),
        first_name=RandomDraw.of([[1] * len(male), [0] * len(male) + [1] * len(female)]),
        last_name=RandomDraw.of([[1] * len(last_names)]),
        city=RandomDraw.of([[city["inhabitants"] for city in cities]]),
        age=RandomDraw.of([evenly(AGE_GROUPS)]),
        education=RandomDraw.of(schooling),
        profession=RandomDraw.of([[p["holders"].get(degree, 0) for p in professions] for degree in educations]),
    )


def italy_hierarchies(own: Mapping[str, Tree] = NONE) -> dict[str, Tree]:
    """The generalization hierarchies of city, profession and education as JSON trees of equal depth.

    Args:
        own: Tables of one's own, by their names.

    >>> [area["name"] for area in italy_hierarchies()["city"]["macro_areas"]]
    ['Nord-ovest', 'Nord-est', 'Centro', 'Sud', 'Isole']
    """
    return {
        "city": names_only(own.get("cities") or tree_of("cities"), CITY_LEVELS),
        "profession": names_only(own.get("professions") or tree_of("professions"), PROFESSION_LEVELS),
        "education": names_only(tree_of("education"), _EDUCATION_LEVELS),
    }


def tree_of(name: str) -> Tree:
    """The table of this name beside this module."""
    return cast("Tree", json.loads((files("kohort.samples") / "data" / f"{name}.json").read_text(encoding="utf-8")))


def leaves(tree: Tree, levels: Sequence[str]) -> list[Tree]:
    """The leaves in tree order; `levels` names the lists of children from the root down."""
    nodes = [tree]
    for level in levels:
        nodes = [child for node in nodes for child in cast("list[Tree]", node[level])]
    return nodes


def names_only(tree: Tree, levels: Sequence[str]) -> Tree:
    """The tree without what its leaves say besides their names."""
    if not levels:
        return {"name": tree["name"]}
    children = cast("list[Tree]", tree[levels[0]])
    return {"name": tree["name"], levels[0]: [names_only(child, levels[1:]) for child in children]}


def write_folder(folder: Path, files: Mapping[str, Iterable[bytes]], *, overwrite: bool) -> tuple[Path, ...]:
    """Write files, each from pieces, into `folder`, made if needed; none takes its name before all are complete.

    Returns:
        The paths written, in the order of `files`.

    Raises:
        TargetError: A file of such a name exists, and `overwrite` is not set; or the folder has no such name.
        FileError: Writing failed.
    """
    refuse_name(folder)
    paths = {folder / name: pieces for name, pieces in files.items()}
    taken = [path.name for path in paths if path.exists()]
    if taken and not overwrite:
        where = f"{folder}: {', '.join(taken)}"
        raise TargetError("the output exists", where=where, hint="replace it with --overwrite")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:  # the first, a table, takes its name after what belongs to it
            for path, pieces in paths.items():
                stack.enter_context(whole_file(path, overwrite=overwrite)).writelines(pieces)
    except OSError as error:
        raise FileError(f"the files could not be written: {error.strerror}", where=str(folder)) from error
    return tuple(paths)


def json_of(tree: object) -> list[bytes]:
    """The JSON text of a tree."""
    return [f"{json.dumps(tree, ensure_ascii=False, indent=2)}\n".encode()]


def pick(values: Sequence[str], index: Index) -> pl.Series:
    """The values at these places."""
    return pl.Series(values).gather(index)


def numbered(prefix: str, numbers: Index | pl.Series) -> pl.Series:
    """Identifiers: a prefix and nine digits with leading zeros.

    >>> numbered("IT", pl.Series([0, 41])).to_list()
    ['IT000000001', 'IT000000042']
    """
    return prefix + pl.Series(numbers + 1).cast(pl.String).str.zfill(9)


def dated(days: Index) -> pl.Series:
    """Dates from days counted from 1 January 1970."""
    return pl.Series(days).cast(pl.Int32).cast(pl.Date)


def csv_of(frames: Iterator[pl.DataFrame], progress: Callable[[int], object] | None) -> Iterator[bytes]:
    """The CSV text of frames, piece by piece, telling `progress` how many records each held."""
    for number, frame in enumerate(frames):
        yield frame.write_csv(include_header=number == 0).encode()
        if progress:
            progress(len(frame))
