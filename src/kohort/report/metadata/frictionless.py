"""Frictionless: a data package with a table schema (Data Package Standard)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.report.metadata.dataset import stem

if TYPE_CHECKING:
    from kohort.report.metadata.dataset import Dataset, Part


def frictionless(data: Dataset) -> Part:
    """The data package of a release: `datapackage.json`, to lie beside it.

    Every column of a text file is text: a range in one record would make a column of numbers invalid.
    """
    resource: Part = {
        "name": stem(data.file),
        "path": data.file,
        "mediatype": data.media,
        "bytes": data.size,
        "hash": f"sha256:{data.sha256}",
        "description": data.description,
    }
    if data.format is not None:
        form = data.format.form
        kind = "string" if form.is_text else "any"
        fields = [{"name": one.name, "type": kind, "description": one.description} for one in data.fields]
        resource |= {"profile": "tabular-data-resource", "schema": {"fields": fields, "missingValues": [""]}}
        resource["format"] = form.key.partition(".")[0]
        if form.is_text:
            resource |= {"encoding": "utf-8", "dialect": {"delimiter": data.separator, "quoteChar": '"'}}
        if form.packing:
            resource["compression"] = form.packing
    package: Part = {"name": stem(data.file), "title": data.title, "description": data.description}
    if data.licence is not None:
        package["licenses"] = [{"path": data.licence}]
    return {**package, "resources": [resource]}
