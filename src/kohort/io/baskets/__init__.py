"""Reading and writing transaction databases."""

from __future__ import annotations

from kohort.io.baskets.options import BasketOptions, Form
from kohort.io.baskets.read import Reading, read_content, read_transactions, write_transactions

__all__ = ["BasketOptions", "Form", "Reading", "read_content", "read_transactions", "write_transactions"]
