"""Job files: what they mean, and that every fault comes at once, with its line and a suggestion."""

from __future__ import annotations

import json
import os
import re
from fractions import Fraction
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from kohort.algorithms.lattice.best_effort import BestEffort
from kohort.algorithms.lattice.datafly import Datafly
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.local import LocalRecoding
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.samarati import Samarati
from kohort.algorithms.mondrian.dimension import AtRandom
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.core.suppression import SuppressionLimit
from kohort.errors import HierarchyError, InputError, JobError, SchemaError, UsageError
from kohort.io import ReadOptions
from kohort.io.forms import Format
from kohort.job.columns import TIME_LIMIT
from kohort.job.document import document_at
from kohort.job.faults import job_error
from kohort.job.request import TableRequest, of, request
from kohort.release import Writing
from kohort.release.job import Purpose
from kohort.schema import Attribute, Label, Missing, Order, Role, Scale
from kohort.schema.dates import DateFormat, Period
from kohort.schema.hierarchy import Hierarchy
from tests.job_sides import table_request as parse

if TYPE_CHECKING:
    from kohort.algorithms.problem import Algorithm

#: A share of the records.
LIMIT = SuppressionLimit.of("5%")

HEAD = """\
input.path = "people.csv"
output.path = "release.csv"
privacy.k = 5
"""

FULL = """\
rest = "drop"
answers = ["mood"]

[input]
path = "people.txt"
separator = ";"
quote = "'"
encoding = "latin-1"
header = false
names = ["age", "city"]
skip-rows = 2
decimal = ","
trim = true
skip-blank = true
allow-empty = true
missing = ["", "NA"]
complete-records = ["age", "city"]

[output]
path = "release/"
format = "csv"
separator = "|"
excel-safe = true
records-per-part = 1000

[privacy]
k = 7

[method]
name = "mondrian-relaxed"
cut = "median"
dimension = "random:7"
order = "sorted"
labels = "range"

[run]
memory-limit = "1.5GiB"
spill-folder = "spilled"
master = "local[2]"

[run.spark-conf]
"spark.executor.memory" = "1g"

[purpose]
purpose = "length of stay by age"
recipient = "the regional health office"
legal-basis = "article 89"
requested-by = "the office"
approved-by = "the data protection officer"

[columns]
age = { role = "quasi", scale = "numeric", weight = 0.1, bounds = [0, 120.5], label = "mean", missing = "suppress" }
height = { role = "quasi", grid = [100, "150.5", 220] }
weight = { role = "quasi", grid = 5, weight = "2" }
floor = { role = "quasi", hierarchy = "intervals:1,2", grid = "hierarchy" }
zip = { role = "quasi", hierarchy = "mask:right", order = "hierarchy", label = "ancestor" }
city = { role = "quasi", scale = "categorical" }
admitted = { role = "quasi", date-format = "dd.mm.yyyy", grid = "month" }
born = { role = "quasi", date-format = "dd/mm/yy", pivot = 1930 }
name.role = "identifying"
illness = { role = "sensitive", no-model = true }
shoe = { role = "insensitive", allow-singling = true }
"""

ON_LEVELS = """\
input.path = "people.csv"
output.path = "release.csv"
privacy = { k = 5, max-suppression = "5%" }

[method]
name = "best-effort"
objective = "arx-loss"
node = { age = 2, sex = 0 }
local = true
time-limit = 10

[columns]
sex = { role = "quasi", hierarchy = "suppress" }
age = { role = "quasi", hierarchy = "intervals:5,10,20", max-level = 3, weight = 2 }
"""


def faults(text: str, folder: Path = Path()) -> list[UsageError]:
    """The faults of a job, which must be there."""
    with pytest.raises(JobError) as caught:
        parse(text, folder=folder)
    assert caught.value.exit_status == 2
    return caught.value.faults


def only(text: str) -> UsageError:
    """The one fault of a job."""
    [fault] = faults(text)
    return fault


def job(text: str) -> TableRequest:
    """The request of a job with the usual head."""
    return parse(HEAD + dedent(text))


def attribute(text: str) -> Attribute:
    """The attribute that a quasi-identifying column's keys make."""
    return job(f'columns.age = {{ role = "quasi", {text} }}').job.schema.attributes[0]


# --- what a job means -------------------------------------------------------------------------------------------------


def test_every_key_reaches_the_job() -> None:
    """A job that uses every key says with each what the documentation says."""
    made = parse(FULL)
    assert (made.source, made.target) == ("people.txt", "release/")
    assert (made.run.memory_limit, made.run.spill_folder) == (3 << 29, "spilled")
    schema = made.job.schema
    assert schema.rest is Role.DROP
    assert schema.missing == {"", "NA"}
    assert made.job.reading == ReadOptions(
        separator=";",
        quote="'",
        encoding="latin-1",
        header=False,
        names=("age", "city"),
        skip_rows=2,
        decimal=",",
        trim=True,
        skip_blank=True,
        allow_empty=True,
    )
    assert made.job.writing == Writing(Format.CSV, "|", excel_safe=True, records_per_part=1000)
    assert made.job.k == 7
    assert made.job.allow_singling == ("shoe",)
    assert made.job.no_model == ("illness",)
    assert made.job.answers == ("mood",)
    assert made.job.purpose == Purpose(
        purpose="length of stay by age",
        recipient="the regional health office",
        legal_basis="article 89",
        requested_by="the office",
        approved_by="the data protection officer",
    )
    assert made.job.complete == ("age", "city")
    assert made.job.algorithm == Mondrian(cut="median", relaxed=True, dimension=AtRandom(7))
    age, height, weight, floor, zip_, city, admitted, born, *others = schema.attributes
    assert age == Attribute(
        "age",
        Role.QUASI,
        Scale.NUMERIC,
        None,
        Fraction(1, 10),
        (Fraction(0), Fraction(241, 2)),
        None,
        Order.SORTED,
        Label.MEAN,
        Missing.SUPPRESS,
    )
    assert height.grid == (Fraction(100), Fraction(301, 2), Fraction(220))
    assert (weight.grid, weight.weight) == (Fraction(5), Fraction(2))
    assert (admitted.grid, admitted.date_format) == (Period.MONTH, DateFormat.POINTS)
    assert (born.date_format, born.pivot) == (DateFormat.SHORT_DAY_FIRST, 1930)
    assert (floor.grid, floor.hierarchy) == ("hierarchy", "intervals:1,2")
    assert (zip_.order, zip_.label) == (Order.HIERARCHY, Label.ANCESTOR)
    assert (city.order, city.label, city.scale) == (Order.SORTED, Label.RANGE, Scale.CATEGORICAL)
    assert [one.role for one in others] == [Role.IDENTIFYING, Role.SENSITIVE, Role.INSENSITIVE, Role.INSENSITIVE]


@pytest.mark.parametrize(
    ("keys", "labels", "expected"),
    [
        ("", "range", Label.RANGE),
        ("grid = 5", "grid", Label.GRID),
        ("", "grid", None),
        ("grid = 5", "range", None),
        ("", "ancestor", None),
        ('hierarchy = "mask:right"', "ancestor", Label.ANCESTOR),
        ('scale = "categorical"', "mean", None),
        ("", "mean", Label.MEAN),
        ('label = "set"', "range", Label.SET),
        ("", "set", None),
        ('hierarchy = "mask:right"', "set", Label.NAMES),
        ('hierarchy = "intervals:5", scale = "numeric"', "set", None),
    ],
)
def test_the_methods_labels_hold_where_a_column_can_bear_them(keys: str, labels: str, expected: Label | None) -> None:
    """A label for all columns passes over those that cannot bear it, and yields to what a column says itself."""
    made = job(f'method.labels = "{labels}"\ncolumns.age = {{ role = "quasi"{keys and ", "}{keys} }}')
    assert made.job.schema.attributes[0].label is expected


def test_sets_for_all_columns_leave_numbers_their_grid() -> None:
    """Sets are for names; numbers keep the public cut points that they have without a word, or ranges."""
    made = job('method.labels = "set"\ncolumns.age = { role = "quasi" }')
    assert made.job.schema.attributes[0].grid == "round"
    made = job('method = { labels = "set", grid = "none" }\ncolumns.age = { role = "quasi", label = "set" }')
    assert made.job.schema.attributes[0].label is Label.SET


@pytest.mark.parametrize(
    ("keys", "expected"),
    [("", None), ('hierarchy = "mask:right"', Order.HIERARCHY), ('order = "sorted"', Order.SORTED)],
)
def test_the_methods_order_holds_where_a_column_can_bear_it(keys: str, expected: Order | None) -> None:
    """An order by hierarchy passes over columns without one."""
    made = job(f'method.order = "hierarchy"\ncolumns.age = {{ role = "quasi"{keys and ", "}{keys} }}')
    assert made.job.schema.attributes[0].order is expected


def test_the_methods_words_leave_other_columns_alone() -> None:
    """Only quasi-identifying columns are generalized, so order and labels of the method reach no others."""
    made = job('method = { order = "sorted", labels = "set" }\ncolumns.x.role = "sensitive"')
    assert made.job.schema.attributes[0] == Attribute("x", Role.SENSITIVE)


@pytest.mark.parametrize("number", ["1e-7", "0.0000001", '"0.0000001"', "1.0e-07"])
def test_numbers_are_exact(number: str) -> None:
    """A number is the one that was written, however small and however spelt."""
    assert attribute(f"weight = {number}").weight == Fraction(1, 10**7)


def test_an_empty_quote_means_none() -> None:
    """`quote = ""` is how a job says that cells are never quoted."""
    assert job('input.quote = ""\ncolumns.age.role = "quasi"').job.reading.quote is None


def test_nested_mappings_may_hold_floats() -> None:
    """Plain floats, as Python code would give them, are taken as the decimals they print."""
    raw: dict[str, object] = {
        "input": {"path": "a.csv"},
        "output": {"path": "b.csv"},
        "privacy": {"k": 2, "max-suppression": 5e-2},
        "method": {"name": "optimal"},
        "columns": {"age": {"role": "quasi", "bounds": [0.1, 2e2], "hierarchy": "suppress"}},
    }
    made = request(raw, where=str).job
    assert made.schema.attributes[0].bounds == (Fraction(1, 10), Fraction(200))
    assert made.algorithm == Optimal(LIMIT)


def test_paths_are_relative_to_the_jobs_folder(tmp_path: Path) -> None:
    """Input, output and hierarchies are looked for beside the job file; standard input stays what it is."""
    (tmp_path / "ages.csv").write_text("1;*\n2;*\n", encoding="utf-8")
    path = tmp_path / "job.toml"
    path.write_text(HEAD + 'columns.age = { role = "quasi", hierarchy = "ages.csv" }', encoding="utf-8")
    made = of(document_at(path))
    assert (made.source, made.target) == (str(tmp_path / "people.csv"), str(tmp_path / "release.csv"))
    assert made.inputs == (path, tmp_path / "ages.csv")
    held = made.job.schema.attributes[0].hierarchy
    assert isinstance(held, Hierarchy)
    assert held.leaves == ("1", "2")
    path.write_text(HEAD.replace("people.csv", "-") + 'columns.age.role = "quasi"', encoding="utf-8")
    assert of(document_at(path)).source == "-"


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    """Notepad writes one."""
    path = tmp_path / "job.toml"
    path.write_text(HEAD + 'columns.age.role = "quasi"', encoding="utf-8-sig")
    assert of(document_at(path)).job.k == 5


# --- methods on levels -----------------------------------------------------------------------------------------------


def on_levels(method: str, privacy: str = "") -> TableRequest:
    """The request of a job over sex and age, in this order, each with a hierarchy."""
    quasi = (
        '[columns]\nsex = { role = "quasi", hierarchy = "suppress" }\nage = { role = "quasi", hierarchy = "dates" }\n'
    )
    return parse(f"{HEAD}{privacy}\n[method]\n{method}\n{quasi}")


def test_every_key_on_levels_reaches_the_job() -> None:
    """A job that names its node carries the order of its names, its limit, its greatest levels and its objective."""
    made = parse(ON_LEVELS).job
    node = GivenNode((0, 2), SuppressionLimit.of("5%"), "arx_loss", names=("sex", "age"))
    assert made.algorithm == LocalRecoding(node)
    assert [one.max_level for one in made.schema.quasi] == [None, 3]
    assert made.time_limit is None


@pytest.mark.parametrize(
    ("method", "privacy", "expected"),
    [
        ('name = "samarati"', "", Samarati()),
        (
            'name = "samarati"\nobjective = "first"',
            "privacy.max-suppression = 20",
            Samarati(SuppressionLimit(20), None),
        ),
        ('name = "optimal"\nobjective = "c-dm"', "privacy.max-suppression = 0.05", Optimal(LIMIT, "c_dm")),
        ('name = "datafly"', "privacy.max-suppression = '5%'", Datafly(LIMIT)),
        ('name = "best-effort"\nobjective = "ncp"', "privacy.max-suppression = '0.05'", BestEffort(LIMIT, "ncp")),
        ('name = "samarati"\nnode = [1, 2]', "", GivenNode((1, 2), names=("sex", "age"))),
        ('name = "optimal"\nnode = { age = "2", sex = 1 }', "", GivenNode((1, 2), names=("sex", "age"))),
    ],
)
def test_a_method_on_levels_is_made_as_asked(method: str, privacy: str, expected: Algorithm) -> None:
    """Limit and objective reach the algorithm; a node takes its place, in the order of the columns or by name."""
    assert on_levels(method, privacy).job.algorithm == expected


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ('name = "best-effort"', TIME_LIMIT),
        ('name = "best-effort"\ntime-limit = 2.5', 2.5),
        ('name = "best-effort"\nnode = [0, 0]', None),
        ('name = "optimal"', None),
    ],
)
def test_only_a_search_that_can_stop_early_is_given_a_time_limit(method: str, expected: float | None) -> None:
    """Best-effort stops after half a minute where nothing is said; whatever searches no longer has no limit."""
    assert on_levels(method).job.time_limit == expected


@pytest.mark.parametrize(
    ("method", "privacy", "what", "where"),
    [
        ("", "privacy.max-suppression = 20", "suppresses no record", "line 4 (privacy.max-suppression)"),
        ('objective = "lm"', "", "has no levels", "line 6 (method.objective)"),
        ("node = [0, 0]", "", "has no levels", "line 6 (method.node)"),
        ("time-limit = 5", "", "always runs to its end", "line 6 (method.time-limit)"),
        ('name = "optimal"\ntime-limit = 5', "", "always runs to its end", "line 7 (method.time-limit)"),
        ('name = "optimal"\nobjective = "first"', "", "only samarati", "line 7 (method.objective)"),
        ('name = "optimal"\ncut = "median"', "", "makes no cuts", "line 7 (method.cut)"),
        ('name = "optimal"\nlabels = "range"', "", "releases nodes", "line 7 (method.labels)"),
        ('name = "optimal"\norder = "sorted"', "", "ignores the order of values", "line 7 (method.order)"),
        ('name = "optimal"\nnode = [0]', "", "1 level, but there are 2", "line 7 (method.node)"),
        ('name = "optimal"\nnode = { sex = 0 }', "", "no level for age", "line 7 (method.node)"),
        ('name = "optimal"\nnode = { sex = 0, agee = 1 }', "", "is called agee", "line 7 (method.node)"),
    ],
)
def test_what_a_method_cannot_be_told_is_a_fault_where_it_is_said(
    method: str, privacy: str, what: str, where: str
) -> None:
    """Nothing is passed over that would have no effect: neither limits for Mondrian, nor cuts for a lattice."""
    with pytest.raises(JobError) as caught:
        on_levels(method, privacy)
    [fault] = caught.value.faults
    assert what in fault.what
    assert fault.where == f"job, {where}"
    assert fault.hint


def test_labels_of_nodes_may_be_asked_for() -> None:
    """They are what a method on levels releases anyway."""
    made = on_levels('name = "optimal"\nlabels = "ancestor"')
    assert {one.label for one in made.job.schema.quasi} == {Label.ANCESTOR}


def test_columns_that_do_not_go_with_the_method_are_told_with_all_else() -> None:
    """A column without a hierarchy, one with other labels and a wrong k come at once, each with its place."""
    text = """\
        method.name = "samarati"
        columns.sex = { role = "quasi" }
        columns.age = { role = "quasi", hierarchy = "dates", label = "set" }
        """
    found = faults(HEAD.replace("k = 5", "k = 1") + dedent(text))
    assert [fault.where for fault in found] == [
        "job, line 3 (privacy.k)",
        "job, line 5 (columns.sex.hierarchy)",
        "job, line 6 (columns.age)",
    ]
    [alone] = faults(HEAD + 'method.name = "samarati"\ncolumns.sex.role = "quasi"')
    assert alone.where == "job, line 5 (columns.sex.hierarchy)"
    assert "samarati needs one for every quasi-identifier" in alone.what


def test_a_greatest_level_is_for_methods_on_levels() -> None:
    """Mondrian would pass over it."""
    [fault] = faults(HEAD + 'columns.age = { role = "quasi", hierarchy = "dates", max-level = 1 }')
    assert fault.where == "job, line 4 (columns.age.max-level)"
    assert fault.what == "mondrian has no levels"


def test_a_misspelt_method_is_one_fault() -> None:
    """What is meant for a method that is not known yet is not held against another one."""
    method = 'method = { name = "samaratti", objective = "c_dm", node = [0] }'
    column = 'columns.age = { role = "quasi", max-level = 1, hierarchy = "dates" }'
    [fault] = faults(f"{HEAD}privacy.max-suppression = 20\n{method}\n{column}")
    assert (fault.where, fault.hint) == ("job, line 5 (method.name)", "did you mean samarati?")


def test_a_wrong_key_hides_no_misfit() -> None:
    """The right keys beside a wrong one are judged too."""
    found = faults(HEAD + 'method = { name = "optimal", objctive = "lm", cut = "median" }\ncolumns.age.role = "quasi"')
    assert [fault.what.split()[0] for fault in found] == ["unknown", "optimal", "the"]


def test_what_the_search_says_of_the_node_has_its_place() -> None:
    """A level that a hierarchy has not is only known once the table is read."""
    placed = on_levels('name = "optimal"\nnode = [0, 9]').placed(UsageError("no such level", where="node"))
    assert placed.where == "job, line 7 (method.node)"


# --- every fault at once ----------------------------------------------------------------------------------------------

FAULTY = """\
[input]
path = "people.csv"
header = "yes"

[output]
path = "release.xyz"

[privcy]
k = 5

[columns]
age = { role = "quasi", scale = "numerc", weight = nan }
"zip.code" = { role = "sensitive", distance = "equal" }
city.role = "quazi"
city.hierarchy = "mask:up"

[columns."annual income"]
role = "quasi"
grid = [
  5, # a comment with ]
  1,
]
supression = true

[columns.floor]
hierarchy = "interval:5"
role = "quasi"
"""


def test_all_faults_come_at_once_each_with_its_line_and_suggestion() -> None:
    """Faults of form and of meaning, in inline tables, dotted keys and quoted names, come in one error, in order."""
    found = faults(FAULTY)
    assert [(fault.where, fault.hint) for fault in found] == [
        ("job, line 3 (input.header)", ""),
        ("job, line 6 (output.path)", found[1].hint),
        ("job, line 8 (privcy)", "did you mean privacy?"),
        ("job, line 12 (columns.age.scale)", "did you mean numeric?"),
        ("job, line 12 (columns.age.weight)", "such as 5 or 0.5"),
        ('job, line 13 (columns."zip.code".distance)', found[5].hint),
        ("job, line 14 (columns.city.role)", "did you mean quasi?"),
        ("job, line 15 (columns.city.hierarchy)", found[7].hint),
        ('job, line 23 (columns."annual income".supression)', found[8].hint),
        ("job, line 26 (columns.floor.hierarchy)", found[9].hint),
    ]
    assert ".csv" in found[1].hint
    assert "mask:left" in found[7].hint
    assert found[8].hint.startswith("known keys: role, ")
    assert "intervals:5,10,20" in found[9].hint


def test_a_fault_in_one_column_hides_none_in_another() -> None:
    """A column whose form is wrong and one whose meaning is wrong are both told."""
    found = faults(HEAD + "columns.a = { role = 5 }\ncolumns.b = { role = 'quasi', label = 'grid' }")
    assert [fault.where for fault in found] == ["job, line 4 (columns.a.role)", "job, line 5 (columns.b)"]


@pytest.mark.parametrize("k", ["0", "1", "-3", "1.5", '"five"', "true", "1e99", "nan", "inf", "[5]", "1979-05-27"])
def test_what_is_no_k_is_refused(k: str) -> None:
    """The k of a job is an integer of at least 2; whatever else is written, the hint says what is usual."""
    fault = only(HEAD.replace("k = 5", f"k = {k}") + 'columns.age.role = "quasi"')
    assert fault.what == "k must be an integer of at least 2"
    assert fault.where == "job, line 3 (privacy.k)"
    assert "usual values" in fault.hint


@pytest.mark.parametrize(
    ("line", "what", "hint"),
    [
        ("columns.age = { role = 'quasi', weight = 'x' }", "must be a number", "write digits"),
        ("columns.age = { role = 'quasi', weight = true }", "must be a number", "such as"),
        ("columns.age = { role = 'quasi', weight = inf }", "must be a number", "such as"),
        ("columns.age = { role = 'quasi', weight = 1e999999999 }", "must be a number", "such as"),
        ("columns.age = { role = 'quasi', weight = 1e300 }", "the weight must be above 0, between", "leave it out"),
        ("columns.age = { role = 'quasi', weight = 0 }", "the weight must be above 0", "leave it out"),
        ("columns.age = { role = 'quasi', bounds = [1] }", "bounds are two numbers", "[18, 90]"),
        ("columns.age = { role = 'quasi', bounds = 5 }", "bounds are two numbers", "[18, 90]"),
        ("columns.age = { role = 'quasi', bounds = ['a', 2] }", "must be a number", "write digits"),
        ("columns.age = { role = 'quasi', grid = 'x' }", "a grid is a step", "[18, 30, 60]"),
        ("columns.age = { role = 'quasi', grid = {} }", "a grid is a step", "[18, 30, 60]"),
        ("columns.age = { role = 'quasi', missing = 'suppres' }", "must be one of own-value", "mean suppress?"),
        ("columns.age = 'quasi'", "must be a table", ""),
        ("columns = 5", "must be a table", ""),
        ("rest = 'keep'", "must be one of refuse, insensitive, drop", ""),
        ("method.name = 'mondrain'", "must be one of mondrian", "did you mean mondrian"),
        ("method.nmae = 'mondrian'", "unknown key nmae", "did you mean name?"),
        ("person.kee = 'id'", "unknown key kee", "did you mean key?"),
        ("input.encoding = 'klingon'", "'klingon' is no text encoding", "such as utf-8"),
        ("input.separator = '::'", "separator must be one ASCII character", ""),
        ("input.quote = '::'", "quote must be one ASCII character", ""),
        ("input.missing = 'NA'", "must be a list", ""),
        (
            "input.complete-records = 'some'",
            "complete-records is a list of columns",
            'such as ["age", "city"]',
        ),
        ("input.complete-records = []", "complete-records is a list of columns", ""),
        ("input.complete-records = [1]", "complete-records is a list of columns", ""),
        ("input.header = 1", "must be true or false", ""),
        (
            "input.names = ['age']\ninput.header = true",
            "names are given for a text with a header",
            "leave out the names",
        ),
        (
            "input.separator = ';'\ninput.quote = ';'",
            "separator must be one ASCII character, neither a line end nor",
            "",
        ),
        ("output.format = 'ods'", "must be one of csv, tsv", ""),
        ("output.separator = '::'", "separator must be one ASCII character", ""),
        ("input.encoding = 5", "must be a text in quotes", ""),
    ],
)
def test_a_wrong_value_is_told_with_what_is_right(line: str, what: str, hint: str) -> None:
    """Whatever a key wrongly says, the fault says what it may say, where it stands, and the nearest word."""
    more = "" if line.startswith("columns") else "\ncolumns.age.role = 'quasi'"
    fault = only(HEAD + line + more)
    assert what in fault.what
    assert hint in fault.hint
    assert fault.where.startswith("job, line 4 (")


def test_missing_parts_are_named() -> None:
    """What must be there and is not is named with the table it belongs to."""
    found = faults("[input]\n[columns.age]\n")
    assert {(fault.what, fault.where) for fault in found} == {
        ("path is missing", "job, line 1 (input)"),
        ("role is missing", "job, line 2 (columns.age)"),
        ("the table [output] is missing", "job"),
        ("the table [privacy] is missing", "job"),
    }


def test_typed_formats_cannot_be_excel_safe() -> None:
    """A request for both is refused before any work, not after it."""
    fault = only(HEAD.replace(".csv", ".parquet") + "output.excel-safe = true\ncolumns.age.role = 'quasi'")
    assert fault.where == "job, line 4 (output.excel-safe)"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("a = 1\na = 2", ", line 2", "cannot overwrite a value"),
        ("[a]\nb = 1\n[a]", ", line 3", "cannot declare"),
        ("a = ", ", line 1", "invalid value"),
        ("a = [\n1,", ", line 2", "invalid value"),
        ("a = " + "[" * 100_000, "", "too deep"),
    ],
)
def test_what_is_not_toml_is_told_with_its_line(text: str, line: str, what: str) -> None:
    """Keys given twice, cut texts and absurd nesting are usage errors, with the line where the reader tells one."""
    fault = only(text)
    assert what in fault.what
    assert fault.where.startswith(f"job{line}")


def test_names_that_are_not_there_get_their_line_once_the_table_is_read() -> None:
    """A fault that only the table shows is placed in the job; others stay as they are."""
    made = job('columns.agee.role = "quasi"')
    one = SchemaError("no column is called agee", where="column agee", hint="did you mean age?")
    other = SchemaError("2 columns have no role", where="x, y")
    placed = made.placed(one)
    assert (placed.what, placed.where, placed.hint) == (one.what, "job, line 4 (columns.agee)", one.hint)
    assert made.placed(other) is other
    both = made.placed(job_error([one, other]))
    assert isinstance(both, JobError)
    assert [fault.where for fault in both.faults] == ["x, y", "job, line 4 (columns.agee)"]


# --- files that are not there -----------------------------------------------------------------------------------------


def test_a_hierarchy_file_that_does_not_nest_is_an_input_error(tmp_path: Path) -> None:
    """The job is right and its hierarchy is not: the error names the hierarchy's file, with the status of data."""
    (tmp_path / "ages.csv").write_text("1;a;*\n1;b;*\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match=re.escape("ages.csv")):
        parse(HEAD + 'columns.age = { role = "quasi", hierarchy = "ages.csv" }', folder=tmp_path)


def test_a_hierarchy_file_that_is_missing_is_an_input_error(tmp_path: Path) -> None:
    """A path that is no builder's name must be a file."""
    with pytest.raises(InputError, match="no such file"):
        parse(HEAD + 'columns.age = { role = "quasi", hierarchy = "ages.csv" }', folder=tmp_path)


def test_a_job_that_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    """A missing job, a folder and a pipe are refused; a pipe is not waited for."""
    os.mkfifo(tmp_path / "pipe")
    for name, what in (("none.toml", "no such job file"), ("", "not a regular file"), ("pipe", "not a regular file")):
        with pytest.raises(InputError, match=what):
            of(document_at(tmp_path / name))


def test_a_job_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    """Bytes that are no text are no job."""
    path = tmp_path / "job.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        of(document_at(path))


def test_a_job_that_names_no_release_is_json_too() -> None:
    """The job that a certificate keeps is canonical JSON, equal for equal jobs."""
    described = json.loads(parse(FULL).job.described())
    assert described == json.loads(parse(FULL).job.described())
    assert described["purpose"]["legal-basis"] == "article 89"
    assert "purpose" not in json.loads(parse(ON_LEVELS).job.described())


def test_what_releases_nothing_names_no_output() -> None:
    """Its request is that of the job, without a target; a sweep makes such requests."""
    raw: dict[str, object] = {"input": {"path": "in.csv"}, "privacy": {"k": 2}, "columns": {"age": {"role": "quasi"}}}
    kept = request(raw, where=".".join, releasing=False)
    made = request({**raw, "output": {"path": "out.csv"}}, where=".".join)
    assert (kept.target, kept.job) == ("", made.job)
    with pytest.raises(JobError) as caught:
        request(raw, where=".".join)
    assert [one.what for one in caught.value.faults] == ["the table [output] is missing"]
