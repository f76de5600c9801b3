"""kohort makes tables and transaction databases safe to release, proves it, and measures what it cost.

The public names are here and nothing else. All but the errors are fetched from their module on first
use, so that `import kohort` loads none of the libraries that the work itself needs.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from kohort.errors import (
    DurabilityError,
    FileError,
    HierarchyError,
    InfeasibleError,
    InputError,
    JobError,
    KohortError,
    LimitError,
    MissingExtraError,
    SchemaError,
    TargetError,
    UnsupportedError,
    UsageError,
    VerificationError,
)
from kohort.version import VERSION

__version__ = VERSION

#: Public name -> the module that defines it.
_MODULES = MappingProxyType(
    {
        "AlphaKAnonymity": "kohort.models.alpha_k_anonymity",
        "Attribute": "kohort.schema",
        "AverageRisk": "kohort.models.average_risk",
        "BasicBetaLikeness": "kohort.models.basic_beta_likeness",
        "BasketOptions": "kohort.io.baskets.options",
        "BasketWriting": "kohort.release.transactions",
        "BestEffort": "kohort.algorithms.lattice.best_effort",
        "Check": "kohort.assessment.checking",
        "Coding": "kohort.perturbation.coding",
        "Coherence": "kohort.transactions.coherence",
        "CoherenceFinding": "kohort.assessment.checking.transactions",
        "CoherenceVerdict": "kohort.verify.transactions.verdict",
        "Comparison": "kohort.assessment.comparison",
        "Datafly": "kohort.algorithms.lattice.datafly",
        "DeltaDisclosure": "kohort.models.delta_disclosure",
        "DeltaPresence": "kohort.models.delta_presence",
        "DistinctLDiversity": "kohort.models.distinct_l_diversity",
        "Draw": "kohort.transactions.roles",
        "Drawn": "kohort.transactions.roles",
        "EnhancedBetaLikeness": "kohort.models.enhanced_beta_likeness",
        "EntropyLDiversity": "kohort.models.entropy_l_diversity",
        "Exhaustive": "kohort.algorithms.lattice.exhaustive",
        "Form": "kohort.io.baskets.options",
        "GivenNode": "kohort.algorithms.lattice.given",
        "Greedy": "kohort.transactions.suppression",
        "Hierarchy": "kohort.schema.hierarchy",
        "Job": "kohort.release",
        "KAnonymity": "kohort.models.k_anonymity",
        "KMap": "kohort.models.k_map",
        "Key": "kohort.perturbation.pseudonyms",
        "Label": "kohort.schema",
        "Listed": "kohort.transactions.roles",
        "LocalSuppression": "kohort.transactions.cells",
        "MaximumRisk": "kohort.models.maximum_risk",
        "Microaggregation": "kohort.perturbation.microaggregation",
        "Missing": "kohort.schema",
        "Mondrian": "kohort.algorithms.mondrian.mondrian",
        "Noise": "kohort.perturbation.noise",
        "Optimal": "kohort.algorithms.lattice.optimal",
        "Optimum": "kohort.transactions.optimum",
        "Order": "kohort.schema",
        "PostRandomization": "kohort.perturbation.post_randomization",
        "Purpose": "kohort.release.job",
        "RankSwapping": "kohort.perturbation.rank_swapping",
        "ReadOptions": "kohort.io.options",
        "RecursiveLDiversity": "kohort.models.recursive_l_diversity",
        "Release": "kohort.release",
        "Risk": "kohort.assessment.risk",
        "Role": "kohort.schema",
        "Roles": "kohort.transactions.roles",
        "Rounding": "kohort.perturbation.rounding",
        "Samarati": "kohort.algorithms.lattice.samarati",
        "Scale": "kohort.schema",
        "Schema": "kohort.schema",
        "Score": "kohort.transactions.suppression",
        "SuppressionLimit": "kohort.core.suppression",
        "TCloseness": "kohort.models.t_closeness",
        "TransactionJob": "kohort.release.transactions",
        "TransactionRelease": "kohort.release.transactions",
        "Transactions": "kohort.transactions.database",
        "Verdict": "kohort.verify.verdict",
        "Writing": "kohort.release",
        "anonymize": "kohort.pipeline",
        "anonymize_transactions": "kohort.pipeline.transactions",
        "assess": "kohort.assessment.risk",
        "check": "kohort.assessment.checking",
        "check_transactions": "kohort.assessment.checking.transactions",
        "compare": "kohort.assessment.comparison",
        "read_hierarchy": "kohort.schema.hierarchies.files",
        "read_key": "kohort.perturbation.pseudonyms",
        "read_transactions": "kohort.io.baskets",
        "rehearse": "kohort.pipeline",
        "rehearse_transactions": "kohort.pipeline.transactions",
        "save": "kohort.pipeline",
        "save_transactions": "kohort.pipeline.transactions",
    }
)

__all__ = [
    "AlphaKAnonymity",
    "Attribute",
    "AverageRisk",
    "BasicBetaLikeness",
    "BasketOptions",
    "BasketWriting",
    "BestEffort",
    "Check",
    "Coding",
    "Coherence",
    "CoherenceFinding",
    "CoherenceVerdict",
    "Comparison",
    "Datafly",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctLDiversity",
    "Draw",
    "Drawn",
    "DurabilityError",
    "EnhancedBetaLikeness",
    "EntropyLDiversity",
    "Exhaustive",
    "FileError",
    "Form",
    "GivenNode",
    "Greedy",
    "Hierarchy",
    "HierarchyError",
    "InfeasibleError",
    "InputError",
    "Job",
    "JobError",
    "KAnonymity",
    "KMap",
    "Key",
    "KohortError",
    "Label",
    "LimitError",
    "Listed",
    "LocalSuppression",
    "MaximumRisk",
    "Microaggregation",
    "Missing",
    "MissingExtraError",
    "Mondrian",
    "Noise",
    "Optimal",
    "Optimum",
    "Order",
    "PostRandomization",
    "Purpose",
    "RankSwapping",
    "ReadOptions",
    "RecursiveLDiversity",
    "Release",
    "Risk",
    "Role",
    "Roles",
    "Rounding",
    "Samarati",
    "Scale",
    "Schema",
    "SchemaError",
    "Score",
    "SuppressionLimit",
    "TCloseness",
    "TargetError",
    "TransactionJob",
    "TransactionRelease",
    "Transactions",
    "UnsupportedError",
    "UsageError",
    "Verdict",
    "VerificationError",
    "Writing",
    "anonymize",
    "anonymize_transactions",
    "assess",
    "check",
    "check_transactions",
    "compare",
    "read_hierarchy",
    "read_key",
    "read_transactions",
    "rehearse",
    "rehearse_transactions",
    "save",
    "save_transactions",
]

if TYPE_CHECKING:  # the same names as in _MODULES; a misspelt one is an error to type checkers too
    from kohort.algorithms.lattice.best_effort import BestEffort
    from kohort.algorithms.lattice.datafly import Datafly
    from kohort.algorithms.lattice.exhaustive import Exhaustive
    from kohort.algorithms.lattice.given import GivenNode
    from kohort.algorithms.lattice.optimal import Optimal
    from kohort.algorithms.lattice.samarati import Samarati
    from kohort.algorithms.mondrian.mondrian import Mondrian
    from kohort.assessment.checking import Check, check
    from kohort.assessment.checking.transactions import CoherenceFinding, check_transactions
    from kohort.assessment.comparison import Comparison, compare
    from kohort.assessment.risk import Risk, assess
    from kohort.core.suppression import SuppressionLimit
    from kohort.io.baskets import read_transactions
    from kohort.io.baskets.options import BasketOptions, Form
    from kohort.io.options import ReadOptions
    from kohort.models.alpha_k_anonymity import AlphaKAnonymity
    from kohort.models.average_risk import AverageRisk
    from kohort.models.basic_beta_likeness import BasicBetaLikeness
    from kohort.models.delta_disclosure import DeltaDisclosure
    from kohort.models.delta_presence import DeltaPresence
    from kohort.models.distinct_l_diversity import DistinctLDiversity
    from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
    from kohort.models.entropy_l_diversity import EntropyLDiversity
    from kohort.models.k_anonymity import KAnonymity
    from kohort.models.k_map import KMap
    from kohort.models.maximum_risk import MaximumRisk
    from kohort.models.recursive_l_diversity import RecursiveLDiversity
    from kohort.models.t_closeness import TCloseness
    from kohort.perturbation.coding import Coding
    from kohort.perturbation.microaggregation import Microaggregation
    from kohort.perturbation.noise import Noise
    from kohort.perturbation.post_randomization import PostRandomization
    from kohort.perturbation.pseudonyms import Key, read_key
    from kohort.perturbation.rank_swapping import RankSwapping
    from kohort.perturbation.rounding import Rounding
    from kohort.pipeline import anonymize, rehearse, save
    from kohort.pipeline.transactions import anonymize_transactions, rehearse_transactions, save_transactions
    from kohort.release import Job, Release, Writing
    from kohort.release.job import Purpose
    from kohort.release.transactions import BasketWriting, TransactionJob, TransactionRelease
    from kohort.schema import Attribute, Label, Missing, Order, Role, Scale, Schema
    from kohort.schema.hierarchies.files import read_hierarchy
    from kohort.schema.hierarchy import Hierarchy
    from kohort.transactions.cells import LocalSuppression
    from kohort.transactions.coherence import Coherence
    from kohort.transactions.database import Transactions
    from kohort.transactions.optimum import Optimum
    from kohort.transactions.roles import Draw, Drawn, Listed, Roles
    from kohort.transactions.suppression import Greedy, Score
    from kohort.verify.transactions.verdict import CoherenceVerdict
    from kohort.verify.verdict import Verdict
else:

    def __getattr__(name: str) -> object:
        """The public `name`, from its own module."""
        if name not in _MODULES:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    """The public names, also those not fetched yet."""
    return [*__all__, "__version__"]
