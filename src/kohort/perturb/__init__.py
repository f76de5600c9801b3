"""Perturbation of cells: noise and its kin, one file each, and what they did, measured."""
