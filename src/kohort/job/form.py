"""The form of a job file: its tables and keys, and what each may say. `kohort schema` prints it as JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Field, create_model

from kohort.algorithms.method import CUT, DIMENSION, LIMIT, LOCAL, METHODS, NODE, PREFERRED, TIME_LIMIT
from kohort.engines.base import EngineName
from kohort.io.forms import Format, readable
from kohort.job.model_values import model_keys
from kohort.job.parts import Part
from kohort.job.values import (
    Bounds,
    Complete,
    DecimalMark,
    Encoding,
    FirstCut,
    GridText,
    Level,
    Levels,
    Limit,
    Memory,
    Number,
    Objective,
    PersonKey,
    Quote,
    Seconds,
    Separator,
    Year,
)
from kohort.perturbation.text import METHODS as PERTURBATIONS
from kohort.release.job import Purpose
from kohort.schema import Label, Missing, Order, Role, Scale
from kohort.schema.dates import DateFormat

if TYPE_CHECKING:
    MethodName: TypeAlias = str
else:
    #: The names of methods.
    MethodName = Literal[tuple(METHODS)]

#: What a perturbation may be told: a number, exact as text, or a word.
Parameter: TypeAlias = int | float | str | None

Word = Field(strict=False)  # a word of an enumeration, though all else must have its own type


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """How the command line spells a key; a key without a `Flag` has the flag of its own name.

    Attributes:
        name: The flag without its dashes; empty for the name of the key.
        metavar: What stands for its value in the help; empty for a word that suits its type.
        default: What the flag is if it is not given, where the form has no default.
        group: The part of the help that it stands in; empty for that of its table.
        hidden: Whether only a job file has the key.
    """

    name: str = ""
    metavar: str = ""
    default: int | str | None = None
    group: Literal["", "method"] = ""
    hidden: bool = False


#: A key that only a job file has.
NO_FLAG = Flag(hidden=True)


class InputPart(Part):
    """The table and its format; paths in a job file are relative to its folder."""

    path: str = Field(
        description=(
            f"The table: CSV, TSV (also .gz, .zst), Parquet (also a folder), Arrow, {readable()}; FILE#NAME names one "
            "of several sheets or tables; a postgresql:// address with #TABLE; '-' is standard input."
        )
    )
    separator: Annotated[Separator | None, Flag(metavar="CHAR")] = Field(
        None, description="The character between cells; detected if not given."
    )
    quote: Annotated[Quote, NO_FLAG] = Field(
        '"', description="The character around cells that hold separators; empty for none."
    )
    encoding: Annotated[Encoding, Flag(metavar="NAME")] = Field("utf-8", description="The encoding of the text.")
    header: bool | None = Field(
        None,
        description=(
            "Whether the first line contains the column names; without names they are column_1, column_2,"
            " … If not given, it does, and a first line that looks like data is an error."
        ),
    )
    names: list[str] = Field([], description="Names for the columns of a file without a header.")
    skip_rows: Annotated[Annotated[int, Field(ge=0)] | None, Flag(metavar="N")] = Field(
        None,
        alias="skip-rows",
        description="How many lines of a text, or rows of a sheet, stand above the column names: titles, blank lines.",
    )
    trim: bool = Field(default=False, description="Remove blanks around every cell and column name.")
    decimal: Annotated[DecimalMark | None, Flag(metavar="MARK")] = Field(
        None,
        description=(
            "The decimal mark of numbers in text, a comma or a point, wherever it cannot be detected; they are released"
            " as they were written."
        ),
    )
    skip_blank: bool = Field(
        default=False, alias="skip-blank", description="Skip empty lines; at the end of a file they are never an error."
    )
    allow_empty: bool = Field(default=False, alias="allow-empty", description="Accept a table without records.")
    missing: Annotated[list[str], Flag(name="missing-token", metavar="TEXT")] = Field(
        [""],
        description=("Texts that mean a missing value; by default only the empty cell, to which the flag adds more."),
    )
    complete: Annotated[Complete, Flag(metavar="A,B")] = Field(
        (),
        alias="complete-records",
        description=("Leave out records with a missing value in one of these columns, or in any column ('all')."),
    )
    key_file: Annotated[str | None, Flag(metavar="FILE")] = Field(
        None, alias="key-file", description="The key for pseudonyms; `kohort key` writes one."
    )


#: The key that signs the certificate of a table or of transactions.
SIGN_KEY: Any = Field(
    None,
    alias="sign-key",
    description="Sign the certificate, and so the release, with this private key; `kohort key --sign` writes one.",
)


class OutputPart(Part):
    """The release to write, and its format."""

    path: Annotated[str, Flag(name="out", metavar="OUT")] = Field(
        description="The release to publish: a file, FOLDER/, a folder of an object store (s3://BUCKET/FOLDER/, gs://, "
        "az://), or a table of a database that exists (FILE#TABLE, postgresql://USER@HOST/DATABASE#TABLE); its "
        "certificate is written beside it, as NAME.kohort.json, or into the folder of parts."
    )
    format: Annotated[Format, Word] | None = Field(
        None, description="The format of the release; the ending of its name decides if not given."
    )
    separator: Annotated[Separator, NO_FLAG] = Field(",", description="The character between cells.")
    excel_safe: bool = Field(
        default=False,
        alias="excel-safe",
        description="Neutralize cells that a spreadsheet would run as formulas, or take for dates (1-5).",
    )
    records_per_part: Annotated[Annotated[int, Field(ge=1)] | None, Flag(metavar="N")] = Field(
        None,
        alias="records-per-part",
        description="Write FOLDER/ as parts of N records, with their certificate and a manifest that lists them.",
    )
    sign_key: Annotated[str | None, Flag(metavar="FILE")] = SIGN_KEY


if TYPE_CHECKING:
    _OfTable = Part
else:
    _OfTable = create_model("_OfTable", __base__=Part, **model_keys(of_column=False))


class PrivacyPart(_OfTable):
    """Requirements on every class, in addition to those of single columns."""

    max_suppression: Annotated[Limit | None, Flag(metavar="LIMIT", group="method")] = Field(
        None, alias="max-suppression", description=LIMIT.sentence
    )


class MethodPart(Part):
    """The method that finds the recoding, and its labels."""

    name: Annotated[MethodName, Flag(name="method")] = Field(
        "mondrian",
        description="The algorithm; all but Mondrian, ordered, top-down and suppress-cells are lattice methods.",
    )
    dimension: Annotated[FirstCut | None, Flag(metavar="WORD")] = Field(None, description=DIMENSION.sentence)
    cut: Literal["nearest", "median", "loss"] | None = Field(None, description=CUT.sentence)
    order: Annotated[Order, Word] | None = Field(
        None, description="The order of categorical values, for columns that can have it."
    )
    labels: Annotated[Label, Word] | None = Field(
        None,
        description=(
            "The kind of labels that replace a class's values, for columns that can have it. If not given: companions, "
            "for names without a hierarchy, are sets in which a name that one person of the class alone has stands "
            "beside the name most like it; other columns have their own way (own), in which sets list every name."
        ),
    )
    grid: Annotated[Literal["round", "none"], Flag(name="no-grid")] = Field(
        "round",
        description=(
            "Public cut points for numeric quasi-identifiers without a hierarchy, grid or label of "
            "their own: multiples of a round number, or none (--no-grid), so that ranges end at values "
            "of the data, as in the literature."
        ),
    )
    objective: Objective | None = Field(
        None,
        description=f"{PREFERRED.sentence} With 'first', samarati takes the first minimal node in lexicographic order.",
    )
    node: Annotated[Levels | None, Flag(metavar="LEVELS")] = Field(None, description=NODE.sentence)
    local: bool = Field(default=False, description=LOCAL.sentence)
    time_limit: Annotated[Seconds | None, Flag(metavar="SECONDS")] = Field(
        None, alias="time-limit", description=TIME_LIMIT.sentence
    )


class PersonPart(Part):
    """The people behind the records, if a person can have several."""

    key: Annotated[PersonKey, Flag(name="person", metavar="COLUMN")] = Field(
        description="The identifying column of the person behind a record: people are counted, not records."
    )


class PopulationPart(Part):
    """The people whom an attacker may know, including those of the table."""

    path: Annotated[str, Flag(name="population", metavar="FILE")] = Field(
        description=(
            "The population table: the people whom an attacker may know. It has every quasi-identifying column."
        )
    )


class _Column(Part):
    """One column, but for the privacy models."""

    role: Annotated[Role, Word] = Field(description="What the column reveals about a person.")
    scale: Annotated[Scale, Word] | None = Field(
        None, description="The scale of a column: numeric, categorical or dates; detected from its values if not given."
    )
    date_format: Annotated[Annotated[DateFormat, Word] | None, Flag(name="date-format")] = Field(
        None,
        alias="date-format",
        description="The date format of a quasi-identifier; detected from its values if not given.",
    )
    pivot: Annotated[Year | None, Flag(metavar="YEAR")] = Field(
        None, description="The first of the hundred years of dates whose years have two digits: 1930 for 1930 to 2029."
    )
    hierarchy: Annotated[str | None, Flag(metavar="FILE")] = Field(
        None,
        description=(
            "A hierarchy file (FILE:pad pads short rows, FILE:first keeps one of several parents, FILE:qualify "
            "also tells labels apart), or a builder: intervals:5,10,20, mask:right, prefix:1,3, dates, frequency:10, "
            "public:countries, spellings or suppress."
        ),
    )
    max_level: Annotated[Level | None, Flag(metavar="LEVEL")] = Field(
        None, alias="max-level", description="The highest level of its hierarchy that a lattice method may use."
    )
    weight: Annotated[Number, Flag(metavar="NUMBER")] = Field(
        Fraction(1),
        description=(
            "The weight of a column in Mondrian's choice of cuts and in a lattice method's objective; 1 if not given."
        ),
    )
    bounds: Annotated[Bounds | None, Flag(metavar="LOW..HIGH")] = Field(
        None, description="The smallest and the greatest value of the domain."
    )
    grid: Annotated[GridText | None, Flag(metavar="STEP")] = Field(
        None,
        description=(
            "Public cut points: a step (5), a list (18,30,65), 'round', or 'hierarchy' for those of its hierarchy; "
            "of dates a period: week, month, quarter, year, five-years, decade or century."
        ),
    )
    order: Annotated[Annotated[Order, Word] | None, NO_FLAG] = Field(
        None, description="The order of a categorical column's values."
    )
    label: Annotated[Annotated[Label, Word] | None, NO_FLAG] = Field(
        None, description="The kind of labels that replace a class's values."
    )
    missing: Annotated[Missing, Word] = Field(
        Missing.VALUE,
        description=(
            "The treatment of a missing value: own-value, a value like any other (if not given); "
            "suppress, which suppresses its record; or refuse, an error."
        ),
    )
    pseudonym: bool = Field(
        default=False,
        description="Release pseudonyms in place of an identifying column's values; this is not anonymity.",
    )
    allow_singling: bool = Field(
        default=False,
        alias="allow-singling",
        description=(
            "Release the column even if it singles out more than half of the people, alone or with "
            "another, or contains identifying cells."
        ),
    )
    no_model: bool = Field(
        default=False, alias="no-model", description="Release a sensitive column without a privacy model."
    )


if TYPE_CHECKING:
    ColumnPart = _Column
else:
    _keys = model_keys(of_column=True)
    _first, *_, _last = (key.replace("_", "-") for key in _keys)
    ColumnPart = create_model(
        "ColumnPart",
        __base__=_Column,
        __doc__=f"One column; from {_first} to {_last}: the privacy models of a sensitive one.",
        **_keys,
    )


class _Perturbed(Part):
    """The perturbation of a column; its parameters depend on the method."""

    method: str = Field(description=f"{', '.join([*PERTURBATIONS][:-1])} or {[*PERTURBATIONS][-1]}.")
    together: list[str] = Field([], description="Further columns that are changed with it (microaggregation).")


if TYPE_CHECKING:
    PerturbedPart = _Perturbed
else:
    PerturbedPart = create_model(
        "PerturbedPart",
        __base__=_Perturbed,
        __doc__=_Perturbed.__doc__,
        **{
            parameter.name: (Parameter, Field(None, description=f"{one.specification.title}: {parameter.sentence}"))
            for one in PERTURBATIONS.values()
            for parameter in one.specification.parameters
        },
    )


class PerturbPart(Part):
    """Changes to columns that would otherwise be released unchanged."""

    columns: Annotated[dict[str, PerturbedPart], Flag(name="perturb", metavar="COLUMN=METHOD[:…]")] = Field(
        {},
        description=(
            "The columns to perturb, each with its method: income=noise:scale=0.1,decimals=0 as a "
            "flag. The methods are noise, rank-swapping, microaggregation, rounding, coding and "
            "post-randomization."
        ),
    )
    seed: Annotated[int, Field(ge=0)] | None = Field(
        None,
        description=("For tests: the same seed draws the same noise, and anyone who knows it can remove the noise."),
    )
    insecure_reproducible: bool = Field(
        default=False,
        alias="insecure-reproducible",
        description="Accept a seed, for a release that nobody will receive.",
    )


class RunPart(Part):
    """The engine and the resources of a run; the release is the same for any of them."""

    engine: EngineName = Field(
        "local",
        description=(
            "The engine that counts, joins, sorts and writes the records: local, in this process; duckdb,"
            " for CSV, Parquet and .duckdb files; or spark, for CSV, Parquet and tables of its catalogue."
            " The release is the same."
        ),
    )
    master: Annotated[str | None, Flag(metavar="URL")] = Field(
        None, description="Spark's master: local[*], which is this machine, or spark://HOST:PORT."
    )
    spark_conf: Annotated[dict[str, str], Flag(metavar="KEY=VALUE")] = Field(
        {}, alias="spark-conf", description="A setting of Spark: spark.executor.memory=8g (repeatable)."
    )
    memory_limit: Annotated[Memory | None, Flag(metavar="AMOUNT")] = Field(
        None,
        alias="memory-limit",
        description=(
            "The memory to use, such as 4GiB; arrays as long as the table then lie in unnamed temporary "
            "files. The release is the same."
        ),
    )
    spill_folder: Annotated[str | None, Flag(metavar="FOLDER")] = Field(
        None,
        alias="spill-folder",
        description=(
            "The folder for these files, and for parts to be uploaded to an object store; the system's "
            "temporary folder if not given."
        ),
    )


class PurposePart(Part):
    """The purpose of the release and who is responsible for it: free text for its certificate and its pages."""

    purpose: str | None = Field(None, description="What the release is for.")
    recipient: str | None = Field(None, description="Who receives it.")
    legal_basis: str | None = Field(None, alias="legal-basis", description="What allows it.")
    requested_by: str | None = Field(None, alias="requested-by", description="Who requested it.")
    approved_by: str | None = Field(None, alias="approved-by", description="Who approved it.")

    @property
    def words(self) -> Purpose | None:
        """The texts; `None` where there are none."""
        given = self.model_dump(exclude_none=True)
        return Purpose(**given) if given else None


class QuestionFile(Part):
    """What a table is judged by: its columns, and the privacy models."""

    privacy: PrivacyPart = PrivacyPart.model_construct()
    person: PersonPart | None = None
    population: PopulationPart | None = None
    rest: Annotated[
        Literal["refuse", "insensitive", "drop"], Field(description="The treatment of columns that are not listed.")
    ] = "refuse"
    columns: dict[str, ColumnPart] = Field(description="Every column by its name.")


class JobFile(QuestionFile):
    """A kohort job: a table in, a verified release out."""

    input: InputPart
    output: OutputPart
    answers: list[str] = Field(
        [],
        description=(
            "Insensitive columns that hold answers to questions, which no outsider knows: released unchanged, even if"
            " together they single people out; first those that tell people apart best."
        ),
    )
    method: MethodPart = MethodPart.model_construct()
    perturb: PerturbPart = PerturbPart.model_construct()
    run: RunPart = RunPart.model_construct()
    purpose: Annotated[PurposePart, NO_FLAG] = PurposePart.model_construct()
