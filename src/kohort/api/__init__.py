"""The Python API: what the command line does, as functions of frames and files, with keyword arguments for flags."""
