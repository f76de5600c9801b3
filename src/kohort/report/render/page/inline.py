"""A chart as part of a page: its own ids, colours of the page, letters of the reader's system, and nothing needless."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from kohort.report.charts.bars import FILLED
from kohort.report.charts.canvas import GREY, INK, PALE, PAPER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

#: The name of each colour on a page, which has others in the dark.
COLORS: Final = {INK: "--ink", GREY: "--grey", PALE: "--rule", PAPER: "--paper", FILLED: "--filled"}

#: Elements that say nothing on a page; what is drawn stays within its chart without being clipped.
NEEDLESS: Final = frozenset({"metadata", "style", "clipPath"})

#: Elements whose text is text.
WORDS: Final = frozenset({"title", "desc", "text"})

#: How texts of charts are unless something else is said: by the page's rules, or by SVG itself.
USUAL: Final = frozenset({"font-size:9.5px", "text-anchor:start", "fill:var(--ink)"})

#: What points to an id; the fonts that a style names; colours.
_POINTER: Final = re.compile(r"url\(#([^)]+)\)")
_FONTS: Final = re.compile(r"font-family: [^;]+;? ?")
_COLOR: Final = re.compile(r"#[0-9a-f]{6}")

#: Numbers with needlessly many digits: a tenth of a point is nothing to see.
_NUMBER: Final = re.compile(r"-?\d+\.\d+")


def inline(svg: bytes, key: str) -> str:
    """The picture that matplotlib wrote as an element of HTML, all of whose ids begin with `key`."""
    root = ET.fromstring(svg)  # noqa: S314  matplotlib wrote it, a moment ago
    styles = (element.get("style", "") for element in root.iter())
    used = frozenset(name for style in styles for name in _POINTER.findall(style))
    (picture,) = _plain(root, key, used)
    spoken = {"aria-labelledby": f"{key}-title", "aria-describedby": f"{key}-desc"}
    picture.attrib = {"viewBox": _NUMBER.sub(_rounded, root.attrib["viewBox"]), "role": "img", **spoken}
    return ET.tostring(picture, encoding="unicode")


def _plain(element: Element, key: str, used: frozenset[str]) -> Iterator[Element]:
    """The element without namespace, or what is left of it."""
    tag = element.tag.rpartition("}")[2]
    if tag in NEEDLESS:
        return
    parts = [part for child in element for part in _plain(child, key, used)]
    attributes = dict(_attributes(element, key, used))
    if tag in {"title", "desc"}:
        attributes["id"] = f"{key}-{tag}"
    if (tag == "g" and not attributes) or (tag == "defs" and not parts):
        yield from parts
        return
    plain = ET.Element(tag, attributes)
    plain.text = element.text if tag in WORDS else None
    for part in parts:
        _add(plain, part)
    yield plain


def _add(whole: Element, part: Element) -> None:
    """Append a part; a path that is drawn like the one before goes on with it."""
    last = whole[-1] if len(whole) else None
    if last is not None and part.tag == last.tag == "path" and part.attrib | {"d": ""} == last.attrib | {"d": ""}:
        last.set("d", f"{last.get('d')} {part.get('d')}")
    else:
        whole.append(part)


def _attributes(element: Element, key: str, used: frozenset[str]) -> Iterator[tuple[str, str]]:
    """What is worth saying of it."""
    for name, value in element.attrib.items():
        match name:
            case "id" if value in used:
                yield name, f"{key}-{value}"
            case "d" | "x" | "y":
                yield name, _NUMBER.sub(_rounded, " ".join(value.split()))
            case "style" if element.tag.endswith("text"):
                plain = _style(value, key).split(";")
                if told := ";".join(one for one in plain if one not in USUAL):
                    yield name, told
            case "style":
                yield name, _style(value, key)
            case "fill" | "stroke":
                yield "style", _style(f"{name}: {value}", key)
            case "id" | "clip-path":
                pass
            case "transform" if value.startswith("rotate(-0 "):
                pass
            case _:
                yield name, value


def _style(style: str, key: str) -> str:
    """A style with the page's colours and fonts, pointing to the chart's own ids."""
    pointed = _POINTER.sub(lambda found: f"url(#{key}-{found[1]})", _FONTS.sub("", style))
    colored = _COLOR.sub(lambda found: f"var({COLORS[found[0]]})" if found[0] in COLORS else found[0], pointed)
    return colored.replace("; ", ";").replace(": ", ":")


def _rounded(found: re.Match[str]) -> str:
    """A number to a tenth."""
    return f"{float(found[0]):.1f}".removesuffix(".0")
