"""Template tables: dependency parts, global parts and sequences."""
