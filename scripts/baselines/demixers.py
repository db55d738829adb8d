"""Methods that estimate a demixing matrix, for scripts/baselines/recordings.py.

A method maps a Problem to a Demixing. Rivals run in this process, sica and other commands in
their own.
"""

import dataclasses
import importlib.metadata
import json
import os
import pathlib
import resource
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable

import mne
import numpy as np
from picard import picard
from sklearn.decomposition import FastICA

LAGS = range(1, 101)  # of SOBI, in samples
AMICA_ITERATIONS = 600


@dataclasses.dataclass
class Problem:
    """Centred signals to separate, and what their measures need."""

    x: np.ndarray  # [d, n]
    rate: float | None = None  # Hz
    shape: str | None = None  # of the samples, if they are an image's, such as 128x128
    basis: np.ndarray | None = None  # [channels, d]: channels are basis @ x; by default x itself
    sources: np.ndarray | None = None  # [k, n], the truth

    def __post_init__(self):
        self.x = self.x - self.x.mean(axis=1, keepdims=True)
        if self.basis is None:
            self.basis = np.eye(len(self.x))

    def part(self, start: int, stop: int) -> "Problem":
        """The same of these samples only."""
        return dataclasses.replace(self, x=self.x[:, start:stop])


@dataclasses.dataclass
class Demixing:
    """An estimate, and what it took."""

    w: np.ndarray  # [k, d]
    seconds: float  # of the clock
    processor: float  # seconds of the processor, all threads
    version: str
    details: dict = dataclasses.field(default_factory=dict)


Method = Callable[[Problem], Demixing]


def whitening(x: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(np.cov(x))
    return (vectors / np.sqrt(values)).T


def pca(problem: Problem) -> Demixing:
    """Whitened principal components of the channels."""
    clock, processor = time.perf_counter(), time.process_time()
    values, vectors = np.linalg.eigh(np.cov(problem.basis @ problem.x))
    kept = slice(-len(problem.x), None)
    w = (vectors[:, kept] / np.sqrt(values[kept])).T @ problem.basis
    seconds = time.perf_counter() - clock
    return Demixing(w, seconds, time.process_time() - processor, f"numpy {np.__version__}")


def fastica(problem: Problem) -> np.ndarray:
    """FastICA of the channels.

    Not of principal components: where those are uncorrelated to the last digit, scikit-learn's
    whitening multiplies some by sign(0).
    """
    method = FastICA(len(problem.x), random_state=0, whiten="unit-variance", max_iter=1000)
    return method.fit((problem.basis @ problem.x).T).components_ @ problem.basis


def picard_extended(problem: Problem) -> np.ndarray:
    k, w, _ = picard(problem.x, ortho=False, extended=True, random_state=0, max_iter=1000, tol=1e-7)
    return w @ k


def picard_o(problem: Problem) -> np.ndarray:
    k, w, _ = picard(problem.x, ortho=True, random_state=0, max_iter=1000)
    return w @ k


def infomax(problem: Problem) -> np.ndarray:
    k = whitening(problem.x)
    z = np.ascontiguousarray((k @ problem.x).T)
    return mne.preprocessing.infomax(z, extended=True, random_state=0, max_iter=500) @ k


def sobi(problem: Problem) -> np.ndarray:
    """Second-order blind identification (Belouchrani et al. 1997), of LAGS."""
    k = whitening(problem.x)
    z = k @ problem.x
    n = z.shape[1]
    covariances = [z[:, lag:] @ z[:, :-lag].T / (n - lag) for lag in LAGS if lag < n // 2]
    return joint_diagonaliser([(c + c.T) / 2 for c in covariances]).T @ k


def joint_diagonaliser(matrices: list[np.ndarray], sweeps: int = 200) -> np.ndarray:
    """The rotation that makes these most diagonal, by Jacobi's method (Cardoso, Souloumiac 1996).

    It ends after a sweep over all pairs whose angles are all less than 1e-6.
    """
    m = np.array(matrices).transpose(1, 2, 0).copy()
    d = len(m)
    rotation = np.eye(d)
    for _ in range(sweeps):
        largest = 0.0
        for p in range(d - 1):
            for q in range(p + 1, d):
                difference, both = m[p, p] - m[q, q], 2 * m[p, q]
                on = difference @ difference - both @ both
                off = 2 * difference @ both
                angle = 0.25 * np.arctan2(off, on)
                if abs(angle) < 1e-8:
                    continue
                largest = max(largest, abs(angle))
                c, s = np.cos(angle), np.sin(angle)
                turn = np.array([[c, -s], [s, c]])
                pair = [p, q]
                m[pair] = np.tensordot(turn.T, m[pair], axes=1)
                m[:, pair] = np.einsum("ijk,jl->ilk", m[:, pair], turn)
                rotation[:, pair] = rotation[:, pair] @ turn
        if largest < 1e-6:
            break
    return rotation


def amica(problem: Problem) -> np.ndarray:
    """AMICA (Palmer et al. 2012), as jamica has it: three generalised Gaussians a signal."""
    import jamica  # sets up JAX, which the others don't need

    k = whitening(problem.x)
    _, w, _ = jamica.amica(k @ problem.x, whiten=False, random_state=0, max_iter=AMICA_ITERATIONS)
    return np.asarray(w) @ k


def in_process(estimate: Callable[[Problem], np.ndarray], package: str) -> Method:
    def method(problem: Problem) -> Demixing:
        version = f"{package} {importlib.metadata.version(package)}"
        clock, processor = time.perf_counter(), time.process_time()
        w = estimate(problem)
        seconds = time.perf_counter() - clock
        return Demixing(w, seconds, time.process_time() - processor, version)

    return method


def oracle(problem: Problem) -> Demixing:
    """The regression of the sources on x."""
    assert problem.sources is not None
    w = np.linalg.lstsq(problem.x.T, problem.sources.T, rcond=None)[0].T
    return Demixing(w, 0.0, 0.0, "regression on the truth")


RIVALS: dict[str, Method] = {
    "oracle": oracle,
    "pca": pca,
    "sobi": in_process(sobi, "numpy"),
    "fastica": in_process(fastica, "scikit-learn"),
    "picard": in_process(picard_extended, "python-picard"),
    "picard-o": in_process(picard_o, "python-picard"),
    "infomax": in_process(infomax, "mne"),
    "amica": in_process(amica, "jamica"),
}


def execute(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Runs a command, and returns its seconds of the clock and of the processor."""

    def children() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    clock, processor = time.perf_counter(), children()
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stderr.strip()[-500:]}")
    return time.perf_counter() - clock, children() - processor


def sica(path: str, environment: dict[str, str], flags: list[str]) -> Method:
    """The command sica separate; the demixing matrix is the regression of its signals on x."""
    output = subprocess.run([path, "--version"], check=True, capture_output=True, text=True)
    version = output.stdout.splitlines()[0]

    def method(problem: Problem) -> Demixing:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            np.save(folder / "x.npy", np.ascontiguousarray(problem.x.T))
            command = [path, "separate", "--quick", "--in", str(folder / "x.npy")]
            command += ["--out", str(folder / "z.npy"), "--json", str(folder / "report.json")]
            if problem.rate:
                command += ["--rate", str(problem.rate)]
            if problem.shape:
                command += ["--shape", problem.shape]
            seconds, processor = execute(command + flags, environment)
            z = np.load(folder / "z.npy").T.reshape(-1, problem.x.shape[1])
            result = json.loads((folder / "report.json").read_text())["result"]
        z = z - z.mean(axis=1, keepdims=True)
        w = np.linalg.lstsq(problem.x.T, z.T, rcond=None)[0].T
        residual = ((z - w @ problem.x) ** 2).sum() / (z**2).sum()
        linear = result.get("linear") or {}
        details = {key: linear.get(key) for key in ("candidate", "scale", "bandwidth")}
        details |= {"method": (result.get("chosen") or {}).get("method"), "residual": residual}
        details["why"] = result.get("why")
        return Demixing(w, seconds, processor, version, details)

    return method


def external(template: str, environment: dict[str, str]) -> Method:
    """A command that reads x from {in}, an NPY file of [n, d], and writes w [k, d] to {out}.

    {out} may become an NPY file or text. {rate} is in Hz, {shape} such as 128x128; 0 and empty
    where there is none.
    """

    def method(problem: Problem) -> Demixing:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            np.save(folder / "x.npy", np.ascontiguousarray(problem.x.T))
            values = {
                "{in}": str(folder / "x.npy"),
                "{out}": str(folder / "w.npy"),
                "{rate}": f"{problem.rate or 0:g}",
                "{shape}": problem.shape or "",
            }
            command = shlex.split(template)
            for key, value in values.items():
                command = [word.replace(key, value) for word in command]
            seconds, processor = execute(command, environment)
            w = read_matrix(folder / "w.npy")
        if w.ndim != 2 or w.shape[1] != len(problem.x):
            raise RuntimeError(f"demixing matrix must be [k, {len(problem.x)}] ({w.shape})")
        return Demixing(w, seconds, processor, template)

    return method


def read_matrix(path: pathlib.Path) -> np.ndarray:
    with path.open("rb") as file:
        if file.read(6) == b"\x93NUMPY":
            return np.load(path)
    text = path.read_text().replace(",", " ")
    return np.loadtxt(text.splitlines(), ndmin=2)
