"""Trees are exported as HTML pages and to other programs."""

import io
import json
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from headlong.drawing import to_displacy, to_html, to_svg, to_text, to_tikz, write_output
from headlong.drawing.layout import compute_layout
from headlong.errors import DataError, OptionError
from headlong.text import Sentence
from tests.helpers.drawings import ARABIC, CATS, HEARING, SVG, sentence


def test_html():
    page = to_html([CATS, ARABIC], title="<Trees> & more")
    assert "<title>&lt;Trees&gt; &amp; more</title>" in page
    assert page.count("<style>") == 1
    assert [page.count(f'<figure dir="{way}">') for way in ("ltr", "rtl")] == [1, 1]
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    body = page[page.index("<body>") : page.index("</html>")]
    assert len(list(ElementTree.fromstring(body).iter(f"{SVG}svg"))) == 2


def test_displacy():
    assert to_displacy(sentence("She sees him", "2 0 2", "nsubj root obj", "PRON VERB _")) == {
        "words": [{"text": "She", "tag": "PRON"}, {"text": "sees", "tag": "VERB"}, {"text": "him", "tag": ""}],
        "arcs": [
            {"start": 0, "end": 1, "label": "nsubj", "dir": "left"},
            {"start": 1, "end": 2, "label": "obj", "dir": "right"},
        ],
        "settings": {"direction": "ltr"},
    }
    assert to_displacy(ARABIC)["settings"] == {"direction": "rtl"}


def test_tikz():
    assert to_tikz(sentence("50% of_it \\", "0 1 1", "root a&b x", "NUM _ SYM")).split("\n") == [
        r"\begin{dependency}",
        r"  \begin{deptext}",
        r"    50\% \& of\_it \& \textbackslash{} \\",
        r"    NUM \&  \& SYM \\",
        r"  \end{deptext}",
        r"  \deproot{1}{root}",
        r"  \depedge{1}{2}{a\&b}",
        r"  \depedge{1}{3}{x}",
        r"\end{dependency}",
        "",
    ]


def written(sentences, form, **options) -> str:
    target = io.StringIO()
    assert write_output(sentences, target, form, **options) == len(sentences)
    return target.getvalue()


def test_output():
    both = [CATS, ARABIC]
    assert written(both, "conllu") == CATS.to_conllu() + ARABIC.to_conllu()
    assert written(both, "tree") == to_text(CATS) + "\n" + to_text(ARABIC) + "\n"
    assert written(both, "tree", ascii_only=True, color=True).startswith("\x1b[2m    +-> ")
    assert written(both, "html", title="T") == to_html(both, title="T")
    assert [json.loads(line) for line in written(both, "displacy").splitlines()] == list(map(to_displacy, both))
    assert "كتابا" in written(both, "displacy")
    assert written(both, "tikz") == to_tikz(CATS) + "\n" + to_tikz(ARABIC) + "\n"
    assert written([CATS], "svg") == to_svg(CATS)
    assert written([], "html") == to_html([])
    with pytest.raises(OptionError, match="format is 'png', expected one of conllu, tree, svg, html, displacy, tikz"):
        written(both, "png")


def test_several_sentences_in_one_svg():
    root = ElementTree.fromstring(written([CATS, ARABIC, HEARING], "svg"))
    drawings = root.findall(f"{SVG}svg")
    sizes = [compute_layout(each) for each in (CATS, ARABIC, HEARING)]
    assert [float(d.get("height", 0)) for d in drawings] == pytest.approx([size.height for size in sizes], abs=0.1)
    assert float(drawings[2].get("y", 0)) == pytest.approx(sizes[0].height + sizes[1].height, abs=0.1)
    assert float(root.get("height", 0)) == pytest.approx(sum(size.height for size in sizes), abs=0.1)
    width = max(size.width for size in sizes)
    assert float(drawings[1].get("x", 0)) == pytest.approx(width - sizes[1].width, abs=0.1)
    assert ElementTree.fromstring(written([], "svg")).tag == f"{SVG}svg"


def test_files_are_replaced_only_on_success(tmp_path):
    path = tmp_path / "trees.html"

    def broken() -> Iterator[Sentence]:
        yield CATS
        raise DataError("x", "y")

    with pytest.raises(DataError):
        write_output(broken(), path, "html")
    assert not list(tmp_path.iterdir())
    write_output([CATS], path, "html")
    assert path.read_text(encoding="utf-8") == to_html([CATS])


class Terminal(io.StringIO):
    """A stream that claims to be a terminal and records what was flushed."""

    flushed = 0

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.flushed += 1


def test_sentences_are_written_as_they_come():
    target = Terminal()

    def seen() -> Iterator[Sentence]:
        yield CATS
        assert target.getvalue().endswith("\n\n")
        assert target.flushed == 1
        yield CATS

    assert write_output(seen(), target, "tree") == 2


def test_terminals_get_colors_and_ascii_fallback(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("locale.getencoding", lambda: "utf-8")

    def shown() -> str:
        target = Terminal()
        write_output([HEARING], target, "tree")
        return target.getvalue()

    assert shown() == to_text(HEARING, color=True) + "\n"
    monkeypatch.setattr("locale.getencoding", lambda: "iso-8859-1")
    assert shown() == to_text(HEARING, color=True, ascii_only=True) + "\n"
    monkeypatch.setenv("NO_COLOR", "1")
    assert shown() == to_text(HEARING, ascii_only=True) + "\n"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert shown() == to_text(HEARING, ascii_only=True) + "\n"


def test_streams_without_box_characters_get_ascii():
    raw = io.BytesIO()
    target = io.TextIOWrapper(raw, encoding="ascii")
    write_output([HEARING], target, "tree")
    assert raw.getvalue().decode("ascii") == to_text(HEARING, ascii_only=True) + "\n"


def test_standard_output(capsys):
    write_output([HEARING], "-", "tree")
    assert capsys.readouterr().out == to_text(HEARING) + "\n"
