"""A certificate of transactions, checked again, with and without the items that it does not name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kohort.certificate.again import Again, read_certificate
from kohort.certificate.form import disks_of
from kohort.errors import InputError
from kohort.transactions.certificate import CoherenceCertificate
from kohort.transactions.coherence import Coherence
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.pipeline import anonymize_transactions
from kohort.transactions.recheck import check_transactions_again, written_as
from kohort.transactions.release import TransactionJob
from kohort.transactions.roles import Listed
from kohort.verify.verdict import UNENCRYPTED
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

#: Example 1: seven items, of which 3 and 4 are private.
ROWS = ("0 2 6", "0 2 5", "1 2", "0 1 5", "0 1 2", "0 1 2 3 4 5")
ROLES = Listed(private=("3", "4"), absent=True)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A coherent release of the example."""
    source = tmp_path / "baskets.dat"
    source.write_text("".join(f"{row}\n" for row in ROWS))
    job = TransactionJob(coherence=Coherence.of(h="0.5", k=3, p=3), roles=ROLES)
    anonymize_transactions(source, job, target=tmp_path / "r.dat")
    return tmp_path / "r.dat"


def known_of(release: Path) -> CoherenceCertificate:
    """Its certificate."""
    known = read_certificate(f"{release}.kohort.json")
    assert isinstance(known, CoherenceCertificate)
    return known


def again(release: Path, roles: Listed | None = None, options: BasketOptions | None = None) -> dict[str, str]:
    """What became of each part."""
    made: Again = check_transactions_again(release, known_of(release), options or BasketOptions(), roles)
    assert made.met == all(part.outcome != "different" for part in made.parts)
    return {part.name: part.outcome.value for part in made.parts}


def test_counts_are_found_again(release: Path) -> None:
    """Bytes and counts are the same; coherence is not judged by whoever has no list of private items."""
    found = again(release)
    assert {found[name] for name in ("size", "sha256", "transactions", "items", "cells")} == {"same"}
    assert found[known_of(release).model] == "not checked"


def test_coherence_is_judged_where_the_items_are_brought(release: Path) -> None:
    """With the private items every set is counted again."""
    model = known_of(release).model
    assert again(release, ROLES)[model] == "same"
    release.write_text(release.read_text() + "0 9 3\n")
    found = again(release, ROLES)
    assert {found[name] for name in (model, "sha256", "size", "transactions", "items", "cells")} == {"different"}


def test_a_file_that_cannot_be_read(release: Path) -> None:
    """A file that is no longer of transactions differs, and so does one that has none any more: no release has."""
    for content in b"\xff\n", b"":
        release.write_bytes(content)
        assert again(release)["transactions"] == "different"


def forged(release: Path, old: str, new: str) -> None:
    """Say something else in the certificate."""
    path = release.with_name(f"{release.name}.kohort.json")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_model_that_is_another(release: Path) -> None:
    """A certificate whose numbers are not those of the model that it names is found out, and numbers of none."""
    forged(release, '"k": 3,\n  "kind"', '"k": 4,\n  "kind"')
    assert again(release, ROLES)["model"] == "different"
    forged(release, '"k": 4,\n  "kind"', '"k": 0,\n  "kind"')
    with pytest.raises(InputError, match="model is not valid"):
        again(release, ROLES)


def test_an_engine_says_what_is_not_promised_of_its_disks(release: Path) -> None:
    """A certificate of an engine whose disks were not encrypted says so, or is found out."""
    forged(release, '"engine": "local"', f'"engine": "Spark 4{UNENCRYPTED}"')
    assert again(release)["not promised"] == "different"
    known = known_of(release)
    known = replace(known, not_promised=(*known.not_promised, *disks_of(known.engine)))
    found = check_transactions_again(release, known, BasketOptions())
    assert [part.outcome.value for part in found.parts if part.name == "not promised"] == ["same"]


def test_another_form(release: Path) -> None:
    """The form is said, as for every reading of transactions; in another one the counts are others."""
    found = again(release, options=BasketOptions(form=Form.BASKET, separator=","))
    assert (found["sha256"], found["cells"]) == ("same", "different")


@pytest.mark.parametrize(
    ("writing", "read"),
    [
        ({"format": "long", "separator": ";"}, BasketOptions(form=Form.LONG, separator=";")),
        ({"format": "lists"}, BasketOptions(form=Form.LISTS)),
        ({}, BasketOptions()),
        ({"format": "tree", "separator": "::"}, None),
        ({"format": ["long"], "separator": "\u00e9"}, None),
        ("long", None),
    ],
)
def test_the_certificate_says_how_its_release_is_written(
    release: Path, writing: object, read: BasketOptions | None
) -> None:
    """Baskets where it says nothing; what is no form, and no separator, is refused."""
    known = replace(known_of(release), job={**known_of(release).job, "output": writing})
    if read is not None:
        assert written_as(known) == read
        return
    with pytest.raises(InputError, match="would not accept the job"):
        written_as(known)


def test_another_separator_is_known_to_the_certificate(tmp_path: Path) -> None:
    """`kohort check` asks for no flag that the certificate has; one that is given counts."""
    (tmp_path / "baskets.csv").write_text("".join(f"{row.replace(' ', ',')}\n" for row in ROWS))
    model = ("--private", "3,4", "--h", "0.5", "--k", "3", "--p", "3")
    target = tmp_path / "r.csv"
    assert kohort("transactions", tmp_path / "baskets.csv", "--separator", ",", "--out", target, *model).status == 0
    assert kohort("check", target, "--certificate", f"{target}.kohort.json").status == 0
    assert kohort("check", target, "--certificate", f"{target}.kohort.json", "--separator", ";").status == 1


def test_a_table_of_cells_can_say_more_than_its_items(tmp_path: Path) -> None:
    """Of other forms than basket lines nobody can tell that the bytes hold nothing else, and it is not said."""
    cells = [f"{at},{item}" for at, row in enumerate(ROWS) for item in row.split()]
    (tmp_path / "cells.csv").write_text("\n".join(["who,item", *cells, ""]))
    reading = BasketOptions(form=Form.LONG)
    job = TransactionJob(coherence=Coherence.of(h="0.5", k=3, p=3), roles=ROLES, reading=reading)
    anonymize_transactions(tmp_path / "cells.csv", job, target=tmp_path / "r.csv")
    found = again(tmp_path / "r.csv", ROLES, reading)
    assert (found["plain bytes"], found[known_of(tmp_path / "r.csv").model]) == ("not checked", "same")
    assert "different" not in found.values()
