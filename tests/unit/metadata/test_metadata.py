"""Documents for data catalogues: their own validators accept them, and no value of a record is in them."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from kohort.certificate.again import read_certificate
from kohort.io.forms import Format
from kohort.report.metadata import PLUGINS
from kohort.report.metadata.dataset import dataset, stem
from kohort.specification import plugins
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

#: Values that stand out, so that a leak would be found: of people, and of their labels in a release.
TOWNS = ("Xanadu-by-the-Sea", "Qwghlm", "Ülm/Ö 7")

#: A release in every format.
FILES = [f"release{one.form.endings[0]}" for one in Format]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Releases in every format, one of full-domain levels, and a transaction database, each with its certificate."""
    folder = tmp_path_factory.mktemp("releases")
    rows = [f"P{n:04},{20 + n % 40},{TOWNS[n % 3]},{1000 + n % 7},{n % 5}" for n in range(400)]
    (folder / "people.csv").write_text("id,age,town,salary,kind of work\n" + "\n".join(rows) + "\n", encoding="utf-8")
    flags: tuple[object, ...] = (
        "--quasi",
        "age,town",
        "--sensitive",
        "salary",
        "--insensitive",
        "kind of work",
        "--k",
        5,
        "--quiet",
    )
    flags += ("--perturb", "salary=rounding:step=10", "--no-model", "salary")
    key = folder / "key"
    assert kohort("key", key, "--quiet").status == 0
    for name in FILES:
        ran = kohort(
            "anonymize", folder / "people.csv", "--out", folder / name, *flags, "--pseudonym", "id", "--key-file", key
        )
        assert ran.status == 0, ran.err
    levels = ("--method", "optimal", "--hierarchy", "age=intervals:10,20", "--hierarchy", "town=suppress")
    ran = kohort(
        "anonymize", folder / "people.csv", "--out", folder / "levels.csv", *flags, *levels, "--identifier", "id"
    )
    assert ran.status == 0, ran.err
    (folder / "baskets.txt").write_text("milk bread pill\nmilk bread\n" * 20, encoding="utf-8")
    options = ("--private", "pill", "--h", "0.5", "--k", 3, "--p", 2, "--quiet")
    ran = kohort("transactions", folder / "baskets.txt", "--out", folder / "shop.txt", *options)
    assert ran.status == 0, ran.err
    return folder


def document(folder: Path, name: str, vocabulary: str, *flags: object) -> Path:
    """The document of a release in a vocabulary, beside it."""
    out = folder / f"{name}.{vocabulary}.json"
    ran = kohort(
        "metadata", folder / f"{name}.kohort.json", "--format", vocabulary, "--out", out, "--overwrite", *flags
    )
    assert (ran.status, ran.out) == (0, f"{out}\n"), ran.err
    return out


ALL = [*FILES, "levels.csv", "shop.txt"]


@pytest.mark.parametrize("vocabulary", PLUGINS)
@pytest.mark.parametrize("name", ALL)
class TestEvery:
    """What holds of every vocabulary."""

    def test_no_value_of_a_record(self, folder: Path, name: str, vocabulary: str) -> None:
        """Neither a value of the input nor a label of the release is in the document."""
        text = document(folder, name, vocabulary).read_text(encoding="utf-8")
        values = {*TOWNS, "milk", "bread", "pill"}
        if name.endswith(".csv"):
            with (folder / name).open(encoding="utf-8", newline="") as file:
                values |= {cell for row in list(csv.reader(file))[1:] for cell in row if len(cell) > 3}
        assert not [value for value in values if value in text]

    def test_says_what_the_certificate_says(self, folder: Path, name: str, vocabulary: str) -> None:
        """The digest and size of the file, its models, and what is not promised."""
        text = document(folder, name, vocabulary).read_text(encoding="utf-8")
        known = read_certificate(folder / f"{name}.kohort.json")
        assert all(said in text for said in (known.sha256, str(known.size), known.not_promised[0]))

    def test_title_and_licence(self, folder: Path, name: str, vocabulary: str) -> None:
        """A title and a licence are said if they are given, and no licence otherwise."""
        licence = "https://example.org/licence"
        given = document(folder, name, vocabulary, "--title", "A title", "--license", licence)
        text = given.read_text(encoding="utf-8")
        assert "A title" in text
        assert licence in text
        assert licence not in document(folder, name, vocabulary).read_text(encoding="utf-8")


def test_a_release_in_parts_has_the_format_of_its_parts(folder: Path) -> None:
    """A folder of Parquet files is no CSV, whatever its manifest is called."""
    flags = ("--quasi", "age,town", "--rest", "drop", "--k", 5, "--quiet", "--records-per-part", 300)
    ran = kohort("anonymize", folder / "people.csv", "--out", f"{folder / 'parts'}/", *flags)
    assert ran.status == 0, ran.err
    ran = kohort("metadata", folder / "parts" / "certificate.json", "--format", "frictionless")
    assert '"mediatype": "application/vnd.apache.parquet"' in ran.out


class TestFrictionless:
    """The data package."""

    @pytest.mark.filterwarnings("ignore")  # it leaves files open
    @pytest.mark.parametrize("name", ["release.csv", "release.tsv", "release.csv.gz", "levels.csv", "shop.txt"])
    def test_valid(self, folder: Path, name: str) -> None:
        """Frictionless finds the package and its data valid: names, order and number of columns, digest and size."""
        frictionless = pytest.importorskip("frictionless", reason="frictionless is not installed")
        path = document(folder, name, "frictionless")
        report = frictionless.Package(str(path)).validate()
        assert report.valid, report.to_summary()
        table = json.loads(path.read_text(encoding="utf-8"))["resources"][0]
        assert table["path"] == name

    @pytest.mark.filterwarnings("ignore")
    def test_a_changed_release_is_found(self, folder: Path, tmp_path: Path) -> None:
        """A byte that was changed makes the package invalid."""
        frictionless = pytest.importorskip("frictionless", reason="frictionless is not installed")
        path = document(folder, "release.csv", "frictionless")
        (tmp_path / "datapackage.json").write_bytes(path.read_bytes())
        (tmp_path / "release.csv").write_bytes((folder / "release.csv").read_bytes().replace(b"1000", b"1001", 1))
        assert not frictionless.Package(str(tmp_path / "datapackage.json")).validate().valid

    def test_columns(self, folder: Path) -> None:
        """Its columns are those of the release, in order, and each says what was done to it."""
        table = json.loads(document(folder, "release.csv", "frictionless").read_text(encoding="utf-8"))["resources"][0]
        fields = {one["name"]: one["description"] for one in table["schema"]["fields"]}
        header = (folder / "release.csv").read_text(encoding="utf-8").splitlines()[0]
        assert list(fields) == header.split(",")
        assert "Pseudonyms" in fields["id"]
        assert (fields["age"], fields["kind of work"]) == ("Generalized.", "Insensitive; released as it is.")
        assert fields["salary"] == "Sensitive; perturbed (rounding to multiples of 10)."
        level = json.loads(document(folder, "levels.csv", "frictionless").read_text(encoding="utf-8"))["resources"][0]
        assert "to level" in level["schema"]["fields"][0]["description"]


class TestCroissant:
    """The data set of machine learning."""

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("name", ALL)
    def test_valid(self, folder: Path, name: str) -> None:
        """Mlcroissant finds no error, and reads the records of a table of text as they are."""
        mlcroissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
        path = document(folder, name, "croissant")
        found = mlcroissant.Dataset(jsonld=str(path))
        assert not found.metadata.issues.errors
        if name in {"release.csv", "levels.csv"}:
            records = [[cell.decode() for cell in one.values()] for one in found.records("records")]
            with (folder / name).open(encoding="utf-8", newline="") as file:
                assert records == list(csv.reader(file))[1:]


SHAPES = """
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> . @prefix spdx: <http://spdx.org/rdf/terms#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
[] a sh:NodeShape ; sh:targetClass dcat:Dataset ;
  sh:property [ sh:path dct:title ; sh:minCount 1 ; sh:nodeKind sh:Literal ] ,
    [ sh:path dct:description ; sh:minCount 1 ; sh:nodeKind sh:Literal ] ,
    [ sh:path dcat:distribution ; sh:minCount 1 ; sh:class dcat:Distribution ; sh:nodeKind sh:IRI ] .
[] a sh:NodeShape ; sh:targetClass dcat:Distribution ;
  sh:property [ sh:path dcat:accessURL ; sh:minCount 1 ; sh:nodeKind sh:IRI ] ,
    [ sh:path dcat:mediaType ; sh:maxCount 1 ; sh:nodeKind sh:IRI ] ,
    [ sh:path dcat:byteSize ; sh:maxCount 1 ; sh:datatype xsd:nonNegativeInteger ] ,
    [ sh:path spdx:checksum ; sh:maxCount 1 ; sh:node [ sh:property
      [ sh:path spdx:algorithm ; sh:minCount 1 ; sh:maxCount 1 ] ,
      [ sh:path spdx:checksumValue ; sh:minCount 1 ; sh:maxCount 1 ; sh:datatype xsd:hexBinary ] ] ] .
"""


class TestDcat:
    """The data set of public catalogues."""

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("name", ALL)
    def test_valid(self, folder: Path, name: str) -> None:
        """It is a graph that meets what DCAT-AP makes mandatory of data sets and distributions."""
        rdflib = pytest.importorskip("rdflib", reason="rdflib is not installed")
        pyshacl = pytest.importorskip("pyshacl", reason="pyshacl is not installed")
        graph = rdflib.Graph().parse(str(document(folder, name, "dcat")), format="json-ld")
        shapes = rdflib.Graph().parse(data=SHAPES, format="turtle")
        conforms, _, text = pyshacl.validate(graph, shacl_graph=shapes)
        assert conforms, text
        name_of = rdflib.URIRef("http://www.w3.org/ns/dcat#Distribution")
        [distribution] = graph.subjects(rdflib.RDF.type, name_of)
        assert str(distribution).endswith(f"/{name}#distribution")


class TestCommand:
    """`kohort metadata`."""

    def test_on_standard_output(self, folder: Path) -> None:
        """Without a file the document is printed."""
        ran = kohort("metadata", folder / "release.csv.kohort.json", "--format", "dcat")
        assert json.loads(ran.out)["dct:title"] == "release.csv"

    def test_refused(self, folder: Path) -> None:
        """An unknown vocabulary, what is no certificate, and a file that exists."""
        known = folder / "release.csv.kohort.json"
        ran = kohort("metadata", known, "--format", "marc")
        assert (ran.status, "frictionless, croissant, dcat" in ran.err) == (2, True)
        assert kohort("metadata", folder / "people.csv", "--format", "dcat").status == 3
        assert kohort("metadata", known, "--format", "dcat", "--out", folder / "people.csv").status == 7
        assert kohort("metadata", known, "--format", "dcat", "--out", known, "--overwrite").status == 7


def test_a_format_that_was_asked_for(folder: Path) -> None:
    """A release whose name has no known ending has the format of its job, CSV by default."""
    table: Any = read_certificate(folder / "release.csv.kohort.json")
    for text, form, expected in (("data.out", None, "csv"), ("data.out", "parquet", "parquet")):
        job = {**table.job, "output": {**table.job["output"], **({"format": form} if form else {})}}
        assert dataset(replace(table, release=text, job=job), "c").format == expected


def test_vocabularies_load() -> None:
    """Each name leads to a function."""
    assert all(callable(one) for one in plugins("kohort.metadata", PLUGINS).values())


@pytest.mark.parametrize(("file", "short"), [("My Release.csv.gz", "my-release"), ("Ä.csv", "release")])
def test_stem(file: str, short: str) -> None:
    """A name in the letters that vocabularies allow, whatever the file is called."""
    assert stem(file) == short
