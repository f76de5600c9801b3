"""The commands: what each prints, writes and returns when all is well."""

from __future__ import annotations

import csv
import json
import re
import sys
from typing import TYPE_CHECKING

import pytest

from kohort import __version__
from kohort.cli import options
from kohort.cli.flags import flag_at
from kohort.job.form import TABLE_JOB
from kohort.job.parts import json_schema
from kohort.samples.demo import JOB
from tests.command import Ran, kohort

if TYPE_CHECKING:
    from pathlib import Path

INCOME = ["--no-model", "annual_income", "--allow-singling", "annual_income", "--rest", "drop"]
ROLES = ["--quasi", "gender,city,age,education,profession", *INCOME]


@pytest.fixture(scope="session")
def register(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a register of 400 people and its hierarchies."""
    folder = tmp_path_factory.mktemp("italy")
    assert kohort("generate", "italy", "--out", folder, "--records", 400, "--seed", 3).status == 0
    return folder


def done(*arguments: object, stdin: bytes = b"") -> Ran:
    """A command that must end well and complain of nothing."""
    ran = kohort(*arguments, stdin=stdin)
    assert (ran.status, ran.err) == (0, "")
    return ran


def test_version_is_printed() -> None:
    """`kohort --version` is the version and nothing else."""
    assert done("--version").out == f"{__version__}\n"


def test_no_command_shows_the_help() -> None:
    """Whoever types `kohort` alone sees what there is, with the status of wrong usage."""
    ran = kohort()
    assert ran.status == 2
    assert "anonymize" in ran.out + ran.err


# --- anonymize and run ------------------------------------------------------------------------------------------------


def test_figures_have_the_keys_that_scripts_rely_on(register: Path, tmp_path: Path) -> None:
    """`--json` prints one object with the keys of the design, and they are right."""
    out = tmp_path / "r.csv"
    figures = done("anonymize", register / "people.csv", "--out", out, *ROLES, "--k", 7, "--json").figures
    assert set(figures) >= {
        "records",
        "released",
        "suppressed",
        "classes",
        "smallest",
        "largest",
        "k",
        "metrics",
        "node",
        "proven",
        "release",
        "certificate",
        "verified",
        "seconds",
    }
    assert (figures["records"], figures["released"], figures["suppressed"], figures["k"]) == (400, 400, 0, 7)
    assert figures["smallest"] >= 7
    assert figures["largest"] <= 400 // figures["classes"] * 5
    assert set(figures["metrics"]) >= {"lm", "ncp", "c_dm", "c_avg"}
    assert set(figures["seconds"]) == {"read", "count", "solve", "recode", "write", "verify"}
    assert (figures["release"], figures["certificate"]) == (str(out), f"{out}.kohort.json")
    assert figures["verified"] is True
    assert figures["node"] is None
    assert json.loads((tmp_path / "r.csv.kohort.json").read_text("utf-8"))["k"] == figures["smallest"]
    lines = out.read_text("utf-8").splitlines()
    assert lines[0] == "gender,city,age,education,profession,annual_income"
    assert len(lines) == 401


def test_flags_and_job_file_make_the_same_bytes(register: Path, tmp_path: Path) -> None:
    """The same job from flags, from a file and from standard input gives the same release."""
    job = tmp_path / "job.toml"
    job.write_text(
        JOB.format(k=6, step=1000)
        .replace(', label = "set"', "")
        .replace("people.csv", str(register / "people.csv"))
        .replace('hierarchy = "', f'hierarchy = "{register}/'),
        encoding="utf-8",
    )
    done("run", job)
    trees = [f"--hierarchy={name}={register / name}.json" for name in ("city", "education", "profession")]
    roles = ["--quasi", "gender,city,age,education,profession", "--sensitive", "annual_income", "--rest", "drop"]
    income = ["--t", "annual_income=0.3", "--perturb", "annual_income=rounding:step=1000"]
    names = ["--identifier", "person_id,first_name,last_name"]
    flags = [*roles, *names, *trees, *income, "--bounds", "age=18..90", "--grid", "age=5", "--k", 6]
    done("anonymize", register / "people.csv", "--out", tmp_path / "flags.csv", *flags)
    done("anonymize", "-", "--out", tmp_path / "piped.csv", *flags, stdin=(register / "people.csv").read_bytes())
    contents = {(tmp_path / name).read_bytes() for name in ("release.csv", "flags.csv", "piped.csv")}
    assert len(contents) == 1


def test_a_dry_run_writes_nothing(register: Path, tmp_path: Path) -> None:
    """It tells what the release would cost, and says that nothing was verified."""
    out = tmp_path / "r.csv"
    wet = ["anonymize", register / "people.csv", "--out", out, *ROLES]
    figures = done(*wet, "--dry-run", "--json").figures
    assert (figures["verified"], figures["release"], figures["certificate"]) == (False, None, None)
    assert "dry run: nothing was written or verified" in done(*wet, "--dry-run").out
    assert list(tmp_path.iterdir()) == []
    real = done(*wet, "--json").figures
    assert real["metrics"] == figures["metrics"]
    assert real["classes"] == figures["classes"]


def test_a_report_is_published_with_the_release(register: Path, tmp_path: Path) -> None:
    """As text it is what is printed; as JSON it tells the figures that --json prints, and more."""
    wet = ["anonymize", register / "people.csv", "--overwrite", "--out", tmp_path / "r.csv", *ROLES]
    figures = done(*wet, "--report", tmp_path / "r.json", "--json").figures
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert (report["audience"], report["name"]) == ("internal", "r.csv")
    for key in ("records", "released", "suppressed", "classes", "smallest", "largest", "node", "proven"):
        assert report["done"][key] == figures[key]
    assert {one["name"]: one["value"] for one in report["metrics"]} == figures["metrics"]
    ran = done(*wet, "--report", tmp_path / "r.txt")
    assert (tmp_path / "r.txt").read_text("utf-8") == ran.out


def test_quiet_prints_nothing(register: Path, tmp_path: Path) -> None:
    """Nor does it write less."""
    ran = done("anonymize", register / "people.csv", "--out", tmp_path / "r.csv", *ROLES, "--quiet")
    assert ran.out == ""
    assert (tmp_path / "r.csv").exists()


def test_names_with_commas_are_quoted_as_in_csv(tmp_path: Path) -> None:
    """A column whose name holds a comma can be named."""
    (tmp_path / "t.csv").write_text('"a,b",c\n' + "1,x\n" * 4, encoding="utf-8")
    out = tmp_path / "r.csv"
    done("anonymize", tmp_path / "t.csv", "--out", out, "--quasi", '"a,b",c', "--k", 2)
    assert out.read_text("utf-8").splitlines()[0] == '"a,b",c'


@pytest.mark.parametrize(
    ("content", "flags", "first"),
    [
        ("1;x\n1;x\n", ["--separator", ";", "--no-header", "--quasi", "column_1,column_2"], "column_1,column_2"),
        ("1;x\n1;x\n", ["--separator", ";", "--names", "a,b", "--quasi", "a,b"], "a,b"),
        ("a,2019\n1,x\n1,x\n", ["--header", "--quasi", "a,2019"], "a,2019"),
        ("a, b\n1,x\n1 , x\n\n", ["--trim", "--quasi", "a,b"], "a,b"),
        ("a,b\n\n1,x\n\n1,x\n", ["--skip-blank", "--quasi", "a,b"], "a,b"),
        ("a,b\n1,é\n1,é\n", ["--encoding", "latin-1", "--quasi", "a,b"], "a,b"),
        ("a,b\nNA,x\n1,x\n1,x\n", ["--missing-token", "NA", "--missing", "a=suppress", "--quasi", "a,b"], "a,b"),
        ("a,b\n=1+1,x\n=1+1,x\n", ["--excel-safe", "--quasi", "a", "--insensitive", "b"], "a,b"),
        ("a,b\n1,x\n3,x\n", ["--grid", "a=5", "--quasi", "a,b"], "a,b"),
        ("a,b\n1,x\n3,x\n", ["--grid", "a=0,4,8", "--quasi", "a,b"], "a,b"),
        (
            "a,b\n1,x\n3,x\n",
            ["--scale", "a=categorical", "--order", "sorted", "--quasi", "a,b", "--allow-singling", "a"],
            "a,b",
        ),
        ("a,b\n1,x\n3,x\n", ["--labels", "mean", "--method", "mondrian-relaxed", "--quasi", "a,b"], "a,b"),
        ("a,b\n1,x\n3,x\n", ["--weight", "a=0.5", "--cut", "median", "--bounds", "a=0..9", "--quasi", "a,b"], "a,b"),
    ],
)
def test_every_flag_reaches_the_job(tmp_path: Path, content: str, flags: list[str], first: str) -> None:
    """Each way of reading and of shaping a column works from the command line."""
    (tmp_path / "t.csv").write_text(content, encoding="latin-1")
    out = tmp_path / "r.txt"
    done("anonymize", tmp_path / "t.csv", "--out", out, "--format", "csv", *flags, "--k", 2)
    header, *rows = out.read_text("utf-8").splitlines()
    assert header == first
    assert len(rows) == 2
    assert len(set(rows)) == 1


def test_a_table_of_no_records_is_released_only_when_allowed(tmp_path: Path) -> None:
    """Its release is a header with a certificate; without the flag it is an error."""
    table, out = tmp_path / "t.csv", tmp_path / "r.csv"
    table.write_text("name,age,pay\n", encoding="utf-8")
    command = ["anonymize", table, "--out", out, "--quasi", "age", "--no-model", "pay", "--identifier", "name"]
    assert kohort(*command).status == 4
    text = done(*command, "--allow-empty").out
    assert "0 of 0 records released" in text
    assert "Information loss" not in text
    assert out.read_text("utf-8") == "age,pay\n"
    figures = done(*command, "--allow-empty", "--overwrite", "--json").figures
    assert (figures["verified"], figures["smallest"], figures["classes"]) == (True, 0, 0)


# --- releases on levels -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def on_levels(register: Path) -> list[object]:
    """The start of a job on levels, its quasi-identifiers in another order than the table's."""
    trees = [f"--hierarchy={name}={register / name}.json" for name in ("education", "profession")]
    built = ["--hierarchy=age=intervals:18..90:5,10,20", "--hierarchy=gender=suppress"]
    roles = ["--quasi", "profession,age,gender,education", *INCOME, "--k", 4]
    return ["anonymize", register / "people.csv", *roles, *trees, *built]


def test_a_dry_run_lists_what_a_steward_can_choose(on_levels: list[object], tmp_path: Path) -> None:
    """Each candidate has its levels, suppressed records, classes and costs; the text shows them in the job's order."""
    ask = [*on_levels, "--out", tmp_path / "r.csv", "--method", "samarati", "--max-suppression", "5%", "--dry-run"]
    figures = done(*ask, "--json").figures
    assert figures["candidates"][0]["node"] == figures["node"]
    text = done(*ask).out
    for one in figures["candidates"]:
        assert set(one) == {"node", "suppressed", "classes", "objective", "metrics"}
        assert one["suppressed"] <= 20
        levels = [str(one["node"][name]) for name in ("profession", "age", "gender", "education")]
        assert re.search(rf"^  [* ] +{' +'.join(levels)} +{one['suppressed']} +{one['classes']} ", text, re.MULTILINE)
    assert re.search(r"^ +profession +age +gender +education +suppressed +classes +LM$", text, re.MULTILINE)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("by_name", [False, True])
def test_a_chosen_node_is_released(on_levels: list[object], tmp_path: Path, *, by_name: bool) -> None:
    """The levels that a dry run prints, in its order or by name, with blanks between, give the release it listed."""
    ask = [*on_levels, "--out", tmp_path / "r.csv", "--method", "samarati", "--max-suppression", "5%"]
    chosen = done(*ask, "--dry-run", "--json").figures["candidates"][-1]
    text = done(*ask, "--dry-run").out
    [example] = re.findall(r"or by name:   --node (\S+)" if by_name else r"in this order:   --node (\S+)", text)
    names = ("profession", "age", "gender", "education")
    levels = [chosen["node"][name] for name in names]
    said = [f"{name}={level}" for name, level in zip(names, levels, strict=True)] if by_name else map(str, levels)
    assert example.count(",") == 3
    figures = done(*ask, "--node", ", ".join(said), "--json").figures
    assert figures["node"] == chosen["node"]
    assert (figures["suppressed"], figures["classes"]) == (chosen["suppressed"], chosen["classes"])
    assert figures["verified"]


def test_a_mapping_is_published_with_the_release(on_levels: list[object], tmp_path: Path) -> None:
    """Every released value is the mapping of some value, and every value of the register is in it."""
    out, mapped = tmp_path / "r.csv", tmp_path / "m.json"
    done(*on_levels, "--out", out, "--method", "optimal", "--max-suppression", "2%", "--mapping", mapped)
    said = json.loads(mapped.read_text("utf-8"))["mapping"]
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert set(said) == {"profession", "age", "gender", "education"}
    for name, values in said.items():
        assert {row[name] for row in rows} <= set(values.values())
    assert len(said["age"]) == 73


def test_the_same_job_from_a_file(on_levels: list[object], register: Path, tmp_path: Path) -> None:
    """Method, limit, objective, greatest levels and weights of a job file give the bytes that the flags give."""
    flags = ["--method", "optimal", "--max-suppression", "5%", "--objective", "c-dm", "--max-level", "age=3"]
    done(*on_levels, "--out", tmp_path / "flags.csv", *flags, "--weight", "age=2")
    job = tmp_path / "job.toml"
    job.write_text(
        f"""
        input.path = "{register / "people.csv"}"
        output.path = "file.csv"
        privacy = {{ k = 4, max-suppression = 0.05 }}
        method = {{ name = "optimal", objective = "c_dm" }}
        rest = "drop"
        [columns]
        profession = {{ role = "quasi", hierarchy = "{register / "profession.json"}" }}
        age = {{ role = "quasi", hierarchy = "intervals:18..90:5,10,20", max-level = 3, weight = 2 }}
        gender = {{ role = "quasi", hierarchy = "suppress" }}
        education = {{ role = "quasi", hierarchy = "{register / "education.json"}" }}
        annual_income = {{ role = "sensitive", no-model = true, allow-singling = true }}
        """,
        encoding="utf-8",
    )
    figures = done("run", job, "--json", "--mapping", tmp_path / "m.csv").figures
    assert (tmp_path / "file.csv").read_bytes() == (tmp_path / "flags.csv").read_bytes()
    assert figures["proven"] is True
    assert figures["objective"]["name"] == "c_dm"
    assert figures["objective"]["value"] == figures["objective"]["bound"]
    assert figures["node"]["age"] <= 3


# --- the others -------------------------------------------------------------------------------------------------------


def test_the_draft_runs_as_it_is(register: Path, tmp_path: Path) -> None:
    """What `init` writes for the Italian register works before it is corrected, also from another folder."""
    (tmp_path / "jobs").mkdir()
    job = tmp_path / "jobs" / "job.toml"
    assert f"kohort run {job}" in done("init", register / "people.csv", "--out", job, "--k", 5).out
    figures = done("run", job, "--json").figures
    assert figures["verified"]
    assert figures["k"] == 5
    assert figures["release"] == str(tmp_path / "jobs" / "people.release.csv")
    assert (tmp_path / "jobs" / "people.release.csv.kohort.json").exists()


def test_the_draft_keeps_how_the_table_is_read(tmp_path: Path) -> None:
    """Separator, encoding, header, blank lines and missing tokens are in the job, and it is printed where."""
    (tmp_path / "t.csv").write_bytes("é;NA\n\né;1\n".encode("latin-1"))
    job = tmp_path / "j.toml"
    flags = ["--separator", ";", "--encoding", "latin-1", "--no-header", "--skip-blank", "--missing-token", "NA"]
    assert done("init", tmp_path / "t.csv", "--out", job, *flags, "--quiet").out == ""
    text = job.read_text("utf-8")
    for line in ('separator = ";"', 'encoding = "latin-1"', "header = false", "skip-blank = true", '["", "NA"]'):
        assert line in text
    (tmp_path / "t.csv").write_text("1, x\n2, y\n", encoding="utf-8")
    done("init", tmp_path / "t.csv", "--out", job, "--names", "a,b", "--trim", "--overwrite", "--quiet")
    assert 'names = ["a", "b"]\ntrim = true' in job.read_text("utf-8")
    done("init", "-", "--out", tmp_path / "piped.toml", stdin=b"a,b\n1,2\n")
    assert 'path = "-"' in (tmp_path / "piped.toml").read_text("utf-8")


def test_inspect_tells_the_same_in_text_and_json(register: Path) -> None:
    """Every column is there with its role and reasons, and no value is."""
    source = register / "people.csv"
    text, figures = done("inspect", source).out, done("inspect", source, "--json").figures
    assert figures["records"] == 400
    assert [column["name"] for column in figures["columns"]] == source.read_text("utf-8").split("\n", 1)[0].split(",")
    for column in figures["columns"]:
        line = rf"^{column['name']} +{column['role']} +{column['certainty']} +{column['scale']} "
        assert re.search(line, text, re.MULTILINE)
        assert all(reason in text for reason in column["reasons"])
    assert "IT000000001" not in text
    assert "undecided" not in text


def test_inspect_puts_first_what_must_be_decided(tmp_path: Path) -> None:
    """Undecided columns are named at the top; texts for no value and blanks around cells are proposed."""
    rows = [f"{n * 37 % 1009}, {n % 9},{'?' if n % 4 else n}" for n in range(60, 1, -1)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y,age", *rows, ""]))
    text, figures = done("inspect", tmp_path / "t.csv").out, done("inspect", tmp_path / "t.csv", "--json").figures
    assert text.partition("\n")[2].startswith("Decide first: x (undecided: no job runs until you do)\n")
    assert '    proposed: --missing-token "?" (means a missing value)\n' in text
    assert "    proposed: --trim, since nearly all cells have blanks around them\n" in text
    assert [one["role"] for one in figures["columns"]] == ["undecided", "quasi", "quasi"]
    assert [one["trim"] for one in figures["columns"]] == [False, True, False]
    assert [one["missing_tokens"] for one in figures["columns"]] == [[], [], ["?"]]


def test_a_draft_declares_the_texts_for_no_value(tmp_path: Path) -> None:
    """Texts that seem to mean "no value" are missing in the job, so that numbers beside them stay numbers."""
    rows = [f"{'?' if n % 4 else n},{'N/A' if n % 3 else 'ab'[n % 2]}" for n in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["age,city", *rows, ""]))
    done("init", tmp_path / "t.csv", "--out", tmp_path / "j.toml", "--missing-token", "none", "--k", 2, "--quiet")
    assert 'missing = ["", "none", "?", "N/A"]' in (tmp_path / "j.toml").read_text()
    done("run", tmp_path / "j.toml", "--quiet")


def test_check_answers_by_its_status(register: Path) -> None:
    """0 where every class is large enough, 1 where one is not, in words and in numbers."""
    met = kohort("check", register / "people.csv", "--quasi", "gender", "--k", 100)
    assert (met.status, met.err) == (0, "")
    assert "100-anonymity: met\n" in met.out
    not_met = kohort("check", register / "people.csv", "--quasi", "gender,age", "--k", 5)
    assert (not_met.status, not_met.err) == (1, "")
    assert "5-anonymity: NOT met: " in not_met.out
    counted = kohort("check", register / "people.csv", "--quasi", "gender,age", "--k", 5, "--json")
    assert counted.status == 1
    figures = counted.figures
    assert (figures["met"], figures["k"], figures["records"]) == (False, 5, 400)
    assert 1 <= figures["smallest"] < 5 <= figures["largest"]
    [model] = figures["models"]
    assert model["failing_records"] < model["failing_classes"] * 5
    assert kohort("check", register / "people.csv", "--quasi", "gender", "--k", 100, "--quiet").out == ""


def test_check_tells_of_spellings(tmp_path: Path) -> None:
    """Two spellings of one value make two classes, and the reader is told."""
    (tmp_path / "t.csv").write_text("city\n" + "Roma\n" * 3 + "roma\n" * 3, encoding="utf-8")
    ran = done("check", tmp_path / "t.csv", "--quasi", "city", "--k", 3)
    assert "regardless of case, blanks and width of its values, the table has 1 class" in ran.out


def test_schema_is_that_of_the_job_file() -> None:
    """`kohort schema` prints the JSON Schema of job files."""
    assert done("schema").figures == json_schema(TABLE_JOB)


def test_hierarchies_are_built_shown_checked_and_converted(register: Path, tmp_path: Path) -> None:
    """The four commands agree about one hierarchy."""
    source, built, tree = register / "people.csv", tmp_path / "age.csv", tmp_path / "age.json"
    made = done("hierarchy", "build", "intervals:18..90:5,10", "--in", source, "--column", "age", "--out", built).out
    assert f"\nwrote {built}: 73 leaves, height 3" in made
    assert f"\nwrote {tree}: 73 leaves, height 3" in done("hierarchy", "convert", built, "--out", tree).out
    assert done("hierarchy", "show", built).out == done("hierarchy", "show", tree).out
    assert len(done("hierarchy", "show", built, "--limit", 5).out.partition("(LM)\n")[2].splitlines()) <= 7
    checked = done("hierarchy", "check", tree, "--in", source, "--column", "age")
    assert "its levels nest" in checked.out
    assert "column age is covered" in checked.out
    assert done("hierarchy", "check", tree, "--json").figures == {
        "audience": "internal",
        "leaves": 73,
        "height": 3,
        "warnings": done("hierarchy", "check", built, "--json").figures["warnings"],
        "missing_values": 0,
        "missing_records": 0,
    }


def test_a_hierarchy_that_does_not_cover_a_column_has_status_1(register: Path) -> None:
    """What is no leaf is counted, in values and in records; half a question is refused."""
    ask = ["hierarchy", "check", register / "city.json", "--in", register / "people.csv"]
    ran = kohort(*ask, "--column", "gender")
    assert (ran.status, ran.err) == (1, "")
    assert "NOT covered: the hierarchy lacks 2 values of column gender (400 records)" in ran.out
    assert kohort(*ask).status == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["build", "city.json", "--column", "city", "--out", "h.csv"], "city.json is not a hierarchy builder"),
        (["build", "suppress", "--column", "city", "--out", "h.txt"], "written as .csv or .json"),
    ],
)
def test_a_hierarchy_that_cannot_be_built_is_refused(register: Path, arguments: list[str], said: str) -> None:
    """Building is from a rule, and into a form that is known."""
    ran = kohort("hierarchy", *arguments, "--in", register / "people.csv")
    assert ran.status == 2
    assert said in ran.err


@pytest.mark.slow("the demo of a whole register")
def test_the_demo_shows_the_whole_path(tmp_path: Path) -> None:
    """It ends by telling where the release and its certificate are, and the command it proposes works."""
    folder = tmp_path / "demo"
    out = done("demo", "--out", folder, "--records", 300, "--k", 4).out
    for name in ("release.csv", "release.csv.kohort.json", "job.toml", "report.html"):
        assert str(folder / name) in out
        assert (folder / name).exists()
    command = re.search(r"kohort (check .+)", out)
    assert command is not None
    assert "4-anonymity: met" in done(*command[1].split()).out
    assert kohort("demo", "--out", folder).status == 7
    done("demo", "--out", folder, "--records", 300, "--overwrite")
    done("run", folder / "job.toml", "--overwrite")


def test_the_demo_says_how_to_get_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra everything else is written."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    folder = tmp_path / "demo"
    out = done("demo", "--out", folder, "--records", 300).out
    assert "pip install 'kohort[report]', then kohort demo --overwrite" in out
    assert (folder / "release.csv").exists()
    assert not (folder / "report.html").exists()


def test_generate_writes_the_register(tmp_path: Path) -> None:
    """The files are listed, and the same seed gives the same people."""
    one, two = tmp_path / "one", tmp_path / "two"
    figures = done("generate", "italy", "--out", one, "--records", 50, "--json").figures
    assert (figures["records"], figures["seed"]) == (50, 7)
    assert {str(path) for path in one.iterdir()} == set(figures["files"])
    assert f"wrote {two / 'people.csv'}\n" in done("generate", "italy", "--out", two, "--records", 50).out
    assert (one / "people.csv").read_bytes() == (two / "people.csv").read_bytes()


def test_threads_default_to_the_cores() -> None:
    """At least one, or nothing would run."""
    assert options.CORES >= 1


def test_a_fault_of_a_whole_column_names_the_column() -> None:
    """A column has no flag of its own."""
    assert flag_at(TABLE_JOB, ("columns", "age")) == "column age"
    assert flag_at(TABLE_JOB, ("columns", "age", "grid")) == "--grid age=…"
    assert flag_at(TABLE_JOB, ("input", "path")) == "IN"
