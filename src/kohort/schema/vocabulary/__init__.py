"""What the name of a column says about its content, in English, Italian, German, French and Spanish."""
