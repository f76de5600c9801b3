"""Write docs/papers.md: the works that kohort stands on, as printed and as they are.

    python -m docs.papers                             the sections that need no public data; the others stay as they are
    KOHORT_DATA=FOLDER python -m docs.papers          the whole page

FOLDER holds adult.csv and transactions/connect_8ply_rebuilt.dat.gz. docs/papers.md and docs/images/paper-*.svg are
written, the same bytes on every run.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from docs.papers.workbench import Workbench
from docs.papers.works import DOCS, PAGE, WORKS, page, sections_of, written


def main() -> None:
    """Write the page and its pictures."""
    folder = os.environ.get("KOHORT_DATA")
    kept = sections_of(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    for work in WORKS:
        if work.needs_data and not folder:
            print(f"kept: {work.title} (KOHORT_DATA names no folder of public data)")
            continue
        with TemporaryDirectory() as desk:
            bench = Workbench(Path(desk), Path(folder) if folder else None)
            kept[work.title] = written(work, bench)
            for picture in work.pictures:
                shutil.copyfile(bench.folder / picture, DOCS / "images" / picture)
        print(f"wrote: {work.title}")
    PAGE.write_text(page(kept), encoding="utf-8")


if __name__ == "__main__":
    main()
