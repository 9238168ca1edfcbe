"""Models that were written by a release load and give the same answers, or are refused in one sentence."""

import struct

import pytest

import headlong
from headlong import ModelError
from headlong.storage.model_file import NEWEST_FORMAT, OLDEST_FORMAT
from tests.helpers.kept_models import FOLDER, answers, unpack

KEPT = sorted(tuple(path.name.removesuffix(".model.gz").split("-")) for path in FOLDER.glob("*.model.gz"))
FORMATS = {int(number) for _, number in KEPT}


@pytest.mark.parametrize(("kind", "number"), KEPT)
def test_a_kept_model_gives_the_same_answers_or_is_refused(kind, number, tmp_path):
    path = unpack(kind, number, tmp_path)
    if int(number) < OLDEST_FORMAT:
        with pytest.raises(ModelError, match="was written by an older headlong"):
            headlong.load(path)
        return
    model = headlong.load(path)
    assert kind == model.KIND
    assert answers(model) == (FOLDER / f"{kind}-{number}.conllu").read_text(encoding="utf-8")
    model.save(tmp_path / "again")
    assert answers(headlong.load(tmp_path / "again")) == answers(model)


def test_old_models_have_no_encoder(tmp_path):
    """The options of these files lack it, and its default has changed since."""
    pipeline = headlong.load(unpack("pipeline", str(OLDEST_FORMAT), tmp_path))
    assert isinstance(pipeline, headlong.Pipeline)
    assert (pipeline.tagger.options.encoder, pipeline.parser.options.encoder) == ("none", "none")


def test_every_format_is_kept():
    """A new format needs new files: `python -m tests.helpers.kept_models`."""
    assert set(range(1, NEWEST_FORMAT + 1)) == FORMATS
    assert {kind for kind, number in KEPT if int(number) == NEWEST_FORMAT} == {"parser", "labeler", "pipeline"}


@pytest.mark.parametrize("number", [NEWEST_FORMAT + 1, 2**32 - 1])
def test_a_model_of_the_future_is_refused(number, tmp_path):
    path = unpack("parser", str(NEWEST_FORMAT), tmp_path)
    data = bytearray(path.read_bytes())
    data[8:12] = struct.pack("<I", number)
    path.write_bytes(data)
    with pytest.raises(ModelError) as caught:
        headlong.load(path)
    known = f"format {number}, this one reads up to {NEWEST_FORMAT}"
    assert str(caught.value) == f"{path} was written by a newer headlong ({known}): upgrade headlong"
