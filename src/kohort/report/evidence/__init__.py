"""The dossier of a release in the words of regulators: what was tried, what was found, and what is not shown."""

from kohort.report.evidence.tables import Dossier, dossier_of
from kohort.report.evidence.transactions import TransactionDossier, transaction_dossier_of

__all__ = ["Dossier", "TransactionDossier", "dossier_of", "transaction_dossier_of"]
