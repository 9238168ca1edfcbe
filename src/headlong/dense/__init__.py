"""Dense scores: a context encoder that gives words vectors, and vectors that score arcs and labels."""

from headlong.dense.encoder import EncoderModel, EncoderShape, EncoderSize
from headlong.dense.training import EncoderTraining, train_encoder

__all__ = ["EncoderModel", "EncoderShape", "EncoderSize", "EncoderTraining", "train_encoder"]
