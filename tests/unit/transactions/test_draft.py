"""A draft of a job on transactions lacks the private items, and nothing else."""

from __future__ import annotations

import pytest

from kohort.errors import JobError
from kohort.transactions.draft import released, transactions_text
from kohort.transactions.io.options import Form
from kohort.transactions.io.seen import DetectedForm
from kohort.transactions.request import refuse_target
from tests.job_sides import transaction_request as parse


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("shop.dat", DetectedForm(Form.BASKET)),
        ("a b/shop.csv", DetectedForm(Form.BASKET, ";")),
        ("shop.parquet", DetectedForm(Form.LISTS)),
        ("shop.parquet", DetectedForm(Form.LONG)),
        ("shop.txt.gz", DetectedForm(Form.MATRIX_HEADER)),
    ],
)
def test_a_draft_is_a_job_once_items_are_named(source: str, seen: DetectedForm) -> None:
    """Read as it was seen, and released under a name that the form can have."""
    text = transactions_text(source, seen)
    with pytest.raises(JobError) as found:
        parse(text)
    assert [one.what for one in found.value.faults] == ["no private item is named"]
    made = parse(text + 'private = ["pill"]\n')
    refuse_target(made)
    assert (made.job.reading.form, made.job.reading.separator) == (seen.form, seen.separator)
    assert made.job.coherence.name == "(0.4, 10, 4)-coherence"


def test_a_release_has_the_ending_of_its_form() -> None:
    """That of the source where it is one of plain text."""
    assert released("shop", Form.BASKET) == "shop.release.dat"
    assert released("shop.arrow", Form.MATRIX) == "shop.release.csv"
    assert released(".hidden", Form.BASKET) == "transactions.release.dat"
