"""The models there are: kohort's own by one mapping, others by entry points, and each by one key."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

from kohort import specification
from kohort.errors import UsageError
from kohort.models import MODELS
from kohort.models.base import models, variants
from kohort.specification import Specification, plugins

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAP = MODELS["k-map"]


@pytest.fixture
def brought(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str]]]:
    """What other packages bring; whoever asks for models is told anew."""
    found: list[tuple[str, str]] = []

    def installed() -> dict[str, list[tuple[str, str]]]:
        return {"kohort.models": sorted(found)}

    monkeypatch.setattr(specification, "installed", installed)
    models.cache_clear()
    yield found
    models.cache_clear()


@pytest.mark.parametrize(
    ("key", "what"),
    [
        ("k-map", "kohort.models.k_map:KMap brings k-map, which exists already"),
        ("mine", "KMap is registered as mine"),
    ],
)
def test_a_key_that_is_taken_or_not_its_own_is_refused(brought: list[tuple[str, str]], key: str, what: str) -> None:
    """No package takes the place of a model, nor calls one otherwise than it calls itself."""
    brought.append((key, MAP))
    with pytest.raises(UsageError, match=what) as refused:
        models()
    assert refused.value.where == "entry points kohort.models"
    assert refused.value.hint


def test_others_come_after_our_own(brought: list[tuple[str, str]]) -> None:
    """Whatever is installed, the order is that of the mapping, then that of the keys."""
    assert list(models()) == list(MODELS)
    own = {"own": "kohort.specification:Specification"}
    brought += [(key, own["own"]) for key in ("b", "a")]
    assert dict(plugins("kohort.models", own)) == dict.fromkeys(("own", "a", "b"), Specification)


def test_a_plug_in_is_imported_when_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its key is known before, and it is imported once."""
    imported: list[str] = []

    def resolve(place: str) -> object:
        imported.append(place)
        return place

    monkeypatch.setattr(specification, "resolve_name", resolve)
    found = plugins("kohort.none", {"one": "a:b", "two": "c:d"})
    assert (list(found), len(found), "two" in found, "three" in found, imported) == (["one", "two"], 2, True, False, [])
    assert (found["two"], found["two"], imported) == ("c:d", "c:d", ["c:d"])
    with pytest.raises(KeyError):
        found["three"]


@pytest.mark.parametrize(
    ("text", "parsed"),
    [(None, False), ("[console_scripts]\nkohort = a:b\n", False), ("[x]\n[kohort.models]\nmine = a:b\n", True)],
)
@pytest.mark.parametrize("kind", ["folder", "archive"])
def test_entry_points_are_parsed_where_somebody_names_kohort(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str | None, kind: str, *, parsed: bool
) -> None:
    """Where no package does, there are none; what an archive holds is looked at."""
    files = {"mine-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: mine\nVersion: 1\n"}
    files |= {} if text is None else {"mine-1.dist-info/entry_points.txt": text}
    place = tmp_path / "site.zip"
    with ZipFile(place, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    if kind == "folder":
        with ZipFile(place) as archive:
            archive.extractall(place := tmp_path / "site")
    monkeypatch.setattr("sys.path", [str(tmp_path / "none"), str(place)])
    specification.installed.cache_clear()
    found = specification.installed().get("kohort.models", [])
    specification.installed.cache_clear()
    assert found == ([("mine", "a:b")] if parsed else [])


@pytest.mark.parametrize("key", MODELS)
def test_a_model_describes_itself(key: str) -> None:
    """Its sentences are sentences, it tells every parameter, and why of each property that it declares."""
    told = models()[key].specification
    assert all(text.endswith(".") for text in (told.sentence, *(one.sentence for one in told.parameters)))
    assert not told.not_promised or told.not_promised.endswith(".")
    assert {"monotone_generalization", "monotone_suppression"} <= told.properties.keys()
    for variant in variants(models()[key], "s"):
        declared = variant.model.declared
        assert all(hasattr(declared, name) for name in told.properties)
        assert all(hasattr(variant.model, one.name) for one in told.parameters)
        for name in ("size_only", "class_only", "population", "refers", "of_numbers"):
            assert not getattr(declared, name) or name in told.properties
