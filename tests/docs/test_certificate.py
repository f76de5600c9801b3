"""docs/reference/certificate.md: every field of the form of a certificate is in it, as the form says it."""

from __future__ import annotations

import inspect
import os
import re
from dataclasses import fields
from pathlib import Path

import pytest

from kohort.certificate.form import Certified
from kohort.certificate.table import Certificate
from kohort.transactions.certificate import CoherenceCertificate

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "certificate.md"

#: The heading of each form's table.
FORMS = {
    "Fields of every certificate": Certified,
    "Fields of a table's certificate": Certificate,
    "Fields of the certificate of transactions": CoherenceCertificate,
}


def meanings(form: type) -> dict[str, str]:
    """What the form says of each of its fields."""
    _, attributes = str(inspect.getdoc(form)).split("Attributes:\n")
    found = re.findall(r"^    (\w+): ((?:.*\n?)(?:^     .*\n?)*)", attributes, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in found}


def table(form: type) -> str:
    """The rows of a form: its own fields, and not those of every certificate."""
    said = meanings(form)
    inherited = {one.name for one in fields(Certified)} if form is not Certified else set[str]()
    own = [one for one in fields(form) if one.name not in inherited]
    return "".join(f"| `{one.name}` | {_kind(str(one.type))} | {said[one.name]} |\n" for one in own)


def _kind(annotation: str) -> str:
    """What JSON calls a kind of value."""
    kind = annotation.replace("Mapping[str, object]", "object").replace(" | None", " or null")
    kind = re.sub(r"tuple\[(\w+), \.\.\.\]", r"list of \1", kind)
    kind = kind.replace("Mapping[str, ", "object of ").replace("]", "")
    words = {"str": "text", "int": "number", "float": "number", "bool": "true or false"}
    return re.sub(r"\w+", lambda found: words.get(found[0], found[0]), kind)


@pytest.mark.parametrize("heading", FORMS)
def test_every_field_is_described_as_the_form_says_it(heading: str) -> None:
    """The rows below a heading are the fields of its form, word for word."""
    rows, head = table(FORMS[heading]), f"## {heading}\n\n| field | type | meaning |\n|---|---|---|\n"
    page = PAGE.read_text("utf-8")
    before, after = page.split(head)
    if os.environ.get("KOHORT_GOLDEN") == "write":
        rest = re.sub(r"\A(?:\|.*\n)*", "", after)
        PAGE.write_text(f"{before}{head}{rows}{rest}", encoding="utf-8")
        after = rows + rest
    assert re.match(r"(?:\|.*\n)*", after)[0] == rows  # type: ignore[index]  # pyright: ignore[reportOptionalSubscript]
