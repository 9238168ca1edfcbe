"""Packed weights are small and close to the originals; all other arrays are unchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headlong.errors import ModelError
from headlong.storage.packing import EMBEDDING_STEP, pack, unpack


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 20_000.0), st.sampled_from([(5000,), (300, 17), (2, 3)]))
def test_weights_are_rounded_to_signed_squares(seed: int, size: float, shape: tuple[int, ...]) -> None:
    drawn = np.random.default_rng(seed).laplace(0.0, size, shape)
    weights = np.clip(np.rint(drawn), -32767, 32767).astype(np.int16)
    notes, packed = pack({"weights": weights})
    found = unpack(notes, packed)["weights"]
    assert found.dtype == np.int16
    assert found.shape == shape
    if not notes:
        np.testing.assert_array_equal(found, weights)
        return
    step = notes["weights"]["step"]
    roots = np.sqrt(np.abs(weights.astype(float)) / step)
    kept = np.sqrt(np.abs(found.astype(float)) / step)
    # Whole numbers are stored, not the squares themselves: q^2 - kept^2 is at most half a unit.
    rounding = 0.5 / step / np.maximum(np.rint(roots) + kept, 1e-9)
    assert np.all(np.abs(roots - kept) <= 0.5 + rounding + 1e-6)
    assert np.all((np.sign(found) == np.sign(weights)) | (found == 0))
    assert np.abs(found).max() == np.abs(weights).max()


def test_other_arrays_are_unchanged() -> None:
    arrays: dict[str, Any] = {
        "counts": np.arange(5000, dtype=np.int32),
        "allowed": np.zeros((100, 100), np.uint8),
        "small": np.array([1.5, 2.5], np.float32),
    }
    notes, packed = pack(arrays)
    assert packed["allowed"].nbytes < 100
    found = unpack(notes, packed)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def test_large_weights_do_not_reduce_the_precision_of_others() -> None:
    weights = np.random.default_rng(1).laplace(0.0, 300.0, 2**16).astype(np.int16)
    weights[7] = 32767
    notes, packed = pack({"weights": weights})
    found = unpack(notes, packed)["weights"]
    assert packed["weights"].nbytes < weights.nbytes / 2
    error = np.square((found - weights).astype(float)).mean()
    assert error < 0.02 * np.square(np.delete(weights, 7).astype(float)).mean()


def test_small_weights_can_be_dropped() -> None:
    weights = np.arange(-20_000, 20_000, dtype=np.int16)
    whole, dropped = (unpack(*pack({"weights": weights}, drop))["weights"] for drop in (0, 2))
    step = pack({"weights": weights})[0]["weights"]["step"]
    small = np.abs(weights) < 2.5**2 * step
    assert not dropped[small].any()
    np.testing.assert_array_equal(dropped[~small], whole[~small])


@given(st.integers(0, 2**32 - 1))
def test_embeddings_are_rounded_to_eleven_levels(seed: int) -> None:
    drawn = np.random.default_rng(seed).normal(0.0, 40.0, (300, 17))
    embeddings = np.clip(np.rint(drawn), -127, 127).astype(np.int8)
    arrays = {"encoder_embeddings": embeddings, "encoder_matrices": embeddings}
    found = unpack(*pack(arrays))
    np.testing.assert_array_equal(found["encoder_matrices"], embeddings)
    kept = found["encoder_embeddings"].astype(int)
    assert np.abs(kept - embeddings).max() <= EMBEDDING_STEP // 2
    assert set(np.unique(kept)) == set(range(-120, 121, EMBEDDING_STEP))


def test_damage_is_detected() -> None:
    notes, packed = pack({"weights": np.arange(5000, dtype=np.int16)})
    with pytest.raises(ModelError, match="'weights' cannot be unpacked"):
        unpack(notes, {"weights": packed["weights"][:-9]})
    with pytest.raises(ModelError, match="missing array 'weights'"):
        unpack(notes, {})
    notes["weights"]["shape"] = [4999]
    with pytest.raises(ModelError, match="'weights' cannot be unpacked"):
        unpack(notes, packed)
