"""Word vectors and clusters of words, learned from raw text or read from files."""

from headlong.vectors.vectors import VectorOptions, WordVectors

__all__ = ["VectorOptions", "WordVectors"]
