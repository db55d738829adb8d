"""Writes what JADE finds with the joint diagonalisation of pyRiemann, for the Go
tests to compare with.

The cumulant matrices are written down from the articles: J.-F. Cardoso and A.
Souloumiac, IEE Proceedings F 140(6), 1993, and J.-F. Cardoso, Neural Computation
11(1), 1999.

    pip install -r scripts/baselines/requirements.txt
    python scripts/baselines/jade_oracle.py \
        --out sica/baseline/jade/testdata/pyriemann.json
"""

import argparse
import json
import pathlib
import warnings

import numpy as np
import pyriemann
from pyriemann.geometry.ajd import rjd

import problem

POSITIONS = 2000


def cumulants(z, m):
    """The cumulant matrix Q(m) of white signals z: Σ cum(z_i, z_j, z_k, z_l)·m_kl."""
    weights = np.einsum("kt,kl,lt->t", z, m, z)
    return (z * weights) @ z.T / z.shape[1] - np.trace(m) * np.eye(len(z)) - m - m.T


def basis(d):
    """An orthonormal basis of the symmetric d×d matrices."""
    for k in range(d):
        for l in range(k + 1):
            m = np.zeros((d, d))
            m[k, l] = m[l, k] = 1 if k == l else np.sqrt(0.5)
            yield m


def unmixing(d):
    x = problem.mixed(d, POSITIONS)
    x -= x.mean(axis=1, keepdims=True)
    k = problem.whitening(x)
    v, _ = rjd(np.array([cumulants(k @ x, m) for m in basis(d)]), eps=1e-13, n_iter_max=1000)
    return (v.T @ k).tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="file to write")
    args = parser.parse_args()

    warnings.simplefilter("error")  # of not having converged
    result = {
        "origin": f"scripts/baselines/jade_oracle.py with pyRiemann {pyriemann.__version__}",
        "cases": [{"d": d, "unmixing": unmixing(d)} for d in (2, 3, 5, 10)],
    }
    path = pathlib.Path(args.out)
    path.parent.mkdir(parents=True, exist_ok=True)
    result = json.loads(json.dumps(result), parse_float=lambda v: float(f"{float(v):.9g}"))  # is enough
    path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
