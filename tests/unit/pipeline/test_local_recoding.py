"""Local recoding and cell suppression from a job to a verified release, and what is told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from kohort import Attribute, Job, KAnonymity, Role, Schema, anonymize
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.local import LocalRecoding
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.suppress_cells import SuppressCells
from kohort.core.suppression import SuppressionLimit
from kohort.errors import HierarchyError, UnsupportedError, UsageError
from kohort.job.varied import of_methods_unfit
from kohort.report import mapping
from kohort.report.lattice import drawing
from kohort.report.page.request import method
from kohort.report.release import release_figures
from kohort.report.render.release import release_text

if TYPE_CHECKING:
    from kohort.algorithms.problem import Algorithm

AGES = ["16"] * 3 + ["17"] * 3 + ["25", "44", "95", ""]
TABLE = pl.DataFrame({"age": AGES, "city": ["Bari", "Rome"] * 5}, schema={"age": pl.String, "city": pl.String})


def job(algorithm: Algorithm, *, k: int = 2, **age: object) -> Job:
    """The job of one release."""
    said = {"hierarchy": "intervals:5,10,20", **age}
    of_age = Attribute("age", Role.QUASI, **said)  # type: ignore[arg-type]
    return Job.of(Schema((of_age, Attribute("city", Role.QUASI, hierarchy="suppress"))), KAnonymity(k), algorithm=algorithm)
