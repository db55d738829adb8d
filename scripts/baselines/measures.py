"""Measures of a demixing matrix, for scripts/baselines/recordings.py.

Signals are [d, n] arrays, demixing matrices [k, d], in the units of the channels. Entropies and
mutual information are in nats per sample.
"""

import numpy as np
from scipy.fft import dct
from scipy.optimize import linear_sum_assignment
from scipy.signal import decimate

BINS = 10  # equally filled bins of a signal in a pair's mutual information
ORDER = 12  # order of the autoregression whose residuals are the innovations

BANDS, PER_SIGNAL = 256, 25  # most bands of a sequence, and coefficients for each signal in one
LINE = 2  # bands that a line can have, such as hum


def patterns(w: np.ndarray) -> np.ndarray:
    """The mixing matrix that belongs to w: a column for each signal."""
    return np.linalg.pinv(w)


def entropy(x: np.ndarray) -> float:
    """The differential entropy of a signal by a histogram, corrected for its bias (Miller 1955)."""
    n = len(x)
    counts, edges = np.histogram(x, int(round(3 * np.log2(1 + n / 10))))
    p = counts[counts > 0] / n
    return float(-(p * np.log(p)).sum() + np.log(edges[1] - edges[0]) + (len(p) - 1) / (2 * n))


def mutual_information_reduction(w: np.ndarray, x: np.ndarray) -> float | None:
    """How much less mutual information the signals have than the channels.

    Samples count as independent (Delorme et al., Independent EEG sources are dipolar, PLoS ONE
    2012). None if w isn't square.
    """
    if w.shape[0] != w.shape[1]:
        return None
    z = w @ x
    return float(np.linalg.slogdet(w)[1] + sum(map(entropy, x)) - sum(map(entropy, z)))


def pairwise_information(z: np.ndarray) -> float:
    """Mean mutual information of two signals, from BINS² bins of their ranks, less its bias."""
    d, n = z.shape
    ranks = np.argsort(np.argsort(z, axis=1), axis=1) * BINS // n
    total = 0.0
    for i in range(d):
        for j in range(i):
            p = np.bincount(ranks[i] * BINS + ranks[j], minlength=BINS**2) / n
            p = p[p > 0]
            total += (p * np.log(p)).sum() + 2 * np.log(BINS)
    return float(total / (d * (d - 1) / 2) - (BINS - 1) ** 2 / (2 * n))


def innovations(z: np.ndarray, factor: int) -> np.ndarray:
    """Residuals of an autoregression of each signal, after a decimation by the factor."""
    if factor > 1:
        z = decimate(z, factor, axis=1, ftype="fir")
    n = z.shape[1]
    residuals = []
    for signal in z:
        past = np.array([signal[ORDER - k : n - k] for k in range(1, ORDER + 1)])
        weights = np.linalg.lstsq(past.T, signal[ORDER:], rcond=None)[0]
        residuals.append(signal[ORDER:] - weights @ past)
    return np.array(residuals)


def strongest_directions(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The power of the strongest direction of the whitened channels in bands of frequencies.

    1 is the mean power of every signal of variance 1. Before it are the edges of the bands, as
    shares of half the rate, and after it which bands are strong and no line. This is as in
    sica/linear/coarse.go.
    """
    d, n = x.shape
    values, vectors = np.linalg.eigh(np.cov(x))
    c = dct((vectors / np.sqrt(values)).T @ x, axis=1, norm="ortho")
    width = max(PER_SIGNAL * d, n // BANDS)
    bands = [c[:, first : first + width] for first in range(0, n, width)]
    power = np.array([np.linalg.eigvalsh(b @ b.T / b.shape[1])[-1] for b in bands])
    strong = power >= 1
    changes = [0, *(np.flatnonzero(np.diff(strong)) + 1), len(strong)]
    for start, end in zip(changes[1:], changes[2:]):
        if end - start <= LINE:
            strong[start:end] = False
    return np.append(np.arange(0, n, width) / n, 1), power, strong


def correlations(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """|Correlation| of each signal of a with each of b."""
    return np.abs(np.corrcoef(a, b)[: len(a), len(a) :])


def agreement(
    first: np.ndarray, second: np.ndarray, x: np.ndarray, basis: np.ndarray
) -> dict[str, float]:
    """How similar the signals of two demixing matrices are over all of x.

    The matrices were learned from a half of x each. Plain measures pair the signals by
    |correlation|. The weighted mean pairs and weighs them by it times their power in the
    channels basis @ x.
    """
    z = [w @ x for w in (first, second)]
    r = correlations(*z)
    paired = r[linear_sum_assignment(-r)]
    power = [
        ((basis @ patterns(w)) ** 2).sum(axis=0) * signals.var(axis=1)
        for w, signals in zip((first, second), z)
    ]
    weights = np.sqrt(np.outer(*power))
    pairs = linear_sum_assignment(-r * weights)
    weighted = (weights[pairs] * r[pairs]).sum() / weights[pairs].sum()
    return {
        "halves mean": float(paired.mean()),
        "halves median": float(np.median(paired)),
        "halves > 0.95": int((paired > 0.95).sum()),
        "halves weighted": float(weighted),
    }


def single_channel(a: np.ndarray, rows: list[int]) -> float:
    """The mean over channels of the largest |cosine| of a pattern with the channel alone.

    It is 1 if the noise of each electrode is a component of its own.
    """
    a = a / np.linalg.norm(a, axis=0)
    return float(np.abs(a[rows]).max(axis=1).mean())


def recovery(z: np.ndarray, sources: np.ndarray) -> dict[str, float]:
    """SI-SDR in dB (Le Roux et al. 2019) and |correlation| (MCC), means over the sources.

    Signals are centred and paired with sources so that the mean is largest. The scale-invariant
    ratio of a pair is then r² / (1 - r²).
    """
    r = correlations(z, sources)
    ratio = 10 * np.log10(r**2 / np.maximum(1 - r**2, 1e-12))
    return {
        "SI-SDR": float(ratio[linear_sum_assignment(-ratio)].mean()),
        "MCC": float(r[linear_sum_assignment(-r)].mean()),
    }
