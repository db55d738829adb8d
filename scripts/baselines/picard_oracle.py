"""Writes what the authors' Picard finds, for the Go tests to compare with.

    pip install -r scripts/baselines/requirements.txt
    python scripts/baselines/picard_oracle.py \
        --out sica/baseline/picard/testdata/python-picard.json
"""

import argparse
import importlib.metadata
import json
import pathlib
import warnings

import numpy as np
from picard import picard

import problem

POSITIONS = 2000
TOLERANCE = 1e-10


def unmixing(d, ortho):
    """A case: the settings and the unmixing matrix at a tight tolerance."""
    x = problem.mixed(d, POSITIONS)
    x -= x.mean(axis=1, keepdims=True)
    k = problem.whitening(x)
    start = problem.start(d, 0)
    if ortho:
        u, _, vt = np.linalg.svd(start)
        start = u @ vt
    settings = dict(ortho=ortho, extended=True, whiten=False, centering=False, w_init=start)
    _, w, _ = picard(k @ x, tol=TOLERANCE, max_iter=5000, **settings)
    return {
        "d": d,
        "ortho": ortho,
        "unmixing": (w @ k).tolist(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="file to write")
    args = parser.parse_args()

    warnings.simplefilter("error")  # of not having converged
    result = {
        "origin": f"scripts/baselines/picard_oracle.py with python-picard {importlib.metadata.version('python-picard')}",
        "cases": [unmixing(d, ortho) for d in (2, 5, 10) for ortho in (False, True)],
    }
    path = pathlib.Path(args.out)
    path.parent.mkdir(parents=True, exist_ok=True)
    result = json.loads(json.dumps(result), parse_float=lambda v: float(f"{float(v):.9g}"))  # is enough
    path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
