"""The form of a job file on a table, as data: its tables and keys. `kohort schema` prints it as JSON Schema."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from kohort.algorithms import method
from kohort.engines.base import ENGINES, LOCALLY
from kohort.io.forms import Format, readable
from kohort.job import values
from kohort.job.codec import pairs, perturbations, perturbed
from kohort.job.keys import CLASSICS, REQUIRED, Key, KeyTable, ValueType, key
from kohort.job.model_values import model_keys
from kohort.perturbation.text import METHODS
from kohort.schema import Label, Missing, Order, Role, Scale
from kohort.schema.dates import DateFormat

if TYPE_CHECKING:
    from kohort.specification import Parameter

INPUT = KeyTable.of(
    "InputPart",
    "The table and its format; paths in a job file are relative to its folder.",
    key(
        "path",
        values.TEXT,
        f"The table: CSV, TSV (also .gz, .zst), Parquet (also a folder), Arrow, {readable()}; FILE#NAME names one "
        "of several sheets or tables; a postgresql:// address with #TABLE; '-' is standard input.",
        REQUIRED,
    ),
    key("separator", values.SEPARATOR, "The character between cells; detected by default."),
    key("quote", values.QUOTE, "The character around cells that hold separators; empty for none.", '"', hidden=True),
    key("encoding", values.ENCODING, "The encoding of the text.", "utf-8"),
    key(
        "header",
        values.MAYBE,
        "Whether the first line contains the column names; without names they are column_1, column_2, … By default "
        "it does; a first line that looks like data is an error.",
    ),
    key("names", values.TEXTS, "Names for the columns of a file without a header."),
    key(
        "skip-rows",
        values.whole(0),
        "How many lines of a text, or rows of a sheet, stand above the column names: titles, blank lines.",
    ),
    key("trim", values.SWITCH, "Remove blanks around every cell and column name."),
    key(
        "decimal",
        values.DECIMAL_MARK,
        "The decimal mark of numbers in text, a comma or a point, where kohort cannot detect it; numbers are "
        "released as they were written.",
    ),
    key("skip-blank", values.SWITCH, "Skip empty lines; at the end of a file they are never an error."),
    key("allow-empty", values.SWITCH, "Accept a table without records."),
    key(
        "missing",
        values.TOKENS,
        "Texts that mean a missing value; by default only the empty cell; the flag adds more.",
        [""],
        flag="missing-token",
    ),
    key(
        "complete-records",
        values.COMPLETE,
        "Leave out records with a missing value in one of these columns, or in any column ('all').",
    ),
    key("key-file", values.FILE, "The key for pseudonyms; `kohort key` writes one."),
)

#: The key that signs the certificate of a table or of transactions.
SIGN_KEY = key(
    "sign-key",
    values.FILE,
    "Sign the certificate, and so the release, with this private key; `kohort key --sign` writes one.",
)

OUTPUT = KeyTable.of(
    "OutputPart",
    "The release to write, and its format.",
    key(
        "path",
        values.TEXT,
        "The release to publish; its certificate is written beside it, as NAME.kohort.json, or into the folder of "
        "parts. The release is a file, FOLDER/, a folder of an object store (s3://BUCKET/FOLDER/, gs://, az://), or a "
        "table of a database that exists (FILE#TABLE, postgresql://USER@HOST/DATABASE#TABLE).",
        REQUIRED,
        flag="out",
        metavar="OUT",
        first=True,
    ),
    key(
        "format",
        values.of(Format),
        "The format of the release; by default the extension of its name decides.",
    ),
    key("separator", values.SEPARATOR, "The character between cells.", ",", hidden=True),
    key(
        "excel-safe",
        values.SWITCH,
        "Neutralize cells that a spreadsheet would run as formulas or read as dates (1-5).",
    ),
    key(
        "records-per-part",
        values.whole(1),
        "Write FOLDER/ as parts of N records, with a certificate and a manifest that lists the parts.",
    ),
    SIGN_KEY,
)

PRIVACY = KeyTable.of(
    "PrivacyPart",
    "Requirements on every class, in addition to those of single columns.",
    *model_keys(of_column=False),
    key("max-suppression", values.LIMIT, method.LIMIT.sentence, panel="Method"),
)


def _choice(one: Parameter, kind: ValueType) -> Key:
    """The key of a parameter of methods."""
    return key(one.name.replace("_", "-"), kind, one.sentence, panel=CLASSICS if one.classic else "")


METHOD = KeyTable.of(
    "MethodPart",
    "The method that finds the recoding, and its labels.",
    key(
        "name",
        replace(values.word(*method.METHODS), classics=method.METHODS.classics),
        "The algorithm; all but Mondrian, ordered, top-down and suppress-cells are lattice methods.",
        "mondrian",
        flag="method",
        first=True,
    ),
    _choice(method.DIMENSION, values.DIMENSION),
    _choice(method.CUT, values.of_parameter(method.CUT)),
    key("order", values.of(Order), "The order of categorical values, for columns to which it applies."),
    key(
        "labels",
        values.of(Label),
        "Label style: how the values of a class are replaced, for columns to which it applies. Default: companions, "
        "for names without a hierarchy: sets in which a name that only one person of the class has is listed with "
        "the most similar name; own for other columns, where sets list every name.",
    ),
    key(
        "grid",
        values.NO_GRID,
        "Public cut points for numeric quasi-identifiers without a hierarchy, grid or label of their own: multiples "
        "of a round number, or none (--no-grid): then ranges end at data values, as in the literature.",
        "round",
        flag="no-grid",
    ),
    key(
        "objective",
        values.OBJECTIVE,
        f"{method.PREFERRED.sentence} With 'first', samarati takes the first minimal node in lexicographic order.",
    ),
    _choice(method.NODE, values.NODE),
    _choice(method.LOCAL, values.SWITCH),
    _choice(method.TIME_LIMIT, values.SECONDS),
)

PERSON = KeyTable.of(
    "PersonPart",
    "The people behind the records, if a person can have several.",
    key(
        "key",
        values.PERSON_KEY,
        "The identifying column of the person behind a record: people are counted, not records.",
        REQUIRED,
        flag="person",
        first=True,
    ),
)

POPULATION = KeyTable.of(
    "PopulationPart",
    "The people whom an attacker may know, including those of the table.",
    key(
        "path",
        values.FILE,
        "The population table: the people whom an attacker may know, with every quasi-identifying column.",
        REQUIRED,
        flag="population",
    ),
)

_OF_COLUMN = (*model_keys(of_column=True),)

COLUMN = KeyTable.of(
    "ColumnPart",
    f"One column; from {_OF_COLUMN[0].place[-1]} to {_OF_COLUMN[-1].place[-1]}: the privacy models of a sensitive one.",
    key("role", values.of(Role), "What the column reveals about a person.", REQUIRED, hidden=True),
    key(
        "scale",
        values.of(Scale),
        "The scale of a column: numeric, categorical or dates; detected from its values by default.",
    ),
    key(
        "date-format",
        values.of(DateFormat),
        "The date format of a quasi-identifier; detected from its values by default.",
    ),
    key(
        "pivot",
        values.YEAR,
        "The first of the hundred years of dates whose years have two digits: 1930 for 1930 to 2029.",
    ),
    key(
        "hierarchy",
        replace(values.FILE, hint="str | PathLike[str] | Hierarchy | Mapping[str, object]"),
        "A hierarchy file or a builder: intervals:5,10,20, mask:right, prefix:1,3, dates, frequency:10, "
        "public:countries, spellings or suppress. FILE:pad pads short rows, FILE:first keeps one of several parents, "
        "FILE:qualify also tells labels apart.",
        first=True,
    ),
    key("max-level", values.LEVEL, "The highest level of its hierarchy that a lattice method may use."),
    key(
        "weight",
        values.NUMBER,
        "The weight of a column in Mondrian's choice of cuts and in a lattice method's objective; 1 by default.",
        Fraction(1),
    ),
    key("bounds", values.BOUNDS, "The smallest and the greatest value of the domain."),
    key(
        "grid",
        values.GRID,
        "Public cut points: a step (5), a list (18,30,65), 'round', or 'hierarchy' for those of its hierarchy; of "
        "dates a period: week, month, quarter, year, five-years, decade or century.",
        first=True,
    ),
    key("order", values.of(Order), "The order of a categorical column's values.", hidden=True),
    key("label", values.of(Label), "Label style: how the values of a class are replaced.", hidden=True),
    key(
        "missing",
        values.of(Missing),
        "The treatment of a missing value: own-value, a value like any other (default); suppress, which "
        "suppresses its record; or refuse, an error.",
        Missing.VALUE,
    ),
    key(
        "pseudonym",
        values.SWITCH,
        "Replace an identifying column's values by pseudonyms; this is not anonymity.",
    ),
    key(
        "allow-singling",
        values.SWITCH,
        "Release the column even if it singles out more than half of the people, alone or with another, or contains "
        "identifying cells.",
    ),
    key("no-model", values.SWITCH, "Release a sensitive column without a privacy model."),
    *_OF_COLUMN,
)

PERTURBED = KeyTable.of(
    "PerturbedPart",
    "The perturbation of a column; its parameters depend on the method.",
    key("method", values.TEXT, f"{', '.join([*METHODS][:-1])} or {[*METHODS][-1]}.", REQUIRED),
    key("together", values.TEXTS, "Further columns to change together with this one (microaggregation)."),
    *{
        one.name: key(one.name, values.PARAMETER, f"{kind.specification.title}: {one.sentence}")
        for kind in METHODS.values()
        for one in kind.specification.parameters
    }.values(),
)

PERTURB = KeyTable.of(
    "PerturbPart",
    "Changes to columns that would otherwise be released unchanged.",
    key(
        "columns",
        replace(
            values.each(values.table_of(PERTURBED)),
            text=perturbations,
            python=perturbed,
            hint="Mapping[str, str | Mapping[str, object]] | Sequence[Perturbation]",
        ),
        "The columns to perturb, each with its method: income=noise:scale=0.1,decimals=0 as a flag. The methods are "
        "noise, rank-swapping, microaggregation, rounding, coding and post-randomization.",
        flag="perturb",
        metavar="COLUMN=METHOD[:…]",
    ),
    key(
        "seed",
        values.whole(0),
        "For tests: the same seed draws the same noise, and anyone who knows the seed can remove the noise.",
    ),
    key("insecure-reproducible", values.SWITCH, "Accept a seed, for tests: never give such a release to anyone."),
)


def _setting(one: Parameter) -> Key:
    """The key of a setting that one engine has."""
    name = one.name.replace("_", "-")
    kind = values.of_parameter(one)
    if one.kind == "object":
        kind = replace(values.each(values.TEXT), text=pairs("the setting", f"--{name} {one.metavar}"))
    return key(name, kind, one.sentence, metavar=one.metavar)


_READ = [f"{name}, {one.specification.sentence}" for name, one in ENGINES.items()]

RUN = KeyTable.of(
    "RunPart",
    "The engine and the resources of a run; every engine gives the same release.",
    key(
        "engine",
        values.word(*ENGINES),
        f"The engine that counts, joins, sorts and writes the records: {'; '.join(_READ[:-1])}; or {_READ[-1]}. "
        "The release is the same.",
        LOCALLY,
    ),
    *(_setting(one) for engine in ENGINES.values() for one in engine.specification.parameters),
    key(
        "memory-limit",
        values.MEMORY,
        "The memory to use, such as 4GiB; arrays as long as the table then lie in unnamed temporary files. The "
        "release is the same.",
    ),
    key(
        "spill-folder",
        values.TEXT,
        "The folder for these files, and for parts to be uploaded to an object store; by default the system's "
        "temporary folder.",
    ),
)

PURPOSE = KeyTable.of(
    "PurposePart",
    "The purpose of the release and who is responsible for it: free text for its certificate and its pages.",
    key("purpose", values.TEXT, "What the release is for."),
    key("recipient", values.TEXT, "Who receives it."),
    key("legal-basis", values.TEXT, "What allows it."),
    key("requested-by", values.TEXT, "Who requested it."),
    key("approved-by", values.TEXT, "Who approved it."),
)

QUESTION = KeyTable.of(
    "QuestionFile",
    "The columns and privacy models that a table is checked against.",
    key("privacy", values.table_of(PRIVACY)),
    key("person", values.table_of(PERSON)),
    key("population", values.table_of(POPULATION)),
    key(
        "rest",
        values.word("refuse", "insensitive", "drop"),
        "The treatment of columns that are not listed.",
        "refuse",
        first=True,
    ),
    key("columns", values.each(values.table_of(COLUMN)), "Every column by its name.", REQUIRED),
)

TABLE_JOB = KeyTable.of(
    "JobFile",
    "A kohort job: a table in, a verified release out.",
    *QUESTION.keys,
    key("input", values.table_of(INPUT), usual=REQUIRED),
    key("output", values.table_of(OUTPUT), usual=REQUIRED),
    key(
        "answers",
        values.TEXTS,
        "Insensitive columns with answers to questions that outsiders do not know: released unchanged, even if they "
        "single people out together; list those that distinguish people best first.",
    ),
    key("method", values.table_of(METHOD)),
    key("perturb", values.table_of(PERTURB)),
    key("run", values.table_of(RUN)),
    key("purpose", values.table_of(PURPOSE), hidden=True),
)
