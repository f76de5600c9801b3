"""Privacy models: one file each, every one a vectorised predicate over class profiles."""
