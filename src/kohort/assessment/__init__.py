"""A table as it stands: checking, risk and attacks, comparison with its release, and what its columns seem to be.

They share `classes` (who has equal cells), `profile` (what models may know of classes), `population` (the people whom
labels fit) and `labels` (which values a label covers). Above the readers and engines; verification, beside it, counts
and reads for itself. Below releases: no job and no search is known here.
"""
