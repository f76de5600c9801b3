"""The dossier of a release in the words of regulators: what was tried, what was found, and what is not shown."""

from kohort.report.evidence.tables import Dossier, dossier_of

__all__ = ["Dossier", "dossier_of"]
