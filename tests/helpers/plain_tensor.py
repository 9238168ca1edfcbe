"""The low-rank tensor and its updates as Lei et al. (2014) print them, word for word, in NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class PlainTensor:
    """Parameters theta [L], U and V [r, n], W [r, d], and gamma."""

    theta: Any
    U: Any
    V: Any
    W: Any
    gamma: float

    def score(self, arc: Any) -> Any:
        """Return s_gamma(h -> m), equation 3, for an arc (phi, phi_h, phi_m, phi_hm)."""
        phi, phi_h, phi_m, phi_hm = arc
        tensor = sum((self.U @ phi_h)[i] * (self.V @ phi_m)[i] * (self.W @ phi_hm)[i] for i in range(len(self.U)))
        return (1 - self.gamma) * tensor + self.gamma * (self.theta @ phi)

    def total(self, arcs: Any) -> Any:
        """Return the score of a tree."""
        return sum(self.score(arc) for arc in arcs)

    def update(self, gold: Any, found: Any, mistakes: float, factor: str, most: float) -> Any:
        """Update theta and one of U, V and W, as in section 4; return the squared norm in the denominator."""
        loss = self.total(found) + mistakes - self.total(gold)
        d_theta: Any = sum(arc[0] for arc in gold) - sum(arc[0] for arc in found)
        d_factor: Any = sum(self._outer(arc, factor) for arc in gold) - sum(self._outer(arc, factor) for arc in found)
        norm = self.gamma**2 * (d_theta**2).sum() + (1 - self.gamma) ** 2 * (d_factor**2).sum()
        step = min(most, loss / norm)
        self.theta = self.theta + step * self.gamma * d_theta
        setattr(self, factor, getattr(self, factor) + step * (1 - self.gamma) * d_factor)
        return norm

    def _outer(self, arc: Any, factor: str) -> Any:
        _, phi_h, phi_m, phi_hm = arc
        vectors = {"U": self.U @ phi_h, "V": self.V @ phi_m, "W": self.W @ phi_hm}
        features = {"U": phi_h, "V": phi_m, "W": phi_hm}
        others = np.prod([vector for name, vector in vectors.items() if name != factor], axis=0)
        return np.outer(others, features[factor])
