"""The peers' first losses and moves are those of a plain NumPy forward pass.

Run with a Python that has NumPy: python -m unittest. TORCH_PYTHON and
JAX_PYTHON name the Pythons of the peers if they are others; a peer whose
framework isn't there is skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np

SIGNALS, STEPS, RUNS, BATCH = 2, 3, 2, 7
SHAPES = [(24,), (6, 5)]
HIDDEN = 16
PEERS = {"torch": "torch_eager", "jax": "jax_jit"}


def random_arrays(flow: str, shape: tuple[int, ...], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The arrays of a prepare request."""
    positions = int(np.prod(shape))
    channels, outputs = (5 * SIGNALS + 1, SIGNALS) if flow == "rf" else (3 * SIGNALS, 1)

    def uniform(*dims: int) -> np.ndarray:
        return rng.uniform(-0.5, 0.5, dims).astype(np.float32)

    arrays = {
        "z": rng.standard_normal((RUNS, SIGNALS, positions)).astype(np.float32),
        "joint": rng.integers(positions, size=(STEPS, RUNS, BATCH), dtype=np.int32),
        "product": rng.integers(positions, size=(STEPS, RUNS, BATCH, SIGNALS), dtype=np.int32),
        "output_weights": uniform(RUNS, positions * HIDDEN, outputs),
        "output_biases": uniform(RUNS, outputs),
    }
    if flow == "rf":
        arrays["tau"] = rng.random((STEPS, RUNS, BATCH), np.float32)
    for layer, inputs in enumerate([channels, HIDDEN, HIDDEN]):
        arrays[f"conv_{layer}_weights"] = uniform(RUNS, *(3,) * len(shape), inputs, HIDDEN)
        arrays[f"conv_{layer}_biases"] = uniform(RUNS, HIDDEN)
    return arrays


class Reference:
    """One run's network, written out sample by sample in double precision."""

    def __init__(self, arrays: dict[str, np.ndarray], shape: tuple[int, ...], run: int) -> None:
        self.arrays = {name: a.astype(np.float64) for name, a in arrays.items()}
        self.shape, self.run = shape, run
        self.z = self.array("z")

    def array(self, name: str) -> np.ndarray:
        return self.arrays[name][self.run]

    def values(self, at: np.ndarray) -> np.ndarray:
        return self.z[np.arange(SIGNALS), at]

    def hide(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mask of the position of each signal and z without them, [d, T]."""
        mask, context = np.zeros_like(self.z), self.z.copy()
        for i, t in enumerate(at):
            mask[i, t], context[i, t] = 1, 0
        return mask, context

    def conv(self, layer: int, x: np.ndarray) -> np.ndarray:
        """x [p..., C] becomes [p..., 16]."""
        weights = self.array(f"conv_{layer}_weights")
        padded = np.pad(x, [(1, 1)] * len(self.shape) + [(0, 0)])
        y = np.zeros((*self.shape, HIDDEN)) + self.array(f"conv_{layer}_biases")
        for tap in np.ndindex(*(3,) * len(self.shape)):
            shifted = padded[tuple(slice(k, k + n) for k, n in zip(tap, self.shape))]
            y += shifted @ weights[tap]
        return y

    def network(self, channels: list[np.ndarray]) -> np.ndarray:
        """Blocks of channels, each [n, T], become [outputs]."""
        x = np.concatenate(channels).T.reshape(*self.shape, -1)
        x = np.maximum(self.conv(0, x), 0)
        x = np.maximum(self.conv(1, x), 0)
        return self.conv(2, x).ravel() @ self.array("output_weights") + self.array("output_biases")

    def repeated(self, y: np.ndarray) -> np.ndarray:
        return np.repeat(y[:, None], self.z.shape[1], axis=1)

    def logit(self, y: np.ndarray, at: np.ndarray) -> float:
        mask, context = self.hide(at)
        return self.network([mask, self.repeated(y), context])[0]

    def velocity(self, y: np.ndarray, at: np.ndarray, at2: np.ndarray, tau: float) -> np.ndarray:
        mask, context = self.hide(at)
        return self.network([mask, self.repeated(y), context, *self.hide(at2), self.repeated(np.array([tau]))])

    def loss(self, flow: str, joint: np.ndarray, product: np.ndarray, tau: np.ndarray) -> float:
        losses = []
        for b, t in enumerate(joint):
            at = np.repeat(t, SIGNALS)
            y0, y1 = self.values(at), self.values(product[b])
            if flow == "rf":
                v = self.velocity((1 - tau[b]) * y0 + tau[b] * y1, at, product[b], tau[b])
                losses.append(np.sum((y1 - y0 - v) ** 2))
            else:
                losses.append(np.logaddexp(0, -self.logit(y0, at)) + np.logaddexp(0, self.logit(y1, product[b])))
        return float(np.mean(losses))

    def move(self, flow: str, t: int) -> np.ndarray:
        at = np.repeat(t, SIGNALS)
        y = self.values(at)
        if flow == "rf":
            return self.velocity(y, at, at, 0.0) / 100
        h = 1e-6  # central differences, which are exact between the kinks of the ReLUs
        return -np.array([(self.logit(y + e, at) - self.logit(y - e, at)) / (2 * h) for e in h * np.eye(SIGNALS)])


def reference_loss(arrays: dict[str, np.ndarray], flow: str, shape: tuple[int, ...]) -> float:
    """The mean over the runs of the loss of the first batch."""
    tau = arrays.get("tau", np.zeros(arrays["joint"].shape))
    losses = [
        Reference(arrays, shape, run).loss(flow, arrays["joint"][0, run], arrays["product"][0, run], tau[0, run])
        for run in range(RUNS)
    ]
    return float(np.mean(losses))


def reference_move(arrays: dict[str, np.ndarray], flow: str, shape: tuple[int, ...]) -> float:
    """The mean of the squares of every run's move."""
    runs = [Reference(arrays, shape, run) for run in range(RUNS)]
    return float(np.mean([run.move(flow, t) ** 2 for run in runs for t in range(int(np.prod(shape)))]))


class Client:
    """A peer in a process of its own."""

    def __init__(self, framework: str) -> None:
        python = os.environ.get(f"{framework.upper()}_PYTHON", sys.executable)
        if subprocess.run([python, "-c", f"import {framework}"], capture_output=True).returncode != 0:
            raise unittest.SkipTest(f"{python} has no {framework}")
        self.process = subprocess.Popen(
            [python, "-B", Path(__file__).with_name(f"{framework}_peer.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "BENCH_THREADS": "1"},
            text=True,
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate(json.dumps({"op": "quit"}) + "\n")


class PeersTest(unittest.TestCase):
    def client(self, framework: str) -> Client:
        client = Client(framework)
        self.addCleanup(client.close)
        return client

    def test_losses_and_moves(self) -> None:
        for framework, impl in PEERS.items():
            with self.subTest(framework):
                client = self.client(framework)
                for flow in ["rf", "wgf"]:
                    for shape in SHAPES:
                        with self.subTest(f"{impl} {flow} {shape}"):
                            self.check(client, impl, flow, shape)

    def check(self, client: Client, impl: str, flow: str, shape: tuple[int, ...]) -> None:
        arrays = random_arrays(flow, shape, np.random.default_rng(1))
        with tempfile.TemporaryDirectory() as folder:
            for name, array in arrays.items():
                np.save(Path(folder, name + ".npy"), array)
            problem = {
                "impl": impl, "flow": flow, "d": SIGNALS, "T": int(np.prod(shape)), "shape": shape,
                "runs": RUNS, "dir": folder,
            }  # fmt: skip
            trained = client.ask(op="prepare", case=f"{flow}_train_step", **problem)
            timed = client.ask(op="time", repeats=2)
            moved = client.ask(op="prepare", case="refine", **problem)
        self.assertTrue(trained["ok"], trained)
        self.assertEqual(len(trained["losses"]), STEPS)
        self.assertEqual(len(timed["ms"]), 2)
        expected = reference_loss(arrays, flow, shape)
        self.assertLess(abs(trained["losses"][0] - expected), 1e-5 * expected)
        expected = reference_move(arrays, flow, shape)
        self.assertLess(abs(moved["losses"][0] - expected), 1e-5 * expected)

    def test_errors_are_answered(self) -> None:
        for framework, impl in PEERS.items():
            with self.subTest(framework):
                client = self.client(framework)
                self.assertFalse(client.ask(op="time", repeats=1)["ok"])
                self.assertFalse(client.ask(op="unknown")["ok"])
                self.assertFalse(client.ask(op="prepare", impl=impl)["ok"])
                hello = client.ask(op="hello")
                self.assertIn(impl, hello["impls"])
                self.assertIn(hello["backend"], ["cpu", "gpu"])


if __name__ == "__main__":
    unittest.main()
