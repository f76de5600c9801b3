"""Synthetic transactions: 0/1 matrices of independent cells."""
