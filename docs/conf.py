"""Sphinx: the pages of this folder and the reference from the docstrings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pygments.lexers.shell import BashLexer, ShellSessionBaseLexer
from pygments.token import Comment, Generic

import kohort

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pygments.token import _TokenType
    from sphinx.application import Sphinx

project = "kohort"
author = "the kohort authors"
project_copyright = author
release = kohort.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"kohort {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
myst_heading_anchors = 3
myst_enable_extensions = ["substitution"]
myst_substitutions = {"version": release}
autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_google_docstring = True
napoleon_numpy_docstring = False

# The button of a block copies what is typed, without its prompts and without what is printed below it.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_copy_empty_lines = False
copybutton_line_continuation_character = "\\"


class Console(ShellSessionBaseLexer):
    """Commands behind `$ `, comments behind `# ` (not the prompt of root), and what is printed."""

    name = "kohort's console"
    aliases = ("console",)
    _innerLexerCls = BashLexer  # noqa: N815  as Pygments has it
    _ps1rgx = re.compile(r"^(\$ )(.*\n?)")
    _ps2 = "> "

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """The tokens of Pygments' own, but for comments."""
        for at, kind, piece in super().get_tokens_unprocessed(text):
            yield at, Comment if kind is Generic.Output and piece.startswith("# ") else kind, piece


def setup(app: Sphinx) -> None:
    """Let blocks of the console be read by the lexer above."""
    app.add_lexer("console", Console)
