"""DCAT: a data set as public catalogues list it (W3C, version 3), as JSON-LD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from kohort.report.metadata.dataset import stem

if TYPE_CHECKING:
    from kohort.report.metadata.dataset import Dataset, Part

#: The prefixes of the document.
CONTEXT: Final[dict[str, object]] = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "spdx": "http://spdx.org/rdf/terms#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}

#: Where media types are named.
_MEDIA: Final = "https://www.iana.org/assignments/media-types/"


def dcat(data: Dataset) -> Part:
    """The data set of a release with one distribution; addresses are relative to where the document lies."""
    path = quote(data.file)
    distribution: Part = {
        "@id": f"{path}#distribution",
        "@type": "dcat:Distribution",
        "dct:title": data.file,
        "dcat:accessURL": {"@id": path},
        "dcat:downloadURL": {"@id": path},
        "dcat:mediaType": {"@id": f"{_MEDIA}{data.media}"},
        "dcat:byteSize": {"@value": str(data.size), "@type": "xsd:nonNegativeInteger"},
        "spdx:checksum": {
            "@type": "spdx:Checksum",
            "spdx:algorithm": {"@id": "spdx:checksumAlgorithm_sha256"},
            "spdx:checksumValue": {"@value": data.sha256, "@type": "xsd:hexBinary"},
        },
    }
    if data.licence is not None:
        distribution["dct:license"] = {"@id": data.licence}
    return {
        "@context": CONTEXT,
        "@id": f"{path}#dataset",
        "@type": "dcat:Dataset",
        "dct:title": data.title,
        "dct:identifier": stem(data.file),
        "dct:description": data.description,
        "dct:provenance": {"@id": quote(data.certificate)},
        "dcat:keyword": list(data.models),
        "dcat:distribution": [distribution],
    }
