"""kohort makes tables and transaction databases safe to release, proves it, and measures what it cost.

The public names stand in `__init__.pyi`, once, for type checkers and for this file. Each is fetched from its module on
first use, so that `import kohort` loads next to nothing: neither the libraries that the work itself needs, nor what
would keep the command line from listening to signals.

Jobs and releases are values: what their methods do is done by functions of rooms above theirs, which stand here.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from kohort.errors.calls import VERBS

VERBS.update(
    {
        "CoherenceCertificate.asked": "kohort.transactions.recheck:transaction_job",
        "Described.certified": "kohort.job.certified:table_job",
        "Job.described": "kohort.job.written:described",
        "Comparison.plot": "kohort.report.plots:comparison_plot",
        "Job.from_toml": "kohort.job.request:job_of",
        "Job.to_toml": "kohort.job.written:to_toml",
        "Release.plot": "kohort.report.plots:release_plot",
        "Release.report": "kohort.report.written:report",
        "Release.save": "kohort.engines.pipeline:save",
        "TransactionJob.described": "kohort.transactions.request:described",
        "Risk.plot": "kohort.report.plots:risk_plot",
        "TableSweep.plot": "kohort.job.sweeps.picture:plot",
        "TransactionJob.from_toml": "kohort.transactions.request:job_of",
        "TransactionRelease.plot": "kohort.transactions.report.text:release_plot",
        "TransactionRelease.report": "kohort.transactions.report.text:report",
        "TransactionRelease.save": "kohort.transactions.pipeline:save_transactions",
    }
)


def __getattr__(name: str) -> object:
    """The public `name`, from its own module."""
    if name == "__all__":
        return sorted(_modules())
    if name == "__version__":
        return import_module("kohort.system.version").VERSION
    if name not in _modules():
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_modules()[name]), name)


def __dir__() -> list[str]:
    """The public names, also those not fetched yet."""
    return [*sorted(_modules()), "__version__"]


@cache
def _modules() -> dict[str, str]:
    """Public name -> the module that defines it."""
    import ast  # noqa: PLC0415  a misspelt import costs more than this one
    from pkgutil import get_data  # noqa: PLC0415

    stub = ast.parse(get_data(__name__, "__init__.pyi") or b"")
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom) and node.module != "typing"]
    return {alias.name: node.module or "" for node in imports for alias in node.names}
