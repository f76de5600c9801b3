"""The compiled core of the main path: its C, how it is built, and how Python calls it."""
