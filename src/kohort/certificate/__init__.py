"""The certificate beside a release: what was promised and found, for whoever receives the file. It names no value.

`signing` signs it. `table_again`, and the room of another kind, check it again against the file; who only writes one
does not load them.
"""
