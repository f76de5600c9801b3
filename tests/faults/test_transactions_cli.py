"""Bad transactions, items and parameters (bad-inputs 95 and all like it): each ends as it must and leaves no trace."""

from __future__ import annotations

import gzip
import sys
from typing import TYPE_CHECKING, Final

import pytest

from tests.faults.test_cli_faults import Scene

if TYPE_CHECKING:
    from pathlib import Path

    from tests.command import Ran

#: Names of items that no message may repeat, unless the user typed them or asks for them.
CANARIES: Final = ("Zwiebelkuchen", "Quetiapina", "718281")

BASKETS: Final = "\n".join(
    [*["bread Zwiebelkuchen 718281"] * 4, *["bread Zwiebelkuchen"] * 4, *["milk Quetiapina"] * 3, "", "milk bread"]
)
JOB: Final = """\
[transactions]
format = "basket"
[input]
path = "baskets.dat"
[output]
path = "release.dat"
[privacy]
h = 0.8
k = 2
p = 2
[items]
private-file = "private.txt"
"""

#: What every command needs, and what a release creates.
ROLES: Final = "--private-file private.txt --h 0.8 --k 2 --p 2"
MADE: Final = ("r.dat", "r.dat.kohort.json")


class Baskets(Scene):
    """A folder with transactions, in which commands run."""

    def fails(self, command: str, status: int, *parts: str) -> Ran:
        """A command that must fail as tables' must; and no item is named."""
        ran = super().fails(command, status, *parts)
        assert not [canary for canary in CANARIES if canary in ran.err]
        return ran

    def makes(self, text: str, flags: str) -> None:
        """These transactions give a release with these flags."""
        self.write("made.dat", text)
        self.succeeds(f"transactions made.dat --out r.dat {flags} --quiet", *MADE)


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Baskets:
    """A folder with baskets.dat, private.txt and job.toml, which is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    made = Baskets(tmp_path)
    made.write("baskets.dat", BASKETS)
    made.write("private.txt", "Quetiapina\n718281\n")
    made.write("job.toml", JOB)
    return made


# --- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["transactions baskets.dat --out r.dat", "check baskets.dat --transactions"])
@pytest.mark.parametrize(
    "flags",
    [
        *("--h -0.1", "--h 1.1", "--h nan", "--h five", "--h 0,4", "--h 1e999999999", "--h 2/0", "--h 0.1234567891"),
        *("--k 0", "--k -3", "--k 1.5", "--k five", "--k 1e99", "--p 0", "--p -1", "--p 2.5"),
    ],
)
def test_95_what_is_no_h_k_or_p_is_refused(scene: Baskets, command: str, flags: str) -> None:
    """No transaction is read for them, and the message names the flag."""
    flag = flags.split(maxsplit=1)[0]
    scene.fails(f"{command} --private-file private.txt {flags}", 2, flag)


def test_95_a_promise_of_nothing_is_refused(scene: Baskets) -> None:
    """Each number may be asked for alone, but not both."""
    scene.fails("transactions baskets.dat --out r.dat --private-file private.txt --h 1 --k 1", 2, "--k", "nothing")


@pytest.mark.parametrize("p", ["3", "50", "1000000000000"])
def test_95_p_may_be_greater_than_any_transaction(scene: Baskets, p: str) -> None:
    """Whoever knows more items than there are knows all of them."""
    scene.succeeds(f"transactions baskets.dat --out r.dat {ROLES} --quiet".replace("--p 2", f"--p {p}"), *MADE)


@pytest.mark.parametrize("k", ["14", "1000000000000000000000000"])
def test_95_k_greater_than_all_transactions_has_no_release(scene: Baskets, k: str) -> None:
    """The empty set is a mole then."""
    flags = ROLES.replace("--k 2", f"--k {k}")
    scene.fails(f"transactions baskets.dat --out r.dat {flags}", 4, "13 transactions", "--k", "hint: ")
    ran = scene.run(f"check baskets.dat --transactions {flags}")
    assert (ran.status, ran.err) == (1, "")


def test_95_private_items_in_too_many_transactions_have_no_release(scene: Baskets) -> None:
    """How many there are, and what would help; names only for those who ask."""
    flags = ROLES.replace("0.8", "0.25")
    ran = scene.fails(f"transactions baskets.dat --out r.dat {flags}", 4, "1 private item", "where: --h", "at least")
    assert "Quetiapina" not in ran.err
    ran = scene.run(f"transactions baskets.dat --out r.dat {flags} --show-values")
    assert (ran.status, "718281" in ran.err, "Quetiapina" in ran.err) == (4, True, False)
    scene.write("job.toml", JOB.replace("0.8", "0.25"))
    scene.fails("run job.toml", 4, "where: job.toml, line 8 (privacy.h)")


@pytest.mark.parametrize(
    ("flags", "part"),
    [
        ("", "no private item is named"),
        ("--private ,", "no private item is named"),
        ("--public bread", "public items alone protect nothing"),
        ("--private bread --private-file private.txt", "where: --private-file"),
        ("--private milk --public milk", "items that are both public and private: 1"),
        ("--private bread --delta 0.4", "where: --private"),
        ("--private bread --seed 7", "where: --seed"),
        ("--private bread --draw paper", "where: --draw"),
        ("--delta 0", "where: --delta"),
        ("--delta 40%", "where: --delta"),
        ("--delta 0.4 --seed -1", "where: --seed"),
        ("--delta 0.4 --draw papr", "did you mean paper?"),
        ("--delta 0.4 --allow-absent", "where: --allow-absent"),
        ("--private bread --min-support 1", "where: --min-support"),
        ("--private bread --weight milk", "where: --weight"),
        ("--private bread --weight milk=0", "where: --weight milk=…"),
        ("--private bread --weight milk=2 --weight milk=3", "item milk is given twice"),
        ("--private bread --weight milk=2 --weight-file w.txt", "where: --weight-file"),
        ("--private bread --format baskt", "did you mean basket?"),
        ("--private bread --format long --key a --person b", "where: --person"),
        ("--private bread --format matrix --item b", "where: --item"),
        ("--private bread --score mmill", "did you mean mmil?"),
        ("--private bread --optimal --score mm", "where: --score"),
        ("--private bread --optimal --give-back", "where: --give-back"),
        ("--private bread --optimal --suppress cells", "where: --suppress"),
        ("--private bread --suppress cell", "did you mean cells?"),
        ("--private bread --suppress cells --score mm", "where: --score"),
        ("--private bread --time-limit 5", "where: --time-limit"),
        ("--private bread --optimal --time-limit 0", "where: --time-limit"),
        ("--private bread --max-sets 0", "where: --max-sets"),
        ("--private bread --separator ::", "where: --separator"),
        ("--private bread --encoding utf-7x", "where: --encoding"),
        ("--private bread --out-format lists", "where: --out"),
        ("--private bread --out-format list", "did you mean lists?"),
        ("--private bread --trace --json", "where: --trace"),
        ("--private bread --report r.pdf", "where: --report"),
        ("--private bread --report r.json --dry-run", "a dry run writes nothing"),
        ("--private bread --mapping m.csv", "unknown flag"),
    ],
)
def test_95_what_has_no_effect_or_no_meaning_is_refused_before_any_work(scene: Baskets, flags: str, part: str) -> None:
    """Each flag that is misspelt or does not go with the others is told with its place; nothing is read."""
    scene.fails(f"transactions nothing.dat --out r.dat {flags}", 2, part)


def test_95_all_faults_of_the_flags_come_at_once(scene: Baskets) -> None:
    """Faults of form, of meaning and of a repeated flag."""
    ran = scene.fails(
        "transactions nothing.dat --out r.dat --h 2 --k 0 --public a --score x --weight a --time-limit 3", 2, "6 faults"
    )
    for flag in ("--h", "--k", "--private", "--score", "--weight", "--time-limit"):
        assert f"where: {flag}" in ran.err


@pytest.mark.parametrize(
    "flags",
    [
        *("--transactions --private a --quasi b", "--transactions --private a --no-header", "--quasi a --private b"),
        *("--quasi a --h 0.4", "--quasi a --p 2", "--quasi a --format long", "--quasi a --max-sets 9"),
    ],
)
def test_95_flags_of_the_other_kind_of_check_are_refused(scene: Baskets, flags: str) -> None:
    """A flag of tables means nothing for transactions, nor the other way round."""
    scene.fails(f"check nothing.dat {flags}", 2, "where: --", "hint: leave it out")


# --- items ------------------------------------------------------------------------------------------------------------


def test_80_items_in_no_transaction_are_refused_by_their_number(scene: Baskets) -> None:
    """A misspelt private item would not be protected; whoever means it allows it."""
    scene.write("private.txt", "Quetiapina\nquetiapina\nZwiebel\n")
    said = ("2 of the 3 private items are in no transaction", "where: --private-file", "--allow-absent")
    scene.fails(f"transactions baskets.dat --out r.dat {ROLES}", 2, *said)
    scene.fails(f"check baskets.dat --transactions {ROLES}", 2, *said)
    scene.fails("run job.toml", 2, "job.toml, line 12 (items.private-file)")
    scene.succeeds(f"transactions baskets.dat --out r.dat {ROLES} --allow-absent --quiet", *MADE)


def test_80_weights_of_no_item_are_refused(scene: Baskets) -> None:
    """They would count for nothing."""
    scene.write("w.txt", "bread=2\nbrot=3\n")
    scene.fails(f"transactions baskets.dat --out r.dat {ROLES} --weight-file w.txt", 2, "where: --weight-file")
    scene.fails(f"transactions baskets.dat --out r.dat {ROLES} --weight brot=3", 2, "where: --weight")


@pytest.mark.parametrize(
    ("content", "part"),
    [(b"\n", "the list of items is empty"), (b"caf\xe9", "UTF-8"), (None, "there is no such list")],
)
def test_95_a_list_of_items_that_is_none_is_an_error_of_the_input(
    scene: Baskets, content: bytes | None, part: str
) -> None:
    """The file is named, and what is wrong with it."""
    (scene.folder / "private.txt").unlink()
    if content is not None:
        (scene.folder / "private.txt").write_bytes(content)
    scene.fails(f"transactions baskets.dat --out r.dat {ROLES}", 3, part, "private.txt")


def test_95_too_few_items_to_draw_from_have_no_release(scene: Baskets) -> None:
    """With a small h no more can be private than are rare enough."""
    scene.fails("transactions baskets.dat --out r.dat --delta 0.2 --h 0.1 --k 2", 4, "where: --delta", "hint: ")


# --- transactions -----------------------------------------------------------------------------------------------------


def test_95_empty_baskets_and_repeated_items_are_kept_and_told(scene: Baskets) -> None:
    """An empty line is a transaction of no items; an item counts once, however often it is named."""
    scene.write("made.dat", "a b a\n\na b\n\n")
    figures = scene.succeeds("transactions made.dat --out r.dat --private b --h 0.9 --k 2 --json", *MADE).figures
    assert (figures["transactions"], figures["repeated"], figures["coherent"]) == (4, 1, True)
    assert (scene.folder / "r.dat").read_text("utf-8").count("\n") == 4


def test_95_item_numbers_may_be_large(scene: Baskets) -> None:
    """A name is a name: a million is one item."""
    scene.makes("1000000 1\n1000000 1\n" * 3, "--private 1 --h 1 --k 2")
    assert "1000000" in (scene.folder / "r.dat").read_text("utf-8")


@pytest.mark.parametrize(
    ("content", "flags", "status"),
    [
        (b"", "", 3),
        (b"caf\xe9 a\n", "", 3),
        (b"a\0b\n", "", 3),
        (b"1,0\n1,2\n", "--format matrix", 3),
        (b"1,0\n1\n", "--format matrix", 3),
        (b"a,a\n1,0\n", "--format matrix-header", 3),
        (b'id,item\n1,"a\n', "--format long", 3),
        (b"id,item\n1\n", "--format long", 3),
        (b"id,item\n", "--format long", 4),
        (b"id,item\n1,a\n", "--format long --key idd", 2),
        (b"id,item\n1,a\n", "--format long --person id --item itm", 2),
        (gzip.compress(b"a b\n" * 50, mtime=0)[:-9], "", 3),
    ],
)
@pytest.mark.parametrize("command", ["transactions bad --out r.dat", "check bad --transactions"])
def test_95_transactions_that_are_none_are_refused(
    scene: Baskets, command: str, content: bytes, flags: str, status: int
) -> None:
    """What is not of the form that was declared is never guessed at."""
    (scene.folder / "bad").write_bytes(content)
    scene.fails(f"{command} --private Quetiapina --allow-absent {flags}", status)


def test_22_lists_are_in_parquet_and_nothing_else(scene: Baskets) -> None:
    """A file that only begins as Parquet, or is none, is refused; text is no list."""
    (scene.folder / "bad.parquet").write_bytes(b"PAR1")
    scene.fails("transactions bad.parquet --out r.parquet --private milk", 3, "bad.parquet")
    scene.fails("check baskets.dat --transactions --private milk --format lists", 2, "text holds no lists")
    scene.fails("transactions baskets.dat --out r.dat.gz --private milk", 2, "where: --out")


@pytest.mark.parametrize("source", ["nothing.dat", ".", "/dev/zero"])
def test_2_what_is_no_file_is_refused(scene: Baskets, source: str) -> None:
    """The path is named."""
    scene.fails(f"transactions {source} --out r.dat {ROLES}", 3, source)


# --- outputs ----------------------------------------------------------------------------------------------------------


def test_97_nothing_is_replaced_unasked(scene: Baskets) -> None:
    """An existing release, certificate or report stays unless --overwrite is given."""
    for command, name in (
        (f"transactions baskets.dat --out x.dat {ROLES}", "x.dat"),
        (f"transactions baskets.dat --out x.dat {ROLES}", "x.dat.kohort.json"),
        (f"transactions baskets.dat --out x.dat {ROLES} --report x.json", "x.json"),
        ("run job.toml", "release.dat"),
    ):
        path = scene.write(name, "{}")
        scene.fails(command, 7, name, "--overwrite")
        path.unlink()
    scene.write("r.dat", "old")
    scene.succeeds(f"transactions baskets.dat --out r.dat {ROLES} --overwrite --quiet", *MADE)


@pytest.mark.parametrize(
    "command",
    [
        "transactions baskets.dat --out baskets.dat --private-file private.txt --overwrite",
        "transactions baskets.dat --out private.txt --private-file private.txt --overwrite",
        "transactions baskets.dat --out r.txt --private-file private.txt --report r.txt --overwrite",
        "transactions baskets.dat --out r.dat --private-file private.txt --report private.txt --overwrite",
    ],
)
def test_100_no_output_is_an_input_or_another_output(scene: Baskets, command: str) -> None:
    """Neither the transactions nor a list of items is ever replaced."""
    scene.fails(f"{command} --h 0.8 --k 2", 7)


def test_100_a_job_is_not_replaced_by_its_release(scene: Baskets) -> None:
    """The job file is an input."""
    scene.write("job.toml", JOB.replace('"release.dat"', '"job.toml"'))
    scene.fails("run job.toml --overwrite", 7, "job.toml")


def test_98_no_folder_no_release(scene: Baskets) -> None:
    """It is told before any work."""
    scene.fails(f"transactions baskets.dat --out none/r.dat {ROLES}", 6, "none")


@pytest.mark.parametrize("folder", [".", "..", "/", "./"])
def test_98_a_folder_is_no_release(scene: Baskets, folder: str) -> None:
    """A path without a name of its own is a folder, and is told as one."""
    scene.fails(f"transactions baskets.dat --out {folder} {ROLES}", 6, "the output is a folder")
    scene.write("people.csv", "age\n30\n30\n")
    scene.fails(f"anonymize people.csv --out {folder} --format csv --quasi age --k 2", 6, "the output is a folder")


# --- limits, extras, jobs ---------------------------------------------------------------------------------------------


def test_95_a_limit_of_sets_ends_the_work(scene: Baskets) -> None:
    """The status is that of resources, and the hint says what to change."""
    scene.write("many.dat", "a b c d e f g s\n" * 9 + "a b c\nd e f\ns\n")
    flags = "--private s --h 1 --k 9 --max-sets 1"
    scene.fails(f"transactions many.dat --out r.dat {flags}", 8, "more than 1 item sets", "allow more (--max-sets)")
    scene.fails(f"check many.dat --transactions {flags}", 8, "more than 1 item sets")


def test_95_an_optimum_needs_its_extra(scene: Baskets, monkeypatch: pytest.MonkeyPatch) -> None:
    """What to install is told."""
    monkeypatch.setitem(sys.modules, "highspy", None)
    scene.fails(f"transactions baskets.dat --out r.dat {ROLES} --optimal", 10, "kohort[optimal]")


@pytest.mark.parametrize(
    ("flag", "job"), [("--mapping m.csv", JOB), ("--picture p.svg", JOB), ("--trace", ""), ("--show-values", "")]
)
def test_91_a_flag_of_the_other_kind_of_job_is_refused(scene: Baskets, flag: str, job: str) -> None:
    """Nothing that was asked for is passed over."""
    scene.write("job.toml", job)
    scene.fails(f"run job.toml {flag}", 2, f"where: {flag.split(maxsplit=1)[0]}")


def test_86_a_misspelt_key_of_a_job_is_told_with_the_nearest(scene: Baskets) -> None:
    """An unknown key is never passed over: it may be the one that protects."""
    scene.write("job.toml", JOB.replace("private-file", "privat-file") + "[metod]\nscor = 'mm'\n")
    scene.fails(
        "run job.toml", 2, "2 faults", "line 12", "did you mean private-file", "line 13", "did you mean method?"
    )
