"""Sequence labeling: a numeric model for any labels, the tagger, and the labeler of chunks and entities."""

from headlong.sequence.labeler import SequenceLabeler
from headlong.sequence.tagger import Tagger

__all__ = ["SequenceLabeler", "Tagger"]
