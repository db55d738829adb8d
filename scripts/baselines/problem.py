"""The problems that other implementations and the Go tests both solve.

They are made of integers, sums and products only, so that both sides have the
same numbers to the last bit: see sica/baseline/internal/baselinetest.
"""

import numpy as np


class Generator:
    """Knuth's 64-bit linear congruential generator (MMIX)."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        """A number from [-1, 1)."""
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2.0**52 - 1

    def matrix(self, rows, columns):
        return np.array([[self.uniform() for _ in range(columns)] for _ in range(rows)])


def mixed(d, n, heavy=lambda i: i % 2 == 1):
    """d signals at n positions, mixed: an array of d rows.

    Sources are uniform; where heavy says so, fifth powers of that, which have
    heavier tails than a Gaussian.
    """
    g = Generator(d)
    s = g.matrix(d, n)
    a = g.matrix(d, d)
    for i in filter(heavy, range(d)):
        s[i] = s[i] * s[i] * s[i] * s[i] * s[i]
    return mix(a, s)


def mix(a, s):
    """The product a @ s."""
    d, n = s.shape
    x = np.zeros((d, n))
    for j in range(d):  # in this order of rounding
        x += a[:, j : j + 1] * s[j]
    return x


def start(d, seed):
    """What the iterations begin with: w_init."""
    return Generator(1000 + seed).matrix(d, d)


def whitening(x):
    """The principal axes of x over their standard deviations, as rows: d×d.

    The first entry along each axis is positive, as in scikit-learn.
    """
    u, s, _ = np.linalg.svd(x - x.mean(axis=1, keepdims=True), full_matrices=False)
    u *= np.sign(u[0])
    return (u / s).T * np.sqrt(x.shape[1])
