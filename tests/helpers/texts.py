"""Small hand-made treebanks as text, and functions to read and write text."""

import io

from headlong.text import Sentence, read_conllu, write_conllu


def table(text: str) -> str:
    """Replace the spaces of a hand-made treebank by tabs, except in comments; ends with a blank line."""
    lines = [line.strip() for line in text.strip().split("\n")]
    return "\n".join([line if line.startswith("#") else tabs(line) for line in lines] + ["\n"])


def tabs(row: str) -> str:
    return "\t".join(row.split())


PLAIN = table("""
    # sent_id = s1
    # text = Dogs bark.
    1 Dogs dog NOUN NNS Number=Plur 2 nsubj 2:nsubj _
    2 bark bark VERB VBP _ 0 root 0:root SpaceAfter=No
    3 . . PUNCT . _ 2 punct 2:punct _

    # sent_id = s2
    1 Hi hi INTJ UH _ _ _ _ _
""")

RICH = table("""
    # newdoc
    # sent_id = r1
    0.1 e _ _ _ _ _ _ 2:dep CopyOf=1
    1-2 du _ _ _ Typo=Yes _ _ _ SpaceAfter=No
    1 de de ADP _ _ 3 case _ _
    1.1 f f X Y Z=1 _ _ 3:x _
    2 le le DET _ _ 3 det _ _
    3 roi roi NOUN _ _ 0 root _ _
    3.1 a _ _ _ _ _ _ 1:x _
    3.2 a _ _ _ _ _ _ 1:x _
    3.3 a _ _ _ _ _ _ 1:x _
    3.4 a _ _ _ _ _ _ 1:x _
    3.5 a _ _ _ _ _ _ 1:x _
    3.6 a _ _ _ _ _ _ 1:x _
    3.7 a _ _ _ _ _ _ 1:x _
    3.8 a _ _ _ _ _ _ 1:x _
    3.9 a _ _ _ _ _ _ 1:x _
    3.10 a _ _ _ _ _ _ 1:x _
    4-5 au _ _ _ _ _ _ _ _
    4 a a ADP _ _ 3 dep _ _
    5 le le DET _ _ 3 dep _ _
""")

PLUS = table("""
    # global.columns = ID FORM UPOS PARSEME:MWE
    # source_sent_id = . . 7
    1-2 du _ *
    1 de ADP *
    2 le DET 1:LVC.full

    1 roi NOUN *
""")

CONLLX = table("""
    1 Las el d da gen=f|num=p 2 _ 2 _
    2 reservas reserva n nc gen=f 0 ROOT 0 SUJ
    3 ya ya r rg _ 0 ROOT _ _
""")

CONLL2009 = table("""
    1 Dogs dog dogg NNS NN _ Num=P 2 0 SBJ ROOT _ _ A0 _
    2 bark bark _ VBP _ F=1 _ 0 1 ROOT OBJ Y bark.01 _ A1

    1 Go go go VB VB _ _ 0 0 ROOT ROOT _ _
""")


def read(text: str | bytes, **options) -> list[Sentence]:
    source = io.BytesIO(text) if isinstance(text, bytes) else io.StringIO(text)
    return list(read_conllu(source, **options))


def written(sentences, **options) -> str:
    target = io.StringIO()
    write_conllu(sentences, target, **options)
    return target.getvalue()
