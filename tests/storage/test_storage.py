"""A model file with a fault is rejected with one sentence and never loaded in part."""

import copy
from typing import Any

import numpy as np
import pytest

import headlong
from headlong import ModelError, Parser
from headlong.storage.model_file import read_model, write_model
from tests.helpers import toy


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return metadata and arrays of a small model."""
    path = tmp_path_factory.mktemp("models") / "good.model"
    toy.parser(epochs=1, name="toy", licence="CC0").fit(toy.treebank()).save(path)
    file = read_model(path, "parser")
    return file.metadata, {name: array.copy() for name, array in file.arrays.items()}


def test_content_of_the_file(saved):
    metadata, arrays = saved
    assert metadata["licence"] == "CC0"
    assert sorted(arrays) == ["allowed", "labels", "parts", "pruner"]
    assert arrays["parts"].shape == (2 ** toy.SMALL["bits"] + 1, 1)
    assert arrays["labels"].shape[0] == 2 ** toy.SMALL["label_bits"] + 1
    assert arrays["pruner"].shape == (2 ** toy.SMALL["pruner_bits"] + 1, 1)


def test_valid_file_is_loaded(saved, tmp_path):
    write_model(tmp_path / "m", "parser", *saved)
    assert len(list(headlong.Parser.load(tmp_path / "m").parse(toy.treebank()))) == 12


def family(metadata: dict[str, Any], name: str) -> dict[str, Any]:
    return next(stored for stored in metadata["families"] if stored["name"] == name)


def fault(text):
    """Return a function that executes one statement, which spoils metadata or arrays."""

    def spoil(metadata: dict[str, Any], arrays: dict[str, Any]) -> None:
        exec(text, {"metadata": metadata, "arrays": arrays, "np": np, "family": family})

    return spoil


FAULTS = {
    "metadata.pop('tags')": "missing 'tags'",
    "metadata.pop('options')": "missing 'options'",
    "metadata.pop('families')": "missing 'families'",
    "metadata.pop('single_root')": "missing 'single_root'",
    "metadata.pop('scales')": "missing 'scales'",
    "metadata.pop('scores')": "missing 'scores'",
    "metadata['options'].pop('bits')": "missing 'bits'",
    "metadata['options']['max_heads'] = 0": "max_heads must be from 1 to 10000, found 0",
    "metadata['options']['max_heads'] = 'many'": "max_heads must be an integer or None, found 'many'",
    "metadata['options']['threshold'] = 7": "threshold must be from 0 to 1, found 7",
    "metadata['options']['order'] = 3": "the template families are not those of the options",
    "metadata['options']['order'] = 5": "order must be one of 1, 2, 3, 4, found 5",
    "metadata['options']['families'] = '+bow'": "families must be changes, each + or - and one of sibling",
    "metadata['families'].append({'name': 'sibling', 'templates': []})": "are not those of the options",
    "metadata['options'] = []": "",
    "metadata['families'] = None": "",
    "metadata['families'] = 'arc'": "",
    "metadata['single_root'] = 'yes'": "'single_root' must be true or false, found 'yes'",
    "metadata['scales']['arcs'] = [1.0]": "'arcs' must be a list of 2 items, found [1.0]",
    "metadata['scales']['arcs'] = ['a', 'b']": "'arcs'[0] must be a number",
    "metadata['scales']['arcs'] = [0.0, 1.0]": "'arcs'[0] must be a number from 1e-30 to 1000000000.0, found 0.0",
    "metadata['scales']['pruner'] = None": "",
    "metadata['tags'].pop()": "array 'allowed' must have the shape",
    "metadata['tags'] += ['T%d' % i for i in range(60)]": "tags, expected at most 62",
    "metadata['labels'].append('more')": "array 'allowed' must have the shape",
    "metadata['labels'].pop()": "array 'allowed' must have the shape",
    "metadata['labels'][0] = 7": "'labels'[0] must be a non-empty string without tabs and line breaks, found 7",
    "metadata['tags'][0] = None": "'tags'[0] must be a string, found None",
    "metadata['attributes'].append('color')": "found the attribute 'color'",
    "metadata['attributes'].remove('upos')": "found upos, expected one of",
    "family(metadata, 'arc')['templates'].append('h.color')": "found 'h.color', expected slot.attribute",
    "family(metadata, 'arc')['templates'].append('x.upos')": "found 'x.upos', expected slot.attribute",
    "family(metadata, 'arc')['templates'].append('m.upos weather')": "found 'weather', expected slot.attribute",
    "family(metadata, 'arc')['templates'].append(3)": "must be a string, found 3",
    "family(metadata, 'pruner')['templates'].append('x.upos')": "found 'x.upos', expected slot.attribute",
    "family(metadata, 'arc').pop('templates')": "missing 'templates'",
    "family(metadata, 'arc').update(name='bow')": "unknown template family 'bow'",
    "metadata['families'].remove(family(metadata, 'arc'))": "missing 'arc'",
    "metadata['families'].remove(family(metadata, 'label'))": "missing 'label'",
    "metadata['families'].remove(family(metadata, 'pruner'))": "missing 'pruner'",
    "arrays.pop('parts')": "missing array 'parts'",
    "arrays.pop('labels')": "missing array 'labels'",
    "arrays.pop('pruner')": "missing array 'pruner'",
    "arrays.pop('allowed')": "missing array 'allowed'",
    "arrays['parts'] = arrays['parts'][:-1]": "a weight table must have 2^bits + 1 rows",
    "arrays['parts'] = arrays['parts'][:0]": "a weight table must have 2^bits + 1 rows",
    "arrays['parts'] = arrays['parts'][:, 0]": "array 'parts' must have the shape [any, any], found [8193]",
    "arrays['parts'] = np.zeros((1025, 8), np.int16)": "part weights must have one column",
    "arrays['parts'] = arrays['parts'].astype(np.float32)": "array 'parts' must have the type int16, found float32",
    "arrays['pruner'] = arrays['pruner'].astype(np.int32)": "array 'pruner' must have the type int16, found int32",
    "arrays['pruner'] = arrays['pruner'][:-1]": "a weight table must have 2^bits + 1 rows",
    "arrays['labels'] = arrays['labels'][:, :8]": "a weight table has fewer columns than labels",
    "arrays['labels'] = arrays['labels'][:, :-1]": "a weight table must have 1 column, or a multiple of 8",
    "arrays['labels'] = arrays['labels'][:-5]": "a weight table must have 2^bits + 1 rows",
    "arrays['labels'] = arrays['labels'].astype(np.float32)": "array 'labels' must have the type int16, found float32",
    "arrays['allowed'] = arrays['allowed'].astype(np.int16)": "array 'allowed' must have the type uint8, found int16",
    "arrays['allowed'] = arrays['allowed'][1:]": "array 'allowed' must have the shape",
    "arrays['allowed'] = arrays['allowed'][0]": "array 'allowed' must have the shape",
    "arrays['allowed'][1, 1] = 0": "allowed must leave at least one label to every pair of tags",
}


@pytest.mark.parametrize(("spoil", "message"), [(fault(text), m) for text, m in FAULTS.items()], ids=list(FAULTS))
def test_faults_are_rejected(saved, tmp_path, spoil, message):
    metadata, arrays = copy.deepcopy(saved)
    spoil(metadata, arrays)
    path = tmp_path / "bad.model"
    write_model(path, "parser", metadata, arrays)
    with pytest.raises(ModelError) as caught:
        headlong.Parser.load(path)
    found = str(caught.value)
    assert found.startswith(f"{path} is not a valid parser: ")
    assert message in found
    assert "\n" not in found
    assert len(found) < len(str(path)) + 400


def test_file_of_another_kind_is_rejected(saved, tmp_path):
    write_model(tmp_path / "m", "tagger", *saved)
    with pytest.raises(ModelError, match="tagger"):
        headlong.Parser.load(tmp_path / "m")


def test_other_files_are_rejected(tmp_path):
    (tmp_path / "text").write_text("1\tHello\n")
    for path in (tmp_path / "text", tmp_path / "missing", tmp_path):
        with pytest.raises(ModelError) as caught:
            Parser.load(path)
        assert "\n" not in str(caught.value)


def test_damaged_file_is_rejected(saved, tmp_path):
    path = tmp_path / "m"
    write_model(path, "parser", *saved)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ModelError):
        headlong.Parser.load(path)


def test_weights_are_not_copied(saved, tmp_path):
    """They stay in the mapped file, which processes share."""
    write_model(tmp_path / "m", "parser", *saved)
    parser = headlong.Parser.load(tmp_path / "m")
    assert not parser.trained.weights.parts.flags.owndata
    assert not parser.trained.weights.parts.flags.writeable
