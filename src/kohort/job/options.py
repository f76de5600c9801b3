"""The keyword arguments of a job, for type checkers: what `tests/unit/job/test_options.py` makes of the form.

`KOHORT_GOLDEN=write pytest tests/unit/job/test_options.py` writes them. `kohort.job.keywords` reads arguments by the
form itself, so that those of other packages' models work too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction
    from os import PathLike

    from kohort.perturbation.base import Perturbation
    from kohort.schema.hierarchy import Hierarchy

    #: A number; a float counts as the decimal that it prints.
    Number: TypeAlias = float | Fraction | str


class Reading(TypedDict, total=False):
    """How delimited text is read."""

    separator: str
    """The character between cells; detected if not given."""
    encoding: str
    """The encoding of the text."""
    header: bool | None
    """Whether the first line contains the column names; without names they are column_1, column_2, … If not given, it
    does, and a first line that looks like data is an error."""
    names: Sequence[str]
    """Names for the columns of a file without a header."""
    skip_rows: int
    """How many lines of a text, or rows of a sheet, stand above the column names: titles, blank lines."""
    trim: bool
    """Remove blanks around every cell and column name."""
    decimal: str
    """The decimal mark of numbers in text, a comma or a point, wherever it cannot be detected; they are released as
    they were written."""
    skip_blank: bool
    """Skip empty lines; at the end of a file they are never an error."""
    allow_empty: bool
    """Accept a table without records."""


class Promises(TypedDict, total=False):
    """Privacy models, and what they refer to."""

    k: int
    """Every class has at least k records, or people if there is a person key."""
    k_map: int
    """Every class matches at least k people of the population table."""
    presence: tuple[Number, Number]
    """Of the people of the population table who match a class, a share from low to high is in the table."""
    max_risk: Number
    """Nobody's risk of being found is greater than a threshold."""
    average_risk: Number
    """The average risk of being found is not greater than a threshold."""
    person: str
    """The identifying column of the person behind a record: people are counted, not records."""
    hierarchy: Mapping[str, str | PathLike[str] | Hierarchy | Mapping[str, object]]
    """A hierarchy file (FILE:pad pads short rows, FILE:first keeps one of several parents, FILE:qualify also tells
    labels apart), or a builder: intervals:5,10,20, mask:right, prefix:1,3, dates, frequency:10, public:countries,
    spellings or suppress."""
    l: Mapping[str, int]  # noqa: E741  the letter of the paper
    """Every class has at least l different values."""
    entropy_l: Mapping[str, Number]
    """The entropy of the values in every class is at least the logarithm of l."""
    recursive: Mapping[str, Mapping[str, Number]]
    """The most frequent value of a class has less than c times the records of the l-th and all rarer ones."""
    t: Mapping[str, Number]
    """In every class, the distribution of the values is at most t away from that in the table."""
    distance: Mapping[str, Literal["equal", "ordered", "hierarchical"]]
    """The ground distance; if not given: hierarchical with a hierarchy, ordered for numbers, else equal."""
    alpha: Mapping[str, Number]
    """No value makes up more than the share alpha of a class, and every class has the job's k records."""
    delta_disclosure: Mapping[str, Number]
    """In every class, the logarithm of a value's share differs by less than delta from that in the table."""
    beta: Mapping[str, Number]
    """No value's share of a class is more than 1 + beta times its share of the table."""
    enhanced_beta: Mapping[str, Number]
    """No value's share of a class exceeds its share p of the table by more than min(beta, -ln p) times p."""
    k_e: Mapping[str, Mapping[str, Number]]
    """Every class has at least k different values, and the greatest is at least e above the least."""


class Options(Reading, Promises, total=False):
    """Everything that a job can be told."""

    quasi: Sequence[str]
    """Quasi-identifying columns: an attacker may know them, so they are generalized."""
    sensitive: Sequence[str]
    """Sensitive columns: nobody may learn them about a person; released unchanged."""
    identifying: Sequence[str]
    """Identifying columns: never released."""
    insensitive: Sequence[str]
    """Insensitive columns: released unchanged."""
    drop: Sequence[str]
    """Columns that are not needed: never released."""
    max_suppression: Number
    """The greatest number of records that a lattice method may suppress: a count such as 20, or a share, '5%' or
    0.05."""
    rest: Literal["refuse", "insensitive", "drop"]
    """The treatment of columns that are not listed. One of refuse, insensitive, drop."""
    scale: Mapping[str, Literal["numeric", "categorical", "date"]]
    """The scale of a column: numeric, categorical or dates; detected from its values if not given."""
    date_format: Mapping[
        str,
        Literal[
            "yyyy-mm-dd",
            "yyyy/mm/dd",
            "yyyymmdd",
            "dd.mm.yyyy",
            "dd/mm/yyyy",
            "mm/dd/yyyy",
            "dd-mm-yyyy",
            "yyyy-mm",
            "mm/yyyy",
            "mm.yyyy",
            "mm-yyyy",
            "dd.mm.yy",
            "dd/mm/yy",
            "mm/dd/yy",
            "dd-mm-yy",
        ],
    ]
    """The date format of a quasi-identifier; detected from its values if not given. One of yyyy-mm-dd, yyyy/mm/dd,
    yyyymmdd, dd.mm.yyyy, dd/mm/yyyy, mm/dd/yyyy, dd-mm-yyyy, yyyy-mm, mm/yyyy, mm.yyyy, mm-yyyy, dd.mm.yy, dd/mm/yy,
    mm/dd/yy, dd-mm-yy."""
    pivot: Mapping[str, int]
    """The first of the hundred years of dates whose years have two digits: 1930 for 1930 to 2029."""
    max_level: Mapping[str, int]
    """The highest level of its hierarchy that a lattice method may use."""
    weight: Mapping[str, Number]
    """The weight of a column in Mondrian's choice of cuts and in a lattice method's objective; 1 if not given."""
    bounds: Mapping[str, tuple[Number, Number]]
    """The smallest and the greatest value of the domain."""
    grid: Mapping[str, Number | Sequence[Number]]
    """Public cut points: a step (5), a list (18,30,65), 'round', or 'hierarchy' for those of its hierarchy; of dates a
    period: week, month, quarter, year, five-years, decade or century."""
    missing: Mapping[str, Literal["own-value", "suppress", "refuse"]]
    """The treatment of a missing value: own-value, a value like any other (if not given); suppress, which suppresses
    its record; or refuse, an error."""
    pseudonym: Sequence[str]
    """Release pseudonyms in place of an identifying column's values; this is not anonymity."""
    allow_singling: Sequence[str]
    """Release the column even if it singles out more than half of the people, alone or with another, or contains
    identifying cells."""
    no_model: Sequence[str]
    """Release a sensitive column without a privacy model."""
    missing_token: Sequence[str]
    """Texts that mean a missing value; by default only the empty cell, to which the flag adds more."""
    complete_records: Sequence[str] | Literal["all"]
    """Leave out records with a missing value in one of these columns, or in any column ('all')."""
    key_file: str
    """The key for pseudonyms; `kohort key` writes one."""
    format: Literal[
        "csv",
        "tsv",
        "csv.gz",
        "tsv.gz",
        "csv.zst",
        "tsv.zst",
        "parquet",
        "ipc",
        "jsonl",
        "xlsx",
        "sav",
        "zsav",
        "dta",
        "xpt",
        "sqlite",
        "duckdb",
    ]
    """The format of the release; the ending of its name decides if not given. One of csv, tsv, csv.gz, tsv.gz, csv.zst,
    tsv.zst, parquet, ipc, jsonl, xlsx, sav, zsav, dta, xpt, sqlite, duckdb."""
    excel_safe: bool
    """Neutralize cells that a spreadsheet would run as formulas, or take for dates (1-5)."""
    records_per_part: int
    """Write FOLDER/ as parts of N records, with their certificate and a manifest that lists them."""
    sign_key: str
    """Sign the certificate, and so the release, with this private key; `kohort key --sign` writes one."""
    answers: Sequence[str]
    """Insensitive columns that hold answers to questions, which no outsider knows: released unchanged, even if together
    they single people out; first those that tell people apart best."""
    method: Literal[
        "mondrian",
        "mondrian-relaxed",
        "ordered",
        "top-down",
        "samarati",
        "optimal",
        "datafly",
        "best-effort",
        "suppress-cells",
        "suppress-cells-optimal",
    ]
    """The algorithm; all but Mondrian, ordered, top-down and suppress-cells are lattice methods. One of mondrian,
    mondrian-relaxed, ordered, top-down, samarati, optimal, datafly, best-effort, suppress-cells,
    suppress-cells-optimal."""
    dimension: str
    """The column that Mondrian cuts first: the widest (if not given), the one of most-values, or random:SEED."""
    cut: Literal["nearest", "median", "loss"]
    """The cuts that Mondrian tries: loss, the allowable cut that loses least (if not given); nearest, the allowable cut
    nearest the median (if not given for mondrian-relaxed or with dimension); or median, as in the literature."""
    order: Literal["hierarchy", "frequency", "sorted"]
    """The order of categorical values, for columns that can have it. One of hierarchy, frequency, sorted."""
    labels: Literal["range", "set", "ancestor", "mean", "grid", "set-of-names", "companions", "own"]
    """The kind of labels that replace a class's values, for columns that can have it. If not given: companions, for
    names without a hierarchy, are sets in which a name that one person of the class alone has stands beside the name
    most like it; other columns have their own way (own), in which sets list every name. One of range, set, ancestor,
    mean, grid, set-of-names, companions, own."""
    no_grid: bool
    """Public cut points for numeric quasi-identifiers without a hierarchy, grid or label of their own: multiples of a
    round number, or none (--no-grid), so that ranges end at values of the data, as in the literature."""
    objective: str
    """The metric that a lattice method minimizes; lm if not given. With 'first', samarati takes the first minimal node
    in lexicographic order. One of lm, ncp, lm-geometric, arx-loss, c-dm, c-avg, precision, entropy, height, max-loss,
    first."""
    node: Sequence[int] | Mapping[str, int]
    """Release these levels without a search: 0,1,2 in the order of the quasi-identifiers, or by name,
    age=2,sex=0,city=1."""
    local: bool
    """Refine each class of the release that a lattice method finds to finer levels, where the models allow it."""
    time_limit: Number
    """Seconds after which best-effort stops; 30 if not given."""
    perturb: Mapping[str, str | Mapping[str, object]] | Sequence[Perturbation]
    """The columns to perturb, each with its method: income=noise:scale=0.1,decimals=0 as a flag. The methods are noise,
    rank-swapping, microaggregation, rounding, coding and post-randomization."""
    seed: int
    """For tests: the same seed draws the same noise, and anyone who knows it can remove the noise."""
    insecure_reproducible: bool
    """Accept a seed, for a release that nobody will receive."""
