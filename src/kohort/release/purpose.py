"""What a release is for, and who answers for it: free text, for the people who sign."""

from __future__ import annotations

from dataclasses import dataclass

from kohort.shown import parameters


@dataclass(frozen=True, slots=True, repr=False)
class Purpose:
    """What a release is for: five free texts, each of which may be missing.

    They change no byte of the release. Its certificate and its pages have them, the public ones too: name a role or an
    office where a person's name is not to be published.

    Attributes:
        purpose: What the release is for.
        recipient: Who receives it.
        legal_basis: What allows it.
        requested_by: Who requested it.
        approved_by: Who approved it.

    >>> Purpose(purpose="length of stay by age", recipient="the regional health office").approved_by is None
    True
    """

    purpose: str | None = None
    recipient: str | None = None
    legal_basis: str | None = None
    requested_by: str | None = None
    approved_by: str | None = None

    def __repr__(self) -> str:
        """What is set, in one line."""
        return parameters(self)
