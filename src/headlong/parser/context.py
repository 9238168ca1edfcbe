"""Train the context encoder of a parser, and choose how much its scores count beside those of the linear model."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from headlong.dense import EncoderModel, EncoderTraining, train_encoder
from headlong.errors import DataWarning

# The weights of the encoder's log-probabilities of arcs and labels that are tried on development data.
_ARC_WEIGHTS = (0.1, 0.15, 0.2, 0.3, 0.45, 0.6, 0.9, 1.3)
_LABEL_WEIGHTS = (0.1, 0.2, 0.3, 0.45, 0.6, 0.9, 1.3, 2.0)
_LABEL_WEIGHT = 0.6  # without development data


def learn_context(
    training: EncoderTraining,
    order: int,
    evaluate: Callable[[EncoderModel | None], dict[str, float]] | None,
    *,
    resume: bool,
) -> tuple[EncoderModel | None, dict[str, Any], bool]:
    """Train the context encoder, and choose the weights of its scores on the development data.

    Args:
        training: Data and settings.
        order: The order of the parser. Without development data it decides how much the encoder counts: beside parts
            of several arcs, half as much as beside arcs alone.
        evaluate: Returns UAS and LAS on the development data with an encoder, or without; None without such data.
        resume: Continue from the checkpoint.

    Returns:
        The encoder (None if training was interrupted early, or if the linear model alone is better on the development
        data), scores on these data with it and without, and whether training was interrupted.
    """
    arc_weight = 0.6 if order == 1 else 0.3
    encoder, interrupted = train_encoder(training, (arc_weight, _LABEL_WEIGHT), resume=resume)
    if encoder is None or evaluate is None:
        return encoder, {}, interrupted
    tried = [replace(encoder, factors=(weight, _LABEL_WEIGHT)) for weight in _ARC_WEIGHTS]
    encoder = max(tried, key=lambda one: evaluate(one)["LAS"])
    tried = [replace(encoder, factors=(encoder.factors[0], weight)) for weight in _LABEL_WEIGHTS]
    encoder = max(tried, key=lambda one: evaluate(one)["LAS"])
    linear, both = evaluate(None), evaluate(encoder)
    if both["LAS"] < linear["LAS"]:  # the encoder prunes, too, so a poor one does harm whatever its scores count
        message = (
            f"LAS on the development data is {linear['LAS']:.2f} without the encoder and {both['LAS']:.2f} with it"
        )
        warnings.warn(f"left out the context encoder: {message}", DataWarning, stacklevel=5)
        return None, {}, interrupted
    return encoder, {"linear": linear, "dev": both}, interrupted
