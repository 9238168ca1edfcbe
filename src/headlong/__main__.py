"""``python -m headlong`` is the command ``headlong``."""

import sys

from headlong.cli import main

if __name__ == "__main__":
    sys.exit(main())
