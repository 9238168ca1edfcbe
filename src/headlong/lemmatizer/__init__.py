"""The lemmatizer: from words and tags to lemmas."""

from headlong.lemmatizer.lemmatizer import Lemmatizer

__all__ = ["Lemmatizer"]
