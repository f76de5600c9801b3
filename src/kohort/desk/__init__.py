"""The desk: a local web app in which people see a table or transactions, choose, try and release, all as a job file.

A browser speaks to `serve` on this machine, through `guard`. Its pages show and change a `desk`, which is the text of a
job and its history. The kind of data that a job is on says which pages there are and who answers them (`kinds`): tables
(`pages`, `questions`), and what kohort's guests and other packages bring by the entry points `kohort.desk`. All kinds
share the pages of `job_pages`. Whatever needs records is a question, answered by a `worker` in a process of its own. A
release is what `kohort run` makes of the saved job file, to the byte.
"""
