"""Times the rule for linear mixtures against scikit-learn's FastICA, Picard-O and extended Infomax
(the last two of python-picard), in turns, on Laplace AR(1) signals behind a random matrix.

    pip install -r scripts/baselines/requirements.txt
    go build -o bin/tables ./scripts/tables
    GOMAXPROCS=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
        python scripts/baselines/linear_speed.py --tables bin/tables

Each round is a separation by each, after one that warms up. It prints, as rows of a table, the
median seconds of the processor and, in brackets, of the clock; and the ratio of the rule's
seconds of the processor to those of FastICA.
"""

import argparse
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from picard import picard
from scipy.signal import lfilter
from sklearn.decomposition import FastICA

SIZES = [(2, 1024), (8, 1024), (32, 1024), (4, 45_000), (16, 20_000)]
LONG = [(8, 1_000_000)]


def mixed(d, n, seed):
    rng = np.random.default_rng(seed)
    s = lfilter([1], [1, -0.5], rng.laplace(size=(d, n)))
    return rng.standard_normal((d, d)) @ s


def rule(tables):
    """The seconds of the clock and the processor of the second of two separations in Go."""

    def seconds(x, _):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.npy"
            np.save(path, x.T)  # a row a position
            command = [tables, "seconds", str(path), "--runs", "2"]
            out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        return [float(v) for v in out.splitlines()[-1].split()]

    return seconds


def timed(fit):
    def seconds(x, seed):
        clock, processor = time.perf_counter(), time.process_time()
        fit(x, seed)
        return time.perf_counter() - clock, time.process_time() - processor

    return seconds


def fastica(x, seed):
    FastICA(random_state=seed).fit(x.T)


def picard_o(x, seed):
    picard(x, ortho=True, extended=True, random_state=seed)


def infomax(x, seed):
    picard(x, ortho=False, extended=True, random_state=seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", required=True, help="the compiled command scripts/tables")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--long", action="store_true", help="a million positions too")
    args = parser.parse_args()

    warnings.simplefilter("ignore")
    methods = [rule(args.tables), timed(fastica), timed(picard_o), timed(infomax)]
    print("| d | n | linear rule | FastICA | Picard-O | extended Infomax | rule / FastICA |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for d, n in SIZES + LONG * args.long:
        rounds = args.rounds if n < 1e6 else 2
        x = [mixed(d, n, seed) for seed in range(rounds)]
        for seconds in methods[1:]:
            seconds(x[0], 0)
        times = [[seconds(x[seed], seed) for seconds in methods] for seed in range(rounds)]
        clock, processor = np.median(times, axis=0).T
        cells = [f"{p:.4f} ({c:.4f})" for c, p in zip(clock, processor)]
        print(f"| {d} | {n:,} | {' | '.join(cells)} | {processor[0] / processor[1]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
