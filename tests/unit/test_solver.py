"""Integer programs: several threads may ask at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from kohort.algorithms.solver import Answer, Program, solve

pytest.importorskip("highspy", reason="the extra optimal is not installed")


def test_several_threads_may_solve_at_once() -> None:
    """As a sweep does, whose points are solved side by side: each has the answer that it has alone."""
    generator = np.random.default_rng(7)
    size = 40
    rows = [np.sort(generator.choice(size, 5, replace=False)) for _ in range(60)]
    program = Program(
        generator.integers(1, 20, size),
        np.ones(size, np.int64),
        np.arange(len(rows) + 1) * 5,
        np.concatenate(rows),
        np.ones(len(rows) * 5, np.int64),
        np.full(len(rows), 2),
    )

    def answer(_: int) -> Answer:
        return solve(program, np.ones(size, np.int64))

    alone = answer(0)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(answer, range(24)):
            assert found.values.tolist() == alone.values.tolist()
            assert found.bound == alone.bound
