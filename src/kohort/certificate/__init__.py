"""The certificate beside a release: what was promised and found, for whoever receives the file. It names no value."""

from __future__ import annotations

from kohort.certificate.form import FORM
from kohort.certificate.read import read_certificate
from kohort.certificate.table import NOT_PROMISED, Certificate, certificate
from kohort.certificate.transactions import CoherenceCertificate

__all__ = ["FORM", "NOT_PROMISED", "Certificate", "CoherenceCertificate", "certificate", "read_certificate"]
