"""The tokenizer: from plain text to sentences of words."""

from headlong.tokenizer.tokenizer import Tokenizer

__all__ = ["Tokenizer"]
