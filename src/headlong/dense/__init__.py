"""Dense scores: a context encoder that gives words vectors, and vectors that score arcs and labels."""

from headlong.dense.encoder import EncoderModel, EncoderShape, EncoderSize
from headlong.dense.tensor import TensorModel, TensorTables
from headlong.dense.tensor_start import TensorData
from headlong.dense.training import EncoderTraining, train_encoder

__all__ = [
    "EncoderModel",
    "EncoderShape",
    "EncoderSize",
    "EncoderTraining",
    "TensorData",
    "TensorModel",
    "TensorTables",
    "train_encoder",
]
