"""Reading and writing transaction databases."""

from __future__ import annotations

from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.io.read import Reading, read_content, read_transactions, write_transactions

__all__ = ["BasketOptions", "Form", "Reading", "read_content", "read_transactions", "write_transactions"]
