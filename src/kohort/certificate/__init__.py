"""The certificate beside a release: what was promised and found, for whoever receives the file. It names no value.

`table_again` and `transactions_again` check it again against the file; who only writes one does not load them.
"""

from __future__ import annotations

from kohort.certificate.again import Again, CheckedPart, PartOutcome, read_certificate
from kohort.certificate.form import FORM
from kohort.certificate.table import NOT_PROMISED, Certificate, certificate
from kohort.certificate.transactions import CoherenceCertificate

__all__ = [
    "FORM",
    "NOT_PROMISED",
    "Again",
    "Certificate",
    "CheckedPart",
    "CoherenceCertificate",
    "PartOutcome",
    "certificate",
    "read_certificate",
]
