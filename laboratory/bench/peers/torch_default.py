"""The flow of this library's sica.Default, in PyTorch.

In every iteration four small networks learn the log density ratio of joint to
product samples: one a fold of the positions and view of the inputs, all in one
batched matrix product. The held-out positions weigh the views, and the signals
move along the weighed velocity, kept to a linear map.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from protocol import Problem, Work

FOLDS, BLOCK = 2, 64  # every second block of 64 positions is held out
WINDOW, RIDGE = 3, 1e-3  # of the predictions
ITERATIONS, FIRST_STEP, LAST_STEP, MAX_MOVE = 25, 1.0, 0.1, 0.2
STEPS, BATCH, LEARNING_RATE, NOISE = 50, 256, 3e-3, 0.3  # of an iteration's training
HELD_OUT_PRODUCTS = 4  # permutations of the held-out positions
MAX_WEIGHT = 2.0  # of a view
LAYERS = ("hidden_0", "hidden_1", "output")


def predict(signal: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The ridge regression of every value of a signal [T] on its neighbours."""
    padded = np.pad(signal.reshape(shape), WINDOW)
    windows = np.lib.stride_tricks.sliding_window_view(padded, [2 * WINDOW + 1] * len(shape))
    windows = windows.reshape(len(signal), -1)
    neighbours = np.delete(windows, windows.shape[1] // 2, axis=1)  # without the value itself
    gram = neighbours.T @ neighbours + RIDGE * (signal @ signal) * np.eye(neighbours.shape[1])
    return neighbours @ np.linalg.solve(gram, neighbours.T @ signal)


def permutations(positions: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Independent permutations of the positions, [len, count]."""
    return rng.permuted(np.repeat(positions[:, None], count, axis=1), axis=0)


def draw_samples(positions: np.ndarray, d: int, rng: np.random.Generator) -> np.ndarray:
    """Positions of the joint, then the product samples of every step: [STEPS, 2 BATCH, d].

    Batches go on across passes over the positions, each with an order and
    permutations of its own.
    """
    passes = math.ceil(STEPS * BATCH / len(positions))
    joint = np.concatenate([rng.permutation(positions) for _ in range(passes)])
    product = np.concatenate([permutations(positions, d, rng) for _ in range(passes)])
    joint = np.repeat(joint[:, None], d, axis=1)
    return np.concatenate([a[: STEPS * BATCH].reshape(STEPS, BATCH, d) for a in (joint, product)], axis=1)


def network(parameters: list[Tensor], inputs: Tensor) -> Tensor:
    """The logits of multi-layer perceptrons: [N, B, 2d] becomes [N, B]."""
    w0, b0, w1, b1, w2, b2 = parameters
    hidden = F.silu(torch.baddbmm(b0, inputs, w0))
    hidden = F.silu(torch.baddbmm(b1, hidden, w1))
    return torch.baddbmm(b2, hidden, w2).squeeze(2)


def gather(values: Tensor, at: Tensor) -> Tensor:
    """The inputs of samples at positions of their own: values [2d, T] and at [..., d] give [..., 2d]."""
    return values[torch.arange(len(values)), torch.cat([at, at], dim=-1)]


def fit_weights(joint: np.ndarray, product: np.ndarray) -> np.ndarray:
    """The weights of the views' logits [views, samples] with the least logistic loss.

    The loss is convex, so that it can be minimised over one weight at a time.
    """
    weights = np.zeros(len(joint))
    for _ in range(8):
        for view in range(len(joint)):
            weights[view] = 0
            weights[view] = _fit_weight(weights @ joint, joint[view], weights @ product, product[view])
    return weights


def _fit_weight(joint0: np.ndarray, joint: np.ndarray, product0: np.ndarray, product: np.ndarray) -> float:
    """The weight at which the slope of the loss is zero, by bisection."""
    low, high = 0.0, MAX_WEIGHT
    for _ in range(16):
        weight = (low + high) / 2
        slope = np.mean(product / (1 + np.exp(-product0 - weight * product)))
        slope -= np.mean(joint / (1 + np.exp(joint0 + weight * joint)))
        low, high = (low, weight) if slope > 0 else (weight, high)
    return low


def project_linear(move: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The affine map of the signals nearest to the move, at the signals: all [d, T]."""
    mean = move.mean(1, keepdims=True)
    centred = z - z.mean(1, keepdims=True)
    return (move - mean) @ centred.T @ np.linalg.inv(centred @ centred.T) @ centred + mean


def standardise(z: np.ndarray) -> np.ndarray:
    return (z - z.mean(1, keepdims=True)) / z.std(1, keepdims=True)


class DefaultFit(Work):
    """All iterations of a fit from signals that are already whitened."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.rng = np.random.default_rng(0)
        self.noise = torch.Generator().manual_seed(0)
        self.mask = torch.from_numpy(problem.arrays["mask"])  # [N, 1, 2d], what each network sees
        positions = np.arange(problem.positions)
        held_out = [positions // BLOCK % FOLDS == fold for fold in range(FOLDS)]
        self.folds = [(positions[~held], positions[held]) for held in held_out]  # to train on, held out

    def losses(self) -> Iterator[float]:
        """The mean over the networks of the losses of the given samples, with the given noise."""
        self._restart()
        arrays = self.problem.arrays
        values = torch.from_numpy(np.concatenate([arrays["z"][0], arrays["predictions"][0]]))
        for joint, product, noise in zip(arrays["joint"], arrays["product"], arrays["noise"]):
            at = np.concatenate([np.broadcast_to(joint[..., None], product.shape), product], axis=1)
            yield self._step(gather(values, torch.from_numpy(at).long()) + torch.from_numpy(noise))

    def warm_up(self) -> None:
        self._fit(iterations=1)

    def run(self) -> None:
        self._fit(ITERATIONS)

    def _fit(self, iterations: int) -> np.ndarray:
        self._restart()
        z = self.problem.arrays["z"][0].astype(np.float64)
        for j in range(iterations):
            phase = j / (ITERATIONS - 1)
            step = LAST_STEP + (FIRST_STEP - LAST_STEP) * (1 + math.cos(math.pi * phase)) / 2
            z = self._iterate(z, step)
        return z

    def _restart(self) -> None:
        """Go back to the given weights, with a new optimizer."""
        self.parameters = []
        for layer in LAYERS:
            weights = torch.from_numpy(self.problem.arrays[f"{layer}_weights"])
            biases = torch.from_numpy(self.problem.arrays[f"{layer}_biases"])[:, None]
            self.parameters += [weights.clone().requires_grad_(), biases.clone().requires_grad_()]
        self.optimizer = torch.optim.Adam(self.parameters, lr=LEARNING_RATE, eps=1e-8, fused=True)

    def _iterate(self, z: np.ndarray, step: float) -> np.ndarray:
        """Train on the signals z [d, T], and move them."""
        predictions = np.stack([predict(signal, self.problem.shape) for signal in z])
        values = torch.from_numpy(np.concatenate([z, predictions]).astype(np.float32))  # [2d, T]
        self._train(values)
        move = project_linear(self._velocity(values, self._calibrate(values)), z)
        size = step * np.sqrt(np.mean(move**2))
        return standardise(z + step * MAX_MOVE / max(size, MAX_MOVE) * move)

    def _train(self, values: Tensor) -> None:
        samples = np.stack([draw_samples(train, self.problem.d, self.rng) for train, _ in self.folds], axis=1)
        for inputs in gather(values, torch.from_numpy(samples)):  # [folds, 2 BATCH, 2d] of every step
            noise = torch.randn(inputs.shape, generator=self.noise)
            self._step(self._every_view(inputs + NOISE * noise))

    def _every_view(self, inputs: Tensor) -> Tensor:
        """The folds' inputs for their networks: network n is of fold n % FOLDS."""
        return inputs.repeat(len(self.mask) // FOLDS, 1, 1)

    def _step(self, inputs: Tensor) -> float:
        """Make a training step on inputs [N, 2 B, 2d], and return the mean loss before it."""
        self.optimizer.zero_grad()
        joint, product = network(self.parameters, inputs * self.mask).chunk(2, dim=1)
        loss = F.softplus(-joint).mean(1).sum() + F.softplus(product).mean(1).sum()
        loss.backward()
        self.optimizer.step()
        return loss.item() / len(self.mask)

    @torch.no_grad()
    def _calibrate(self, values: Tensor) -> np.ndarray:
        """The views' weights that the held-out positions confirm."""
        d, joint, product = self.problem.d, [], []
        for fold, (_, held_out) in enumerate(self.folds):
            samples = [np.repeat(held_out[:, None], d, axis=1)]
            samples += [permutations(held_out, d, self.rng) for _ in range(HELD_OUT_PRODUCTS)]
            inputs = gather(values, torch.from_numpy(np.concatenate(samples)))
            parameters = [p[fold::FOLDS] for p in self.parameters]
            logits = network(parameters, inputs * self.mask[fold::FOLDS]).double().numpy()  # [views, samples]
            joint.append(logits[:, : len(held_out)])
            product.append(logits[:, len(held_out) :])
        return fit_weights(np.concatenate(joint, axis=1), np.concatenate(product, axis=1))

    def _velocity(self, values: Tensor, weights: np.ndarray) -> np.ndarray:
        """Minus the gradient of the log density ratio in z, the folds' mean: [d, T]."""
        inputs = self._every_view(values.T.expand(FOLDS, -1, -1)).requires_grad_()
        logits = network(self.parameters, inputs * self.mask).sum()
        gradient = torch.autograd.grad(logits, inputs)[0][..., : self.problem.d].double().numpy()  # [N, T, d]
        gradient = gradient.reshape(-1, FOLDS, *gradient.shape[1:]).mean(1)  # [views, T, d]
        return -np.einsum("v,vti->it", weights, gradient)
