"""Jobs on tables: the core's own kind."""

from __future__ import annotations

from typing import Final

from kohort.cli.anonymize import run_table
from kohort.cli.check import check_table, recheck_table
from kohort.cli.describe import inspect_table, schema_of_table
from kohort.cli.kinds import JobKind
from kohort.cli.report import report_table
from kohort.cli.sweep import sweep_table

#: Jobs on tables.
TABLES: Final = JobKind(
    data="tables",
    run=run_table,
    report=report_table,
    sweep=sweep_table,
    check=check_table,
    recheck=recheck_table,
    inspect=inspect_table,
    schema=schema_of_table,
)
