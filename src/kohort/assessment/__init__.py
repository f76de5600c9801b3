"""A table as it stands: checking, risk and attacks, comparison, and what its columns seem to be."""
