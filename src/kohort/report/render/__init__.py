"""Figures as people read them: text for a terminal, and pages."""
