"""The paper's method in PyTorch, as its appendix "Neural Network Architecture" writes it.

Impl torch_eager runs everything as it is; torch_compile compiles the losses and
the velocities, with their gradients. Runs are networks in a loop, which is
faster on a CPU than grouped convolutions or vmap.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator

# A compilation that the harness times must not come from an earlier process.
os.environ.setdefault("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "1")

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import protocol
from protocol import EULER_STEPS, Batch, Problem, Work
from torch_default import DefaultFit

HIDDEN_CHANNELS = 16
CHUNK = 128  # positions that one call moves, the fastest of 16 to 256


class Network(nn.Module):
    """The paper's network: inputs [B, C, T] become outputs [B, outputs].

    Images are laid out with the channels last in memory, which is faster.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__()
        self.shape = problem.shape
        conv, self.memory_format = {
            1: (nn.Conv1d, torch.contiguous_format),
            2: (nn.Conv2d, torch.channels_last),
        }[len(problem.shape)]
        channels = 5 * problem.d + 1 if problem.flow == "rf" else 3 * problem.d
        self.net = nn.Sequential(
            conv(channels, HIDDEN_CHANNELS, kernel_size=3, padding=1),
            nn.ReLU(),
            conv(HIDDEN_CHANNELS, HIDDEN_CHANNELS, kernel_size=3, padding=1),
            nn.ReLU(),
            conv(HIDDEN_CHANNELS, HIDDEN_CHANNELS, kernel_size=3, padding=1),
            nn.Flatten(),
        )
        self.fc = nn.Linear(HIDDEN_CHANNELS * problem.positions, problem.outputs)
        self.to(memory_format=self.memory_format)

    def forward(self, inputs: Tensor) -> Tensor:
        inputs = inputs.unflatten(2, self.shape).contiguous(memory_format=self.memory_format)
        return self.fc(self.net(inputs))

    @torch.no_grad()
    def load(self, arrays: dict[str, np.ndarray], run: int) -> None:
        """Set the weights of the run, which the arrays hold with the channels last."""

        def array(name: str) -> Tensor:
            return torch.from_numpy(arrays[name][run])

        for i, layer in enumerate(self.net[:5:2]):
            layer.weight.copy_(array(f"conv_{i}_weights").movedim((-1, -2), (0, 1)))  # from [3..., in, out]
            layer.bias.copy_(array(f"conv_{i}_biases"))
        weights = array("output_weights").unflatten(0, (-1, HIDDEN_CHANNELS))  # [T, 16, outputs]
        self.fc.weight.copy_(weights.permute(2, 1, 0).flatten(1))
        self.fc.bias.copy_(array("output_biases"))


def gather(z: Tensor, at: Tensor) -> Tensor:
    """The value of each signal at a position of its own: z [d, T] and at [B, d] give [B, d]."""
    return z.gather(1, at.T).T


def hide(z: Tensor, at: Tensor) -> tuple[Tensor, Tensor]:
    """The mask of the positions at [B, d], and z with zeros there: both [B, d, T]."""
    index, contexts = at[:, :, None], z.expand(len(at), -1, -1)
    return torch.zeros_like(contexts).scatter(2, index, 1.0), contexts.scatter(2, index, 0.0)


def ratio_inputs(z: Tensor, y: Tensor, at: Tensor) -> Tensor:
    """[M, Z_t, Z~], the inputs of the log density ratio at y [B, d]: [B, 3d, T]."""
    mask, context = hide(z, at)
    return torch.cat([mask, y[:, :, None].expand_as(mask), context], dim=1)


def flow_inputs(z: Tensor, y: Tensor, at: Tensor, at2: Tensor, tau: Tensor) -> Tensor:
    """[M, Z_t, Z~, M', Z~', tau], the inputs of the rectified flow at y [B, d]: [B, 5d + 1, T]."""
    times = tau[:, None, None].expand(-1, 1, z.shape[1])
    return torch.cat([ratio_inputs(z, y, at), *hide(z, at2), times], dim=1)


def ratio_loss(network: Network, z: Tensor, joint: Tensor, product: Tensor, tau: Tensor) -> Tensor:
    """The logistic loss of the log density ratio of joint to product samples."""
    at = torch.cat([joint[:, None].expand_as(product), product])  # [2B, d]
    logit_joint, logit_product = network(ratio_inputs(z, gather(z, at), at)).chunk(2)
    return F.softplus(-logit_joint).mean() + F.softplus(logit_product).mean()


def flow_loss(network: Network, z: Tensor, joint: Tensor, product: Tensor, tau: Tensor) -> Tensor:
    """The squared error of the rectified flow from joint to product samples."""
    joint = joint[:, None].expand_as(product)
    y0, y1 = gather(z, joint), gather(z, product)
    y = torch.lerp(y0, y1, tau[:, None])
    v = network(flow_inputs(z, y, joint, product, tau))
    return (y1 - y0 - v).square().sum(1).mean()


def ratio_velocity(network: Network, z: Tensor, y: Tensor, at: Tensor, tau: Tensor) -> Tensor:
    """Minus the gradient of the log density ratio in y."""

    def logit(y: Tensor) -> Tensor:
        return network(ratio_inputs(z, y, at)).sum()

    return -torch.func.grad(logit)(y)


def flow_velocity(network: Network, z: Tensor, y: Tensor, at: Tensor, tau: Tensor) -> Tensor:
    """The rectified flow's velocity at y. At refinement both contexts are the signals' own."""
    return network(flow_inputs(z, y, at, at, tau))


class Method:
    """The vector fields of the runs: how they are trained, and how they move the signals."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.z = torch.from_numpy(problem.arrays["z"])  # [R, d, T]
        self.networks = [Network(problem) for _ in range(problem.runs)]
        if problem.flow == "rf":
            self.loss, self.velocity, self.step_size = flow_loss, flow_velocity, 1 / EULER_STEPS
        else:
            self.loss, self.velocity, self.step_size = ratio_loss, ratio_velocity, 1.0
        if problem.impl == "torch_compile":
            torch.compiler.reset()
            self.loss = torch.compile(self.loss, dynamic=False)
            self.velocity = torch.compile(self.velocity, dynamic=False)
        for run, network in enumerate(self.networks):
            network.load(self.problem.arrays, run)
        parameters = [p for network in self.networks for p in network.parameters()]
        if self.problem.flow == "rf":
            self.optimizer = torch.optim.Adagrad(parameters, lr=1e-5, eps=1e-10, fused=True)
        else:
            self.optimizer = torch.optim.Adam(parameters, lr=1e-5, eps=1e-8, fused=True)

    def step(self, batch: list[Tensor]) -> float:
        """Make a training step, and return the mean of the runs' losses before it."""
        self.optimizer.zero_grad()
        losses = []
        for network, z, *samples in zip(self.networks, self.z, *batch):
            loss = self.loss(network, z, *samples)
            loss.backward()  # run by run: no run is in another's graph
            losses.append(loss.item())
        self.optimizer.step()
        return sum(losses) / len(losses)

    @torch.no_grad()
    def move(self, steps: int) -> Tensor:
        """The move of every position in Euler steps from tau = 0: [R, T, d]."""
        chunks = torch.arange(self.problem.positions).split(CHUNK)
        moves = [self._move(network, z, t, steps) for network, z in zip(self.networks, self.z) for t in chunks]
        return torch.cat(moves).unflatten(0, (self.problem.runs, -1))

    def _move(self, network: Network, z: Tensor, t: Tensor, steps: int) -> Tensor:
        at = t[:, None].expand(-1, len(z))
        y = z[:, t].T
        move = torch.zeros_like(y)
        for k in range(steps):
            tau = torch.full(t.shape, k * self.step_size)
            move = move + self.step_size * self.velocity(network, z, y + move, at, tau)
        return move


def tensors(batch: Batch) -> list[Tensor]:
    """The batch as PyTorch takes it, with int64 positions."""
    joint, product, tau = map(torch.from_numpy, batch)
    return [joint.long(), product.long(), tau]


class TrainStep(Work):
    """A training step; steps cycle through the given batches."""

    def __init__(self, problem: Problem) -> None:
        self.method = Method(problem)
        self.given = [tensors(batch) for batch in problem.batches()]
        self.batches = itertools.cycle(self.given)

    def losses(self) -> Iterator[float]:
        for _ in self.given:
            yield self.method.step(next(self.batches))

    def run(self) -> None:
        self.method.step(next(self.batches))


class Refine(Work):
    """One Euler step of every position."""

    def __init__(self, problem: Problem) -> None:
        self.method = Method(problem)

    def losses(self) -> Iterator[float]:
        yield self.method.move(steps=1).square().mean().item()

    def run(self) -> None:
        self.method.move(steps=1)


def build(problem: Problem) -> Work:
    match problem.case:
        case "rf_train_step" | "wgf_train_step":
            return TrainStep(problem)
        case "refine":
            return Refine(problem)
        case "fastwgf_fit" if problem.impl == "torch_eager" and problem.runs == 1:
            return DefaultFit(problem)
    raise ValueError(f"{problem.impl} has no case {problem.case!r} of {problem.runs} runs")


def main() -> None:
    torch.set_num_threads(int(os.environ.get("BENCH_THREADS", len(os.sched_getaffinity(0)))))
    protocol.serve(
        protocol.Peer(
            impls=["torch_eager", "torch_compile"],
            backend="cpu",  # where torch puts tensors unless asked
            build=build,
        )
    )


if __name__ == "__main__":
    main()
