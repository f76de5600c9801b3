"""Mondrian: multidimensional recoding by recursive cuts."""
