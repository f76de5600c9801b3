"""A release as a page that people look at, and its charts as files: made from the page model and nothing else.

The page model is what `kohort.report.page` makes. The page is one file of HTML: it loads nothing, runs nothing, and is
read by eye, by ear, by keyboard and on paper. Every figure in it stands in an element that names its place in the page
model: `<data value="30000" data-figure="done.released">30,000</data>`.
"""

from kohort.report.render.page.chart import charts
from kohort.report.render.page.page import html

__all__ = ["charts", "html"]
