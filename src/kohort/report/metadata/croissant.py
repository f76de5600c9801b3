"""Croissant: a data set as machine learning lists it (MLCommons, format 1.0)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kohort.report.metadata.dataset import stem

if TYPE_CHECKING:
    from kohort.report.metadata.dataset import Dataset, Part

#: The terms of the document, as the format prescribes them.
CONTEXT: Final[dict[str, object]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(data: Dataset) -> Part:
    """The data set of a release, with a record set of its columns where it is a table."""
    name = stem(data.file)
    file: Part = {
        "@type": "cr:FileObject",
        "@id": "release",
        "name": data.file,
        "contentUrl": data.file,
        "contentSize": f"{data.size} B",
        "encodingFormat": data.media,
        "sha256": data.sha256,
    }
    document: Part = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": name,
        "alternateName": data.title,
        "description": data.description,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "distribution": [file],
    }
    if data.licence is not None:
        document["license"] = data.licence
    if data.format is not None:
        fields = [_field(data, number) for number in range(len(data.fields))]
        document["recordSet"] = [{"@type": "cr:RecordSet", "@id": "records", "name": "records", "field": fields}]
    return document


def _field(data: Dataset, number: int) -> Part:
    field = data.fields[number]
    return {
        "@type": "cr:Field",
        "@id": f"records/{number}",
        "name": f"{number}-{stem(field.name)}",
        "alternateName": field.name,
        "description": field.description,
        "dataType": "sc:Text",
        "source": {"fileObject": {"@id": "release"}, "extract": {"column": field.name}},
    }
