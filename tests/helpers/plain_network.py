"""The context encoder written out in NumPy and float64: an oracle that shares no code with the core."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

BINS = (2, 3, 4, 5, 6, 8, 11, 16, 26)


@dataclass
class PlainNetwork:
    """A network with its weights in one array, laid out as the core documents it."""

    width: int
    hidden: int
    depth: int
    weights: np.ndarray
    embeddings: np.ndarray
    arc: int = 0
    label: int = 0
    labels: int = 0
    groups: tuple[int, ...] = ()

    def __post_init__(self):
        self.weights = np.asarray(self.weights, np.float64)
        self.embeddings = np.asarray(self.embeddings, np.float64)
        self.place = 0
        both = 2 * self.hidden
        self.input = self._norm(self.width)
        self.convolution = self._linear(3 * self.width, 2 * self.width)
        self.convolved = self._norm(self.width)
        self.layers = []
        for number in range(self.depth):
            linear = self._linear(self.width if number == 0 else both, 3 * both)
            self.layers.append((linear, self._norm(both)))
        if self.groups:
            self.values = self._linear(both, -(-sum(self.groups) // 16) * 16)
            assert self.place == len(self.weights)
            return
        self.projection = self._linear(both, 2 * self.arc + 2 * self.label)
        self.bilinear = self._linear(self.arc, self.arc)
        self.near_modifier = self._linear(self.arc, 32)
        self.near_head = self._linear(self.arc, 32)
        self.output = self._linear(self.label, -(-self.labels // 16) * 16)
        assert self.place == len(self.weights)

    def _take(self, *shape):
        count = int(np.prod(shape))
        taken = self.weights[self.place : self.place + count].reshape(shape)
        self.place += count
        return taken

    def _linear(self, rows, columns):
        return self._take(rows, columns), self._take(columns)

    def _norm(self, size):
        return self._take(size), self._take(size)

    def encode(self, rows):
        """Return the output of the last layer for the words of one sentence, given their embedding rows."""
        x = np.array([sum((self.embeddings[row] for row in word if row >= 0), np.zeros(self.width)) for word in rows])
        x = normalize(x, self.input)
        padded = np.vstack([np.zeros(self.width), x, np.zeros(self.width)])
        pieces = np.hstack([padded[:-2], padded[1:-1], padded[2:]]) @ self.convolution[0] + self.convolution[1]
        x = x + normalize(np.maximum(pieces[:, : self.width], pieces[:, self.width :]), self.convolved)
        for number, (linear, norm) in enumerate(self.layers):
            values, forget, gate = np.split(x @ linear[0] + linear[1], 3, axis=1)
            forget, gate = sigmoid(forget), sigmoid(gate)
            forward = recur(values[:, : self.hidden], forget[:, : self.hidden])
            backward = recur(values[::-1, self.hidden :], forget[::-1, self.hidden :])[::-1]
            h = normalize(np.hstack([forward, backward]), norm) * gate
            x = h + x if number else h
        return x

    def value_log_probabilities(self, rows):
        """Return the log-probabilities of the values of words, an array [words, values] for each group."""
        scores = self.encode(rows) @ self.values[0] + self.values[1]
        ends = np.cumsum(self.groups)
        return [log_softmax(scores[:, end - size : end]) for size, end in zip(self.groups, ends, strict=True)]

    def value_loss(self, sentences):
        """Return the loss of sentences, given as (rows, values [words, groups]); -1 is not learned."""
        return -sum(
            found[word, value]
            for rows, values in sentences
            for group, found in enumerate(self.value_log_probabilities(rows))
            for word, value in enumerate(values[:, group])
            if value >= 0
        )

    def vectors(self, rows):
        """Return the projections of the words of one sentence, given their embedding rows."""
        projected = self.encode(rows) @ self.projection[0] + self.projection[1]
        projected[:, : 2 * self.arc] = leak(projected[:, : 2 * self.arc])
        return projected

    def arc_log_probabilities(self, rows):
        """Return log-probabilities [modifier, head]; the row of the root is meaningless."""
        projected = self.vectors(rows)
        heads, modifiers = projected[:, : self.arc], projected[:, self.arc : 2 * self.arc]
        scores = (modifiers @ self.bilinear[0] + self.bilinear[1]) @ heads.T * 4 / np.sqrt(self.arc)
        near_modifier = modifiers @ self.near_modifier[0] + self.near_modifier[1]
        near_head = heads @ self.near_head[0] + self.near_head[1]
        for modifier in range(len(rows)):
            for head in range(len(rows)):
                bin_ = int(np.digitize(abs(head - modifier), BINS)) + (0 if head < modifier else 10)
                scores[modifier, head] += near_modifier[modifier, bin_] + near_head[head, bin_]
        np.fill_diagonal(scores, -np.inf)
        return log_softmax(scores)

    def label_log_probabilities(self, rows, head, modifier):
        """Return the log-probabilities of the labels of an arc."""
        projected = self.vectors(rows)[:, 2 * self.arc :]
        pair = leak(projected[head, : self.label] + projected[modifier, self.label :])
        return log_softmax((pair @ self.output[0] + self.output[1])[None, : self.labels])[0]

    def loss(self, sentences, label_share):
        """Return the loss of sentences, given as (rows, heads, labels)."""
        total = 0.0
        for rows, heads, labels in sentences:
            arcs = self.arc_log_probabilities(rows)
            for word in range(1, len(rows)):
                total -= arcs[word, heads[word]]
                total -= label_share * self.label_log_probabilities(rows, heads[word], word)[labels[word]]
        return total


def normalize(x, norm):
    centered = x - x.mean(axis=1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(axis=1, keepdims=True) + 1e-5) * norm[0] + norm[1]


def recur(values, forget):
    cell, cells = np.zeros(values.shape[1]), []
    for value, gate in zip(values, forget, strict=True):
        cell = gate * cell + (1 - gate) * value
        cells.append(cell)
    return np.array(cells)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def leak(x):
    return np.where(x > 0, x, 0.1 * x)


def log_softmax(scores):
    top = scores.max(axis=1, keepdims=True)
    return scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))


def round_matrices(shape, weights):
    """Return the weights with those of matrices rounded to 255 values per column, as in a network that is used."""
    rounded = weights.astype(np.float64)
    for begin, rows, columns in shape.linears():
        matrix = rounded[begin : begin + rows * columns].reshape(rows, columns)
        scales = np.abs(matrix).max(axis=0) / 127
        matrix[:] = np.rint(matrix / scales) * scales
    return rounded


def check_gradient(found, plain_loss, weights, embeddings, seed):
    """Compare a loss and its gradient with a plain loss of weights and embeddings, and its finite differences."""
    loss, weight_gradient, row_gradient = found
    random = np.random.default_rng(seed)
    assert loss == pytest.approx(plain_loss(weights, embeddings), rel=1e-3)
    # Along the gradient itself, then along a random direction. The step is small, so that few maxima change.
    other = random.normal(size=len(weights)), random.normal(size=embeddings.shape)
    for along in ((weight_gradient, row_gradient), other):
        scale = np.sqrt(sum(float((one.astype(np.float64) ** 2).sum()) for one in along))
        unit = [one.astype(np.float64) / max(scale, 1e-30) for one in along]
        slope = float((unit[0] * weight_gradient).sum() + (unit[1] * row_gradient).sum())
        step = 1e-6
        after, before = (plain_loss(weights + way * unit[0], embeddings + way * unit[1]) for way in (step, -step))
        assert (after - before) / (2 * step) == pytest.approx(slope, rel=2e-2, abs=2e-2 * max(1.0, scale))
