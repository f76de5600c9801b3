"""Charts: figures as lines, marks or bars, laid out by matplotlib.

A chart is data: titles, scales, series, notes. `bytes` draws it as SVG, PNG or PDF, the same bytes for the same chart,
with a title and a description in words. Only the picture of a lattice is laid out by hand, in `kohort.report.lattice`.
"""
