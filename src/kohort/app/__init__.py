"""The desk: a local web app in which people see a table, choose, try and release; all of it becomes a job file.

A browser speaks to `serve` on this machine, through `guard`. The pages of `pages` show and change a `desk`, which is
the text of a job and its history. Whatever needs records is one of `questions`, answered by a `worker` in a process of
its own. A release is what `kohort run` makes of the saved job file, to the byte.
"""
