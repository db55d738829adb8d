"""What the peers share: the harness's requests, the arrays, draws and timing.

The harness writes one JSON object a line to a peer's standard input and reads
one reply a line from its standard output:

    hello                  -> impls, backend
    prepare a problem      -> losses (for the harness to compare), compile_ms
    time it n times        -> ms, n wall times of one unit of work
    drop it                -> frees what was prepared
    quit

A request that fails is answered with ok false and the error, and the peer goes
on. Whatever else is printed goes to standard error.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

EULER_STEPS = 100  # of the paper's rectified flow, from tau = 0 to 1


class Batch(NamedTuple):
    """The samples of one training step of R runs."""

    joint: np.ndarray  # int32 [R, B]: positions t
    product: np.ndarray  # int32 [R, B, d]: a position for each signal
    tau: np.ndarray  # [R, B]: flow times, which only the rectified flow uses


@dataclass(frozen=True)
class Problem:
    """What a prepare request asks for."""

    case: str
    impl: str
    flow: str  # "rf" or "wgf"
    d: int  # signals
    positions: int  # T
    shape: tuple[int, ...]  # of the position index, product T
    runs: int  # R
    arrays: dict[str, np.ndarray]  # by file name, without .npy

    @classmethod
    def of(cls, request: dict[str, Any]) -> Problem:
        return cls(
            case=request["case"],
            impl=request["impl"],
            flow=request["flow"],
            d=request["d"],
            positions=request["T"],
            shape=tuple(request["shape"]),
            runs=request["runs"],
            arrays={file.stem: np.load(file) for file in sorted(Path(request["dir"]).glob("*.npy"))},
        )

    @property
    def outputs(self) -> int:
        """Outputs of the network: a velocity, or the logit of a density ratio."""
        return self.d if self.flow == "rf" else 1

    def batches(self) -> list[Batch]:
        """The S given batches."""
        joint, product = self.arrays["joint"], self.arrays["product"]
        tau = self.arrays.get("tau", np.zeros(joint.shape, np.float32))
        return [Batch(*step) for step in zip(joint, product, tau)]


class Work(ABC):
    """A prepared problem."""

    units = 1  # units of work that one run makes

    @abstractmethod
    def losses(self) -> Iterator[float]:
        """The losses that the harness compares, from the given weights and batches."""

    @abstractmethod
    def run(self) -> None:
        """Make the units of work, and return when they are done."""

    def warm_up(self) -> None:
        """Compile what losses has not, and touch the memory that run needs."""
        self.run()


class Peer(NamedTuple):
    """A framework."""

    impls: list[str]
    backend: str  # where it computes, such as "cpu" or "gpu"
    build: Callable[[Problem], Work]


def serve(peer: Peer) -> None:
    """Answer requests until there are no more."""
    replies = _take_stdout()
    session = _Session(peer)
    for line in sys.stdin:
        quit_ = False
        try:
            request = json.loads(line)
            quit_ = request["op"] == "quit"
            reply = json.dumps({"ok": True, **session.answer(request)}, allow_nan=False)
        except Exception as error:
            traceback.print_exc()
            reply = json.dumps({"ok": False, "error": f"{type(error).__name__}: {error}"})
        print(reply, file=replies, flush=True)
        if quit_:
            return


def _take_stdout() -> TextIO:
    """Standard output for the replies alone; what libraries print goes to standard error."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return replies


class _Session:
    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.work: Work | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        match request["op"]:
            case "hello":
                return {"impls": self.peer.impls, "backend": self.peer.backend}
            case "prepare":
                return self.prepare(request)
            case "time":
                return {"ms": self.time(request["repeats"])}
            case "drop":
                self.drop()
                return {}
            case "quit":
                return {}
        raise ValueError(f"op {request['op']!r}: want hello, prepare, time, drop or quit")

    def prepare(self, request: dict[str, Any]) -> dict[str, Any]:
        """Build and compile. compile_ms is the time until the first loss is known."""
        self.drop()
        problem = Problem.of(request)
        if problem.impl not in self.peer.impls:
            raise ValueError(f"impl {problem.impl!r}: want one of {self.peer.impls}")
        begin = time.perf_counter()
        work = self.peer.build(problem)
        losses = work.losses()
        first = next(losses)
        compile_ms = 1e3 * (time.perf_counter() - begin)
        rest = list(losses)
        work.warm_up()
        self.work = work
        return {"losses": [first, *rest], "compile_ms": compile_ms}

    def time(self, repeats: int) -> list[float]:
        if self.work is None:
            raise ValueError("nothing is prepared")
        ms = []
        for _ in range(repeats):
            begin = time.perf_counter()
            self.work.run()
            ms.append(1e3 * (time.perf_counter() - begin) / self.work.units)
        return ms

    def drop(self) -> None:
        self.work = None
        gc.collect()
