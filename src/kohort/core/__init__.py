"""What counting and applying rest on: frequency sets, lattices, recodings and their labels, suppression."""
