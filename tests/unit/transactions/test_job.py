"""Jobs on transactions: what they mean, and that every fault comes at once, with its line and a suggestion."""

from __future__ import annotations

import json
import os
import re
import tomllib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from textwrap import dedent

import pytest

from kohort.cli.kinds import kind_of
from kohort.errors import InfeasibleError, InputError, JobError, LimitError, UsageError
from kohort.job.document import document, document_at
from kohort.job.parts import json_schema
from kohort.release.job import Purpose
from kohort.transactions.cells import LocalSuppression
from kohort.transactions.coherence import Coherence
from kohort.transactions.form import TRANSACTION_JOB
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.optimum import Optimum
from kohort.transactions.problem import MOST, SuppressionAlgorithm
from kohort.transactions.release import BasketWriting
from kohort.transactions.request import TransactionRequest, of, parts_of, refuse_target, request
from kohort.transactions.roles import Draw, Drawn, Listed
from kohort.transactions.suppression import Greedy, Score
from tests.job_sides import transaction_request as parse
from tests.unit.job.test_altered import SIGNED
from tests.unit.job.test_form import keys, meets

HEAD = """\
transactions.format = "basket"
input.path = "baskets.dat"
output.path = "release.dat"
privacy = { h = 0.8, k = 2, p = 2 }
"""

#: A job that uses every key but those of `DRAWN` and `FILES`.
FULL = """\
[transactions]
format = "long"
key = "ticket"
item = "article"

[input]
path = "sales.csv"
separator = ";"
encoding = "latin-1"

[output]
path = "release.tsv"
format = "long"
separator = "\\t"

[privacy]
h = "2/5"
k = 10
p = 4

[items]
private = ["pill", "wine, red"]
public = ["bread", "milk"]
allow-absent = true
min-support = 0.001
weight = { bread = 2, "milk=" = "0.5" }

[method]
score = "1il"
give-back = true
suppress = "items"
max-sets = 1_000

[run]
engine = "duckdb"
memory-limit = "4GiB"
spill-folder = "spilled"

[purpose]
purpose = "length of stay by age"
recipient = "the regional health office"
legal-basis = "article 89"
requested-by = "the office"
approved-by = "the data protection officer"
"""

DRAWN = """\
transactions = { format = "lists", person = "patient" }
input.path = "visits.parquet"
output.path = "release.parquet"
privacy = { h = "0.4", k = 10, p = 4 }
items = { delta = "0.15", seed = 7, draw = "paper" }
method = { optimal = true, time-limit = 10 }
"""

NO_PRIVATE = HEAD + "items.no-private = true\n"

FILES = (
    HEAD
    + """\
[items]
private-file = "private.txt"
public-file = "public.txt"
weight-file = "weights.txt"
names-file = "names.txt"
"""
)


def faults(text: str, folder: Path = Path()) -> list[UsageError]:
    """The faults of a job, which must be there."""
    with pytest.raises(JobError) as caught:
        parse(text, folder=folder)
    assert caught.value.exit_status == 2
    return caught.value.faults


def job(text: str) -> TransactionRequest:
    """The request of a job with the usual head."""
    return parse(HEAD + dedent(text))


def in_folder(folder: Path, **texts: str) -> Path:
    """A folder with lists of items: of private ones, public ones, weights and names."""
    usual = {"private": "pill\n", "public": "bread\n", "weights": "bread=2\n", "names": "bread,white\n"}
    for name, text in (usual | texts).items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


# --- what a job means -------------------------------------------------------------------------------------------------


def test_every_key_reaches_the_job() -> None:
    """A job that uses every key says with each what the documentation says."""
    made = parse(FULL)
    run = made.run
    assert (run.engine, run.memory_limit, run.spill_folder) == ("duckdb", 4 << 30, "spilled")
    assert (made.source, made.target, made.inputs) == ("sales.csv", "release.tsv", ())
    assert made.job.coherence == Coherence(Fraction(2, 5), 10, 4)
    assert made.job.roles == Listed(private=("pill", "wine, red"), public=("bread", "milk"), absent=True)
    assert made.job.algorithm == Greedy(score=Score.ONE_IL, give_back=True)
    assert made.job.min_support == Fraction(1, 1000)
    assert made.job.weights == (("bread", Fraction(2)), ("milk=", Fraction(1, 2)))
    assert made.job.reading == BasketOptions(
        form=Form.LONG, separator=";", encoding="latin-1", key="ticket", item="article"
    )
    assert made.job.writing == BasketWriting(form=Form.LONG, separator="\t")
    assert made.job.most == 1_000
    assert made.job.purpose == Purpose(
        purpose="length of stay by age",
        recipient="the regional health office",
        legal_basis="article 89",
        requested_by="the office",
        approved_by="the data protection officer",
    )
    assert json.loads(made.job.described())["purpose"]["recipient"] == "the regional health office"


def test_every_key_of_drawn_roles_and_the_optimum_reaches_the_job() -> None:
    """A share is exact, and a person's column is a key."""
    made = parse(DRAWN).job
    assert made.roles == Drawn(delta=Fraction(3, 20), seed=7, draw=Draw.PAPER)
    assert made.algorithm == Optimum(time_limit=10)
    assert made.reading == BasketOptions(form=Form.LISTS, key="patient")
    assert made.writing == BasketWriting()
    assert made.most == MOST


def test_lists_of_items_come_from_files(tmp_path: Path) -> None:
    """One name a line, whatever ends the lines; no output may replace these files or the job."""
    in_folder(tmp_path, private="pill\r\nwine, red\r\n", public="\ufeffbread\n\nmilk 1\n", weights="a=b=0.5\nbread=2")
    path = tmp_path / "job.toml"
    path.write_text(FILES, encoding="utf-8")
    made = of(document_at(path))
    assert made.job.roles == Listed(private=("pill", "wine, red"), public=("bread", "milk 1"))
    assert made.job.weights == (("a=b", Fraction(1, 2)), ("bread", Fraction(2)))
    assert made.job.labels == (("bread", "white"),)
    assert made.source == str(tmp_path / "baskets.dat")
    assert made.inputs == (path, *(tmp_path / f"{name}.txt" for name in ("private", "public", "weights", "names")))


@pytest.mark.parametrize(
    ("path", "form"), [("a.dat", Form.BASKET), ("a.parquet", Form.LISTS), ("a.PQ", Form.LISTS), ("-", Form.BASKET)]
)
def test_where_no_form_is_said_a_parquet_file_has_lists_and_any_other_baskets(path: str, form: Form) -> None:
    """A table of this kind of job may be empty, but not left out."""
    text = HEAD.replace("baskets.dat", path).replace('transactions.format = "basket"', "transactions = {}")
    assert parse(f'{text}\nitems.private = ["pill"]').job.reading.form is form


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("", Greedy()),
        ('score = "all"\ngive-back = true', Greedy(score=Score.ALL, give_back=True)),
        ("optimal = true\ngive-back = false", Optimum()),
        ('suppress = "cells"', LocalSuppression()),
    ],
)
def test_the_algorithm_is_made_as_asked(method: str, expected: SuppressionAlgorithm) -> None:
    """Where nothing is said it is the greedy search by MM/IL."""
    assert job(f'items.private = ["pill"]\n[method]\n{method}').job.algorithm == expected


def test_drawn_roles_have_a_seed_where_none_is_said() -> None:
    """The release can be repeated by whoever has the job."""
    assert job("items.delta = 0.5").job.roles == Drawn(delta=Fraction(1, 2), seed=0, draw=Draw.FEASIBLE)


# --- every fault at once ----------------------------------------------------------------------------------------------

FAULTY = """\
[transactions]
fromat = "long"
person = "patient"
key = "ticket"

[input]
path = 5

[output]
path = "release.dat"
format = "matricx"

[privacy]
h = 1.4
k = 0
p = "4"

[items]
privat = ["pill"]
public = []
delta = 40
seed = -1
min-support = "1/"
weight = { bread = 0, milk = "05" }

[method]
score = "mmill"
give-back = "yes"
optimal = true
suppress = "rows"
time-limit = -3
max-sets = true
"""


def test_all_faults_come_at_once_each_with_its_line_and_suggestion() -> None:
    """Faults of form and of meaning come in one error, in the order of their lines."""
    found = [(one.where.removeprefix("job, "), one.hint) for one in faults(FAULTY)]
    assert found == [
        ("line 2 (transactions.fromat)", "did you mean format?"),
        ("line 3 (transactions.person)", "use person if it identifies a person, otherwise key"),
        ("line 3 (transactions.person)", "leave it out, or set the format"),
        ("line 4 (transactions.key)", "leave it out, or set the format"),
        ("line 7 (input.path)", ""),
        ("line 11 (output.format)", "did you mean matrix or matrix-header?"),
        ("line 14 (privacy.h)", "such as 0.4 for 40 %"),
        ("line 15 (privacy.k)", ""),
        ("line 16 (privacy.p)", ""),
        ("line 19 (items.privat)", "did you mean private or no-private or private-file?"),
        ("line 20 (items.public)", 'such as ["bread"]'),
        ("line 20 (items.public)", "leave one out"),
        ("line 21 (items.delta)", "such as 0.4"),
        ("line 22 (items.seed)", ""),
        ("line 23 (items.min-support)", "such as 0.4 or 2/5"),
        ("line 24 (items.weight.bread)", "items without a weight have 1"),
        ("line 24 (items.weight.milk)", "write digits without a leading zero, such as -12 or 0.5"),
        ("line 27 (method.score)", "did you mean mmil?"),
        ("line 28 (method.give-back)", ""),
        ("line 30 (method.suppress)", ""),
        ("line 31 (method.time-limit)", "such as 30; 604,800 at most"),
        ("line 32 (method.max-sets)", ""),
    ]


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("items = {}", "no private item is named", "line 5 (items)"),
        ('items.public = ["bread"]', "public items alone protect nothing", "line 5 (items)"),
        ('items = { private = ["a"], private-file = "a" }', "private is given, too", "line 5 (items.private-file)"),
        (
            'items = { private = ["a"], public = ["b"], public-file = "b" }',
            "public is given",
            "line 5 (items.public-file)",
        ),
        (
            'items = { private = ["a"], weight = { b = 2 }, weight-file = "b" }',
            "weight is given",
            "line 5 (items.weight-",
        ),
        ('items = { private = ["a"], seed = 1 }', "only to randomly drawn roles", "line 5 (items.seed)"),
        ('items = { private = ["a"], draw = "paper" }', "only to randomly drawn roles", "line 5 (items.draw)"),
        ('items = { private = ["a"], delta = 0.4 }', "delta draws the roles", "line 5 (items.private)"),
        ("items = { allow-absent = true, delta = 0.4 }", "delta draws the roles", "line 5 (items.allow-absent)"),
        (
            'items = { private = ["a"], public = ["a"] }',
            "items that are both public and private: 1",
            "line 5 (items.private)",
        ),
        ("items = { delta = 0 }", "delta is the share", "line 5 (items.delta)"),
        ("items = { delta = 0.4, min-support = 1 }", "a minimum support is a share", "line 5 (items.min-support)"),
        ("items.delta = 0.4\nmethod.time-limit = 5", "only the search for the optimum", "line 6 (method.time-limit)"),
        ('items.delta = 0.4\nmethod = { optimal = true, score = "mm" }', "the optimum", "line 6 (method.score)"),
        (
            "items.delta = 0.4\nmethod = { optimal = true, give-back = true }",
            "the optimum",
            "line 6 (method.give-back)",
        ),
        (
            'items.delta = 0.4\nmethod = { optimal = true, suppress = "cells" }',
            "the optimum",
            "line 6 (method.suppress)",
        ),
        (
            'items.delta = 0.4\nmethod = { suppress = "cells", score = "mm" }',
            "has no effect: suppressing cells",
            "line 6 (method.score)",
        ),
        (
            "items.delta = 0.4\nmethod = { suppress = 'cells', give-back = true }",
            "has no effect: suppressing cells",
            "line 6 (method.give-back)",
        ),
        ('items.delta = 0.4\nrun.memory-limit = "1GB"', "into memory", "line 6 (run.memory-limit)"),
        ('items.delta = 0.4\nrun.spill-folder = "x"', "into memory", "line 6 (run.spill-folder)"),
        ("items.delta = 0.4\ncolumns = {}", "unknown key columns", "line 6 (columns)"),
        ("", "the table [items] is missing", "job"),
    ],
)
def test_what_makes_no_sense_is_one_fault_at_the_key_that_says_it(text: str, what: str, where: str) -> None:
    """Nothing is passed over that would have no effect, and nothing is told twice."""
    [fault] = faults(HEAD + text)
    assert what in fault.what
    assert fault.where.startswith(where if where == "job" else f"job, {where}")
    assert fault.hint


@pytest.mark.parametrize("privacy", ["{ h = 1, k = 1, p = 2 }", '{ h = "3/3", k = 1, p = 2 }'])
def test_a_promise_of_nothing_is_refused(privacy: str) -> None:
    """Each number is right alone."""
    text = HEAD.replace("{ h = 0.8, k = 2, p = 2 }", privacy)
    [fault] = faults(f'{text}items.private = ["pill"]')
    assert (fault.what, fault.where) == ("k = 1 with h = 1 promises nothing", "job, line 4 (privacy.k)")


@pytest.mark.parametrize("h", ["1e-12", "nan", "-0.1", '"1/0"', '"40%"', '"0,4"', '"1e5"', "true", "[0.4]"])
def test_what_is_no_share_is_refused(h: str) -> None:
    """A share is written as a decimal or as a fraction, and held exactly."""
    text = HEAD.replace("h = 0.8", f"h = {h}")
    [fault] = faults(f'{text}items.private = ["pill"]')
    assert fault.where == "job, line 4 (privacy.h)"


@pytest.mark.parametrize(
    ("name", "text", "what", "line"),
    [
        ("private", "\n\n", "the list of items is empty", ""),
        ("weights", "bread=2\nmilk\n", "the weight is not a number", ", line 2"),
        ("weights", "bread=2\n=2\n", "the item before = is missing", ", line 2"),
        ("weights", "bread=0", "a weight must be above 0", ", line 1"),
        ("weights", "bread=1\n\nbread=2\n", "the item has two weights", ", line 3"),
        ("names", "bread,white\nmilk\n", "the line is not an item and its name", ", line 2"),
        ("names", "bread\n", "the line is not an item and its name", ", line 1"),
        ("names", "bread,white,7\n", "the line is not an item and its name", ", line 1"),
        ("names", "bread,white\nmilk,fresh, whole\n", "the line is not an item and its name", ", line 2"),
        ("names", "bread,white\n,whole milk\n", "the line is not an item and its name", ", line 2"),
        ("names", "bread,white\nmilk,a\nbread,rye\n", "the item has two names", ", line 3"),
        ("names", 'bread,"white\n', "not CSV: unexpected end of data", ", line 1"),
        ("names", "bread,a\0b\n", "a NUL character", ", line 1"),
    ],
)
def test_a_list_that_is_none_is_an_error_with_its_line(
    tmp_path: Path, name: str, text: str, what: str, line: str
) -> None:
    """The line is told, never what stands on it."""
    in_folder(tmp_path, **{name: text})
    with pytest.raises(InputError) as caught:
        parse(FILES, folder=tmp_path)
    assert (caught.value.what, caught.value.where) == (what, f"{tmp_path / name}.txt{line}")


def test_a_list_that_cannot_be_read_is_an_error_of_the_input(tmp_path: Path) -> None:
    """Missing, no file at all, or no text."""
    path = in_folder(tmp_path) / "private.txt"
    path.write_bytes(b"caf\xe9\n")
    with pytest.raises(InputError, match="cannot be read"):
        parse(FILES, folder=tmp_path)
    path.unlink()
    with pytest.raises(InputError, match="there is no such list"):
        parse(FILES, folder=tmp_path)
    os.mkfifo(path)
    with pytest.raises(InputError, match="not a regular file"):
        parse(FILES, folder=tmp_path)


def test_names_of_items_beyond_every_list_are_refused_unread(tmp_path: Path) -> None:
    """The message says how large such a file may be; this one takes no room on the disk."""
    path = in_folder(tmp_path) / "names.txt"
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(LimitError, match="names of items are more than 64 MiB") as caught:
        parse(FILES, folder=tmp_path)
    assert caught.value.where == str(path)


def test_an_item_in_two_files_is_a_fault_of_the_job(tmp_path: Path) -> None:
    """It is known once both are read; the place is the key that names the file."""
    [fault] = faults(FILES, in_folder(tmp_path, public="bread\npill\n"))
    assert (fault.what, fault.where) == (
        "items that are both public and private: 1",
        "job, line 6 (items.private-file)",
    )


# --- the JSON Schema --------------------------------------------------------------------------------------------------

SCHEMA = json_schema(TRANSACTION_JOB)


@pytest.mark.parametrize("text", [FULL, DRAWN, FILES, NO_PRIVATE])
def test_a_right_job_meets_the_schema(text: str) -> None:
    """The examples that use every key are valid."""
    assert meets(text, SCHEMA)


def test_the_examples_use_every_key() -> None:
    """Otherwise the tests over them would miss one."""
    said = FULL + DRAWN + FILES + SIGNED + NO_PRIVATE
    assert {key for key in keys(SCHEMA, SCHEMA) if not re.search(rf"(?<![\w-]){key}(?![\w-])", said)} == set()


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("transactions.format = 'lists'", True),
        ("transactions.format = 'list'", False),
        ("privacy.h = '2/5'", True),
        ("privacy.h = '1.0'", True),
        ("privacy.h = 1.2", False),
        ("privacy.h = '40%'", False),
        ("privacy.k = 0", False),
        ("privacy.p = 1", True),
        ("privacy.p = 2.0", False),
        ("items.public = ['milk']", True),
        ("items.public = []", False),
        ("items.min-support = 0.001", True),
        ("items.weight = { bread = '0.5' }", True),
        ("items.weight = { bread = 0 }", False),
        ("items.weight = { bread = '05' }", False),
        ("method.score = 'all'", True),
        ("method.score = 'ALL'", False),
        ("method.suppress = 'cells'", True),
        ("method.suppress = true", False),
        ("method.max-sets = 1", True),
        ("method.max-sets = 0", False),
        ("input.quote = '\"'", False),
        ("output.format = 'matrix'", True),
    ],
)
def test_the_schema_and_the_reader_agree(line: str, *, right: bool) -> None:
    """What the schema allows is read, and what it forbids is refused."""
    key = line.partition(" ")[0]
    lines = ["transactions = {}"] if not key.startswith("transactions") else []
    lines += ["input.path = 'a'", "output.path = 'b'", "items.private = ['pill']"]
    lines += [f"privacy.{name}" for name in ("h = 0.4", "k = 10", "p = 4") if not key.endswith(f".{name[0]}")]
    text = "\n".join([*lines, line])
    assert meets(text, SCHEMA) is right
    if right:
        parse(text)
    else:
        assert faults(text)


def test_the_job_of_the_reference_is_one(tmp_path: Path) -> None:
    """What the page of the command line shows can be pasted."""
    page = Path(__file__).parents[3] / "docs" / "reference" / "cli" / "run.md"
    [text] = re.findall(r"```toml\n(.+?)```", page.read_text("utf-8"), flags=re.DOTALL)
    made = parse(text, folder=in_folder(tmp_path))
    assert (made.job.reading.key, made.job.roles) == ("patient", Listed(private=("HIV", "flu")))


# --- what the transactions show ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("private", "job, line 6 (items.private-file)"),
        ("weight", "job, line 8 (items.weight-file)"),
        ("names", "job, line 9 (items.names-file)"),
        ("delta", "job, line 5 (items.delta)"),
        ("h", "job, line 4 (privacy.h)"),
        ("most", "job (method.max-sets)"),
        ("baskets.dat, line 7", "baskets.dat, line 7"),
    ],
)
def test_a_fault_of_the_transactions_has_the_place_of_its_key(tmp_path: Path, where: str, expected: str) -> None:
    """What is only known once the transactions are read is told with the line of the job; other places stay."""
    made = parse(FILES, folder=in_folder(tmp_path))
    for kind in (UsageError, InfeasibleError):
        placed = made.placed(kind("wrong", where=where, hint="do"))
        assert type(placed) is kind
        assert (placed.what, placed.where, placed.hint) == ("wrong", expected, "do")


def test_a_target_of_another_form_is_refused_before_any_work() -> None:
    """Lists are written to Parquet, and nothing else is."""
    made = job('items.private = ["pill"]\noutput.format = "lists"')
    with pytest.raises(JobError) as caught:
        refuse_target(made)
    [fault] = caught.value.faults
    assert fault.where == "job, line 3 (output.path)"
    refuse_target(job('items.private = ["pill"]'))


def test_standard_output_is_no_target() -> None:
    """What is verified before it is there needs a file; none is made that is called -."""
    made = parse(f'{HEAD}items.private = ["pill"]'.replace('"release.dat"', '"-"'))
    with pytest.raises(JobError) as caught:
        refuse_target(made)
    [fault] = caught.value.faults
    assert (fault.what, fault.where) == ("a release is not written to standard output", "job, line 3 (output.path)")


def test_of_a_form_that_is_none_no_column_is_missed() -> None:
    """Whether a form has columns is only known of one that there is: a misspelt one is one fault, not three."""
    text = """
        transactions = { format = "lng", key = "visit", item = "code" }
        input.path = "v.csv"
        output.path = "release.csv"
        privacy = { h = 0.8, k = 2, p = 2 }
        items.private = ["pill"]
    """
    assert [one.hint for one in faults(text)] == ["did you mean long?"]


def test_flags_make_the_same_request() -> None:
    """The command line says `None` for what is not given; a text is as good as a number."""
    raw = {
        "transactions": {"format": None, "key": None, "person": None, "item": None},
        "input": {"path": "baskets.dat", "separator": None, "encoding": "utf-8"},
        "output": {"path": "release.dat", "format": None, "separator": None},
        "privacy": {"h": "0.8", "k": 2, "p": 2},
        "items": {"private": ["pill"], "private-file": None, "delta": None, "allow-absent": False, "weight": None},
        "method": {"score": None, "give-back": False, "time-limit": None, "suppress": "items", "max-sets": None},
    }
    made = request(raw, where=lambda place: f"--{place[-1]}")
    assert made.job == job('items.private = ["pill"]').job


def test_a_job_file_tells_its_kind() -> None:
    """The table makes it, even where it is empty."""
    assert kind_of(document("transactions = {}")) == "transactions"
    assert kind_of(document("columns = {}")) == "table"


# --- no private item --------------------------------------------------------------------------------------------------


def test_no_item_need_be_private() -> None:
    """k^m-anonymity is a flag of its own, with public items listed or not; the job is that of an empty list."""
    assert job("items.no-private = true").job.roles == Listed()
    assert job('items = { no-private = true, public = ["bread"] }').job.roles == Listed(public=("bread",))


@pytest.mark.parametrize("other", ['private = ["pill"]', "private-file = 'p.txt'", "delta = 0.4"])
def test_no_private_item_goes_with_no_list_of_them(other: str, tmp_path: Path) -> None:
    """Neither a list, nor a file, nor a draw of private items stands beside it."""
    (tmp_path / "p.txt").write_text("pill\n", encoding="utf-8")
    with pytest.raises(JobError) as caught:
        job(f"items = {{ no-private = true, {other} }}")
    assert [one.where.rpartition(" ")[2] for one in caught.value.faults] == ["(items.no-private)"]


# --- what needs less than a job ---------------------------------------------------------------------------------------


def test_what_releases_nothing_names_no_output() -> None:
    """Its request is that of the job, without a target."""
    raw = tomllib.loads(DRAWN)
    made = request(raw, where=".".join)
    del raw["output"]
    kept = request(raw, where=".".join, releasing=False)
    assert (kept.target, kept.source) == ("", made.source)
    assert kept.job == replace(made.job, writing=BasketWriting())


def test_parts_of_a_job_lack_what_nobody_asks_for() -> None:
    """A table that is lacking is passed over, and a key that is lacking is unknown; other faults are told."""
    raw: dict[str, object] = {"transactions": {"key": "a"}, "input": {"path": "in.dat"}, "privacy": {"h": "0.5"}}
    lacking: list[tuple[str, ...]] = [("output",), ("items",), ("privacy", "k"), ("privacy", "p")]
    with pytest.raises(JobError) as caught:
        parts_of(raw, where=".".join, lacking=lacking)
    assert [one.where for one in caught.value.faults] == ["transactions.key"]
    raw |= {"transactions": {}, "items": {"privat": 1}}
    assert parts_of(raw, where=".".join, lacking=lacking).privacy.h == Fraction(1, 2)
    raw["privacy"] = {"h": "0.5", "k": 2}
    with pytest.raises(JobError) as caught:
        parts_of(raw, where=".".join, lacking=lacking)
    assert [one.what for one in caught.value.faults] == ["unknown key k"]
