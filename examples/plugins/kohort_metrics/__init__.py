"""Metrics that kohort does not have, as a package of anybody's brings its own: models to copy."""
