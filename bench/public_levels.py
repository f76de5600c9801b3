"""What it costs on Adult to name levels in advance, so that suppression gives nothing back.

    KOHORT_DATA=folder python -m bench.public_levels

The records are parted into two halves, ten times. On the first, which stands for an older or public table, the optimum
of LM is found; its levels are named for the second (`--node`), where whatever fails is suppressed. Beside it the second
half's own optimum under the same limit, which gives back what docs/weaknesses.md tells.
"""

from __future__ import annotations

import os
from pathlib import Path
from statistics import mean

import numpy as np
import polars as pl

from kohort import Attribute, Job, KAnonymity, Optimal, Role, Schema, SuppressionLimit
from kohort.algorithms.lattice.given import GivenNode
from kohort.engines.pipeline import dry_run

#: The quasi-identifiers of Samarati's exercise, and how each is generalized.
HIERARCHIES = {
    "sex": "suppress",
    "race": "suppress",
    "marital-status": "suppress",
    "age": "intervals:0..100:5,10,20",
}
HALVES = 10


def main() -> None:
    """Print a line for each k and limit."""
    whole = pl.read_csv(Path(os.environ["KOHORT_DATA"]) / "adult.csv", infer_schema=False).select(*HIERARCHIES)
    schema = Schema(tuple(Attribute(name, Role.QUASI, hierarchy=text) for name, text in HIERARCHIES.items()))
    print("   k  limit   own LM  suppressed   named LM  suppressed  the same levels")
    for k in (5, 10, 100):
        for limit in ("0.5%", "2%"):
            own, named, same = list[tuple[float, int]](), list[tuple[float, int]](), 0
            for seed in range(HALVES):
                order = np.random.default_rng(seed).permutation(whole.height)
                first, second = whole[order[: whole.height // 2]], whole[order[whole.height // 2 :]]
                found = [
                    dry_run(one, Job.of(schema, KAnonymity(k), algorithm=Optimal(limit=SuppressionLimit.of(limit))))
                    for one in (first, second)
                ]
                node = tuple(found[0].levels[name] for name in HIERARCHIES)
                given = GivenNode(node, limit=SuppressionLimit.of("100%"))
                public = dry_run(second, Job.of(schema, KAnonymity(k), algorithm=given))
                own.append((found[1].metrics["lm"], found[1].suppressed))
                named.append((public.metrics["lm"], public.suppressed))
                same += found[0].levels == found[1].levels
            figures = [mean(one) for some in (own, named) for one in zip(*some, strict=True)]
            print(
                f"{k:>4}  {limit:>5}  {figures[0]:>7.4f}  {figures[1]:>10.1f}  {figures[2]:>9.4f}  {figures[3]:>10.1f}"
                f"  {same} of {HALVES}"
            )


if __name__ == "__main__":
    main()
