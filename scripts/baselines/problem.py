"""The problems that scikit-learn and the Go tests of fastica both solve.

They are made of integers and products only, so that both sides have the same
numbers to the last bit: see problem_test.go in sica/baseline/fastica.
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


def mixed(d, n):
    """d signals at n positions, mixed: an array of d rows.

    Every other source is uniform; the rest are fifth powers of that, which have
    heavier tails than a Gaussian.
    """
    g = Generator(d)
    s = g.matrix(d, n)
    a = g.matrix(d, d)
    odd = s[1::2]
    s[1::2] = odd * odd * odd * odd * odd
    x = np.zeros((d, n))
    for j in range(d):  # in this order of rounding
        x += a[:, j : j + 1] * s[j]
    return x


def start(d, seed):
    """What the iterations begin with: w_init."""
    return Generator(1000 + seed).matrix(d, d)
