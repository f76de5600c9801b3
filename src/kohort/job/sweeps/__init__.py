"""Sweeps: what releases of a table, or of transactions, would cost as parameters change; in figures and in pictures."""
