"""Exact search finds what an integer program finds, on random problems with parts of orders 2 and 3.

HEADLONG_PROGRAMS sets the number of problems.
"""

import os

import pytest

from headlong.parser import DECODERS
from tests.helpers.oracles import is_projective
from tests.helpers.problems import random_problem

PROBLEMS = int(os.environ.get("HEADLONG_PROGRAMS", "60"))


def test_exact_search_agrees_with_integer_programs():
    pytest.importorskip("highspy", reason="HiGHS, the extra [exact], is not installed")
    for seed in range(PROBLEMS):
        problem = random_problem(seed, 3 + seed % 7, triples=seed % 2 == 0, single_root=bool(seed % 3))
        projective = seed % 5 == 0
        exact, program = (DECODERS[name](problem, projective=projective) for name in ("exact", "ilp"))
        assert (exact.status, program.status) in {("optimal", "optimal"), ("infeasible", "infeasible")}, seed
        if exact.status == "optimal":
            assert exact.score == pytest.approx(program.score, abs=1e-6), seed
            assert not projective or is_projective(exact.heads)
