"""Jobs: the one form of a job file, read from TOML or made of flags, drafts of jobs, and sweeps over many jobs."""
