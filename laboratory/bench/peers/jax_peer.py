"""The paper's method in JAX, with the channels last and XLA's own convolutions.

Impl jax_jit makes one compiled call a training step, and one a chunk of
positions; jax_scan makes ten training steps a call by lax.scan, and moves the
chunks by lax.map. Runs are unrolled, which is faster on a CPU than vmap, whose
convolutions are grouped ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

import protocol
from protocol import EULER_STEPS, Batch, Problem, Work

CHUNK = 64  # positions that one call moves, the fastest of 16 to 256
SCAN_STEPS = 10  # training steps of a scan
LEARNING_RATE = 1e-5
LAYOUTS = {1: ("NWC", "WIO", "NWC"), 2: ("NHWC", "HWIO", "NHWC")}

Params = dict[str, Array]  # of one run
Shape = tuple[int, ...]


def conv(params: Params, layer: int, x: Array) -> Array:
    """A convolution of kernel size 3: [B, p..., C] becomes [B, p..., 16]."""
    axes = x.ndim - 2
    kernel, biases = params[f"conv_{layer}_weights"], params[f"conv_{layer}_biases"]
    return lax.conv_general_dilated(x, kernel, (1,) * axes, "SAME", dimension_numbers=LAYOUTS[axes]) + biases


def network(params: Params, shape: Shape, inputs: Array) -> Array:
    """The paper's network: [B, T, C] becomes [B, outputs]."""
    x = inputs.reshape(len(inputs), *shape, -1)
    x = jax.nn.relu(conv(params, 0, x))
    x = jax.nn.relu(conv(params, 1, x))
    x = conv(params, 2, x)
    return x.reshape(len(x), -1) @ params["output_weights"] + params["output_biases"]


def gather(z: Array, at: Array) -> Array:
    """The value of each signal at a position of its own: z [d, T] and at [B, d] give [B, d]."""
    return z[jnp.arange(len(z)), at]


def hide(z: Array, at: Array) -> tuple[Array, Array]:
    """The mask of the positions at [B, d], and z with zeros there: both [B, T, d]."""
    hidden = at[:, None, :] == jnp.arange(z.shape[1])[:, None]
    return hidden.astype(z.dtype), jnp.where(hidden, 0, z.T)


def ratio_inputs(z: Array, y: Array, at: Array) -> Array:
    """[M, Z_t, Z~], the inputs of the log density ratio at y [B, d]: [B, T, 3d]."""
    mask, context = hide(z, at)
    return jnp.concatenate([mask, jnp.broadcast_to(y[:, None], mask.shape), context], axis=-1)


def flow_inputs(z: Array, y: Array, at: Array, at2: Array, tau: Array) -> Array:
    """[M, Z_t, Z~, M', Z~', tau], the inputs of the rectified flow at y [B, d]: [B, T, 5d + 1]."""
    times = jnp.broadcast_to(tau[:, None, None], (len(y), z.shape[1], 1))
    return jnp.concatenate([ratio_inputs(z, y, at), *hide(z, at2), times], axis=-1)


def ratio_loss(params: Params, shape: Shape, z: Array, joint: Array, product: Array, tau: Array) -> Array:
    """The logistic loss of the log density ratio of joint to product samples."""
    at = jnp.concatenate([jnp.broadcast_to(joint[:, None], product.shape), product])  # [2B, d]
    logit_joint, logit_product = jnp.split(network(params, shape, ratio_inputs(z, gather(z, at), at)), 2)
    return jnp.mean(jax.nn.softplus(-logit_joint)) + jnp.mean(jax.nn.softplus(logit_product))


def flow_loss(params: Params, shape: Shape, z: Array, joint: Array, product: Array, tau: Array) -> Array:
    """The squared error of the rectified flow from joint to product samples."""
    joint = jnp.broadcast_to(joint[:, None], product.shape)
    y0, y1 = gather(z, joint), gather(z, product)
    y = y0 + tau[:, None] * (y1 - y0)
    v = network(params, shape, flow_inputs(z, y, joint, product, tau))
    return jnp.mean(jnp.sum((y1 - y0 - v) ** 2, axis=-1))


def ratio_velocity(params: Params, shape: Shape, z: Array, y: Array, at: Array, tau: Array) -> Array:
    """Minus the gradient of the log density ratio in y."""

    def logit(y: Array) -> Array:
        return jnp.sum(network(params, shape, ratio_inputs(z, y, at)))

    return -jax.grad(logit)(y)


def flow_velocity(params: Params, shape: Shape, z: Array, y: Array, at: Array, tau: Array) -> Array:
    """The rectified flow's velocity at y. At refinement both contexts are the signals' own."""
    return network(params, shape, flow_inputs(z, y, at, at, tau))


class Optimizer(NamedTuple):
    """An optimizer with PyTorch's constants. (Optax has Adagrad's epsilon inside the root.)"""

    init: Callable[[Any], Any]  # of the state, from params
    update: Callable[[Any, Any, Any], tuple[Any, Any]]  # params, gradients and state to params and state


def adagrad() -> Optimizer:
    def init(params: Any) -> Any:
        return jax.tree.map(jnp.zeros_like, params)

    def update(params: Any, grads: Any, sums: Any) -> tuple[Any, Any]:
        sums = jax.tree.map(lambda s, g: s + g**2, sums, grads)
        return jax.tree.map(lambda p, g, s: p - LEARNING_RATE * g / (jnp.sqrt(s) + 1e-10), params, grads, sums), sums

    return Optimizer(init, update)


def adam(beta1: float = 0.9, beta2: float = 0.999) -> Optimizer:
    def init(params: Any) -> Any:
        return jax.tree.map(jnp.zeros_like, params), jax.tree.map(jnp.zeros_like, params), jnp.zeros(())

    def update(params: Any, grads: Any, state: Any) -> tuple[Any, Any]:
        means, squares, count = state
        count = count + 1
        means = jax.tree.map(lambda m, g: beta1 * m + (1 - beta1) * g, means, grads)
        squares = jax.tree.map(lambda v, g: beta2 * v + (1 - beta2) * g**2, squares, grads)

        def step(p: Array, m: Array, v: Array) -> Array:
            m, v = m / (1 - beta1**count), v / (1 - beta2**count)
            return p - LEARNING_RATE * m / (jnp.sqrt(v) + 1e-8)

        return jax.tree.map(step, params, means, squares), (means, squares, count)

    return Optimizer(init, update)


class Method:
    """The vector fields of the runs: how they are trained, and how they move the signals."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.scans = problem.impl == "jax_scan"
        self.z = jnp.asarray(problem.arrays["z"])  # [R, d, T]
        if problem.flow == "rf":
            self.loss, self.optimizer = flow_loss, adagrad()
            self.velocity, self.step_size = flow_velocity, 1 / EULER_STEPS
        else:
            self.loss, self.optimizer = ratio_loss, adam()
            self.velocity, self.step_size = ratio_velocity, 1.0
        self.train_step = jax.jit(self._train_step, donate_argnums=(0, 1))
        self.train_scan = jax.jit(self._train_scan, donate_argnums=(0, 1))
        self.euler_step = jax.jit(self._euler_step)
        self.move_scan = jax.jit(self._move_scan, static_argnums=2)
        names = [name for name in self.problem.arrays if name.endswith(("_weights", "_biases"))]
        self.params = [{n: jnp.asarray(self.problem.arrays[n][run]) for n in names} for run in range(self.problem.runs)]
        self.state = self.optimizer.init(self.params)

    def train(self, batches: list[Batch]) -> list[Array]:
        """Make a training step of each batch, and return the mean of the runs' losses before it."""
        if self.scans:
            stacked = Batch(*map(np.stack, zip(*batches)))
            self.params, self.state, scanned = self.train_scan(self.params, self.state, self.z, stacked)
            return list(scanned)
        losses = []
        for batch in batches:
            self.params, self.state, loss = self.train_step(self.params, self.state, self.z, batch)
            losses.append(loss)
        return losses

    def _train_step(self, params: list[Params], state: Any, z: Array, batch: Batch) -> tuple[list[Params], Any, Array]:
        def total(params: list[Params]) -> Array:
            return sum(self.loss(p, self.problem.shape, *run) for p, *run in zip(params, z, *batch))

        loss, grads = jax.value_and_grad(total)(params)
        params, state = self.optimizer.update(params, grads, state)
        return params, state, loss / len(params)

    def _train_scan(
        self, params: list[Params], state: Any, z: Array, batches: Batch
    ) -> tuple[list[Params], Any, Array]:
        def step(carry: tuple[list[Params], Any], batch: Batch) -> tuple[tuple[list[Params], Any], Array]:
            params, state, loss = self._train_step(*carry, z, batch)
            return (params, state), loss

        (params, state), losses = lax.scan(step, (params, state), batches)
        return params, state, losses

    def move(self, steps: int) -> Array:
        """The move of every position in Euler steps from tau = 0: [R, T, d]."""
        return jnp.stack([self._move(params, z, steps) for params, z in zip(self.params, self.z)])

    def _move(self, params: Params, z: Array, steps: int) -> Array:
        if self.scans:
            return self.move_scan(params, z, steps)
        moves = []
        for first in range(0, self.problem.positions, CHUNK):
            t = np.arange(first, min(first + CHUNK, self.problem.positions))
            move = np.zeros((len(t), self.problem.d), np.float32)
            for k in range(steps):
                move = self.euler_step(params, z, t, move, k * self.step_size)
            moves.append(move)
        return jnp.concatenate(moves)

    def _euler_step(self, params: Params, z: Array, t: Array, move: Array, tau: float) -> Array:
        """The move [B, d] of the positions t [B], from its value at tau to that at the next step."""
        at = jnp.broadcast_to(t[:, None], move.shape)
        y, times = z[:, t].T + move, jnp.full(t.shape, tau, z.dtype)
        return move + self.step_size * self.velocity(params, self.problem.shape, z, y, at, times)

    def _move_scan(self, params: Params, z: Array, steps: int) -> Array:
        def move_one(t: Array) -> Array:
            def step(k: Array, move: Array) -> Array:
                return self._euler_step(params, z, t[None], move, k * self.step_size)

            return lax.fori_loop(0, steps, step, jnp.zeros((1, len(z)), z.dtype))[0]

        return lax.map(move_one, jnp.arange(z.shape[1]), batch_size=CHUNK)


class TrainStep(Work):
    """A training step, or a scan of them; steps cycle through the given batches."""

    def __init__(self, problem: Problem) -> None:
        self.method = Method(problem)
        self.given = problem.batches()
        self.batches = itertools.cycle(self.given)
        self.units = SCAN_STEPS if problem.impl == "jax_scan" else 1

    def losses(self) -> Iterator[float]:
        steps = itertools.chain.from_iterable(self._train() for _ in itertools.count())
        return map(float, itertools.islice(steps, len(self.given)))

    def run(self) -> None:
        jax.block_until_ready((self._train(), self.method.params, self.method.state))

    def _train(self) -> list[Array]:
        return self.method.train(list(itertools.islice(self.batches, self.units)))


class Refine(Work):
    """One Euler step of every position."""

    def __init__(self, problem: Problem) -> None:
        self.method = Method(problem)

    def losses(self) -> Iterator[float]:
        yield float(jnp.mean(self.method.move(steps=1) ** 2))

    def run(self) -> None:
        self.method.move(steps=1).block_until_ready()


def build(problem: Problem) -> Work:
    match problem.case:
        case "rf_train_step" | "wgf_train_step":
            return TrainStep(problem)
        case "refine":
            return Refine(problem)
    raise ValueError(f"{problem.impl} has no case {problem.case!r} of {problem.runs} runs")


def main() -> None:
    protocol.serve(
        protocol.Peer(
            impls=["jax_jit", "jax_scan"],
            backend=jax.default_backend(),
            build=build,
        )
    )


if __name__ == "__main__":
    main()
