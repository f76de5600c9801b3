"""Jobs: the one form of a job file, read from TOML or made of flags, and drafts of jobs."""
