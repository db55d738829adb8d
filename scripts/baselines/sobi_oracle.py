"""Writes what SOBI finds with the joint diagonalisation of pyRiemann, for the Go
tests to compare with.

    pip install -r scripts/baselines/requirements.txt
    python scripts/baselines/sobi_oracle.py \
        --out sica/baseline/sobi/testdata/pyriemann.json
"""

import argparse
import json
import pathlib
import warnings

import numpy as np
import pyriemann
from pyriemann.geometry.ajd import rjd

import problem

POSITIONS = 1000
LAGS = {"amuse": [1], "few": [1, 2, 3, 5, 8, 13, 21], "default": list(range(1, 101))}


def autoregressive(d, n):
    """d signals at n positions, mixed.

    Source i is s(t) = (2i + 1 - d)/d·s(t-1) + u(t), begun with 0, u being uniform.
    """
    g = problem.Generator(d)
    s = g.matrix(d, n)
    a = g.matrix(d, d)
    for i in range(d):
        for t in range(1, n):
            s[i, t] += (2 * i + 1 - d) / d * s[i, t - 1]
    return problem.mix(a, s)


def unmixing(d, lags):
    x = autoregressive(d, POSITIONS)
    x -= x.mean(axis=1, keepdims=True)
    k = problem.whitening(x)
    z = k @ x
    covariances = []
    for lag in lags:
        c = z[:, lag:] @ z[:, :-lag].T / (POSITIONS - lag)
        covariances.append((c + c.T) / 2)
    v, _ = rjd(np.array(covariances), eps=1e-13, n_iter_max=1000)
    return (v.T @ k).tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="file to write")
    args = parser.parse_args()

    warnings.simplefilter("error")  # of not having converged
    result = {
        "origin": f"scripts/baselines/sobi_oracle.py with pyRiemann {pyriemann.__version__}",
        "cases": [{"d": d, "lags": name, "unmixing": unmixing(d, lags)} for d in (2, 5, 10) for name, lags in LAGS.items()],
    }
    path = pathlib.Path(args.out)
    path.parent.mkdir(parents=True, exist_ok=True)
    result = json.loads(json.dumps(result), parse_float=lambda v: float(f"{float(v):.9g}"))  # is enough
    path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
