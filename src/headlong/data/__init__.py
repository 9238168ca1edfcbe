"""The model that comes with the package; its card and licence are in README.md beside it."""
