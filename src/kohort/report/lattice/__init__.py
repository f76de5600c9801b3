"""A picture of a lattice: which nodes are releasable, which of them minimal, which is optimal and which was chosen.

Up to a few hundred nodes the whole lattice is drawn, beyond that its frontier. A picture holds levels, counts and
costs, no value of any record.
"""

from kohort.report.lattice.drawing import format_of, lattice_picture, picture

__all__ = ["format_of", "lattice_picture", "picture"]
