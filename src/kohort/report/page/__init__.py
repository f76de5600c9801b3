"""The page of a release for the steward or for the public: all that it shows, as a typed page model.

`page` makes that of a table; HTML and charts are drawn from nothing else; `--report FILE.json` writes it.
`build` and `verdict` describe every key, `audience` what the public may know.
"""

from kohort.report.page.audience import Audience
from kohort.report.page.build import Page, page

__all__ = ["Audience", "Page", "page"]
