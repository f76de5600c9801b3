"""Engines count, recode and profile; each holds its table and gives arrays."""
