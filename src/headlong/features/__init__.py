"""Attributes of words and characters, templates over them, and their compilation for the core."""
