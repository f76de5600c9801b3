"""Transactions at the desk: items with their roles, what would go of them, and what that costs.

`pages` shows, `questions` asks the transactions, in plain `answers`; `roles` writes the roles of items into a job. The
rest is that of every desk.
"""
