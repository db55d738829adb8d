"""Times the rule for linear mixtures against scikit-learn's FastICA, in turns, on Laplace
AR(1) signals behind a random matrix.

    pip install -r scripts/baselines/requirements.txt
    go build -o bin/tables ./scripts/tables
    GOMAXPROCS=1 OMP_NUM_THREADS=1 taskset -c 1 \
        python scripts/baselines/linear_speed.py --tables bin/tables

Each round is a separation by both, after one that warms up. It prints, as rows of a table,
the median seconds of the rounds and their ratio.
"""

import argparse
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.signal import lfilter
from sklearn.decomposition import FastICA
from sklearn.exceptions import ConvergenceWarning

SIZES = [(2, 1024), (8, 1024), (32, 1024), (4, 45_000), (16, 20_000)]
LONG = [(8, 1_000_000)]


def mixed(d, n, seed):
    rng = np.random.default_rng(seed)
    s = lfilter([1], [1, -0.5], rng.laplace(size=(d, n)))
    return rng.standard_normal((d, d)) @ s


def go_seconds(tables, x):
    """The seconds of the second of two separations in Go."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npy"
        np.save(path, x.T)  # a row a position
        command = [tables, "seconds", str(path), "--runs", "2"]
        out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return float(out.split()[-1])


def python_seconds(x, seed):
    """The seconds of a fit by scikit-learn, with its default settings."""
    ica = FastICA(random_state=seed)
    begun = time.perf_counter()
    ica.fit(x.T)
    return time.perf_counter() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", required=True, help="the compiled command scripts/tables")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--long", action="store_true", help="a million positions too")
    args = parser.parse_args()

    warnings.simplefilter("ignore", ConvergenceWarning)
    print("| d | T | the rule, s | FastICA of scikit-learn, s | ratio |\n| ---: | ---: | ---: | ---: | ---: |")
    for d, n in SIZES + LONG * args.long:
        x = [mixed(d, n, seed) for seed in range(args.rounds if n < 1e6 else 2)]
        python_seconds(x[0], 0)
        times = [(go_seconds(args.tables, signals), python_seconds(signals, seed)) for seed, signals in enumerate(x)]
        go, python = np.median(times, axis=0)
        print(f"| {d} | {n} | {go:.3f} | {python:.3f} | {go / python:.2f} |", flush=True)


if __name__ == "__main__":
    main()
