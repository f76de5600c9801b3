"""`kohort check` as somebody uses it: every model on any file, and a certificate held against its file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.command import Ran, kohort

if TYPE_CHECKING:
    from pathlib import Path

#: who, age, zip, illness, days: the classes of age and zip are 3, 2 and 1.
ROWS = """who,age,zip,illness,days
anna,[20-29],001,flu,3
bea,[20-29],001,gout,5
carl,[20-29],001,HIV,9
dora,30,002,flu,2
emil,30,002,FLU,2
emil,40,003,gout,7
"""

QUASI = ["--quasi", "age,zip"]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """The file."""
    path = tmp_path / "people.csv"
    path.write_text(ROWS)
    return path


def judged(people: Path, *flags: object, met: bool) -> Ran:
    """A check that ends as it should."""
    ran = kohort("check", people, *QUASI, *flags)
    assert (ran.status, ran.err) == (0 if met else 1, "")
    return ran


def refused(people: Path, *flags: object, status: int = 2) -> str:
    """What is said against a check that cannot be."""
    ran = kohort("check", people, *flags)
    assert (ran.status, ran.out) == (status, "")
    return ran.err


# --- models -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "model"),
    [
        (["--k", 2], "2-anonymity"),
        (["--l", "illness=2"], "distinct 2-diversity of illness"),
        (["--entropy-l", "illness=2"], "entropy 2-diversity of illness"),
        (["--recursive", "illness=2,2"], "recursive (2, 2)-diversity of illness"),
        (["--t", "illness=0.2"], "0.2-closeness of illness"),
        (["--t", "days=0.2", "--distance", "days=equal"], "0.2-closeness of days, equal distance"),
        (["--k", 2, "--alpha", "illness=0.5"], "(0.5, 2)-anonymity of illness"),
        (["--delta-disclosure", "illness=0.1"], "0.1-disclosure privacy of illness"),
        (["--beta", "illness=0.1"], "basic 0.1-likeness of illness"),
        (["--enhanced-beta", "illness=0.1"], "enhanced 0.1-likeness of illness"),
        (["--max-risk", "0.4"], "maximum risk 0.4"),
        (["--average-risk", "0.4"], "average risk 0.4"),
    ],
)
def test_every_model_has_its_flag(people: Path, flags: list[object], model: str) -> None:
    """Each is judged, and told by a name of its own; no k is asked for besides."""
    figures = judged(people, *flags, "--json", met=False).figures
    assert figures["models"][-1]["met"] is False
    assert figures["models"][-1]["failing_classes"] > 0
    assert figures["k"] == (2 if "--k" in flags else None)
    told = judged(people, *flags, met=False).out
    assert f"{model}: NOT met" in told


def test_several_models_are_told_one_by_one(people: Path) -> None:
    """One may be met and another not; together they are met only if all are."""
    out = judged(people, "--max-risk", "1/2", "--l", "illness=3", "--average-risk", "0.5", met=False).out
    assert "average risk 0.5: met" in out
    assert "distinct 3-diversity of illness: NOT met: 2 classes with 3 records fail" in out


def test_the_smallest_failing_classes(people: Path) -> None:
    """They are described without a cell of theirs; their cells are shown to whoever asks for it."""
    out = judged(people, "--l", "illness=2", met=False).out
    assert "  class of 1; 1 value; the most frequent 100.0%\n  class of 2; 1 value; the most frequent 100.0%\n" in out
    assert not any(cell in out for cell in ("[20-29]", "002", "flu", "gout"))
    shown = judged(people, "--l", "illness=2", "--show-values", met=False).out
    assert "age=30, zip=002; FLU 2" in shown
    figures = judged(people, "--l", "illness=2", "--json", met=False).figures
    first = figures["models"][0]["first"]
    assert first[0] == {"size": 1, "records": 1, "values": 1, "largest_share": 1.0}
    [*_, last] = judged(people, "--l", "illness=2", "--json", "--show-values", met=False).figures["models"][0]["first"]
    assert (last["cells"], last["counts"]) == ({"age": "30", "zip": "002"}, {"FLU": 2})


def test_no_more_than_a_few_are_told(people: Path) -> None:
    """Of many failing classes the first five are described, and the others counted."""
    people.write_text("age,zip,illness\n" + "".join(f"{age},1,flu\n" for age in range(7)))
    assert "  and 2 more\n" in judged(people, "--l", "illness=2", met=False).out
    assert "  classes of 1, 1, 1, 1, 1, and 2 more\n" in judged(people, "--k", 2, met=False).out


def test_sizes_alone_are_told_in_a_line(people: Path) -> None:
    """Of a model of sizes there is nothing else to tell."""
    assert "  classes of 1, 2\n" in judged(people, "--k", 3, met=False).out
    assert "class of 1; age=40, zip=003" in judged(people, "--k", 2, "--show-values", met=False).out


def test_an_average_may_fail_without_a_failing_class(people: Path) -> None:
    """Where only all classes together fail, that is said."""
    (known := people.with_name("known.csv")).write_text(
        "age,zip\n20,001\n29,001\n28,001\n30,002\n30,002\n40,003\n50,9\n"
    )
    out = judged(people, "--presence", "0.5..1", "--population", known, met=False).out
    assert "(0.5, 1)-presence: NOT met: all classes together fail" in out
    assert "no class matches 1 person of the population table" in out


def test_people_are_counted(people: Path) -> None:
    """With a person key two records of one person are one person."""
    people.write_text(ROWS.replace("dora", "emil"))
    out = judged(people, "--k", 2, "--person", "who", met=False).out
    assert "people are counted: 1 to 3 in a class" in out
    assert "1 person in 2 records" in out
    assert judged(people, "--k", 2, "--person", "who", "--json", met=False).figures["people"] == {
        "smallest": 1,
        "largest": 3,
    }


def test_a_population_is_matched_by_what_labels_cover(people: Path) -> None:
    """Ranges fit values inside them."""
    (known := people.with_name("known.csv")).write_text("age,zip\n20,001\n29,001\n30,002\n30,002\n40,003\n40,003\n")
    assert "2-map: met" in judged(people, "--k-map", 2, "--population", known, met=True).out
    out = judged(people, "--k-map", 3, "--population", known, met=False).out
    assert "class of 1; matches 2 of the population" in out


def test_nodes_need_their_hierarchy(people: Path) -> None:
    """A hierarchy says what the labels of a column cover."""
    people.write_text("age,zip\nyoung,0\nyoung,0\n")
    people.with_name("known.csv").write_text("age,zip\n20,0\n21,0\n")
    people.with_name("ages.csv").write_text("20;young\n21;young\n")
    population = ["--population", people.with_name("known.csv")]
    refused(people, *QUASI, "--k-map", 2, *population, status=3)
    hierarchy = f"age={people.with_name('ages.csv')}"
    assert "2-map: met" in judged(people, "--k-map", 2, *population, "--hierarchy", hierarchy, met=True).out


def test_what_the_table_was_before(people: Path) -> None:
    """Without a reference a check says that it compared the file with itself."""
    note = "classes are compared with this file"
    own = kohort("check", people, *QUASI, "--t", "days=0.5")
    assert note in own.out
    (before := people.with_name("before.csv")).write_text(ROWS + "x,50,9,gout,1\n" * 90)
    other = kohort("check", people, *QUASI, "--t", "days=0.5", "--reference", before)
    assert note not in other.out
    assert (own.status, other.status) == (0, 1)


def test_missing_tokens(people: Path) -> None:
    """A text that means no value is no second one."""
    people.write_text(ROWS.replace("FLU", "NA"))
    assert "1 class" not in judged(people, "--l", "illness=2", "--json", met=False).out
    told = judged(people, "--l", "illness=2", "--missing-token", "NA", "--json", met=False).figures
    assert told["models"][0]["failing_classes"] == 2


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "no quasi-identifying column is named"),
        ([*QUASI, "--l", "illnes=2"], "did you mean illness?"),
        ([*QUASI, "--l", "age=2"], "the column is quasi"),
        ([*QUASI, "--l", "illness=1"], "--l illness=…"),
        ([*QUASI, "--l", "illness"], "--l"),
        ([*QUASI, "--alpha", "illness=0.5"], "give k too"),
        ([*QUASI, "--k-map", 2], "needs a population table"),
        ([*QUASI, "--k", 2, "--population", "IN"], "no privacy model needs a population"),
        ([*QUASI, "--sensitive", "age"], "named twice"),
        ([*QUASI, "--sensitive", "illnes"], "did you mean illness?"),
        ([*QUASI, "--sensitive", "days", "--distance", "days=equal"], "without t"),
        (["--transactions", "--sensitive", "a"], "is only for tables"),
        ([*QUASI, "--reference", "IN"], "no privacy model refers"),
        ([*QUASI, "--h", "0.5"], "is only for transactions"),
        (["--transactions", "--l", "a=2"], "is only for tables"),
        (["--transactions", "--reference", "IN"], "is only for tables"),
    ],
)
def test_what_cannot_be_asked(people: Path, flags: list[object], said: str) -> None:
    """A question that cannot be meant is refused, and says why; no cell is told."""
    err = refused(people, *(people if flag == "IN" else flag for flag in flags))
    assert said in err
    assert not any(cell in err for cell in ("anna", "HIV", "gout"))


def test_spellings_are_told(people: Path) -> None:
    """A note counts the classes that a reader would see."""
    people.write_text(ROWS.replace("carl,[20-29],001", "carl,[20-29], 001"))
    assert (
        "regardless of case, blanks and width of its values, the table has 3 classes"
        in judged(people, "--k", 2, met=False).out
    )


# --- without thresholds -----------------------------------------------------------------------------------------------


def test_without_a_model_the_strictest_are_told(people: Path) -> None:
    """Nothing is judged, so that the status is 0; a note says that nobody looked at what classes reveal."""
    out = judged(people, met=True).out
    assert out.splitlines()[1:4] == [
        "the strictest parameters that this file meets:",
        "  k-anonymity                         k = 1",
        "  maximum risk                        threshold = 1",
    ]
    assert "  the average does not show that 1 person is alone in its class\n" in out
    assert "  k-map                               none: no population table is given\n" in out
    assert "name the sensitive columns with --sensitive" in out
    figures = judged(people, "--json", met=True).figures
    assert (figures["met"], figures["k"], figures["models"]) == (None, None, [])
    assert figures["achieved"]["average-risk"] == {"model": "average risk", "value": 0.5, "attained": True}
    assert figures["achieved"]["columns"] == {}


def test_sensitive_columns_are_measured(people: Path) -> None:
    """Every model of values tells its strictest parameter, or why there is none; and what k, l and t do not see."""
    people.write_text(ROWS.replace("emil,40,003,gout,7\n", "").replace("FLU", "gout"))
    out = judged(people, "--sensitive", "illness,days", met=True).out
    illness, days = (part.splitlines() for part in out.partition("of illness:\n")[2].split("of days:\n"))
    assert "  distinct l-diversity                l = 2" in illness
    assert "  recursive (c,2)-diversity           c above 1" in illness
    assert "  recursive (c,3)-diversity           none: a class has fewer than 3 values" in illness
    assert "  t-closeness, ordered distance       none: the values are not numbers" in illness
    assert "  delta-disclosure privacy            none: a class lacks a value that the table has" in illness
    assert "  no class has only one value" in illness
    assert "  distinct l does not show that one value makes up 50% of a class" in illness
    assert "  t does not show that one value is 1.7 times as frequent in a class as in the table" in illness
    assert "  k does not show that 2 people are in classes where all have the same value" in days
    assert "classes are compared with this file" in out
    assert "--sensitive" not in out
    told = judged(people, "--k", 2, "--sensitive", "days", "--json", met=True).figures["achieved"]["columns"]["days"]
    assert told["l"]["value"] == 1
    assert told["people_in_classes_of_one_value"] == 2
    assert (told["recursive-2"]["value"], told["recursive-2"]["reason"]) == (None, "a class has fewer than 2 values")


def test_a_class_without_values_achieves_nothing(people: Path) -> None:
    """Where nobody has a value there is no share to tell."""
    people.write_text("age,zip,illness\n1,1,flu\n2,2,\n")
    out = judged(people, "--sensitive", "illness", met=True).out
    assert out.count("none: a class has no values") == 6
    assert "distinct l does not show" not in out


def test_what_is_measured_can_be_asked_for(people: Path) -> None:
    """The figures are rounded to the side on which the file meets them."""
    told = judged(people, "--sensitive", "days", "--json", met=True).figures["achieved"]["columns"]["days"]
    t = told["t-ordered"]["value"]
    assert t == 0.416666667
    judged(people, "--t", f"days={t}", met=True)
    judged(people, "--t", f"days={t - 1e-9:.9f}", met=False)


def test_distances_of_measured_columns_by_their_hierarchy(people: Path) -> None:
    """A hierarchy is a file or a builder; of a column that has a t of its own it is that model's."""
    (tree := people.with_name("tree.csv")).write_text("flu;airways;*\nFLU;airways;*\ngout;joints;*\nHIV;blood;*\n")
    line = "t-closeness, hierarchical distance  t = "
    for hierarchy in (f"illness={tree}", "illness=suppress"):
        flags = ["--sensitive", "illness", "--hierarchy", hierarchy]
        assert line in judged(people, *flags, met=True).out
        assert line in judged(people, *flags, "--t", "illness=0.9", "--distance", "illness=hierarchical", met=True).out
        assert line in judged(people, *flags, "--l", "illness=2", met=False).out


def test_a_population_is_measured_too(people: Path) -> None:
    """With one, the largest k-map and the range of presence."""
    (known := people.with_name("known.csv")).write_text(
        "age,zip\n20,001\n21,001\n29,001\n30,002\n30,002\n40,003\n40,003\n"
    )
    achieved = judged(people, "--population", known, "--json", met=True).figures["achieved"]
    values = {key: achieved[key]["value"] for key in ("k-map", "presence-low", "presence-high")}
    assert values == {"k-map": 2, "presence-low": 0.5, "presence-high": 1}


# --- certificates -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def register(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a register of 300 people, and a release of it."""
    folder = tmp_path_factory.mktemp("italy")
    assert kohort("generate", "italy", "--out", folder, "--records", 300, "--seed", 3).status == 0
    models = ["--k", 3, "--l", "profession=2", "--t", "profession=0.9"]
    roles = ["--quasi", "gender,age", "--sensitive", "profession", "--rest", "drop"]
    levels = ["--hierarchy", "age=intervals:18..90:5,10", "--hierarchy", "gender=suppress", "--method", "optimal"]
    out = ["--out", folder / "r.csv", "--max-suppression", "30%"]
    ran = kohort("anonymize", folder / "people.csv", *roles, *models, *levels, *out)
    assert ran.status == 0, ran.err
    return folder


def test_a_release_and_its_certificate(register: Path, tmp_path: Path) -> None:
    """Who receives a release checks its certificate; with the input at hand, the values that it refers to as well."""
    release, certificate = register / "r.csv", register / "r.csv.kohort.json"
    ran = kohort("check", release, "--certificate", certificate)
    assert (ran.status, ran.err) == (0, "")
    assert "same         3-anonymity: met" in ran.out
    assert "same         distinct 2-diversity of profession: met" in ran.out
    assert ran.out.endswith("nothing differs\n")
    suppressed = json.loads(certificate.read_text())["suppressed"]
    assert ("not checked  0.9-closeness" in ran.out) == (suppressed > 0)
    whole = kohort("check", release, "--certificate", certificate, "--reference", register / "people.csv", "--json")
    assert whole.figures["met"] is True
    assert {"part": "0.9-closeness of profession", "outcome": "same", "told": "met"} in whole.figures["parts"]
    changed = tmp_path / "r.csv"
    changed.write_bytes(release.read_bytes()[:-2] + b"x\n")
    other = kohort("check", changed, "--certificate", certificate)
    assert (other.status, other.err) == (1, "")
    assert other.out.endswith("NOT the certified file: 4 parts differ\n")
    shorter = tmp_path / "s.csv"
    shorter.write_bytes(b"".join(release.read_bytes().splitlines(keepends=True)[:-1]))
    assert "parts differ" in kohort("check", shorter, "--certificate", certificate).out
    assert kohort("check", changed, "--certificate", certificate, "--quiet").out == ""


@pytest.mark.parametrize(
    ("flags", "status", "said"),
    [
        (["--quasi", "age"], 2, "the certificate names the models"),
        (["--sensitive", "age"], 2, "the certificate names the models"),
        (["--k", 3], 2, "the certificate names the models"),
        (["--l", "a=2"], 2, "the certificate names the models"),
        (["--transactions"], 2, "the certificate names the models"),
        (["--show-values"], 2, "the certificate names the models"),
        (["--private", "a"], 2, "is only for certificates of transactions"),
        (["--hierarchy", "age"], 2, "has no value"),
    ],
)
def test_what_goes_with_no_certificate(register: Path, flags: list[object], status: int, said: str) -> None:
    """A certificate says itself what is asked; what would be in vain is refused."""
    ran = kohort("check", register / "r.csv", "--certificate", register / "r.csv.kohort.json", *flags)
    assert (ran.status, ran.out) == (status, "")
    assert said in ran.err


def test_what_is_no_certificate(register: Path) -> None:
    """Any other file is none, and neither is a changed one."""
    ran = kohort("check", register / "r.csv", "--certificate", register / "people.csv")
    assert (ran.status, ran.out) == (3, "")
    assert "not a certificate" in ran.err
    assert kohort("check", register / "r.csv", "--certificate", register / "none.json").status == 6


def test_another_hierarchy(register: Path, tmp_path: Path) -> None:
    """A hierarchy that the certificate does not name is refused."""
    (tmp_path / "h.csv").write_text("Plumber;*\n")
    flags = ["--certificate", register / "r.csv.kohort.json", "--hierarchy", f"profession={tmp_path / 'h.csv'}"]
    ran = kohort("check", register / "r.csv", *flags)
    assert (ran.status, "not the hierarchy" in ran.err) == (3, True)


def test_transactions_and_their_certificate(tmp_path: Path) -> None:
    """The counts are compared; with the private items, coherence is judged again."""
    baskets, out = tmp_path / "b.dat", tmp_path / "r.dat"
    baskets.write_text("bread milk\nbread milk pill\nbread\nmilk\nbread milk\nodd\n")
    made = ["--private", "pill", "--h", "0.5", "--k", 2, "--p", 2]
    assert kohort("transactions", baskets, "--out", out, *made).status == 0
    certificate = ["--certificate", f"{out}.kohort.json"]
    ran = kohort("check", out, *certificate)
    assert (ran.status, ran.err) == (0, "")
    assert "not checked  (0.5, 2, 2)-coherence: the certificate names no item" in ran.out
    assert "same         transactions: 6" in ran.out
    assert "coherence: met" in kohort("check", out, *certificate, "--private", "pill").out
    wrong = kohort("check", out, *certificate, "--private", "bread")
    assert (wrong.status, "coherence: NOT met" in wrong.out) == (1, True)
    assert kohort("check", baskets, *certificate).status == 1
    refusal = kohort("check", out, *certificate, "--population", baskets)
    assert (refusal.status, "is only for certificates of tables" in refusal.err) == (2, True)


# --- several files ----------------------------------------------------------------------------------------------------


def test_several_files(people: Path, tmp_path: Path) -> None:
    """Each file is checked alike; one that fails is enough for status 1, wherever it stands."""
    other = tmp_path / "other.csv"
    other.write_text("age,zip\n30,002\n30,002\n")
    assert kohort("check", other, other, *QUASI, "--k", 2).status == 0
    for files in ([people, other], [other, people]):
        ran = kohort("check", *files, *QUASI, "--k", 2)
        assert ran.status == 1
        assert [line for line in ran.out.splitlines() if line.endswith(".csv:")] == [f"{path}:" for path in files]
        assert (ran.out.count("2-anonymity: met"), ran.out.count("NOT met")) == (1, 1)
    quiet = kohort("check", people, other, *QUASI, "--k", 2, "--quiet")
    assert (quiet.status, quiet.out) == (1, "")


def test_one_object_is_of_one_file(people: Path) -> None:
    """Figures and certificates are of one file."""
    ran = kohort("check", people, people, *QUASI, "--certificate", "c.json")
    assert (ran.status, "is only for one file" in ran.err) == (2, True)
    ran = kohort("check", people, people, *QUASI, "--json")
    assert (ran.status, "is only for one file" in ran.out) == (2, True)
