"""Times the rule for linear mixtures and sica.Default against scikit-learn's FastICA, Picard-O and
extended Infomax (the last two of python-picard), in turns, on Laplace AR(1) signals behind a random
matrix.

laboratory/bench/linear runs it with all that it needs. Each round is a separation by each, after one
that warms up, and begins with the next of them. It prints, as rows of a table, the median seconds of
the processor, and the ratios of the rule's and of Default's to FastICA's. With --page it also writes
the table into a page, between the lines BEGIN and END.
"""

import argparse
import platform
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from picard import picard
from scipy.signal import lfilter
from sklearn.decomposition import FastICA

SIZES = [(2, 1024), (8, 1024), (32, 1024), (4, 45_000), (16, 20_000), (8, 1_000_000)]
LONG = 1_000_000  # from so many positions on there are only LONG_ROUNDS rounds
LONG_ROUNDS = 2
OURS = ["linear rule", "Default"]
RIVALS = ["FastICA", "Picard-O", "extended Infomax"]
BEGIN = "<!-- written by laboratory/bench/linear --page -->"
END = "<!-- end -->"


def mixed(d, n, seed):
    rng = np.random.default_rng(seed)
    s = lfilter([1], [1, -0.5], rng.laplace(size=(d, n)))
    return rng.standard_normal((d, d)) @ s


def ours(tables, *flags):
    """The seconds of the processor of the second of two separations in Go."""

    def seconds(x, _):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.npy"
            np.save(path, x.T)  # a row a position
            command = [tables, "seconds", str(path), "--runs", "2", *flags]
            out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        return float(out.splitlines()[-1].split()[1])  # behind those of the clock

    return seconds


def timed(fit):
    def seconds(x, seed):
        processor = time.process_time()
        fit(x, seed)
        return time.process_time() - processor

    return seconds


def fastica(x, seed):
    FastICA(random_state=seed).fit(x.T)


def picard_o(x, seed):
    picard(x, ortho=True, extended=True, random_state=seed)


def infomax(x, seed):
    picard(x, ortho=False, extended=True, random_state=seed)


def row(methods, d, n, rounds):
    """The row of the table of signals of that size."""
    x = [mixed(d, n, seed) for seed in range(rounds)]
    for seconds in methods[len(OURS):]:
        seconds(x[0], 0)
    times = np.empty((rounds, len(methods)))
    for seed in range(rounds):
        for turn in range(len(methods)):
            which = (seed + turn) % len(methods)
            times[seed, which] = methods[which](x[seed], seed)
    medians = np.median(times, axis=0)
    cells = [f"{p:.4f}" if p < 1 else f"{p:.2f}" for p in medians]
    ratios = [f"{p / medians[len(OURS)]:.2f}" for p in medians[:len(OURS)]]
    return f"| {d} | {n:,} | {' | '.join(cells + ratios)} |"


def processor_name():
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def write(page, text):
    """Replaces what is between BEGIN and END in the page."""
    before, found, rest = page.read_text().partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise SystemExit(f"{page} must have the lines {BEGIN} and {END}")
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


def main():
    parser = argparse.ArgumentParser(prog="laboratory/bench/linear", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", required=True, help="the compiled command laboratory/tables")
    parser.add_argument("--rounds", type=int, default=9, help=f"from {LONG:,} positions on at most {LONG_ROUNDS} (default 9)")
    parser.add_argument("--largest", type=int, default=LONG, metavar="N", help="leave out sizes of more than N positions (default %(default)s)")
    parser.add_argument("--page", type=Path, help="a page to write the table into, too")
    args = parser.parse_args()

    warnings.simplefilter("ignore")
    methods = [ours(args.tables, "--rule"), ours(args.tables), timed(fastica), timed(picard_o), timed(infomax)]
    fewer = f" ({min(args.rounds, LONG_ROUNDS)} of a million positions)" if args.largest >= LONG else ""
    lines = [
        f"Medians of {args.rounds} rounds in turns{fewer}, one thread on {processor_name()}.",
        "",
        "| d | n | " + " | ".join(OURS + RIVALS + ["rule / FastICA", "Default / FastICA"]) + " |",
        "|" + " ---: |" * (2 + 2 * len(OURS) + len(RIVALS)),
    ]
    print("\n".join(lines), flush=True)
    for d, n in SIZES:
        if n <= args.largest:
            lines.append(row(methods, d, n, args.rounds if n < LONG else min(args.rounds, LONG_ROUNDS)))
            print(lines[-1], flush=True)
    if args.page:
        write(args.page, "\n".join(lines))


if __name__ == "__main__":
    main()
