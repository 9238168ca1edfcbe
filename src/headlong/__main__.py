"""``python -m headlong`` is the command ``headlong``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command and return its exit code; Ctrl-C while modules are imported is no error of the program."""
    try:
        from headlong.cli import main as run

        return run()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            print("headlong: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
