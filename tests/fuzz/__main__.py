"""Fuzz one target, all targets, or run a saved input again.

python -m tests.fuzz treebank --runs 100000 --seed 7
python -m tests.fuzz all
python -m tests.fuzz treebank --replay build/fuzz/treebank-0123456789ab
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.fuzz.driver import fuzz, judge
from tests.fuzz.targets import TARGETS


def main() -> int:
    """Return the exit status: 1 if an input failed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", choices=("all", *TARGETS))
    parser.add_argument("--runs", type=int, help="number of inputs (default: by target, a few seconds)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the mutations (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=20, help="CPU time per input (default: %(default)s)")
    parser.add_argument("--memory", type=int, default=1024, help="memory limit in MB; 0: none (default: %(default)s)")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="run one input, and show its error")
    args = parser.parse_args()
    if args.replay:
        print(judge(TARGETS[args.target], args.replay.read_bytes()))
        return 0
    failed = 0
    for name in TARGETS if args.target == "all" else (args.target,):
        runs = TARGETS[name].runs if args.runs is None else args.runs
        counts = fuzz(name, runs, args.seed, seconds=args.seconds, megabytes=args.memory)
        failed += counts["failed"]
        listed = ", ".join(f"{count:,} {outcome}" for outcome, count in counts.most_common())
        print(f"{name}: {runs:,} inputs with seed {args.seed}: {listed}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
