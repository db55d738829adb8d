"""Writes what scikit-learn's FastICA finds, for the Go tests to compare with.

    pip install -r scripts/baselines/requirements.txt
    go build -o bin/sica ./cmd/sica
    python scripts/baselines/fastica_oracle.py --sica bin/sica \
        --out sica/baseline/fastica/testdata/scikit-learn.json

It prints the mean correlation coefficient (MCC) over 20 seeds of the paper's
AR(7) signals, with the start that the Go test has too and with scikit-learn's
own.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import warnings

import numpy as np
import sklearn
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import FastICA
from sklearn.exceptions import ConvergenceWarning

import problem

POSITIONS = 2000
SEEDS = range(1, 21)


def unmixing(d):
    """The components at a tight tolerance, and the iterations at the default."""
    x = problem.mixed(d, POSITIONS).T
    start = problem.start(d, 0)
    tight = FastICA(tol=1e-14, max_iter=5000, w_init=start).fit(x)
    if tight.n_iter_ == 5000:
        raise SystemExit(f"d = {d} did not converge")
    default = FastICA(w_init=start).fit(x)
    return {
        "d": d,
        "iterations": int(default.n_iter_),
        "components": tight.components_.tolist(),
    }


def mcc(z, s):
    """The mean absolute correlation of the columns under the best pairing."""
    d = s.shape[1]
    r = np.abs(np.corrcoef(z.T, s.T)[:d, d:])
    return float(r[linear_sum_assignment(-r)].mean())


def ar7(sica):
    """For each seed, the MCC from the shared start and from scikit-learn's."""
    shared, own = [], []
    for seed in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                [sica, "generate", "--signals", "ar7", "--mixing", "linear", "--steps", "5", "--seed", str(seed), "--out", folder],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            x, s = (np.loadtxt(pathlib.Path(folder, f), delimiter=",", skiprows=1) for f in ("mixed.csv", "sources.csv"))
        for to, settings in (
            (shared, dict(w_init=problem.start(2, seed))),
            (own, dict(random_state=seed)),
        ):
            to.append(mcc(FastICA(max_iter=20000, **settings).fit_transform(x), s))
    return shared, own


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sica", required=True, help="the sica command, which generates the AR(7) signals")
    parser.add_argument("--out", required=True, help="file to write")
    args = parser.parse_args()

    warnings.simplefilter("ignore", ConvergenceWarning)
    shared, own = ar7(args.sica)
    for name, values in (("shared start", shared), ("own start", own)):
        error = np.std(values, ddof=1) / np.sqrt(len(values))
        print(f"AR(7), T = 1024, linear 5: mean MCC over {len(values)} seeds {np.mean(values):.4f} ± {error:.4f} ({name})")

    result = {
        "origin": f"scripts/baselines/fastica_oracle.py with scikit-learn {sklearn.__version__}",
        "ar7": shared,
        "unmixing": [unmixing(d) for d in (2, 5, 10)],
    }
    path = pathlib.Path(args.out)
    path.parent.mkdir(parents=True, exist_ok=True)
    result = json.loads(json.dumps(result), parse_float=lambda v: float(f"{float(v):.9g}"))  # is enough
    path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
