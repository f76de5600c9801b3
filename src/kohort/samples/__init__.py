"""Synthetic data: people who do not exist, to try, test and measure on."""
