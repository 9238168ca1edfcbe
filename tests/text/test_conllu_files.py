"""Treebank files and streams: gzip, standard streams and atomic writes."""

import gzip
import io
import os
import stat
import sys

import pytest

from headlong.errors import DataError, OptionError
from headlong.text import Sentence, read_conllu, write_columns, write_conllu
from tests.helpers.texts import PLAIN, RICH, read, written


def test_gzip_is_detected_from_content(tmp_path):
    path = tmp_path / "packed.conllu"
    path.write_bytes(gzip.compress(PLAIN.encode()))
    assert written(read_conllu(path)) == PLAIN
    assert written(read(path.read_bytes())) == PLAIN
    plain = tmp_path / "plain.conllu.gz"
    plain.write_text(PLAIN)
    assert written(read_conllu(str(plain))) == PLAIN


def test_streams_stay_open(tmp_path):
    for stream in (io.BytesIO(PLAIN.encode()), io.BytesIO(gzip.compress(PLAIN.encode())), io.StringIO(PLAIN)):
        assert written(read_conllu(stream)) == PLAIN
        assert not stream.closed
    target = io.BytesIO()
    assert write_conllu(read(PLAIN), target) == 2
    assert target.getvalue() == PLAIN.encode()
    path = tmp_path / "x.conllu"
    path.write_text(PLAIN[:-5] + "\n1\tx\n")
    with path.open("rb") as binary, pytest.raises(DataError, match=r"x\.conllu:"):
        list(read_conllu(binary))
    with path.open() as text, pytest.raises(DataError, match=r"x\.conllu:"):
        list(read_conllu(text))


def test_standard_streams(monkeypatch, capfdbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(PLAIN.encode()))))
    assert write_conllu(read_conllu("-"), "-") == 2
    assert capfdbinary.readouterr().out == PLAIN.encode()
    monkeypatch.setattr(sys, "stdin", io.StringIO("x\n"))
    with pytest.raises(DataError, match="<stdin>:1: found 1 column"):
        next(read_conllu("-"))
    text_only = io.StringIO()
    monkeypatch.setattr(sys, "stdout", text_only)
    write_conllu(read(PLAIN), "-")
    assert text_only.getvalue() == PLAIN


def test_files_are_replaced_only_on_success(tmp_path):
    path = tmp_path / "out.conllu"
    path.write_text(PLAIN)
    path.chmod(0o640)

    def failing():
        yield from read(RICH)
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        write_conllu(failing(), path)
    assert path.read_text() == PLAIN
    assert os.listdir(tmp_path) == ["out.conllu"]
    assert write_conllu((s.with_tree(s.heads, s.labels) for s in read_conllu(path)), path) == 2
    assert "2:nsubj" not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    link = tmp_path / "link.conllu"
    link.symlink_to(path)
    write_conllu(read(RICH), link)
    assert link.is_symlink()
    assert path.read_bytes() == RICH.encode()


def test_suffix_gz_writes_gzip(tmp_path):
    path = tmp_path / "out.conllu.gz"
    write_conllu(read(PLAIN), path)
    packed = path.read_bytes()
    assert gzip.decompress(packed) == PLAIN.encode()
    write_conllu(read_conllu(path), str(path))
    assert path.read_bytes() == packed


def test_unwritable_targets_raise(tmp_path):
    with pytest.raises(OptionError, match="it is a directory"):
        write_conllu(read(PLAIN), tmp_path)
    with pytest.raises(OptionError, match="No such file or directory"):
        write_conllu(read(PLAIN), tmp_path / "none" / "x.conllu")
    if os.path.exists(os.devnull):
        assert write_conllu(read(PLAIN), os.devnull) == 2
        assert not os.path.isfile(os.devnull)


def test_characters_that_cannot_be_written_are_errors(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("older", encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.conllu: found the character .*ud800', which utf-8 cannot encode"):
        write_conllu([Sentence.from_words(["a\ud800"])], path)
    assert path.read_text(encoding="utf-8") == "older"
    with pytest.raises(DataError, match="<input>: found the character 'ł', which latin-1 cannot encode"):
        write_columns([Sentence.from_words(["ł"])], io.BytesIO(), columns=["FORM"], encoding="latin-1")
