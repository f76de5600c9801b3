"""Tables in memory: dictionary-encoded columns, and what is done to their cells."""
