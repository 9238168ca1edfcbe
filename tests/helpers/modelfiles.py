"""Forged model files, and the error messages that reject them."""

import hashlib
import json
import struct

import numpy as np
import pytest

from headlong.errors import ModelError
from headlong.storage.model_file import read_model


def forged(header, data=b"", *, version=1, sizes=None):
    """Return a file with a valid checksum and any header."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * (-len(text) % 64)
    header_size, size = sizes or (len(text), 64 + len(text) + len(data))
    start = struct.pack("<8sI4xQQ", b"HEADLONG", version, header_size, size)
    return start + hashlib.sha256(start + text + data).digest() + text + data


def forge(path, header, data=b"", **options):
    """Write such a file."""
    path.write_bytes(forged(header, data, **options))
    return path


def forge_arrays(path, entries, data=b""):
    return forge(path, {"kind": "parser", "package_version": "1", "metadata": {}, "arrays": entries}, data)


def entry(dtype="uint8", shape=(64,), offset=0, size=64):
    return {"dtype": dtype, "shape": list(shape), "offset": offset, "size": size}


def refusal(path, *args, **options) -> str:
    """Return the message that rejects a file: one sentence that begins with the path."""
    with pytest.raises(ModelError) as caught:
        read_model(path, *args, **options)
    message = str(caught.value)
    assert message.startswith(f"{path} ")
    assert "\n" not in message
    assert len(message) < len(str(path)) + 300
    return message.removeprefix(f"{path} ")


def forged_encoder_arrays(arrays):
    """Yield arrays of a context encoder that must be refused, each with its name."""
    yield "encoder_scales", np.full_like(arrays["encoder_scales"], np.nan)
    yield "encoder_matrices", arrays["encoder_matrices"][:-1]
    yield "encoder_rows", arrays["encoder_rows"] - 5
    yield "encoder_embeddings", arrays["encoder_embeddings"].astype(np.int16)
    yield "encoder_unknown", arrays["encoder_unknown"][:-1]
