"""`kohort metadata`: the certificate of a release in the words of data catalogues."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from kohort.cli import options
from kohort.cli.derive import option
from kohort.cli.screen import echo_json, say
from kohort.errors import UsageError

if TYPE_CHECKING:
    from kohort.metadata.dataset import Vocabulary


def metadata(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERTIFICATE", help="The certificate beside a release: NAME.kohort.json.")
    ],
    *,
    format_: Annotated[str, option("", "frictionless, croissant or dcat.", "WORD", "--format")],
    out: Annotated[
        Path | None, option("", "The file to write.", "FILE", "--out", "-o", shown="standard output")
    ] = None,
    title: Annotated[str | None, option("", "The title of the data set.", "TEXT", shown="the release's name")] = None,
    license_: Annotated[
        str | None, option("", "The address of the licence of the release.", "URL", "--license")
    ] = None,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Describe a release for data catalogues: its file, columns and models; no value of a record."""
    from json import dumps, load

    from kohort.certificate.again import read_certificate
    from kohort.metadata import PLUGINS
    from kohort.metadata.dataset import dataset
    from kohort.publish import check_target, publish
    from kohort.specification import plugins

    known = plugins("kohort.metadata", PLUGINS)
    if format_ not in known:
        raise UsageError("there is no such vocabulary", where="--format", hint=f"one of {', '.join(known)}")
    if out is not None:
        check_target(out, overwrite=overwrite, inputs=[certificate])
    data = dataset(read_certificate(certificate), certificate.name, title=title, licence=license_)
    document = cast("Vocabulary", known[format_])(data)
    if out is None:
        echo_json(document, indent=2)
        return
    text = dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    publish(out, lambda file: file.write(f"{text}\n".encode()), load, overwrite=overwrite, inputs=[certificate])
    say(str(out), quiet=quiet)
