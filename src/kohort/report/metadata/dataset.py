"""What catalogues are told of a release: its file, its columns, what was promised. No value of a record is in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from kohort.certificate.table import Certificate, Described
from kohort.io.forms import Format, named_format
from kohort.schema import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.certificate.form import Certified
    from kohort.schema import Attribute

    #: A part of a document: an object of JSON.
    Part = dict[str, object]

    #: What writes the document of a vocabulary.
    Vocabulary = Callable[["Dataset"], Part]


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a release."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """A release as a catalogue lists it.

    Attributes:
        title: What it is called.
        licence: The address of its licence; `None` where none was said.
        file: The file's name, without a folder.
        format: Its format; `None` of anything but a table.
        separator: Between the cells of a text.
        sha256: The digest of its bytes.
        size: How many they are.
        records: How many records, or transactions, there are.
        unit: What these are.
        fields: Its columns; none of anything but a table.
        models: The privacy models that it meets.
        not_promised: What does not follow.
        version: The version of kohort that verified it.
        certificate: The name of its certificate.
    """

    title: str
    licence: str | None
    file: str
    format: Format | None
    separator: str
    sha256: str
    size: int
    records: int
    unit: str
    fields: tuple[Field, ...]
    models: tuple[str, ...]
    not_promised: tuple[str, ...]
    version: str
    certificate: str

    @property
    def media(self) -> str:
        """The media type of its file."""
        return "text/plain" if self.format is None else self.format.form.media

    @property
    def description(self) -> str:
        """What it is, in three sentences."""
        return (
            f"{self.records:,} {self.unit} that meet {', '.join(self.models)}. Verified on the published bytes by "
            f"kohort {self.version}; the certificate {self.certificate} says what was checked. Not promised: "
            f"{' '.join(self.not_promised)}"
        )


def dataset(certificate: Certified, name: str, *, title: str | None = None, licence: str | None = None) -> Dataset:
    """What catalogues are told of a release.

    Args:
        certificate: Its certificate.
        name: The certificate's own name.
        title: What to call it; the file's name if not given.
        licence: The address of its licence.

    Raises:
        InputError: The job in the certificate is none that this version makes.
    """
    form: Format | None = None
    separator, fields = "", tuple[Field, ...]()
    if isinstance(certificate, Certificate):
        job = Described.certified(certificate)
        form = _format(job, certificate)
        separator = form.form.separator or job.job.writing.separator
        fields = tuple(Field(one.name, _done(one, certificate)) for one in job.schema.released)
    return Dataset(
        title=title or certificate.release,
        licence=licence,
        file=certificate.release,
        format=form,
        separator=separator,
        sha256=certificate.sha256,
        size=certificate.size,
        records=certificate.rows,
        unit=certificate.unit,
        fields=fields,
        models=certificate.promised,
        not_promised=certificate.not_promised,
        version=certificate.kohort,
        certificate=name,
    )


def _format(job: Described, certificate: Certificate) -> Format:
    """The format of a release: the one that was asked for, or its name's; of a table in a database its text."""
    if job.job.writing.format is not None:
        return job.job.writing.format
    form = named_format(str(certificate.parts[0]["name"]) if certificate.parts else certificate.release)
    return Format.CSV if form is None else Format(form.key)


def _done(column: Attribute, certificate: Certificate) -> str:
    """What was done to the values of a column."""
    if column.pseudonym:
        return "Pseudonyms in place of an identifier; they are not anonymity."
    if column.name in certificate.perturbed:
        method = cast("Mapping[str, object]", certificate.perturbed[column.name]).get("method", "perturbation")
        return f"{column.role.value.capitalize()}; perturbed ({method})."
    if column.role is Role.QUASI:
        level = certificate.levels.get(column.name)
        return "Generalized." if level is None else f"Generalized to level {level} of its hierarchy."
    return f"{column.role.value.capitalize()}; released as it is."


def stem(file: str) -> str:
    """The name of a file in the letters that every vocabulary allows: `my-release`."""
    short = Path(file).name.split(".")[0]
    return "".join(one if one.isascii() and one.isalnum() else "-" for one in short.lower()).strip("-") or "release"
