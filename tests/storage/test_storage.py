"""A model file with one fault is refused with one sentence, never loaded in part."""

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
    """Metadata and arrays of a small model."""
    path = tmp_path_factory.mktemp("models") / "good.model"
    toy.parser(epochs=1, name="toy", licence="CC0").fit(toy.treebank()).save(path)
    file = read_model(path, "parser")
    return file.metadata, {name: array.copy() for name, array in file.arrays.items()}


def test_what_is_in_the_file(saved):
    metadata, arrays = saved
    assert metadata["licence"] == "CC0"
    assert sorted(arrays) == ["allowed", "labels", "parts", "pruner"]
    assert arrays["parts"].shape == (2 ** toy.SMALL["bits"] + 1, 1)
    assert arrays["labels"].shape[0] == 2 ** toy.SMALL["label_bits"] + 1
    assert arrays["pruner"].shape == (2 ** toy.SMALL["pruner_bits"] + 1, 1)


def test_a_good_file_is_loaded(saved, tmp_path):
    write_model(tmp_path / "m", "parser", *saved)
    assert len(list(headlong.Parser.load(tmp_path / "m").parse(toy.treebank()))) == 12


def family(metadata: dict[str, Any], name: str) -> dict[str, Any]:
    return next(stored for stored in metadata["families"] if stored["name"] == name)


def fault(text):
    """A function that spoils metadata and arrays: one statement."""

    def spoil(metadata: dict[str, Any], arrays: dict[str, Any]) -> None:
        exec(text, {"metadata": metadata, "arrays": arrays, "np": np, "family": family})

    return spoil


FAULTS = {
    "metadata.pop('tags')": "'tags' is missing",
    "metadata.pop('options')": "'options' is missing",
    "metadata.pop('families')": "'families' is missing",
    "metadata.pop('single_root')": "'single_root' is missing",
    "metadata.pop('scales')": "'scales' is missing",
    "metadata.pop('scores')": "'scores' is missing",
    "metadata['options'].pop('bits')": "'bits' is missing",
    "metadata['options']['max_heads'] = 0": "found max_heads = 0, expected 1 to 10000",
    "metadata['options']['max_heads'] = 'many'": "found max_heads = 'many', expected a value of type int",
    "metadata['options']['threshold'] = 7": "found threshold = 7, expected 0 to 1",
    "metadata['options']['order'] = 3": "the families of templates are not those that the options name",
    "metadata['options']['order'] = 5": "found order = 5, expected one of 1, 2, 3, 4",
    "metadata['options']['families'] = '+bow'": "found '+bow' in families, expected + or - and one of sibling",
    "metadata['families'].append({'name': 'sibling', 'templates': []})": "are not those that the options name",
    "metadata['options'] = []": "",
    "metadata['families'] = None": "",
    "metadata['families'] = 'arc'": "",
    "metadata['single_root'] = 'yes'": "single_root is 'yes', not true or false",
    "metadata['scales']['arcs'] = [1.0]": "not enough values",
    "metadata['scales']['arcs'] = ['a', 'b']": "could not convert string",
    "metadata['scales']['arcs'] = [0.0, 1.0]": "a scale is 0.0, not positive",
    "metadata['scales']['pruner'] = None": "",
    "metadata['tags'].pop()": "allowed has the shape",
    "metadata['tags'] += ['T%d' % i for i in range(60)]": "tags, expected at most 62",
    "metadata['labels'].append('more')": "allowed has the shape",
    "metadata['labels'].pop()": "allowed has the shape",
    "metadata['labels'][0] = 7": "labels has 7, not only names",
    "metadata['tags'][0] = None": "tags has None, not only names",
    "metadata['attributes'].append('colour')": "found the attribute 'colour'",
    "metadata['attributes'].remove('upos')": "found upos, expected one of",
    "family(metadata, 'arc')['templates'].append('h.colour')": "found 'h.colour', expected slot.attribute",
    "family(metadata, 'arc')['templates'].append('x.upos')": "found 'x.upos', expected slot.attribute",
    "family(metadata, 'arc')['templates'].append('m.upos weather')": "found 'weather', expected slot.attribute",
    "family(metadata, 'arc')['templates'].append(3)": "templates has 3, not only names",
    "family(metadata, 'pruner')['templates'].append('x.upos')": "found 'x.upos', expected slot.attribute",
    "family(metadata, 'arc').pop('templates')": "'templates' is missing",
    "family(metadata, 'arc').update(name='bow')": "the family of templates 'bow' is unknown",
    "metadata['families'].remove(family(metadata, 'arc'))": "'arc' is missing",
    "metadata['families'].remove(family(metadata, 'label'))": "'label' is missing",
    "metadata['families'].remove(family(metadata, 'pruner'))": "'pruner' is missing",
    "arrays.pop('parts')": "'parts' is missing",
    "arrays.pop('labels')": "'labels' is missing",
    "arrays.pop('pruner')": "'pruner' is missing",
    "arrays.pop('allowed')": "'allowed' is missing",
    "arrays['parts'] = arrays['parts'][:-1]": "a weight table must have 2^bits + 1 rows",
    "arrays['parts'] = arrays['parts'][:0]": "a weight table must have 2^bits + 1 rows",
    "arrays['parts'] = arrays['parts'][:, 0]": "parts has 1 dimensions, not 2",
    "arrays['parts'] = np.zeros((1025, 8), np.int16)": "part weights must have one column",
    "arrays['parts'] = arrays['parts'].astype(np.float32)": "parts is of type float32, not int16",
    "arrays['pruner'] = arrays['pruner'].astype(np.int32)": "pruner is of type int32, not int16",
    "arrays['pruner'] = arrays['pruner'][:-1]": "a weight table must have 2^bits + 1 rows",
    "arrays['labels'] = arrays['labels'][:, :8]": "a weight table has fewer columns than labels",
    "arrays['labels'] = arrays['labels'][:, :-1]": "a weight table must have 1 column, or a multiple of 8",
    "arrays['labels'] = arrays['labels'][:-5]": "a weight table must have 2^bits + 1 rows",
    "arrays['labels'] = arrays['labels'].astype(np.float32)": "labels is of type float32, not int16",
    "arrays['allowed'] = arrays['allowed'].astype(np.int16)": "allowed is of type int16, not uint8",
    "arrays['allowed'] = arrays['allowed'][1:]": "allowed has the shape",
    "arrays['allowed'] = arrays['allowed'][0]": "allowed has the shape",
    "arrays['allowed'][1, 1] = 0": "allowed must leave at least one label to every pair of tags",
}


@pytest.mark.parametrize(("spoil", "message"), [(fault(text), m) for text, m in FAULTS.items()], ids=list(FAULTS))
def test_a_fault_is_refused(saved, tmp_path, spoil, message):
    metadata, arrays = copy.deepcopy(saved)
    spoil(metadata, arrays)
    path = tmp_path / "bad.model"
    write_model(path, "parser", metadata, arrays)
    with pytest.raises(ModelError) as caught:
        headlong.Parser.load(path)
    found = str(caught.value)
    assert found.startswith(f"{path}: a parser does not fit together (")
    assert found.endswith("), expected a sound one")
    assert message in found
    assert "\n" not in found
    assert len(found) < len(str(path)) + 400


def test_a_file_of_another_kind(saved, tmp_path):
    write_model(tmp_path / "m", "tagger", *saved)
    with pytest.raises(ModelError, match="tagger"):
        headlong.Parser.load(tmp_path / "m")


def test_files_that_are_no_models(tmp_path):
    (tmp_path / "text").write_text("1\tHello\n")
    for path in (tmp_path / "text", tmp_path / "missing", tmp_path):
        with pytest.raises(ModelError) as caught:
            Parser.load(path)
        assert "\n" not in str(caught.value)


def test_a_damaged_file(saved, tmp_path):
    path = tmp_path / "m"
    write_model(path, "parser", *saved)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ModelError):
        headlong.Parser.load(path)


def test_weights_are_not_copied(saved, tmp_path):
    """They stay in the file, mapped: two processes share them."""
    write_model(tmp_path / "m", "parser", *saved)
    parser = headlong.Parser.load(tmp_path / "m")
    assert not parser.trained.weights.parts.flags.owndata
    assert not parser.trained.weights.parts.flags.writeable
