"""What the README does in Python is what it says; `tests/docs` tries the rest of it."""

from __future__ import annotations

import re
from contextlib import chdir
from pathlib import Path

import kohort

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_python_blocks_run(tmp_path: Path) -> None:
    """Every block of Python in the README runs as it stands and gives a release of the right k."""
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert blocks
    for block in blocks:
        names: dict[str, object] = {}
        with chdir(tmp_path):
            exec(compile(block, "README.md", "exec"), names)  # noqa: S102  our own README
        release = names["release"]
        assert isinstance(release, kohort.Release)
        assert release.verdict is not None
        assert release.verdict.smallest >= 10
