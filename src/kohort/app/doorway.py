"""The page that lets a browser in: a file that only its owner can read, until somebody has entered.

A browser gets the path of this file as its argument, which every user of the machine can see; the token is in the
file. The page sends the token as a form, so that no address has it, which a browser would keep or pass on.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import TYPE_CHECKING, Final

from kohort import system

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What sends the token; a browser without scripts shows its button. It holds nothing that needs to be escaped.
_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>The desk</title></head>
<body>
<form method="post" action="http://{host}/enter"><input type="hidden" name="token" value="{token}">
<button>Open the desk</button></form>
<script>document.forms[0].submit()</script>
</body>
</html>
"""


def _folders() -> Iterator[Path]:
    """Where the page may go: browsers in a sandbox see the home folder, but nothing hidden in it, and no `/tmp`."""
    with suppress(RuntimeError):  # a user without a home
        yield Path.home()
    yield Path(gettempdir())


def build(host: str, token: str) -> Path | None:
    """The page in a new folder of its own; `None` where no folder is safe from other users."""
    for parent in _folders():
        with suppress(OSError):
            folder = Path(mkdtemp(prefix="kohort-desk-", dir=parent))  # 0700
            try:
                if system.is_private(folder):
                    return _written(folder / "desk.html", _PAGE.format(host=host, token=token))
            except OSError:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            shutil.rmtree(folder, ignore_errors=True)
    return None


def _written(page: Path, text: str) -> Path:
    """A new file of its owner."""
    with os.fdopen(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.CAREFUL, 0o600), "w") as file:
        file.write(text)
    return page


def remove(page: Path) -> None:
    """Take the page away with its folder."""
    shutil.rmtree(page.parent, ignore_errors=True)
