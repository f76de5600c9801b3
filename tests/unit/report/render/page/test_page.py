"""The page of a release: one file that loads and runs nothing, whose figures are those of its page model."""

from __future__ import annotations

import json
import re
import sys
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import kohort
from kohort import Job, KAnonymity, Schema
from kohort.errors import MissingExtraError
from kohort.report.page import Audience
from kohort.report.page import page as page_of_release
from kohort.report.release import release_figures
from kohort.report.render.page import charts as charts_of
from kohort.report.render.page import html as html_of
from kohort.report.render.page.figure import PageFigure
from kohort.report.render.release import release_text
from kohort.report.written import writer_of
from tests.unit.report import releases
from tests.unit.report.render.page.page_models import (
    LONG,
    MODELS,
    Model,
    Read,
    at,
    page_of,
    public_table,
    table,
    transactions,
    trial,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.report import Json
    from kohort.report.render.page.chart import Chart

#: Keys of words of our own: a page of any other word is refused.
WORDS = frozenset({"kind", "audience", "role", "scale", "unit", "standing", "class", "suppress", "measure"})

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</style><script>alert(1)</script>",
    "\"><svg onload='alert(1)'>",
    "{{ 7 * 7 }}{% raw %}",
    "]]></text></svg><script>",
    "&lt;b&gt;&amp;#60;",
    "a\x00b\x1b[2J\r\n\ud800\N{RIGHT-TO-LEFT OVERRIDE}\ufffe",
    "$x^2$ \\frac",
    "https://example.org/a.png url(https://example.org)",
)


#: A page takes a while to draw: each example is worth many of other laws.
FEW = settings(max_examples=min(settings().max_examples, 100))


def html(model: Json) -> str:
    """The page of a page model."""
    return html_of(page_of(model))


def charts(model: Json) -> Mapping[str, Chart]:
    """The charts of a page model."""
    return charts_of(page_of(model))


class Made(NamedTuple):
    """A page model and its page."""

    model: Model
    html: str
    page: Read


@pytest.fixture(params=MODELS, scope="module")
def made(request: pytest.FixtureRequest) -> Made:
    """Each of the page models."""
    model = MODELS[request.param]()
    page = html(model)
    return Made(model, page, Read(page))


def planted(json_: Json, plant: Callable[[str], str]) -> Json:
    """A page model with other texts wherever it has texts of its own."""
    match json_:
        case str():
            return plant(json_)
        case list():
            return [planted(part, plant) for part in json_]
        case dict():
            return {key: part if key in WORDS else planted(part, plant) for key, part in json_.items()}
        case _:
            return json_


def small(model: Json) -> Json:
    """The page model with no more than two parts of each list: a page that is made in a moment."""
    match model:
        case list():
            return [small(part) for part in model[:2]]
        case dict():
            return {key: small(part) for key, part in model.items()}
        case _:
            return model


#: What may stand where a page model has something else.
OTHERS: st.SearchStrategy[Json] = st.none() | st.just([]) | st.just("text") | st.floats() | st.integers()


@st.composite
def spoilt(draw: st.DrawFn, model: Json) -> Json:
    """The page model with something else in one place."""
    if not isinstance(model, (list, dict)) or not model or draw(st.integers(0, 4)) == 0:
        return draw(OTHERS)
    if isinstance(model, list):
        nth = draw(st.integers(0, len(model) - 1))
        return [*model[:nth], draw(spoilt(model[nth])), *model[nth + 1 :]]
    key = draw(st.sampled_from(sorted(model.keys() - WORDS) or sorted(model)))
    return model | {key: draw(spoilt(model[key]))}


@st.composite
def spoilt_models(draw: st.DrawFn) -> Json:
    """A page model with something else in a few places."""
    model = small(draw(st.sampled_from([table, transactions, public_table]))())
    for _ in range(draw(st.integers(1, 4))):
        model = draw(spoilt(model)) if isinstance(model, dict) else model
    return model if isinstance(model, dict) else {}


def test_page_models_have_the_form_of_those_that_releases_have(made: Made) -> None:
    """What these tests write by hand is what `kohort.report.page` makes."""
    assert page_of(made.model).as_json() == made.model


def test_every_figure_is_that_of_the_page_model(made: Made) -> None:
    """What stands in the page is what the page model has at the place that it names."""
    assert len(made.page.shown) > 20
    for one in made.page.shown:
        assert one.value == at(made.model, one.place), one


@pytest.mark.parametrize("make", [table, transactions])
def test_no_section_leaves_out_a_figure(make: Callable[[], Model]) -> None:
    """Every number that the steward's page model has is on the page, but for a few that others say as well."""
    model = make()
    places = {one.place for one in Read(html(model)).shown}
    missing = {
        place for place in _numbers(model | {"public": None}) if place not in places and not re.fullmatch(SILENT, place)
    }
    assert missing == set()


#: Figures that the page leaves out: variances beside deviations, what is told of names, what is told by "nothing".
SILENT = re.compile(
    r"form|sizes\.2\.low|lengths\.bins\.0\.low|losses\.2\..*|attributes\.\d+\.(before|after)\.(numeric|ordinal)\.variance|attributes\.[1-4]\.single"
    r"|grid\.(with|without)\.exposed|perturbed\.\d+\.(decimals|bounds\..*)|attributes\.4\.distance.*|attributes\.[1-4]\.distance\.value"
    r"|verdict\.singling\.1\..*|verdict\.singling\.2\.share|attributes\.[1-4]\.values.*|attributes\.3\.homogeneity.people|attributes\.[23]\.homogeneity\.uncommon|verdict\.together\.\d\.share|done\.removed_cells|done\.suppressed"
)


def _numbers(json_: Json, path: tuple[str, ...] = ()) -> set[str]:
    """The places of all numbers."""
    if isinstance(json_, (dict, list)):
        parts = json_.items() if isinstance(json_, dict) else enumerate(json_)
        return {place for key, part in parts for place in _numbers(part, (*path, str(key)))}
    return set() if json_ is None or isinstance(json_, (str, bool)) else {".".join(path)}


def test_the_same_page_model_makes_the_same_page(made: Made) -> None:
    """No clock and no order of hashes is in it; and the page model is as it was."""
    before = json.dumps(made.model)
    assert html(json.loads(before)) == made.html
    assert json.dumps(made.model) == before


def test_sentences_stand_apart(made: Made) -> None:
    """No sentence begins where another ends, and no word is glued to a figure."""
    body = made.html.partition("<body>")[2]
    assert re.findall(r".*(?:[a-z)%][.;:][A-Z]|[\w.;:,]<data|</(?:data|bdi)>\w).*", body) == []


def test_nothing_leads_out_of_the_page(made: Made) -> None:
    """No address, no script, and a policy that forbids what is not in the file."""
    page, read = made.html, made.page
    assert not re.search(r"https?:|//|@import|url\(", page)
    assert not read.tags & {"script", "link", "img", "iframe", "object", "embed", "form", "base"}
    assert not any(name.startswith("on") for _, name in read.attributes)
    assert all(href.startswith("#") for name in ("href", "src", "xlink:href") for href in read.values.get(name, []))
    assert "default-src 'none'" in read.values["content"][0]


def test_ids_are_unique_and_lead_somewhere(made: Made) -> None:
    """No two charts share an id, and whatever points to one finds it."""
    read = made.page
    ids = read.values["id"]
    assert len(set(ids)) == len(ids)
    pointed = {href[1:] for href in read.values["href"]}
    pointed |= {one for value in read.values["aria-labelledby"] for one in value.split()}
    assert pointed <= set(ids)


def test_tables_have_captions_and_heads(made: Made) -> None:
    """Every table says what it is, and every head whether it is a row's or a column's."""
    page = made.html
    assert len(re.findall("<table[ >]", page)) == page.count("<caption") > 0
    assert page.count("<th ") == page.count('<th scope="')
    levels = [int(level) for level in re.findall(r"<h([1-6])", page)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@lru_cache
def _plain(make: Callable[[], Model]) -> Read:
    """The page of plain words."""
    return Read(html(cast("Model", planted(small(make()), lambda _: "word"))))


@FEW
@given(make=st.sampled_from([table, transactions]), text=st.sampled_from(HOSTILE) | st.text(max_size=40))
def test_no_text_becomes_markup(make: Callable[[], Model], text: str) -> None:
    """Whatever text the page model has, the page has no element or attribute that a plain word does not give."""
    model = cast("Model", planted(small(make()), lambda _: text))
    page = html(model)
    page.encode()
    read, plain = Read(page), _plain(make)
    assert read.tags - {"wbr"} <= plain.tags
    assert read.attributes <= plain.attributes
    assert all(one.value == at(model, one.place) for one in read.shown)


def test_text_is_shown_as_it_is() -> None:
    """A name that looks like markup is read as it was written."""
    model = cast("Model", planted(table(), lambda word: f"<i>{word}</i>"))
    read = Read(html(model))
    assert "<i>release.csv</i>" in read.text
    assert "i" not in read.tags


@FEW
@given(model=spoilt_models())
def test_what_is_not_there_is_not_told(model: Json) -> None:
    """Any part of a page model may be null or something else: it is refused, or the page is shorter."""
    try:
        page = page_of(model)
    except (KeyError, ValidationError):  # it is of no kind, or no page of its kind
        return
    for one in Read(html_of(page)).shown:
        assert _same(one.value, at(page.as_json(), one.place))


def _same(one: object, other: object) -> bool:
    """Whether two values are one, or both no number."""
    return one == other or (one != one and other != other)  # noqa: PLR0124  only nan differs from itself


def test_the_public_page_is_marked() -> None:
    """Who reads a page sees for whom it was made."""
    assert "Public report." in html(public_table())
    assert "Internal report. Do not publish." not in html(public_table())
    assert "Internal report. Do not publish." in html(table())


def test_a_trial_is_not_called_verified() -> None:
    """Nothing was verified where nothing was published."""
    page = html(trial())
    assert "Not verified" in page
    assert "✓</span> Verified" not in page
    assert "none: nothing is published" in page


@pytest.mark.parametrize(
    ("standing", "mark", "word", "colour"),
    [("good", "✓", "Good", "good"), ("caution", "!", "Caution", "open"), ("bad", "✕", "Warning", "bad")],
)
def test_a_verdict_is_read_without_its_colour(standing: str, mark: str, word: str, colour: str) -> None:
    """How far a release is verified stands in a mark and in a word, on the verdict and on each tile of a risk."""
    model = table()
    model["verdict"]["standing"] = standing
    page = html(model)
    text = " ".join(Read(page).text.split())
    assert f'<div class="verdict {colour}">' in page
    marked = 4 if standing == "good" else 5  # that some are unique with the class known is not good
    assert page.count(f'<div class="key {colour}">') == marked
    assert f"{mark} {word}: Verified over age and {LONG}" in text
    assert text.count(f"{mark} {word}: ") == marked + 1
    assert ("The release reveals more than that" in text) is (standing != "good")


def test_the_first_line_says_what_leaves_as_it_is() -> None:
    """Each column that is not generalized, and whom it singles out; before anything else that a page says."""

    def first(model: Model) -> str:
        return "Released " + Read(html(model)).text.partition("Released ")[2].partition("report.")[0]

    def line(model: Model) -> str:
        return " ".join(first(model).split()).rpartition(".")[0]

    unchanged = "town (unique for no one); town and ήλικία together (unique for 91 of 900 people)."
    told = "income (unique for 831 of 900 people)"
    together = (
        "The 3 columns together are unique for 871 of 900 people, and unique for 893 of 900 people if the labels of the"
        " class are known too"
    )
    assert line(table()) == f"Released unchanged: {unchanged} Released with noise: {told}. {together}"
    model = table()
    model["verdict"] |= {"singling": model["verdict"]["singling"][:1], "together": []}
    assert line(model) == f"Released with noise: {told}"
    model["perturbed"] = []
    assert line(model) == f"Released unchanged: {told}"
    model["verdict"]["singling"] = []
    assert line(model) == "Released unchanged: no column"
    assert line(trial()) == "Released unchanged: income and town; unique values were not counted"
    told = "income (unique for more than one in 10 people); town (unique for a number of people too small to publish)"
    assert line(public_table()).startswith(f"Released unchanged: {told}. The 3 columns together are unique for ")


def test_a_figure_that_is_not_published_is_no_more_than_one_in_k() -> None:
    """The verdict names each column that singles somebody out, though too few to count; and none that nobody is."""
    model = public_table()
    income, town = model["verdict"]["singling"]
    model["verdict"]["singling"] = [income | {"over": False}, town | {"unique": 0, "share": 0.0}]
    text = " ".join(Read(html(model)).text.split())
    assert "income alone is unique for a number of people too small to publish: anyone who" in text
    assert "town alone" not in text


def test_what_speaks_against_a_release_is_said() -> None:
    """Each column and pair that singles out too many, each sensitive column without a model, and who is exposed."""
    text = " ".join(Read(html(table())).text.split())
    assert "income alone is unique for 831 of 900 people: anyone who knows that value finds the record." in text
    assert (
        "The pair town and ήλικία is unique for 91 of 900 people: anyone who knows both values finds the record."
        in text
    )
    assert "income is sensitive and has no privacy model" in text
    assert "Sensitive columns without a privacy model, by decision of the job: ήλικία." in text
    assert "people can be pinpointed, more than one in 10: no one else in the class has their value" in text
    assert "Not declared: person_id and town. The job names no role for these columns" in text


def test_records_are_in_no_public_page() -> None:
    """The steward sees three records, called what they are; the public does not."""
    assert "These are records of the original table: do not publish them." in html(table())
    assert "records of the original table" not in html(public_table())


def test_sections_that_do_not_apply_are_omitted() -> None:
    """A page without attacks does not look as if they had failed: its contents do not name them either."""
    for section in ("attacks", "risks", "samples", "attributes"):
        assert f'id="{section}"' in html(table())
        assert section not in Read(html(trial())).values["id"]
    assert "Sections that do not apply are omitted" in html(trial())


def test_the_worst_attack_comes_first() -> None:
    """By how far its rate exceeds the baseline; each is a dot. Those without claims, or not tried, are named."""
    model = table()
    one = model["attacks"][0]
    model["attacks"] = [
        one | {"attack": "first", "rate": 0.3, "baseline": 0.3, "interval": [0.2, 0.4]},
        model["attacks"][2],
        one | {"attack": "second", "rate": 0.1, "baseline": 0.05, "interval": [0.1, 0.1]},
        one | {"attack": "third", "rate": 0.0, "claims": 0},
    ]
    section = html(model).partition('id="attacks"')[2].partition("</section>")[0]
    assert re.findall(r"<strong><bdi>(\w+)", section) == ["second", "first"]
    assert re.findall(r'class="dot" style="left:([\d.]+)%"', section) == ["20.0", "60.0"]
    assert re.findall(r'class="base" style="left:([\d.]+)%"', section) == ["10.0", "60.0"]
    assert 'class="within" style="left:40.0%;width:40.0%"' in section
    assert "<strong>No claims:</strong> <bdi>third</bdi>" in section
    assert "<strong>Not tried:</strong> <bdi>intersection</bdi>" in section


def test_a_public_page_names_the_attacks_alone() -> None:
    """What they found is of the input."""
    model = public_table()
    model["attacks"] = [dict.fromkeys(model["attacks"][0]) | {"attack": "linking", "unit": "people"}]
    section = html(model).partition('id="attacks"')[2].partition("</section>")[0]
    assert "These attacks were tried; their results are internal" in section
    assert "<table" not in section


def test_tiles_say_what_the_terminal_says() -> None:
    """The same figures in the same words: what is released, what is left, the classes, and who is unique."""
    release = releases.altered()
    shown = html_of(page_of_release(release, audience=Audience.INTERNAL))
    keys = shown.partition('<dl class="keys">')[2].partition("</dl>")[0]
    tiles = " ".join(Read(re.sub("</d[dt]>", " ", keys)).text.split())
    printed = release_text(release_figures(release))
    left = re.search(r"[\d.]+% of the detail of \d+ columns", printed)
    classes = re.search(r"\d+ classes of .*", printed)
    assert left is not None
    assert classes is not None
    assert f"Detail left {left[0]}; " in tiles
    assert f"{classes[0]}." in tiles
    released = re.search(r"([\d,]+) (of [\d,]+ records) released, (\d+ suppressed)", printed)
    assert released is not None
    assert f"Records released {released[1]} {released[2]}, {released[3]}." in tiles
    alone = re.search(r"people with a unique value, of (\d+)\): .* (\w+) (\d+)\n", printed)
    assert alone is not None
    assert f"Unique value in a released column {alone[3]} of {alone[1]} people" in tiles
    assert f"have a unique value in {alone[2]}." in tiles


def test_a_survey_whose_answers_together_single_everybody_out_is_not_good() -> None:
    """Of 40 answers no one and no pair is anybody's alone, all together are everybody's: page and terminal warn."""
    draw = np.random.default_rng(40)
    answers = {f"q{nth}": draw.choice([*"abcd"], 300) for nth in range(40)}
    survey = pl.DataFrame({"age": [str(20 + 10 * (row % 4)) for row in range(300)], **answers})
    job = Job.of(Schema.of(quasi=["age"], insensitive=[*answers]), KAnonymity(5), answers=(*answers,))
    release = kohort.anonymize(survey, job)
    assert release.verdict is not None
    assert not any(one.unique for one in release.verdict.singling)
    for audience in Audience:
        shown = page_of_release(release, audience=audience)
        assert shown.verdict.standing == "caution"
        assert "The 40 released columns together are unique for " in " ".join(Read(html_of(shown)).text.split())
    assert "Warning: the 40 released columns together are unique for 300 of 300" in release_text(
        release_figures(release)
    )


def test_a_column_of_one_value_is_not_counted_in_what_is_left() -> None:
    """As on the terminal, NCP leaves it out."""
    model = table()
    count = len(model["losses"])
    assert f"of the detail of {count} columns;" in html(model)
    model["losses"][0]["constant"] = True
    assert f"of the detail of {count - 1} columns;" in html(model)


def test_neighbours_on_a_scale_stand_side_by_side() -> None:
    """Numbers are drawn as columns whose heights are shares of the greatest, and their figures are folded below."""
    page = html(table())
    chart = page.partition('id="chart-distribution-1-age"')[2].partition("</figure>")[0]
    heights = [float(height) for height in re.findall(r'class="(?:was|is)" style="height:([\d.]+)%"', chart)]
    bins = table()["attributes"][0]["distribution"]["bins"]
    greatest = max(max(one["before"], one["after"]) for one in bins)
    assert heights == [round(100 * one[side] / greatest, 1) for one in bins for side in ("before", "after")]
    assert "<summary>Figures" in chart


def test_what_nobody_wrote_can_be_filled_in() -> None:
    """The block to sign has the job's texts, and a line for each that is missing, and for two signatures."""
    for make in (table, transactions):
        block = html(make()).partition('<section class="sign"')[2]
        assert "length of stay by age" in block
        assert block.count('<span class="blank">') == 4
    assert "none: nothing is published" in html(trial()).partition('<section class="sign"')[2]


def test_a_release_of_no_record_says_so() -> None:
    """The verdict of an empty release does not speak of classes."""
    model = trial()
    model["verdict"] |= {"verified": True, "sha256": None}
    assert "No record was released, so no one can be found." in html(model)


def test_a_release_in_memory_says_what_was_read() -> None:
    """Where no file was written, it is not the file that was read again."""
    model = table()
    model["verdict"]["sha256"] = None
    assert "Verified on the released cells" in " ".join(Read(html(model)).text.split())


def test_levels_stand_in_the_table_only_where_there_are_some() -> None:
    """Methods without a lattice have no levels to show."""
    model = table()
    assert ">Levels</th>" in html(model)
    for one in model["losses"]:
        one["level"] = None
    assert ">Levels</th>" not in html(model)


def test_colours_stand_out_in_the_light_and_in_the_dark() -> None:
    """Letters stand out from what is behind them by 4.5 to 1, and bars by 3 to 1 (WCAG 2)."""
    light, dark = re.findall(r":root \{\s*(--paper.*?)\}", html(trial()), flags=re.DOTALL)
    for rules in (light, dark):
        shade = {name: _luminance(color) for name, color in re.findall(r"--([\w-]+): #(\w{6})", rules)}
        assert len(shade) == 13
        for letters in ("ink", "grey", "link"):
            for behind in ("paper", "ground"):
                assert _contrast(shade[letters], shade[behind]) >= 4.5
        for kind in ("good", "open", "bad"):
            assert _contrast(shade[kind], shade[f"{kind}-ground"]) >= 4.5
            assert _contrast(shade["ink"], shade[f"{kind}-ground"]) >= 4.5
            assert _contrast(shade[kind], shade["paper"]) >= 4.5
        assert _contrast(shade["filled"], shade["paper"]) >= 3


def _luminance(color: str) -> float:
    """How light a colour is, by WCAG 2."""
    parts = (int(color[nth : nth + 2], 16) / 255 for nth in (0, 2, 4))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def test_groups_are_compared_with_all_records_where_these_are_told() -> None:
    """The loss of all records stands before those of groups, unless nobody may know it."""
    model = table()
    assert charts(model)["distorted"].rows[0].label == "all records"
    model["subgroups"]["overall"] = {"share": None, "loss": None}
    assert charts(model)["distorted"].rows[0].label == "town: town 0"


def test_a_page_needs_no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page is made without matplotlib; its charts as pictures are not, and the reader is told how to get it."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert html(table())
    with pytest.raises(MissingExtraError, match=r"kohort\[report\]"):
        charts(table())


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra no page is made, and the reader is told how to get it; figures need no extra."""

    def nothing(_: str) -> None:
        """No package is there."""

    monkeypatch.setattr("importlib.util.find_spec", nothing)
    with pytest.raises(MissingExtraError, match=r"kohort\[report\]"):
        writer_of(".html")
    assert writer_of(".json")(page_of(table())).startswith(b"{")


def bars(page: str) -> list[tuple[str, list[tuple[str, float]], str]]:
    """Each row that has a cell for bars: its name, the kind and width in percent of each bar, and the text behind."""
    rows = re.findall(r'<th scope="row">(.*?)</th><td class="bars">(.*?)</td>(.*?)</tr>', page, flags=re.DOTALL)
    kinds = re.compile(r'<span class="(\w+)" style="width:([\d.]+)%"></span>')
    return [
        (Read(name).text, [(kind, float(width)) for kind, width in kinds.findall(cell)], Read(rest).text)
        for name, cell, rest in rows
    ]


def test_each_bar_stands_beside_its_figure(made: Made) -> None:
    """A bar is as wide as its share of the scale, none is wider than its cell, and each row has its figures as text."""
    found = bars(made.html)
    assert found
    assert all(text.strip() for _, _, text in found)
    assert all(0 <= width <= 100 for _, drawn, _ in found for _, width in drawn)
    assert "is" in {kind for _, drawn, _ in found for kind, _ in drawn} <= {"was", "is"}


def test_a_bar_is_its_share_of_the_scale() -> None:
    """Losses lie on a scale from nothing to all; nothing has no bar, little has a bar, what is not shown has none."""
    model = table()
    model["losses"] = [
        model["losses"][0] | {"column": name, "loss": loss, "level": None, "members": None}
        for name, loss in [("half", 0.5), ("all", 1.0), ("none", 0.0), ("little", 1e-5), ("unknown", None)]
    ]
    widths = {name: drawn for name, drawn, _ in bars(html(model))}
    assert widths["half"] == [("is", 50.0)]
    assert widths["all"] == [("is", 100.0)]
    assert widths["none"] == []
    assert widths["little"] == [("is", 0.0)]
    assert "unknown" not in widths


def test_others_and_further_rows_have_no_bar() -> None:
    """All others have no bar, which would leave no room for the rest; rows beyond the first ones are folded."""
    model = table()
    bins = [{"label": f"v{nth}", "kind": "value", "before": nth + 1, "after": 1} for nth in range(45)]
    bins.append({"label": "", "kind": "others", "before": 10**6, "after": 10**6})
    model["attributes"][1]["distribution"] = {"unit": "records", "bins": bins}
    page = html(model)
    widths = {name: drawn for name, drawn, _ in bars(page)}
    assert widths["v39"] == [("was", 100.0), ("is", 2.5)]
    assert widths["all others"] == []
    assert "v40" not in widths
    assert '<summary>5 more<span class="unseen">' in page
    assert '<bdi>v44</bdi></th><td class="number">' in page


def test_charts_are_named_for_files() -> None:
    """Each section's chart has a name that any file can have."""
    assert list(charts(table())) == [
        "sizes",
        "losses",
        "distribution-1-age",
        "distribution-2-occupation-of-the-member-of-the-househol",
        "distribution-4",
        "distribution-5-town",
        "risks",
        "suppressed",
        "distorted",
    ]
    assert list(charts(transactions())) == ["moles", "lengths", "items"]


@pytest.mark.parametrize(
    ("format_", "magic"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("jpg", b"\xff\xd8")]
)
def test_charts_are_written_as_the_same_bytes(format_: Any, magic: bytes) -> None:  # noqa: ANN401  a literal
    """A chart is a picture of its format, on every run the same."""
    for name in ("losses", "distribution-1-age"):
        first, second = (charts(table())[name].bytes(format_) for _ in range(2))
        assert first == second
        assert first.startswith(magic)


def test_a_part_knows_its_place() -> None:
    """Parts of a page model compare by what they are; a missing one is null."""
    figure = PageFigure({"a": [1, None]})
    assert figure["a"][0] == 1
    assert figure["a"][0] == PageFigure(1, ("a", "0"))
    assert figure["a"][0] != PageFigure(1)
    assert figure["a"][7].json is None
    assert figure["b"]["c"].place == "b.c"
    assert str(figure["a"]) == "1, not shown"
    assert str(figure) == "a: 1, not shown"
