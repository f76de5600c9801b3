"""Sphinx: the pages of this folder and the reference from the docstrings."""

from __future__ import annotations

import kohort

project = "kohort"
author = "the kohort authors"
release = kohort.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"kohort {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
