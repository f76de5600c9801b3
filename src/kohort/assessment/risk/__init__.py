"""Re-identification risk, by the measures of the literature, of a file as it stands."""
