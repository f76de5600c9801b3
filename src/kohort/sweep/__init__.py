"""Sweeps: what one parameter costs, by every method, over several seeds; as a table and as a picture."""
