"""The certificate beside a release: what was promised and found, for whoever receives the file. It names no value.

`table_again` and `transactions_again` check it again against the file; who only writes one does not load them.
"""
