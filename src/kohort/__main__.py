"""`python -m kohort`: the command line without its script on the path."""

from __future__ import annotations

import sys

from kohort.cli import main

sys.exit(main())
