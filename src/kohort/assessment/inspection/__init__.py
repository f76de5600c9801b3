"""Guesses what each column of a table reveals about a person."""
