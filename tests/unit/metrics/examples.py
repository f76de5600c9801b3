"""The package in `examples/plugins`: what its entry points say, and a folder in which it is installed."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parents[3] / "examples" / "plugins"

PROJECT: Final = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))["project"]

#: Where each of its metrics is, by its key.
EXAMPLES: Final[dict[str, str]] = PROJECT["entry-points"]["kohort.metrics"]


def installed(folder: Path) -> Path:
    """What pip would write there, but for the modules, which stay where they are."""
    metadata = folder / f"{PROJECT['name'].replace('-', '_')}-{PROJECT['version']}.dist-info"
    metadata.mkdir()
    about = f"Metadata-Version: 2.1\nName: {PROJECT['name']}\nVersion: {PROJECT['version']}\n"
    (metadata / "METADATA").write_text(about, "utf-8")
    points = "".join(f"{key} = {place}\n" for key, place in EXAMPLES.items())
    (metadata / "entry_points.txt").write_text(f"[kohort.metrics]\n{points}", "utf-8")
    return folder
