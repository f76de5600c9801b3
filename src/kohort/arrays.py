"""Named array types: what each integer array that crosses a module means.

Letters used for shapes throughout: n records, t tuples of a frequency set, d quasi-identifiers,
s sensitive attributes, r regions, c classes, v values of a domain. Of transaction databases: n transactions, m items,
c cells (an item in a transaction).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Codes of quasi-identifying values, one row a tuple: (t, d), C-contiguous, uint16 while every domain
#: has at most 65,536 values, else uint32. A code is the index of a value in its domain's order.
Codes: TypeAlias = NDArray[np.uint16] | NDArray[np.uint32]

#: How many records share a tuple or fall in a class: (t,) or (c,), int64, each at least 1.
Counts: TypeAlias = NDArray[np.int64]

#: Index of a record's tuple, a record's row or a tuple's region: (n,) or (t,), int64.
Index: TypeAlias = NDArray[np.int64]

#: Record, tuple or class of each record: (n,) or (m,), uint32, since a table has fewer than 2**32 records; or int64
#: where somebody else has numbered them.
Numbers: TypeAlias = NDArray[np.uint32] | NDArray[np.int64]

#: Places of a domain's values on the attribute's scale: (v,), int64, ascending.
Positions: TypeAlias = NDArray[np.int64]

#: Shares in 0..1, one per label, class or attribute: float64.
Shares: TypeAlias = NDArray[np.float64]

#: Items of transactions, or of sets of them: (c,) cells or (s, i) sets of i items, int32; ascending in each.
Items: TypeAlias = NDArray[np.int32]

#: A yes or no per class, cut or record: bool.
Mask: TypeAlias = NDArray[np.bool_]
