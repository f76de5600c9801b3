"""The certificate beside a release: what was promised and found, for whoever receives the file. It names no value."""

from __future__ import annotations

from kohort.certificate.again import Again, Outcome, Part
from kohort.certificate.form import FORM
from kohort.certificate.promises import NOT_PROMISED
from kohort.certificate.read import read_certificate
from kohort.certificate.table import Certificate, certificate
from kohort.certificate.table_again import Brought, check_table_again
from kohort.certificate.transactions import CoherenceCertificate
from kohort.certificate.transactions_again import check_transactions_again

__all__ = [
    "FORM",
    "NOT_PROMISED",
    "Again",
    "Brought",
    "Certificate",
    "CoherenceCertificate",
    "Outcome",
    "Part",
    "certificate",
    "check_table_again",
    "check_transactions_again",
    "read_certificate",
]
