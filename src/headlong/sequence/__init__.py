"""Sequence models: a numeric model of any labels, the tagger, and the labeler of chunks and entities."""

from headlong.sequence.labeler import SequenceLabeler
from headlong.sequence.tagger import Tagger

__all__ = ["SequenceLabeler", "Tagger"]
