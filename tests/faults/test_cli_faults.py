"""Bad parameters, jobs and hierarchies (bad-inputs D and E): each ends as it must and leaves everything as it was."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from textwrap import dedent
from typing import TYPE_CHECKING, Final

import click
import polars as pl
import pytest

from kohort.cli import app, main
from kohort.errors import KohortError
from tests.command import Ran, kohort

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: Cells that no message, temporary file or certificate may repeat.
CANARIES: Final = ("Zanzottera", "Quarantotto", "Canarosi", "718281")

ROWS: Final = "\n".join(
    f"Zanzottera{row},{20 + row % 40},{('Quarantotto', 'Bari', 'Rieti')[row % 3]},{718281 + row % 7},Canarosi{row % 5}"
    for row in range(120)
)
TABLE: Final = f"name,age,city,zip,illness\n{ROWS}\n"
JOB: Final = """\
[input]
path = "people.csv"
[output]
path = "release.csv"
[privacy]
k = 5
[columns]
name.role = "identifying"
age.role = "quasi"
city.role = "quasi"
zip.role = "quasi"
illness = { role = "sensitive", no-model = true }
"""
ROLES: Final = "--quasi age,city,zip --no-model illness --identifier name --no-grid"
MODELLED: Final = ROLES.replace("--no-model", "--sensitive")


#: What a release creates.
RELEASE: Final = ("r.csv", "r.csv.kohort.json")


@dataclass(frozen=True, slots=True)
class Scene:
    """A folder with a table, in which commands run, and what must hold after each of them."""

    folder: Path

    def write(self, name: str, text: str) -> Path:
        """Put a file into the folder."""
        path = self.folder / name
        path.write_text(dedent(text), encoding="utf-8")
        return path

    def state(self) -> dict[str, str]:
        """The digest of every file, temporary ones included."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return {str(path.relative_to(self.folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    def run(self, command: str) -> Ran:
        """Run a command whose words are separated by blanks."""
        return kohort(*command.split())

    def fails(self, command: str, status: int, *parts: str) -> Ran:
        """A command that must fail as it should: the invariants I1 to I6 and I8.

        The input and whatever stood at the target are as before, and there is no new file, temporary or not (I1, I2,
        I3); no canary is repeated (I4); the message is on standard error only (with --json as an object on standard
        output too), says what, and shows no traceback (I5); the status is exact (I6); the functions below the command
        line raise the error of that status (I8).
        """
        before = self.state()
        ran = self.run(command)
        assert self.state() == before
        self.silent(ran)
        assert ran.figures["status"] == status if "--json" in command.split() else ran.out == ""
        assert re.match(r"kohort: ['a-zA-Z0-9-]", ran.err), ran.err
        assert ran.status == status, ran.err
        for part in parts:
            assert part in ran.err, ran.err
        with pytest.raises((KohortError, click.UsageError)) as raised:
            app(command.split(), standalone_mode=False)
        assert (raised.value.exit_status if isinstance(raised.value, KohortError) else 2) == status
        assert self.state() == before
        return ran

    def succeeds(self, command: str, *created: str) -> Ran:
        """A command that must succeed: it creates these files and changes no other; no canary in what it says."""
        before = self.state()
        ran = self.run(command)
        assert ran.status == 0, ran.err
        assert ran.err == ""
        after = self.state()
        assert set(after) == {*before, *created}
        assert {name: after[name] for name in set(before) - set(created)} == {
            name: digest for name, digest in before.items() if name not in created
        }
        self.silent(ran)
        return ran

    def silent(self, ran: Ran) -> None:
        """Nothing that was said repeats a cell."""
        said = ran.out + ran.err + "".join(path.read_text("utf-8") for path in self.folder.glob("*.kohort.json"))
        assert not [canary for canary in CANARIES if canary in said]
        assert "Traceback" not in said


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """A folder with people.csv and job.toml, which is the current one and holds temporary files too."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.chdir(tmp_path)
    made = Scene(tmp_path)
    made.write("people.csv", TABLE)
    made.write("job.toml", JOB)
    return made


# --- D: parameters and jobs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", ["0", "1", "-3", "1.5", "five", "true", "1e99", "NaN"])
def test_74_what_is_no_k_is_refused(scene: Scene, k: str) -> None:
    """No table is read for a k that promises nothing, and the message names the flag."""
    scene.fails(f"anonymize people.csv --out r.csv {ROLES} --k {k}", 2, "--k")
    scene.fails(f"check people.csv --quasi age --k {k}", 2, "k")
    scene.fails(f"init people.csv --out j.toml --k {k}", 2, "k")
    scene.fails(f"demo --out d --k {k}", 2, "k")


def test_74_k_of_1_gets_a_hint(scene: Scene) -> None:
    """Whoever asks for 1 learns why that is nothing."""
    scene.fails(f"anonymize people.csv --out r.csv {ROLES} --k 1", 2, "hint: every table is 1-anonymous")


def test_76_k_of_all_records_makes_one_class(scene: Scene) -> None:
    """With k = n there is one class of all, verified."""
    figures = scene.succeeds(
        f"anonymize people.csv --out r.csv {ROLES} --k 120 --json", "r.csv", "r.csv.kohort.json"
    ).figures
    assert (figures["classes"], figures["smallest"], figures["verified"]) == (1, 120, True)


def test_76_equal_records_come_out_as_they_went_in(scene: Scene) -> None:
    """A table that is k-anonymous already is released unchanged, but verified."""
    scene.write("equal.csv", "age,city\n" + "30,Roma\n" * 8)
    figures = scene.succeeds(
        "anonymize equal.csv --out r.csv --quasi age,city --k 8 --json", "r.csv", "r.csv.kohort.json"
    ).figures
    assert figures["verified"]
    assert figures["metrics"]["lm"] == 0
    assert (scene.folder / "r.csv").read_text("utf-8") == "age,city\n" + "30,Roma\n" * 8


@pytest.mark.parametrize("k", ["121", "1000000000000000000000000"])
def test_77_no_release_has_classes_larger_than_the_table(scene: Scene, k: str) -> None:
    """A k above n is infeasible."""
    scene.fails(f"anonymize people.csv --out r.csv {ROLES} --k {k}", 4, "does not satisfy", "hint: ")


def test_79_a_flag_that_is_not_there_is_refused(scene: Scene) -> None:
    """A promise that kohort does not know is an error, never passed over."""
    scene.fails(f"anonymize people.csv --out r.csv {ROLES} --diversity illness=2", 2, "unknown flag")


#: Flags that give every quasi-identifier levels.
LEVELS: Final = f"{ROLES} --hierarchy age=intervals:10,20 --hierarchy city=suppress --hierarchy zip=mask:right"


@pytest.mark.parametrize("limit", ["-1", "1.5", "-0.1", "101%", "-5%", "5 %", "five", "1e-2", "NaN", "0x5", ""])
@pytest.mark.usefixtures("scene")
def test_79_what_is_no_suppression_limit_is_refused(limit: str) -> None:
    """A limit is a count, or a share with its unit; what could be either or neither is told before any work."""
    fault = "the suppression limit is neither a count of records nor a share"
    words = f"anonymize nothing.csv --out r.csv {LEVELS} --method samarati".split()
    ran = kohort(*words, "--max-suppression", limit)
    assert (ran.status, ran.out) == (2, "")
    assert fault in ran.err
    assert "where: --max-suppression" in ran.err
    assert "5% or 0.05" in ran.err


def test_5_one_record_is_no_class(scene: Scene) -> None:
    """No table of one record is k-anonymous, whatever is generalized."""
    scene.write("one.csv", "age,city\n30,Quarantotto\n")
    scene.fails("anonymize one.csv --out r.csv --quasi age,city --k 2 --no-grid", 4, "does not satisfy 2-anonymity")


def test_28_parts_with_other_columns_are_no_table(scene: Scene) -> None:
    """Files of a folder have the same columns; which one has not is told."""
    (scene.folder / "parts").mkdir()
    for name, column in (("a", "zip"), ("b", "illness")):
        pl.DataFrame({"age": ["30"] * 5, column: ["718281"] * 5}).write_parquet(scene.folder / f"parts/{name}.parquet")
    ran = scene.fails("anonymize parts --out r.csv --quasi age --rest drop --k 2", 3, "illness")
    assert "b.parquet" in ran.err or "parts" in ran.err


@pytest.mark.parametrize(
    ("cells", "case"),
    [(("flu", ""), "56"), (("HIV", "hiv", "Hiv "), "64"), (("flu",), "85"), (("HIV", "H\u200bIV", "\uff28IV"), "65")],
)
def test_56_to_85_what_is_no_second_value_makes_no_diversity(scene: Scene, cells: tuple[str, ...], case: str) -> None:
    """A missing value is none, spellings of one value are one, and a constant is one: there is no l of 2."""
    rows = "".join(f"{30 + row % 4},{cells[row % len(cells)]}\n" for row in range(40))
    scene.write("alike.csv", f"age,illness\n{rows}")
    flags = "--quasi age --sensitive illness --l illness=2 --k 2 --no-grid"
    scene.fails(f"anonymize alike.csv --out r{case}.csv {flags}", 4, "there are only 1", "where: column illness")


def test_68_no_label_of_a_range_looks_like_a_date(scene: Scene) -> None:
    """Spreadsheets would turn 1-5 into the first of May."""
    scene.write("young.csv", "age\n" + "".join(f"{1 + row % 12}\n" for row in range(48)))
    for out, flags in (("a.csv", "--no-grid"), ("b.csv", "--grid age=5"), ("c.csv", "--no-grid --excel-safe")):
        scene.succeeds(f"anonymize young.csv --out {out} --quasi age --k 10 {flags}", out, f"{out}.kohort.json")
        labels = (scene.folder / out).read_text("utf-8").splitlines()[1:]
        assert not [label for label in labels if re.match(r'"?\d+\s*[-/.]\s*\d+', label)]


def test_88_a_job_is_toml_and_nothing_else(scene: Scene) -> None:
    """YAML and its tags are not read, so that nothing in them can run or be mistaken."""
    for text in (
        "input:\n  path: people.csv\n",
        "k: !!python/object/apply:os.system [touch made]\n",
        "privacy: {k: 012}\n",
    ):
        scene.write("job.yaml", text)
        scene.fails("run job.yaml", 2, "not valid TOML", "job.yaml, line 1")


def test_92_a_seed_of_noise_has_to_be_accepted(scene: Scene) -> None:
    """Anyone who guesses it takes the noise away."""
    flags = "--quasi city --rest drop --k 5 --perturb age=noise:scale=0.1 --seed 7"
    scene.fails(f"anonymize people.csv --out r.csv {flags}", 2, "where: --seed", "--insecure-reproducible")


def test_94_a_pseudonym_needs_a_key(scene: Scene) -> None:
    """Without one, all identifiers can be tried."""
    flags = "--quasi city --rest drop --k 5 --pseudonym name"
    scene.fails(f"anonymize people.csv --out r.csv {flags}", 2, "pseudonyms need a key", "--key-file")


@pytest.mark.parametrize("limit", ["20", "17%", "0.17"])
def test_79_the_unit_of_a_suppression_limit_is_written(scene: Scene, limit: str) -> None:
    """A count and both forms of a share are taken for what they are."""
    flags = f"{LEVELS} --method optimal --k 5 --max-suppression {limit} --json"
    figures = scene.succeeds(f"anonymize people.csv --out r.csv {flags}", *RELEASE).figures
    assert figures["suppressed"] <= 20
    assert figures["verified"]


@pytest.mark.parametrize(
    ("flags", "part"),
    [
        ("--max-suppression 5", "where: --max-suppression"),
        ("--objective lm", "where: --objective"),
        ("--node 0,0,0", "where: --node"),
        ("--max-level city=0", "where: --max-level city="),
        ("--time-limit 5", "where: --time-limit"),
        ("--mapping m.csv", "where: --mapping"),
        ("--method optimal --mapping m.txt", "a mapping is written as .csv or .json"),
        ("--method optimal --mapping m.csv --dry-run", "a dry run writes nothing"),
        ("--method optimal --cut median", "where: --cut"),
        ("--method optimal --labels set", "where: --labels"),
        ("--method optimal --order sorted", "where: --order"),
        ("--method optimal --objective first", "only samarati"),
        ("--method optimal --objective lmm", "did you mean lm?"),
        ("--method optiml", "did you mean optimal?"),
        ("--method best-effort --time-limit 0", "where: --time-limit"),
        ("--method optimal --node 0,0", "the node has 2 levels, but there are 3"),
        ("--method optimal --node ,", "the node has 0 levels, but there are 3"),
        ("--method optimal --node 0,x,0", "a level is a number"),
        ("--method optimal --node 0,-1,0", "a level is a number"),
        ("--method optimal --node age=1,city=0,zip", "write 0,1,2, or age=2"),
        ("--method optimal --node age=1,age=0,zip=0", "column age is given twice"),
        ("--method optimal --node age=1,citty=0,zip=0", "did you mean city?"),
        ("--method optimal --node age=1,zip=0", "the node has no level for city"),
        ("--method optimal --max-level city=all", "where: --max-level city="),
        ("--method optimal --max-level shoe=1", "column shoe has no role"),
        ("--method optimal --max-level illness=1", "column illness"),
    ],
)
def test_79_what_has_no_effect_or_no_meaning_is_refused_before_any_work(scene: Scene, flags: str, part: str) -> None:
    """Each flag that does not go with the method, or is misspelt, is told with its place; no table is read."""
    scene.fails(f"anonymize nothing.csv --out r.csv {LEVELS} {flags}", 2, part)


def test_79_a_level_that_a_hierarchy_has_not_is_told_with_its_flag(scene: Scene) -> None:
    """The height of a hierarchy that is built is known with the table."""
    scene.fails(
        f"anonymize people.csv --out r.csv {LEVELS} --method optimal --node 0,7,0",
        2,
        "where: --node",
        "city has levels 0",
    )


def test_79_no_release_within_the_limit_names_the_closest(scene: Scene) -> None:
    """The status is that of infeasible goals, and the hint says what would help."""
    flags = f"{LEVELS} --method optimal --k 5 --max-level age=1 --max-level zip=0"
    ran = scene.fails(f"anonymize people.csv --out r.csv {flags}", 4, "the closest: age=1,city=1", "to be suppressed")
    assert "allow a higher level of age or zip" in ran.err
    scene.fails(f"anonymize people.csv --out r.csv {LEVELS} --method datafly --node 0,0,0", 4, "the node 0,0,0")


@pytest.mark.parametrize("method", ["samarati", "optimal", "datafly", "best-effort"])
def test_79_where_nothing_is_close_the_reason_is_told(scene: Scene, method: str) -> None:
    """No node is called close that suppresses everybody, and no level is advised where there are too few records."""
    flags = f"{LEVELS} --method {method} --max-suppression 100% --max-level age=0"
    ran = scene.fails(
        f"anonymize people.csv --out r.csv {flags} --k 50", 4, "leaves any record in a class that meets 50"
    )
    assert "hint: allow a higher level of age, or lower the requirement" in ran.err
    ran = scene.fails(
        f"anonymize people.csv --out r.csv {flags} --k 121", 4, "needs at least 121 records", "there are only 120"
    )
    assert "hint: bring more records, or ask for k = 120 at most" in ran.err


@pytest.mark.parametrize(
    "method", ["mondrian", "samarati", "optimal", "datafly", "best-effort", "optimal --node 0,0,0"]
)
def test_55_a_table_of_records_that_the_schema_suppresses(scene: Scene, method: str) -> None:
    """Where every record lacks a value and such records are suppressed, there is nothing to release, by any method."""
    scene.write("gaps.csv", "age,city,zip\n" + ",Quarantotto,71828\n" * 20)
    flags = "--quasi age,city,zip --hierarchy age=suppress --hierarchy city=suppress --hierarchy zip=mask:right"
    command = f"anonymize gaps.csv --out r.csv {flags} --missing age=suppress --method {method}"
    scene.fails(command, 4, "every record lacks a value", "hint: keep missing values")


@pytest.mark.parametrize(
    "command",
    ["check none.csv --quasi age", "inspect none.csv", "init none.csv --out j.toml"],
)
def test_4_no_flag_is_advised_that_a_command_has_not(scene: Scene, command: str) -> None:
    """Only a release can be of no records; the other commands ask for some."""
    scene.write("none.csv", "age,city\n")
    ran = scene.fails(command, 4, "there are 0 records", "hint: use a table with records")
    assert "--allow-empty" not in ran.err


@pytest.mark.parametrize("weight", ["0", "-1", "1" + "0" * 400, "0." + "0" * 400 + "1"])
def test_79_weights_that_floating_point_cannot_hold_are_refused(scene: Scene, weight: str) -> None:
    """Before any work, and by the column's name."""
    flags = f"{LEVELS} --method optimal --weight age={weight}"
    scene.fails(f"anonymize people.csv --out r.csv {flags}", 2, "the weight must be above 0", "where: column age")


def test_79_what_is_said_twice_does_not_hide_the_rest(scene: Scene) -> None:
    """A column given twice is one fault: nobody is told that the others have no hierarchy."""
    flags = f"{LEVELS} --method optimal --hierarchy age=suppress"
    scene.fails(f"anonymize people.csv --out r.csv {flags}", 2, "column age is given twice")


def test_100_a_mapping_is_no_other_file(scene: Scene) -> None:
    """It replaces neither the input nor the report, and nothing unasked."""
    flags = f"{LEVELS} --method optimal"
    scene.fails(f"anonymize people.csv --out r.csv {flags} --mapping people.csv --overwrite", 7)
    scene.fails(f"anonymize people.csv --out r.csv {flags} --mapping m.json --report m.json", 7)
    scene.write("m.csv", "mine")
    scene.fails(f"anonymize people.csv --out r.csv {flags} --mapping m.csv", 7, "m.csv", "--overwrite")


def test_80_an_unknown_column_is_told_with_the_nearest(scene: Scene) -> None:
    """All misspelt names come at once, and each with what may have been meant."""
    ran = scene.fails(
        "anonymize people.csv --out r.csv --quasi agee,city,zip --sensitive ilness --identifier name", 2, "3 faults"
    )
    assert "did you mean age?" in ran.err
    assert "did you mean illness?" in ran.err
    assert "[columns.age]" in ran.err
    scene.fails("check people.csv --quasi agee", 2, "did you mean age?")
    scene.fails("hierarchy build suppress --in people.csv --column agee --out h.csv", 2, "did you mean age?")


def test_80_an_unknown_column_of_a_job_has_its_line(scene: Scene) -> None:
    """What only the table shows is told with the line of the job."""
    scene.write("job.toml", JOB.replace("age.role", "agee.role") + 'shoe.role = "sensitive"\n')
    ran = scene.fails("run job.toml", 2, "job.toml, line 9 (columns.agee)", "job.toml, line 13 (columns.shoe)")
    assert "1 of 5 columns have no role" in ran.err


def test_82_no_quasi_identifier_is_refused(scene: Scene) -> None:
    """Nothing to generalize is no anonymization."""
    scene.fails("anonymize people.csv --out r.csv --sensitive illness --rest drop", 2, "no column is quasi-identifying")
    scene.fails("check people.csv", 2, "--quasi")


def test_83_all_columns_may_be_quasi_identifying(scene: Scene) -> None:
    """For k alone no sensitive column is needed."""
    asked = "anonymize people.csv --out r.csv --quasi name,age,city,zip,illness --k 5 --quiet"
    scene.fails(asked, 2)  # names of people would be listed
    ran = scene.succeeds(f"{asked} --allow-singling name", *RELEASE)
    assert ran.out == ""


def test_86_a_misspelt_key_is_told_with_the_nearest(scene: Scene) -> None:
    """An unknown key is never passed over: it may be the one that protects."""
    scene.write("job.toml", JOB + 'supression = 5\nzip.hierachy = "mask:right"\n')
    scene.fails("run job.toml", 2, "2 faults", "line 13", "line 14", "did you mean hierarchy?")


@pytest.mark.parametrize(
    ("addition", "part"),
    [
        ("age.weight = nan\n", "weight must be a number"),
        ('age.role = "quasi"\n', "cannot overwrite"),
        ("deep = " + "[" * 100_000, "too deep"),
        ("\x00", "not valid TOML"),
    ],
)
def test_89_a_job_that_is_no_job_is_refused(scene: Scene, addition: str, part: str) -> None:
    """NaN, keys given twice, absurd nesting and control characters are usage errors with their place."""
    scene.write("job.toml", JOB + addition)
    scene.fails("run job.toml", 2, part, "job.toml")


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": ["b"], "a": ["c"]}', '{"a":' * 100_000])
def test_89_a_tree_that_is_no_json_is_refused(scene: Scene, text: str) -> None:
    """The same faults in a hierarchy are faults of the data."""
    scene.write("h.json", text)
    scene.fails(f"anonymize people.csv --out r.csv {ROLES} --hierarchy city=h.json", 3, "h.json")
    scene.fails("hierarchy show h.json", 3, "h.json")


@pytest.mark.parametrize("flag", ["--k 5", "--out r.csv", "--quasi age", "--method mondrian"])
def test_91_what_a_job_file_says_is_not_said_again(scene: Scene, flag: str) -> None:
    """A flag that could contradict the job is refused, so that neither is passed over."""
    scene.fails(f"run job.toml {flag}", 2, "unknown flag")


def test_97_nothing_is_replaced_unasked(scene: Scene) -> None:
    """An existing release, certificate, report, job or hierarchy stays unless --overwrite is given."""
    for command, target in (
        (f"anonymize people.csv --out x.csv {ROLES}", "x.csv"),
        (f"anonymize people.csv --out x.csv {ROLES}", "x.csv.kohort.json"),
        (f"anonymize people.csv --out x.csv {ROLES} --report x.json", "x.json"),
        ("run job.toml", "release.csv"),
        ("init people.csv --out x.toml", "x.toml"),
        ("hierarchy build suppress --in people.csv --column city --out x.csv", "x.csv"),
        ("generate italy --out . --records 5", "city.json"),
        ("demo --out . --records 50", "job.toml"),
    ):
        path = scene.folder / target
        if target != "job.toml":
            path.write_text("{}", encoding="utf-8")
        scene.fails(command, 7, target, "--overwrite")
        if target != "job.toml":
            path.unlink()


def test_97_what_is_asked_for_is_replaced(scene: Scene) -> None:
    """With --overwrite the second run takes the place of the first, release and certificate together."""
    scene.succeeds("run job.toml", "release.csv", "release.csv.kohort.json")
    scene.succeeds("run job.toml --overwrite", "release.csv", "release.csv.kohort.json")
    scene.succeeds("init people.csv --out job.toml --overwrite", "job.toml", "city.alike.csv", "zip.alike.csv")
    scene.succeeds("hierarchy build suppress --in people.csv --column city --out h.csv", "h.csv")
    scene.succeeds("hierarchy build suppress --in people.csv --column city --out h.csv --overwrite", "h.csv")
    scene.succeeds("hierarchy convert h.csv --out h.json", "h.json")


@pytest.mark.parametrize("out", ["none/r.csv", "people.csv/r.csv", "folder.csv"])
def test_98_a_folder_that_cannot_take_the_output_is_refused_before_any_work(scene: Scene, out: str) -> None:
    """A missing folder, a file in its place and a folder in the file's place are told before the table is read."""
    (scene.folder / "folder.csv").mkdir()
    scene.fails(f"anonymize nothing.csv --out {out} {ROLES}", 6, "the output")
    scene.fails(f"hierarchy build suppress --in nothing.csv --column city --out {out}", 6, "the output")
    scene.fails(f"init nothing.csv --out {out}", 6, "the output")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_98_a_folder_that_is_not_ours_is_refused_before_any_work(scene: Scene) -> None:
    """A folder without the right to write is told before the table is read."""
    closed = scene.folder / "closed"
    closed.mkdir(mode=0o500)
    scene.fails(f"anonymize nothing.csv --out closed/r.csv {ROLES}", 6, "closed")


@pytest.mark.parametrize(
    "files",
    [
        "--out people.csv",
        "--out ./people.csv",
        "--out r.csv --report people.json --hierarchy city=people.json",
        "--out r.json --format csv --report r.json",
        "--out r.csv --report r.csv.kohort.json",
        "--out h.csv --hierarchy city=h.csv",
    ],
)
def test_100_no_output_is_an_input_or_another_output(scene: Scene, files: str) -> None:
    """Neither release nor report may be the input, a hierarchy, the certificate or one another, even to overwrite."""
    scene.write("people.json", json.dumps({"*": ["Quarantotto", "Bari", "Rieti"]}))
    scene.write("h.csv", "Quarantotto;*\nBari;*\nRieti;*\n")
    scene.fails(f"anonymize people.csv {files} {ROLES} --overwrite", 7, "the output" if "r." not in files else "output")


@pytest.mark.parametrize("source", [f"{'x' * 300}.csv", "--population=no/such.csv --k-map=2 people.csv"])
def test_100_an_input_that_cannot_be_looked_at_is_no_fault_of_the_output(scene: Scene, source: str) -> None:
    """Whatever the system says of an input is told of the input."""
    scene.write("r.csv", "former\n")
    ran = scene.fails(f"anonymize --out r.csv {source} {ROLES} --overwrite", 6 if "xx" in source else 3)
    assert "output" not in ran.err


def test_100_a_release_does_not_replace_its_job(scene: Scene) -> None:
    """The job file is an input too."""
    scene.write("job.csv", JOB.replace("release.csv", "job.csv"))
    scene.fails("run job.csv --overwrite", 7, "the output is an input")
    scene.fails("init people.csv --out people.csv --overwrite", 7, "the output is an input")


@pytest.mark.parametrize(("report", "part"), [("r.pdf", ".html, .json, .txt"), ("r", ".html, .json")])
def test_100_a_report_has_a_form_that_is_known(scene: Scene, report: str, part: str) -> None:
    """A report that could not be written is refused before any work."""
    scene.fails(f"anonymize nothing.csv --out r.csv {ROLES} --report {report}", 2, "--report", part)


def test_100_a_dry_run_writes_no_report(scene: Scene) -> None:
    """A dry run that wrote a file would not be one."""
    scene.fails(f"anonymize people.csv --out r.csv {ROLES} --dry-run --report r.json", 2, "a dry run writes nothing")


def test_101_what_lies_outside_is_counted_not_shown(scene: Scene) -> None:
    """Ages that a hierarchy, a range or bounds lack are errors of the data that give their number only."""
    scene.write("h.csv", "\n".join(f"{age};*" for age in range(20, 50)) + "\n")
    for flag in ("--hierarchy age=h.csv", "--hierarchy age=intervals:20..50:5", "--bounds age=20..49"):
        ran = scene.fails(f"anonymize people.csv --out r.csv {ROLES} {flag}", 3, "age")
        assert re.search(r"\d+ (of \d+ )?(records|values)", ran.err), ran.err


def test_101_bounds_are_two_numbers_that_ascend(scene: Scene) -> None:
    """Flags are read as strictly as the job file, and are named."""
    scene.fails(f"anonymize people.csv --out r.csv {ROLES} --bounds age=20", 2, "--bounds age=")
    scene.fails(f"anonymize people.csv --out r.csv {ROLES} --bounds age=90..20", 2, "column age")
    scene.fails(f"anonymize people.csv --out r.csv {ROLES} --grid age=x", 2, "--grid age=")
    scene.fails(f"anonymize people.csv --out r.csv {ROLES} --grid age=5 --grid age=10", 2, "given twice")
    scene.fails(f"anonymize people.csv --out r.csv {ROLES} --weight age", 2, "--weight age=VALUE")


def test_flags_are_judged_all_at_once(scene: Scene) -> None:
    """As in a job file, every fault of the flags comes in one message that names the flag."""
    ran = scene.fails(
        "anonymize people.csv --out r.csv --quasi age,age --weight agee=1 --grid x --method mondrain --cut up --rest no"
        " --labels rang --separator :: --k 0 --scale age=numerc",
        2,
        "the job has 10 faults",
        "column age is named twice",
        "did you mean age?",
    )
    for flag in ("--weight", "--grid", "--method", "--cut", "--rest", "--labels", "--separator", "--k", "--scale"):
        assert f"where: {flag}" in ran.err


# --- E: hierarchies ---------------------------------------------------------------------------------------------------

TREES: Final = {
    "106 two parents": "Bari;a;*\nBari;b;*\nQuarantotto;b;*\nRieti;b;*\n",
    "107 splits again": "Quarantotto;a;x;*\nBari;a;y;*\nRieti;b;y;*\n",
    "109 ragged": "Quarantotto;a;*\nBari;*\nRieti;a;*\n",
    "110 no root": "Quarantotto;a\nBari;b\nRieti;b\n",
    "115 the mark below the root": "Quarantotto;*;x\nBari;b;x\nRieti;b;x\n",
    "101 not all values": "Bari;b;*\nRieti;b;*\n",
    "empty": "",
    "no text": "\x00",
}


@pytest.mark.parametrize("case", TREES)
def test_106_to_115_a_hierarchy_that_is_none_is_an_error_of_the_data(scene: Scene, case: str) -> None:
    """What does not nest, has two parents, no root or not all values is refused, naming file or column, not value."""
    scene.write("h.csv", TREES[case])
    ran = scene.fails(f"anonymize people.csv --out r.csv {ROLES} --hierarchy city=h.csv", 3)
    assert "h.csv" in ran.err or "city" in ran.err


@pytest.mark.parametrize("builder", ["intervals:50..20:5", "intervals:20..20:5", "intervals:20..59:5,7"])
def test_112_113_intervals_that_are_none_are_refused(scene: Scene, builder: str) -> None:
    """Empty ranges and widths that do not nest are refused."""
    scene.fails(f"anonymize people.csv --out r.csv {ROLES} --hierarchy age={builder}", 3, "age")


@pytest.mark.parametrize("builder", ["intervals:nan", "intervals:1..inf:5", "intervals", "interval:5", "mask:up"])
def test_113_a_builder_that_cannot_be_read_is_refused(scene: Scene, builder: str) -> None:
    """A misspelt builder is a usage error that names the flag and shows how to write it."""
    scene.fails(f"anonymize people.csv --out r.csv {ROLES} --hierarchy age={builder}", 2, "--hierarchy age=", "hint: ")
    scene.fails(f"hierarchy build {builder} --in people.csv --column age --out h.csv", 2, "hint: ")


def test_112_a_boundary_value_is_in_one_interval(scene: Scene) -> None:
    """Intervals are half-open: 20, 25 and 30 begin theirs."""
    scene.succeeds("hierarchy build intervals:20..60:5 --in people.csv --column age --out h.csv", "h.csv")
    rows = [line.split(";")[:2] for line in (scene.folder / "h.csv").read_text("utf-8").splitlines()]
    assert dict(rows)["25"] == "[25-30)"
    assert dict(rows)["24"] == "[20-25)"


def test_116_a_level_that_hides_nothing_is_warned_of(scene: Scene) -> None:
    """A hierarchy that shows the value on a higher level is allowed, and said to do so."""
    scene.write("h.csv", "Bari;[Bari-Bari];*\nRieti;b;*\nQuarantotto;b;*\n")
    ran = scene.succeeds("hierarchy check h.csv --in people.csv --column city")
    assert "level 1 hides nothing for 1 of 3 values" in ran.out
    scene.succeeds(f"anonymize people.csv --out r.csv {ROLES} --hierarchy city=h.csv", *RELEASE)


def test_118_a_hierarchy_of_no_use_is_noted(scene: Scene) -> None:
    """It would have no effect but on a quasi-identifier or where a model measures by it: a note says so."""
    illness = "--hierarchy illness=mask:right"
    note = "note: the hierarchy of illness is not used"
    for flags in (ROLES, f"{MODELLED} --l illness=2"):
        assert note in scene.succeeds(f"anonymize people.csv --out r.csv --overwrite {flags} {illness}", *RELEASE).out
    used = f"anonymize people.csv --out r.csv --overwrite {MODELLED} {illness} --t illness=0.5"
    assert "note:" not in scene.succeeds(used, *RELEASE).out
    scene.fails(f"anonymize people.csv --out r.csv {ROLES} --hierarchy shoe=mask:right", 2, "--hierarchy shoe=")


def test_119_a_quasi_identifier_needs_no_hierarchy(scene: Scene) -> None:
    """Mondrian releases ranges and sets where there is none; a method on levels names every column without one."""
    scene.succeeds(f"anonymize people.csv --out r.csv {ROLES} --k 5", *RELEASE)
    scene.fails(
        f"anonymize nothing.csv --out s.csv {ROLES} --method samarati --hierarchy age=suppress --k 1",
        2,
        "3 faults",
        "where: --k",
        "where: --hierarchy city=",
        "where: --hierarchy zip=",
    )


def test_73_more_columns_than_pairs_can_be_looked_at(scene: Scene) -> None:
    """Columns released as they are have two million pairs at most; dropped ones are no obstacle."""
    names = [f"c{place}" for place in range(2_001)]
    scene.write("wide.csv", ",".join(["age", *names]) + "\n" + ("30" + ",1" * 2_001 + "\n") * 4)
    flags = "--out r.csv --quasi age --k 2 --no-grid"
    told = "2,001 columns would be released unchanged"
    scene.fails(f"anonymize wide.csv {flags} --rest insensitive", 8, told, "--rest drop")
    scene.succeeds(f"anonymize wide.csv {flags} --rest drop", *RELEASE)


def test_121_a_hierarchy_of_sixty_levels_works(scene: Scene) -> None:
    """Height alone is no obstacle."""
    levels = ";".join(f"level {level}" for level in range(59))
    scene.write("h.csv", "".join(f"{city};{levels};*\n" for city in ("Quarantotto", "Bari", "Rieti")))
    scene.succeeds(f"anonymize people.csv --out r.csv {ROLES} --hierarchy city=h.csv", *RELEASE)


def test_122_a_hierarchy_from_the_data_is_said_to_be(scene: Scene) -> None:
    """The certificate says that labels depend on the data."""
    scene.succeeds(
        f"anonymize people.csv --out r.csv {ROLES} --hierarchy city=frequency:1 --grid age=10 --grid zip=10", *RELEASE
    )
    certificate = json.loads((scene.folder / "r.csv.kohort.json").read_text("utf-8"))
    assert certificate["data_dependent_labels"] is True


# --- the process and its surroundings ---------------------------------------------------------------------------------


def started(scene: Scene, *arguments: str) -> subprocess.Popen[bytes]:
    """The command line in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "kohort", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=scene.folder,
    )


def test_104_a_reader_that_leaves_is_no_reason_to_complain(scene: Scene) -> None:
    """`kohort … | head` ends with the status of a failed write, in silence."""
    scene.succeeds("hierarchy build suppress --in people.csv --column city --out h.csv", "h.csv")
    process = started(scene, "hierarchy", "show", "h.csv")
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate()
    assert (process.returncode, err) == (6, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")  # noqa: PTH110  before any fixture
def test_104_an_output_that_is_full_is_told(scene: Scene) -> None:
    """What cannot be printed is a failed write, with a message."""
    scene.succeeds("hierarchy build suppress --in people.csv --column city --out h.csv", "h.csv")
    with open("/dev/full", "wb") as full:  # noqa: PTH123  a device
        done = subprocess.run(
            [sys.executable, "-m", "kohort", "hierarchy", "show", "h.csv"],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=scene.folder,
            check=False,
        )
    assert done.returncode == 6
    assert b"printing failed" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        f"anonymize people.csv --out - --format csv {ROLES}",
        "init people.csv --out -",
        "perturb people.csv --out - --format csv --perturb age=rounding:step=5",
        "key -",
        "key --sign -",
        "generate italy --records 9 --out -",
        "generate admissions --records 9 --out -",
        "generate baskets --out -",
        "demo --records 99 --out -",
    ],
)
def test_98_no_file_is_called_like_standard_output(scene: Scene, command: str) -> None:
    """Whoever writes `-` for an output means the standard one, on which nothing can be taken back."""
    scene.fails(command, 7, "nothing is published on standard output", "hint: name a file")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")  # noqa: PTH110  before any fixture
def test_an_error_that_cannot_be_printed_keeps_its_status(scene: Scene) -> None:
    """What is left in the buffer of the standard error does not decide how the process ends."""
    with open("/dev/full", "wb") as full:  # noqa: PTH123  a device
        done = subprocess.run(
            [sys.executable, "-m", "kohort", "hierarchy", "show", "none.csv"],
            stderr=full,
            cwd=scene.folder,
            check=False,
        )
    assert done.returncode == 3


@pytest.mark.skipif(os.name == "nt", reason="processes here cannot be started without their streams")
@pytest.mark.parametrize("closed", [(2,), (1, 2), (0, 1, 2)])
def test_closed_streams_are_nobody_elses(scene: Scene, closed: tuple[int, ...]) -> None:
    """A run without standard streams works, and no file of its own takes their numbers."""

    def close() -> None:
        for number in closed:
            os.close(number)

    scene.succeeds(f"anonymize people.csv --out r.csv {ROLES}", "r.csv", "r.csv.kohort.json")
    before = scene.state()
    words = [sys.executable, "-m", "kohort", "anonymize", "people.csv", "--out", "r.csv", "--overwrite", *ROLES.split()]
    done = subprocess.run(words, cwd=scene.folder, check=False, preexec_fn=close)
    assert (done.returncode, scene.state()) == (0, before)


@pytest.mark.parametrize(
    ("sent", "status", "said"), [(signal.SIGINT, 130, b"interrupted"), (signal.SIGTERM, 143, b"terminated")]
)
def test_a_signal_ends_a_run_and_leaves_nothing(scene: Scene, sent: signal.Signals, status: int, said: bytes) -> None:
    """Ctrl-C and SIGTERM end a run that is reading with their own status, no traceback and no file."""
    before = scene.state()
    process = started(scene, "anonymize", "-", "--out", "r.csv", *ROLES.split())
    assert process.stdin is not None
    process.stdin.write(TABLE.encode() * 40)  # more than a pipe holds: once it is taken, the table is being read
    process.stdin.flush()
    process.send_signal(sent)
    out, err = process.communicate()
    assert process.returncode == status
    assert out == b""
    assert err.startswith(b"kohort: " + said)
    assert b"Traceback" not in err
    assert scene.state() == before


@pytest.mark.parametrize(("sent", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_waits_until_the_program_is_imported(sent: str, status: int) -> None:
    """In the first half second nothing could say how the run ends."""
    script = f"""
import os, signal, sys
import kohort.__main__

class Send:
    def find_spec(self, name, *_):
        if name == "click":
            os.kill(os.getpid(), signal.{sent})

sys.meta_path.insert(0, Send())
sys.argv = ["kohort", "schema"]
kohort.__main__.run()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (status, b"")
    assert done.stderr.startswith(b"kohort: ")
    assert done.stderr.count(b"\n") == 1


def in_a_destructor() -> None:
    """Have a signal come while an object is taken down, and then wait."""

    class Last:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    Last()
    time.sleep(60)


def swallowed() -> None:
    """Take a signal for a failure of one's own."""
    try:
        signal.raise_signal(signal.SIGTERM)
    except SystemExit:
        return


def turned() -> None:
    """Make another error of it."""
    try:
        signal.raise_signal(signal.SIGTERM)
    except SystemExit as stopped:
        raise ValueError from stopped


@pytest.mark.parametrize("work", [in_a_destructor, swallowed, turned])
def test_no_signal_is_lost(
    work: Callable[[], None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python ignores what is raised in a destructor, and libraries what they call a failure of their own."""
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    def app(*_: object, **__: object) -> None:
        work()

    monkeypatch.setattr("kohort.cli.program.dispatch", app)
    assert main(["schema"]) == 143
    assert capsys.readouterr().err == "kohort: terminated; nothing incomplete was published\n"
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers


def test_ctrl_c_is_not_lost_where_signals_cannot_wait(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Windows lets them come at once."""

    def app(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.delattr(signal, "pthread_sigmask")
    monkeypatch.setattr("kohort.cli.program.dispatch", app)
    assert main(["schema"]) == 130
    assert capsys.readouterr().err == "kohort: interrupted; nothing incomplete was published\n"


def test_an_error_in_a_destructor_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It goes nowhere, and its text could repeat a cell."""

    class Last:
        def __del__(self) -> None:
            raise ValueError(CANARIES[0])

    def app(*_: object, **__: object) -> None:
        Last()

    monkeypatch.setattr("kohort.cli.program.dispatch", app)
    assert main(["schema"]) == 0
    assert capsys.readouterr() == ("", "")


def test_ctrl_c_in_code_run_from_text_has_the_status_of_ctrl_c() -> None:
    """Python itself would end the process by the signal instead, after everything was said."""
    script = """
import signal, sys
import kohort.cli.program
import kohort.__main__

def app(*_, **__):
    exec("import signal; signal.raise_signal(signal.SIGINT)")

kohort.cli.program.dispatch = app
sys.argv = ["kohort", "schema"]
kohort.__main__.run()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"kohort: interrupted; nothing incomplete was published\n")


def test_the_screen_shows_nothing_that_a_library_writes_by_itself() -> None:
    """A library that fails prints its own account, with whatever it had in hand; ours is a sentence."""
    script = f"""
import os, sys
import kohort.cli.program
import kohort.__main__

def app(*_, **__):
    os.write(2, b"thread panicked at {CANARIES[0]}")
    raise ValueError

kohort.cli.program.dispatch = app
sys.argv = ["kohort", "schema"]
kohort.__main__.run()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 70
    assert done.stderr.startswith(b"kohort: an internal error (ValueError)")
    assert CANARIES[0].encode() not in done.stderr
    closed = subprocess.run(
        [sys.executable, "-m", "kohort", "schema"], capture_output=True, check=False, preexec_fn=lambda: os.close(2)
    )
    assert closed.returncode == 0


def test_too_little_address_space_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries would abort, or wait for ever: the limit is told before they are asked."""
    script = """
import resource, sys
import kohort.__main__
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
sys.argv = ["kohort", "schema"]
kohort.__main__.run()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 8
    assert done.stderr.startswith(
        b"kohort: the system gives this process 1,024 MiB of address space; kohort needs 2,048"
    )
    monkeypatch.setattr("kohort.cli.program.address_space", lambda: 2 << 30)
    assert main(["--version"]) == 0
    monkeypatch.setattr("kohort.cli.program.address_space", lambda: 1 << 30)
    assert main(["--version"]) == 8


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (type("PanicException", (BaseException,), {})(CANARIES[0]), 8, "a library gave up"),
        (RuntimeError("can't start new thread"), 8, "a library gave up"),
        (BlockingIOError(CANARIES[0]), 6, "the system reports: BlockingIOError"),
    ],
)
def test_what_the_system_refuses_has_a_status(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    raised: BaseException,
    status: int,
    said: str,
) -> None:
    """Threads, files and memory that are refused are no fault of kohort itself."""

    def app(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr("kohort.cli.program.dispatch", app)
    assert main(["schema"]) == status
    err = capsys.readouterr().err
    assert err.startswith(f"kohort: {said}")
    assert CANARIES[0] not in err


@pytest.mark.parametrize(
    ("job", "said"),
    [
        (".".join("a" * 5000) + " = 1\n", "nested too deeply"),
        (f"[privacy]\nk = {'9' * 5000}\n", "a number with thousands of digits"),
        (f'[run]\nmemory-limit = "{"9" * 5000}GiB"\n', "memory-limit"),
    ],
)
def test_a_job_that_is_too_deep_or_too_long_is_refused(scene: Scene, job: str, said: str) -> None:
    """Whatever a job file holds is read in bounded time and memory, or refused by name."""
    scene.write("job.toml", job)
    scene.fails("run job.toml", 2, said)


def test_a_cell_of_thousands_of_digits_is_a_name(scene: Scene) -> None:
    """Nobody measures with so many: the column is one of names, for the search and for the verifier."""
    cells = "".join(f"{'9' * 4301 if row % 7 == 0 else row % 5},x\n" for row in range(40))
    scene.write("digits.csv", f"age,city\n{cells}")
    scene.succeeds("anonymize digits.csv --out r.csv --quasi age --insensitive city --k 2", *RELEASE)
