"""Dense scores: a context encoder that gives words vectors, and vectors that score arcs and labels."""

from headlong.dense.encoder import EncoderModel, EncoderSize
from headlong.dense.training import EncoderTraining, train_encoder

__all__ = ["EncoderModel", "EncoderSize", "EncoderTraining", "train_encoder"]
