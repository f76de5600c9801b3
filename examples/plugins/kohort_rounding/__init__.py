"""Tables whose only promise is rounding: a kind of job of its own, from its job file to its page.

`kind` is what kohort is told; `request` reads a job file; `release` rounds, verifies and publishes; `certificate` says
what was found, and checks it again; `page` and `templates` show it.
"""
