"""`kohort advise`, and what `init` and `run` say of changes: true figures, weaker promises named, files kept."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import kohort as api
from kohort.engines import pricing
from kohort.errors import UsageError
from kohort.job import advice
from kohort.transactions import advice as transaction_advice
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

JOB = """\
# by hand
[input]
path = "people.csv"

[output]
path = "release.csv"

[privacy]
k = 10 # as agreed with the board

[columns."net.income"] # a dot in its name
role = "quasi"
grid = 200

[columns.city]
# all or nothing
role = "quasi"
hierarchy = "suppress"

[columns.sex]
role = "quasi"
hierarchy = "suppress"

[columns.illness]
role = "sensitive"
t = 0.2 # strict
distance = "equal"
"""

BASKETS = """\
# by hand
[transactions]
format = "basket"
[input]
path = "baskets.dat"
[output]
path = "out.dat"
[privacy]
h = 0.4
k = 5
p = 2 # who knows more?
[items]
private = ["ill"]
[method]
score = "mm"
"""


def _illness(place: int) -> str:
    """One that goes with a high income, mostly."""
    if place % 4:
        return ("flu", "flu", "gout")[place * place % 3]
    return "gout" if place * 7 % 3_000 > 1_400 else "flu"


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A job over 400 people, whose illness goes with their income."""
    people = pl.DataFrame(
        {
            "net.income": [1_000 + place * 7 % 3_000 for place in range(400)],
            "city": [f"city {place * place % 11}" for place in range(400)],
            "sex": ["f" if place % 3 else "m" for place in range(400)],
            "illness": [_illness(place) for place in range(400)],
        }
    )
    people.write_csv(tmp_path / "people.csv")
    path = tmp_path / "job.toml"
    path.write_text(JOB, "utf-8")
    return path


@pytest.fixture
def baskets(tmp_path: Path) -> Path:
    """A job over 60 transactions of eight items."""
    found = [
        [f"i{item}" for item in range(8) if place * (item + 3) * (place + item) % 13 < 4] + ["ill"] * (place % 6 == 0)
        for place in range(1, 61)
    ]
    lines = [" ".join(one) for one in found if one]
    (tmp_path / "baskets.dat").write_text("\n".join(lines) + "\n", "utf-8")
    path = tmp_path / "job.toml"
    path.write_text(BASKETS, "utf-8")
    return path


def steps(job: Path) -> list[dict[str, Any]]:
    """What is advised."""
    found: list[dict[str, Any]] = kohort("advise", job, "--json").figures["steps"]
    return found


def test_what_is_taken_is_what_was_told(job: Path) -> None:
    """Each change, taken, is in the file, whose comments stay, and a run of it tells the figure to the digit."""
    text = job.read_text("utf-8")
    found = steps(job)
    assert all(one["measured"] for one in found)
    for place, one in [*enumerate(found, 1)][::2]:
        job.write_text(text, "utf-8")
        taken = kohort("advise", job, "--take", place)
        assert taken.status == 0
        assert f"Changed {job}: {one['change']}" in taken.out
        figures = kohort("run", job, "--dry-run", "--json").figures
        assert figures["metrics"]["ncp"] == one["told"]
        assert 1 / figures["smallest"] == pytest.approx(one["risk"])
        assert "# by hand" in job.read_text("utf-8")
        raw = tomllib.loads(job.read_text("utf-8"))
        for key in one["keys"]:
            held: Any = raw
            for name in key["key"]:
                held = held.get(name) if held is not None else None
            assert held == key["value"], key


def test_a_comment_behind_a_changed_key_stays(job: Path) -> None:
    """A key that changes keeps what is said of it."""
    words = [one["change"] for one in steps(job)]
    kohort("advise", job, "--take", 1 + words.index("k = 5"))
    assert job.read_text("utf-8") == JOB.replace("k = 10", "k = 5")


def test_a_weaker_promise_is_told(job: Path) -> None:
    """Fewer people to hide among, a weaker model, and names from the data are each said in words."""
    found = {one["change"]: one["weakens"] for one in steps(job)}
    assert found["k = 5"] == "a person is hidden among 5, not 10"
    assert found["k = 20"] == ""
    assert found["t = 0.3 instead of 0.2-closeness, equal distance on illness"] == "a class may reveal more of illness"
    assert any("only one person" in weakens for change, weakens in found.items() if change.startswith("sets of names"))
    assert not any("ordered" in change for change in found)  # beside t


def test_the_text_numbers_what_can_be_taken(job: Path) -> None:
    """The lines have the numbers of `--take`, from 1 on, with the figure of each; the last is the command for one."""
    lines = kohort("advise", job).out.splitlines()
    found = steps(job)
    assert re.fullmatch(r"Now \d+\.\d% of the detail is lost. Single changes would give:", lines[1])
    for place, (line, one) in enumerate(zip(lines[2:-1], found, strict=True), 1):
        assert line.startswith(f"  {place:>2} {one['loss']:.1%} lost, highest risk {one['risk']:.1%}: {one['change']}")
    assert lines[-1] == f"Make the first change:   kohort advise {job} --take 1"


@pytest.mark.parametrize("number", [99, 11])
def test_a_change_that_is_not_there_is_refused(job: Path, number: int) -> None:
    """The file stays as it was, and the message says how many there are."""
    ran = kohort("advise", job, "--take", number)
    assert ran.status == 2
    assert f"there is no change {number}" in ran.err
    assert job.read_text("utf-8") == JOB


@pytest.mark.parametrize(
    ("text", "status"),
    [("k = 10 #", 2), ("[columns.city]\n", 2), ('path = "people.csv"', 6), ('role = "sensitive"', 2)],
)
def test_a_wrong_job_is_refused_as_a_run_refuses_it(job: Path, text: str, status: int) -> None:
    """The status and the message are those of the run."""
    job.write_text(JOB.replace(text, {6: 'path = "none.csv"'}.get(status, "k = 0 #" if "k" in text else "")), "utf-8")
    advised, ran = kohort("advise", job), kohort("run", job, "--dry-run")
    assert (advised.status, advised.err) == (ran.status, ran.err)
    assert advised.status != 0


def test_records_that_are_counted_elsewhere_are_refused(job: Path) -> None:
    """Advice needs the records here, and says so."""
    job.write_text(JOB + '\n[run]\nengine = "duckdb"\n', "utf-8")
    ran = kohort("advise", job)
    assert ran.status != 0
    assert "counted by duckdb" in ran.err


def test_a_job_without_a_release_is_told_what_allows_one(job: Path) -> None:
    """More people in a class than there are: a smaller k allows a release, and nothing fails."""
    job.write_text(JOB.replace("k = 10", "k = 401"), "utf-8")
    ran = kohort("advise", job)
    assert "Now there is no release." in ran.out
    assert "k = 200" in ran.out


def test_a_run_ends_with_the_best_three(job: Path) -> None:
    """They are those of `advise`; a quiet run and one for programs say nothing of them."""
    ran, told = kohort("run", job), kohort("advise", job)
    last = ran.out.partition("Single changes would give:\n")[2].splitlines()
    assert [line[4:] for line in last[:3]] == [line[5:] for line in told.out.splitlines()[2:5]]
    assert last[3:] == [f"See all changes, and make one:   kohort advise {job}"]
    assert "Single changes" not in kohort("run", job, "--quiet", "--overwrite").out
    assert "steps" not in kohort("run", job, "--json", "--overwrite").figures


def test_a_run_on_levels_begins_no_second_search(job: Path) -> None:
    """A lattice can take minutes: its run tells no changes, and `advise` does."""
    text = JOB.replace("grid = 200", 'hierarchy = "intervals:200,1000"') + '\n[method]\nname = "samarati"\n'
    job.write_text(text.replace('t = 0.2 # strict\ndistance = "equal"', "no-model = true"), "utf-8")
    ran = kohort("run", job)
    assert ran.status == 0
    assert "Single changes" not in ran.out
    assert "mondrian with cuts by loss instead of samarati" in kohort("advise", job).out


def test_a_fault_of_advice_spoils_no_run(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The release is there, verified, whatever becomes of what is said below its figures."""

    def failing(*_: object, **__: object) -> None:
        raise UsageError("nothing goes")

    monkeypatch.setattr(advice, "advice_on", failing)
    ran = kohort("run", job)
    assert (ran.status, ran.err) == (0, "")
    assert job.with_name("release.csv").exists()


def test_a_search_that_stops_early_is_hurried(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranking gives each step at most a second, and only measuring the whole time."""
    limits: list[float | None] = []
    solve = pricing.answer

    def timed(counts: Any, made: api.Job) -> Any:  # noqa: ANN401  what the function takes
        limits.append(made.time_limit)
        return solve(counts, made)

    monkeypatch.setattr(pricing, "answer", timed)
    text = JOB.replace("grid = 200", 'hierarchy = "intervals:200,1000"')
    job.write_text(text + '\n[method]\nname = "best-effort"\ntime-limit = 20\n', "utf-8")
    assert kohort("advise", job).status == 0
    assert 1 <= limits.count(20) <= 1 + advice.MEASURED
    assert {*limits} <= {20, 1.0, None}


def test_init_ends_with_the_best_three(job: Path) -> None:
    """A draft that can be run says what changes of it would give; one with a question does not."""
    made = job.with_name("made.toml")
    ran = kohort("init", job.with_name("people.csv"), "--out", made)
    told = kohort("advise", made).out
    assert (f"kohort advise {made}" in ran.out) is ("Single changes" in told)
    assert kohort("init", job.with_name("people.csv"), "--out", made, "--overwrite", "--quiet").out == ""


def test_a_sample_gives_estimates_and_three_figures(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three changes are measured in full, the others estimated, and the text says of how many records."""
    monkeypatch.setattr(pricing.sampled, "__defaults__", (80,))
    ran = kohort("advise", job)
    assert len(re.findall(r"^ +\d+ \d+\.\d% lost", ran.out, re.MULTILINE)) <= advice.MEASURED
    assert "(about: estimated on 80 of 400 records)" in ran.out
    for place, one in enumerate(steps(job), 1):
        if one["measured"]:
            job.write_text(JOB, "utf-8")
            kohort("advise", job, "--take", place)
            ncp = kohort("run", job, "--dry-run", "--json").figures["metrics"]["ncp"]
            assert ncp == one["told"]
            job.write_text(JOB, "utf-8")
        else:
            assert (one["told"], one["risk"]) == (None, None)


def test_a_pricey_step_is_not_solved_in_full(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most four solves see all records: that of the job, and those of the best three changes."""
    sizes: list[int] = []
    solve = pricing.answer

    def counted(counts: Any, made: api.Job) -> Any:  # noqa: ANN401  what the function takes
        sizes.append(counts.records)
        return solve(counts, made)

    monkeypatch.setattr(pricing, "answer", counted)
    monkeypatch.setattr(pricing.sampled, "__defaults__", (80,))
    kohort("advise", job)
    assert sizes.count(400) <= 1 + advice.MEASURED
    assert sizes.count(80) > advice.MEASURED


def test_transactions_are_advised_p_first(baskets: Path) -> None:
    """What an attacker knows, then k, h and single cells; each figure is that of a run, comments stay."""
    found = steps(baskets)
    order = ["p = 1", "k = 3", "h = 0.6", "single cells suppressed instead of items"]
    told = [one["change"] for one in found if one["change"] in order]
    assert told == [one for one in order if one in told]
    assert "p = 1" in told
    for place, one in enumerate(found, 1):
        baskets.write_text(BASKETS, "utf-8")
        assert kohort("advise", baskets, "--take", place).status == 0
        assert "# by hand" in baskets.read_text("utf-8")
        assert kohort("run", baskets, "--dry-run", "--json").figures["distortion"] == one["told"]
    assert found[0]["weakens"] == "attackers who know 2 items of a person are not covered"


def test_a_run_of_transactions_ends_with_changes(baskets: Path) -> None:
    """As one of a table does."""
    ran = kohort("run", baskets)
    assert "p = 1; weakens:" in ran.out
    assert f"kohort advise {baskets}" in ran.out
    assert "Single changes" not in kohort("run", baskets, "--json", "--overwrite").out


def test_transactions_are_ranked_on_a_sample(baskets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many transactions some are ranked on, and what is measured is still what a run tells."""
    monkeypatch.setattr(transaction_advice, "SAMPLED", 20)
    ran = kohort("advise", baskets, "--json").figures
    assert (ran["sample"], ran["records"]) == (20, 60)
    for place, one in enumerate(ran["steps"], 1):
        baskets.write_text(BASKETS, "utf-8")
        if one["measured"]:
            kohort("advise", baskets, "--take", place)
            assert kohort("run", baskets, "--dry-run", "--json").figures["distortion"] == one["told"]


def test_python_gives_the_changed_jobs(job: Path) -> None:
    """A job file, or a frame and a job, give the same advice; its jobs are those that a run is made of."""
    people = pl.read_csv(job.with_name("people.csv"), infer_schema=False)
    by_file, by_frame = api.advise(job), api.advise(people, api.Job.from_toml(job))
    assert [str(one) for one in by_file.steps] == [str(one) for one in by_frame.steps]
    assert repr(by_file).startswith("<Advice; ")
    one = by_frame.steps[0]
    assert api.anonymize(people, one.job).metrics["ncp"] == one.cost.told
    with pytest.raises(UsageError, match="there is no job"):
        api.advise(people)
