"""Wild numbers for every function of the compiled core: each is called as commands call it, with some numbers wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.lattice.rollup import Fields
from kohort.algorithms.method import METHODS
from kohort.native import library
from kohort.native.library import Function
from kohort.transactions.suppression import Score
from tests.command import kohort
from tests.unit.test_native import GUARD
from tests.unit.test_native_moles import mine_by_both, work
from tests.unit.transactions.test_moles import larger

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

#: The functions that Python can call, by name.
DECLARED: Final[dict[str, Function]] = {name: one for name, one in vars(library).items() if isinstance(one, Function)}

#: Calls of one function that are kept, and the bytes that the arrays of such a call may have.
CALLS, MOST = 6, 1 << 16

#: Numbers that lead beyond arrays, or nearly.
WILD: Final[list[int]] = [
    *range(-3, 4),
    7,
    64,
    65,
    1 << 32,
    *(sign << bits for sign in (-1, 1) for bits in (31, 62)),
    -(1 << 63),
]

#: How the register's columns are generalized by levels, and the models that have loops of their own.
LEVELS: Final = (
    "--quasi gender,city,age --hierarchy gender=suppress --hierarchy city=d/city.json --hierarchy age=intervals:5,20"
)
MODELS: Final = (
    "--sensitive education --l education=2 --t education=0.9 --entropy-l education=1.5"
    " --recursive education=5,2 --rest drop"
)

#: Choices of methods that have loops of their own.
CHOICES: Final = {"limit": "--max-suppression 50%", "local": "--local"}


def commands() -> Iterator[str]:
    """What calls every function: each method once, and all that is done with transactions."""
    yield "demo --out d/ --records 600"
    yield "anonymize d/people.csv --out d/plain.csv --quasi gender,age --rest drop --k 3 --no-grid"
    yield "anonymize d/people.csv --out d/nearest.csv --quasi gender,age --rest drop --k 3 --no-grid --cut nearest"
    yield "anonymize d/people.csv --out d/line.csv --quasi gender,age --rest drop --k 3 --method ordered --bound"
    for name, method in METHODS.items():
        choices = [flag for word, flag in CHOICES.items() if method.takes(word)]
        yield " ".join([f"anonymize d/people.csv --out d/{name}.csv {LEVELS} {MODELS} --k 3 --method {name}", *choices])
    of_values = "--sensitive city --t city=0.9 --hierarchy city=d/city.json --beta city=9"
    of_numbers = "--sensitive annual_income --t annual_income=0.6 --k-e annual_income=2,100"
    of_numbers += " --allow-singling annual_income"
    for name, models in (("values", of_values), ("numbers", of_numbers)):
        yield f"anonymize d/people.csv --out d/{name}.csv --quasi gender,age {models} --k 3 --rest drop"
        yield f"check d/{name}.csv --quasi gender,age {models.partition(' --allow')[0]} --k 3"
    whole = "--sensitive education --no-model education --rest drop"
    yield f"anonymize d/people.csv --out d/remote.csv --quasi gender,age {whole} --k 3 --engine duckdb"
    yield "perturb d/people.csv --out d/means.csv --perturb age,annual_income=microaggregation:k=3"
    yield "perturb d/people.csv --out d/swapped.csv --perturb annual_income=rank-swapping"
    yield "inspect d/people.csv"
    yield "risk d/release.csv --quasi gender,city,age"
    yield "generate baskets --out d/baskets.txt --transactions 400 --items 40"
    yield "convert d/baskets.txt --out d/long.csv --out-format long"
    yield "convert d/long.csv --format long --out d/matrix.csv --out-format matrix-header"
    yield "convert d/matrix.csv --format matrix-header --out d/again.txt --out-format basket"
    for score in Score:
        yield f"transactions d/baskets.txt --out d/{score}.txt --delta 0.5 --seed 7 --k 3 --p 2 --score {score}"
    yield "transactions d/baskets.txt --out d/cells.txt --delta 0.5 --seed 7 --k 3 --p 2 --suppress cells"
    yield "check d/cells.txt --certificate d/cells.txt.kohort.json"
    yield "transactions d/baskets.txt --out d/optimum.txt --delta 0.5 --seed 7 --k 3 --p 2 --optimal"


def copied(argument: Any) -> Any:  # noqa: ANN401  an argument of any kind
    """The same, whatever becomes of the argument."""
    if isinstance(argument, np.ndarray):
        return cast("NDArray[Any]", argument).copy()
    return [copied(one) for one in argument] if hasattr(argument, "__len__") else int(argument)


def size_of(argument: Any) -> int:  # noqa: ANN401  the same
    """The bytes of an argument's arrays."""
    if isinstance(argument, np.ndarray):
        return argument.nbytes
    return 0 if isinstance(argument, int) else sum(map(size_of, argument))


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[Any]]]:
    """Some calls of each function that the commands make."""
    folder: Path = tmp_path_factory.mktemp("wild")
    names = {id(one): name for name, one in DECLARED.items()}
    found: dict[str, list[list[Any]]] = {name: [] for name in DECLARED}
    compiled = Function.__call__

    def call(function: Function, *arguments: Any) -> int:  # noqa: ANN401  the same
        kept = found[names[id(function)]]
        if len(kept) < CALLS:
            given_ = [copied(one) for one in arguments]
            if not kept or size_of(given_) <= MOST:
                kept.append(given_)
        return compiled(function, *arguments)

    def arrays_of(fields: Fields, _: object, *arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return fields.word, fields.shift, fields.mask, fields.room, *arrays  # as they are, not as C has them

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Fields, "table", arrays_of)
        patch.setattr(Function, "__call__", call)
        for line in commands():
            ran = kohort(*line.replace("d/", f"{folder}/").split())
            assert ran.status == 0, (line, ran.err)
        work(larger(0))  # and what bitmaps are for, which a small database has no need of
        mine_by_both(larger(7))
    return found


class Spoilt:
    """Copies of arguments, some numbers of which are wild, each array between bytes that nobody may change."""

    def __init__(self, seed: int) -> None:
        """Spoil about one argument in eight."""
        self._random = np.random.default_rng(seed)
        self._wholes: list[NDArray[np.uint8]] = []

    def of(self, given_: Any) -> Any:  # noqa: ANN401  the same
        """The argument."""
        if isinstance(given_, int):
            return self._wild() if self._spoils() else given_
        if not isinstance(given_, np.ndarray):
            return [self.of(one) for one in given_]
        array = cast("NDArray[Any]", given_).reshape(-1)
        size = self._below(array.size) if array.size and self._spoils() else array.size
        whole = np.full(2 * GUARD + size * array.itemsize, 0xA5, np.uint8)
        self._wholes.append(whole)
        inside: NDArray[Any] = whole[GUARD : GUARD + size * array.itemsize].view(array.dtype)
        inside[:] = array[:size]
        if size and self._spoils():
            for _ in range(1 + self._below(3)):
                wild = np.array([self._wild()]).view(np.uint8)[: array.itemsize]
                inside[self._below(size)] = wild.view(array.dtype)[0]
        return inside

    def check(self) -> None:
        """Nothing round them was changed."""
        for whole in self._wholes:
            assert (whole[:GUARD] == 0xA5).all()
            assert (whole[-GUARD:] == 0xA5).all()

    def _spoils(self) -> bool:
        return self._below(8) == 0

    def _below(self, number: int) -> int:
        return int(self._random.integers(number))

    def _wild(self) -> int:
        return WILD[self._below(len(WILD))]


def test_the_commands_call_every_function(calls: dict[str, list[list[Any]]]) -> None:
    """A function that none of them calls would be given no wild numbers: add a command that does."""
    assert [name for name, some in calls.items() if not some] == []


@pytest.mark.parametrize("name", DECLARED)
@given(seed=st.integers(0, (1 << 32) - 1))
def test_no_wild_number_leads_beyond_an_array(calls: dict[str, list[list[Any]]], name: str, seed: int) -> None:
    """The function returns, or says that what it was given does not fit; nothing outside of the arrays is changed."""
    for arguments in calls[name]:
        spoilt = Spoilt(seed)
        given_ = [spoilt.of(one) for one in arguments]
        try:
            DECLARED[name](*given_)
        except IndexError as refused:
            assert "does not fit" in str(refused)  # noqa: PT017  either is right
        spoilt.check()
