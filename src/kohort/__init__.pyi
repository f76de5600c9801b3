# The public names, and nothing else: type checkers read them here, and so does `__init__.py`.

from typing import Final

from kohort.algorithms.lattice.optimal import Optimal as Optimal
from kohort.algorithms.mondrian.mondrian import Mondrian as Mondrian
from kohort.api.tables import advise as advise
from kohort.api.tables import anonymize as anonymize
from kohort.api.tables import check as check
from kohort.api.tables import draft as draft
from kohort.api.tables import inspect as inspect
from kohort.api.tables import perturb as perturb
from kohort.api.tables import read as read
from kohort.api.tables import sweep as sweep
from kohort.assessment.comparison import compare as compare
from kohort.assessment.risk.overall import assess as assess
from kohort.core.suppression import SuppressionLimit as SuppressionLimit
from kohort.errors import InfeasibleError as InfeasibleError
from kohort.errors import InputError as InputError
from kohort.errors import JobError as JobError
from kohort.errors import KohortError as KohortError
from kohort.errors import SchemaError as SchemaError
from kohort.errors import TargetError as TargetError
from kohort.errors import UsageError as UsageError
from kohort.errors import VerificationError as VerificationError
from kohort.io.options import ReadOptions as ReadOptions
from kohort.models.distinct_l_diversity import DistinctLDiversity as DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity as KAnonymity
from kohort.models.t_closeness import TCloseness as TCloseness
from kohort.perturbation.rounding import Rounding as Rounding
from kohort.release import Job as Job
from kohort.release import Release as Release
from kohort.schema import Attribute as Attribute
from kohort.schema import Role as Role
from kohort.schema import Schema as Schema
from kohort.schema.hierarchies.files import read_hierarchy as read_hierarchy
from kohort.schema.hierarchy import Hierarchy as Hierarchy
from kohort.transactions.check import check_transactions as check_transactions
from kohort.transactions.coherence import Coherence as Coherence
from kohort.transactions.database import Transactions as Transactions
from kohort.transactions.io import read_transactions as read_transactions
from kohort.transactions.pipeline import anonymize_transactions as anonymize_transactions
from kohort.transactions.release import TransactionJob as TransactionJob
from kohort.transactions.roles import Drawn as Drawn
from kohort.transactions.roles import Listed as Listed

__version__: Final[str]
