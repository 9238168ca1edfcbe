"""The compiled core of headlong: kernels over arrays."""

from headlong._core import (
    dense as dense,
    features as features,
    graph as graph,
    parser as parser,
    sequence as sequence,
    trees as trees
)


class CancelToken:
    """Ends the calls of worker threads; they raise KeyboardInterrupt."""

    def __init__(self) -> None: ...

    def use(self) -> None:
        """Let the token end all later calls on the current thread."""

    def cancel(self) -> None:
        """End the calls within some milliseconds."""
