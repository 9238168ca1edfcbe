"""A forger of model files: every value of a small model's metadata and every array, replaced by hostile ones.

``python -m tests.helpers.forgery KIND [SHARE [MEGABYTES]]`` loads and uses all forgeries of one kind of model, or every
SHARE-th, with little memory and time, and prints a line for each that neither works nor is rejected in one sentence.
The process dies if a forgery takes longer than a few seconds. MEGABYTES is the memory beside what the process has
before; 0 sets no limit, which the address sanitizer has an option for.
"""

from __future__ import annotations

import copy
import json
import resource
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from headlong import Parser, Pipeline, SequenceLabeler, Tagger
from headlong.errors import ModelError
from headlong.lemmatizer import Lemmatizer
from headlong.storage.component import Component, State
from headlong.storage.model_file import model_to_bytes
from headlong.storage.packing import pack
from headlong.text import Sentence
from headlong.text.tokens import MultiwordToken
from headlong.tokenizer import Tokenizer
from tests.helpers import modelfiles, toy

KINDS = ("parser", "encoder", "tagger", "labeler", "tokenizer", "lemmatizer", "pipeline", "packed")
MISSING = object()
VALUES: tuple[Any, ...] = (
    *(MISSING, None, True, False, "", "x", "\ud800", "a\tb\nc", 0, 1, -1, 2, 7, 255, 2**15, 10**6, 10**9, 2**31, 2**63),
    *(2**64, 10**400, -(10**400), 0.0, -0.0, 0.5, 1.5, -1.0, 1e-320, 1e-45, 1e38, 1e39, 1e308),
    *(float("nan"), float("inf"), -float("inf"), [], {}, [[]], [None], [0], [-1], [1e308, 1e308], [0, 0], [1, 10**9]),
    *(["x"], ["w.Upos"], [["x"]], [["x", 10**9]], [["x", "y", 1]], {"x": 1}, {"": [10**9]}, [1] * 1000, ["x"] * 1000),
)
_SECONDS = 5  # per forgery
_MEGABYTES = 256
_FORMS = ["the", "old", "dog", "barks", "at", "Paris", "and", "du", "sees", "it", "'s", "."]


def train(kind: str) -> Component[Any]:
    """Return a small trained model; "encoder" is a parser with a context encoder, "packed" a pipeline."""
    treebank = toy.treebank()
    tagged = [
        sentence.with_columns(lemmas=[form.lower().rstrip("s") for form in sentence.forms]) for sentence in treebank
    ]
    parser, tagger = toy.parser(2, bits=10, epochs=2), Tagger(epochs=2, bits=8, fine_bits=8, enough=1)
    tokenizer, lemmatizer = Tokenizer(gap_bits=10, end_bits=10, epochs=2), Lemmatizer(bits=10, epochs=2)
    made: dict[str, Callable[[], Component[Any]]] = {
        "parser": lambda: parser.fit(tagged),
        "encoder": lambda: toy.parser(1, bits=10, epochs=2, encoder="small", encoder_epochs=2).fit(tagged),
        "tagger": lambda: tagger.fit(tagged),
        "labeler": lambda: SequenceLabeler(column="XPOS", epochs=2, bits=8).fit(_chunks()),
        "tokenizer": lambda: tokenizer.fit(_texts()),
        "lemmatizer": lambda: lemmatizer.fit(tagged),
    }
    if kind in made:
        return made[kind]()
    return Pipeline.from_components(
        tokenizer.fit(_texts()), tagger.fit(tagged), lemmatizer.fit(tagged), parser.fit(tagged)
    )


def _chunks() -> list[Sentence]:
    return [
        sentence.with_columns(xpos=["_", *("B-NP" if tag == "NOUN" else "O" for tag in sentence.upos[1:])])
        for sentence in toy.treebank()
    ]


def _texts() -> list[Sentence]:
    """Return sentences with a multiword token that is split in two ways, and one that looks like it."""
    plain = Sentence.from_words(["Dogs", "du", "bark", "."], misc=["_", "_", "SpaceAfter=No", "_"])
    split = Sentence.from_words(
        ["Cats", "de", "le", "sleep", "!"],
        misc=["_", "_", "_", "SpaceAfter=No", "_"],
        multiword=[MultiwordToken(2, 3, "du", "_")],
    )
    other = Sentence.from_words(
        ["Cats", "do", "n't", "e.g", ".", "?"],
        misc=["_", "_", "_", "SpaceAfter=No", "_", "_"],
        multiword=[MultiwordToken(2, 3, "don't", "_")],
    )
    return [plain, split, other] * 20


def use(component: Component[Any]) -> None:
    """Do what the component is for, in every way in which the weights matter."""
    sentences = [Sentence.from_words(_FORMS), *toy.treebank()[:3]]
    text = "The dog don't bark at du cats. Cats sleep! e.g. Paris?\n\nDu dogs\n"
    match component:
        case Parser():
            for decoder in (None, "exact", "greedy", "greedy-pp"):
                list(component.parse(sentences, decoder=decoder, confidence=decoder is None))
        case Tagger() | SequenceLabeler():
            list(component.predict(sentences, confidence=True))
        case Tokenizer():
            assert all(all(sentence.forms) for sentence in component.tokenize(text)), "an empty form"
        case Lemmatizer():
            list(component.lemmatize(sentences))
        case Pipeline():
            component(text, confidence=True)
    component.info()
    repr(component)
    model_to_bytes(component.KIND, *component.state())


def state_of(component: Component[Any], kind: str) -> State:
    """Return the state of a trained model, as a model file holds it."""
    metadata, arrays = component.state()
    if kind == "packed":
        metadata["packed"], arrays = pack(arrays)
    return json.loads(json.dumps(metadata)), {name: np.ascontiguousarray(array) for name, array in arrays.items()}


def forgeries(state: State) -> Iterator[tuple[str, State]]:
    """Yield what was changed, and the changed state."""
    metadata, arrays = state
    for place in places(metadata):
        for value in VALUES:
            changed = copy.deepcopy(metadata)
            put(changed, place, value)
            yield (
                f"{'.'.join(map(str, place))} = {'missing' if value is MISSING else repr(value)[:60]}",
                (changed, arrays),
            )
    for name, array in arrays.items():
        yield f"no array {name}", (metadata, {key: value for key, value in arrays.items() if key != name})
        for what, other in other_arrays(array):
            yield f"array {name} {what}", (metadata, {**arrays, name: other})
    yield "another array", (metadata, {**arrays, "x": np.zeros(3)})


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all values; of a long list or dictionary the first three and the last."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    if len(keys) > 30 or (isinstance(value, list) and len(keys) > 4):
        keys = [*keys[:3], keys[-1]]
    for key in keys:
        yield (*place, key)
        yield from places(value[key], (*place, key))


def put(value: Any, place: Sequence[Any], new: object) -> None:
    """Replace the value at a place of the metadata, or remove it."""
    for key in place[:-1]:
        value = value[key]
    if new is MISSING:
        del value[place[-1]]
    else:
        value[place[-1]] = new


def other_arrays(array: np.ndarray[Any, Any]) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Yield how an array is changed, and the changed array."""
    for dtype in ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"):
        if dtype != array.dtype:
            yield f"as {dtype}", array.astype(dtype)
    yield "without rows", array[:0]
    yield "without columns", array.reshape(-1)[:0].reshape(*array.shape[:-1], 0)
    yield "flat", array.reshape(-1) if array.ndim > 1 else array.reshape(-1, 1)
    yield "as a number", np.zeros((), array.dtype)
    yield "one row less", array[:-1]
    yield "one row more", np.concatenate([array, array[:1]])
    yield "one column less", np.ascontiguousarray(array[..., :-1])
    yield "three-dimensional", array[None, ..., None]
    limits = np.iinfo(array.dtype) if array.dtype.kind in "iu" else np.finfo(array.dtype)
    for value in (limits.min, limits.max, 0, 1):
        yield f"full of {value}", np.full_like(array, value)
    yield "random", np.random.default_rng(1).integers(0, 255, array.shape).astype(array.dtype)


def to_bytes(kind: str, state: State) -> bytes:
    """Return a file with a valid checksum."""
    metadata, arrays = state
    entries: dict[str, Any] = {}
    data = b""
    for name in arrays:
        raw = arrays[name].tobytes()
        place = {"offset": len(data), "size": len(raw)}
        entries[name] = {"dtype": arrays[name].dtype.name, "shape": list(arrays[name].shape), **place}
        data += raw + bytes(-len(raw) % 64)
    header = {"kind": kind, "package_version": "1", "metadata": metadata, "arrays": entries}
    forged: bytes = modelfiles.forged(header, data)
    return forged


def write(path: Path, kind: str, state: State) -> Path:
    """Write a file with a valid checksum."""
    path.write_bytes(to_bytes(kind, state))
    return path


def judge(path: Path, made: type[Component[Any]]) -> str:
    """Load and use a file; return what is wrong with how it is treated."""
    try:
        component = made.load(path)
    except ModelError as error:
        message = str(error)
        if not message.startswith(f"{path}") or "\n" in message or len(message) > len(str(path)) + 400:
            return f"badly rejected: {message[:300]}"
        return ""
    except Exception as error:
        return f"load: {type(error).__name__}: {str(error)[:200]}"
    try:
        use(component)
    except Exception as error:
        return f"use: {type(error).__name__}: {str(error)[:200]}"
    return ""


def run(kind: str, share: int = 1, megabytes: int = _MEGABYTES) -> int:
    """Judge every `share`-th forgery of a kind; print the failures and return how many forgeries there were."""
    component = train(kind)
    state = state_of(component, kind)
    limit = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + megabytes * 2**20
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "x.model", component.KIND, state)
        use(type(component).load(path))
        if megabytes:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        for what, forged in islice(forgeries(state), 0, None, share):
            signal.alarm(_SECONDS)
            print(f"trying {what}", file=sys.stderr, flush=True)
            fault = judge(write(path, component.KIND, forged), type(component))
            count += 1
            if fault:
                print(f"{kind}: {what}: {fault}", flush=True)
        signal.alarm(0)
    return count


if __name__ == "__main__":
    print(run(sys.argv[1], *map(int, sys.argv[2:])), "forgeries")
