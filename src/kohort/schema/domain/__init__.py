"""The domain of a quasi-identifier: what each of its integer codes means, in an order that means something."""

from __future__ import annotations

from kohort.schema.domain.base import Domain, share
from kohort.schema.domain.values import resolve
from kohort.schema.numbers import decimal, interval

__all__ = ["Domain", "decimal", "interval", "resolve", "share"]
