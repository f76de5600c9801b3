"""Full-domain generalization: algorithms on the lattice of generalization levels."""
