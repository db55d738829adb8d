"""Times FastICA in Go against scikit-learn's, in turns, on ten signals at 100,000
positions from the same start.

    pip install -r scripts/baselines/requirements.txt
    go test -c -o bin/fastica.test ./sica/baseline/fastica
    GOMAXPROCS=1 OMP_NUM_THREADS=1 taskset -c 1 \
        python scripts/baselines/fastica_speed.py --test bin/fastica.test

Each round is two fits of both, to the default tolerance and of 200 iterations. It
prints the median and the least time of the rounds, and the ratio of the medians.
"""

import argparse
import re
import subprocess
import time
import warnings

import numpy as np
from sklearn.decomposition import FastICA
from sklearn.exceptions import ConvergenceWarning

import problem

SIGNALS, POSITIONS = 10, 100_000
SETTINGS = {"default": {}, "200iterations": {"tol": 0}}  # the names of BenchmarkFit


def go_seconds(test, name):
    """The mean seconds of two fits in Go, after one that warms up."""
    out = subprocess.run(
        [test, "-test.run=^$", f"-test.bench=^BenchmarkFit$/^{name}$", "-test.benchtime=2x"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return float(re.search(r"([\d.]+) ns/op", out)[1]) / 1e9


def python_seconds(x, name):
    """The mean seconds of two fits by scikit-learn."""
    ica = FastICA(w_init=problem.start(SIGNALS, 0), **SETTINGS[name])
    begun = time.perf_counter()
    for _ in range(2):
        ica.fit(x)
    return (time.perf_counter() - begun) / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--test", required=True, help="the compiled tests of the package fastica")
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()

    warnings.simplefilter("ignore", ConvergenceWarning)
    x = np.ascontiguousarray(problem.mixed(SIGNALS, POSITIONS).T)
    for name in SETTINGS:
        python_seconds(x, name)  # the first is slower
        go, python = np.array([(go_seconds(args.test, name), python_seconds(x, name)) for _ in range(args.rounds)]).T
        for who, seconds in (("Go", go), ("scikit-learn", python)):
            print(f"{name}, {who}: median {np.median(seconds):.3f} s, least {seconds.min():.3f} s")
        print(f"{name}: Go takes {np.median(go) / np.median(python):.2f} of scikit-learn's time")


if __name__ == "__main__":
    main()
