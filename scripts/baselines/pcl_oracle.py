"""Writes the loss and the gradients of PyTorch's PCL, for the Go tests to compare with.

    pip install numpy torch==2.15.0
    python scripts/baselines/pcl_oracle.py --out sica/baseline/pcl/testdata/pytorch.json

The signals and the parameters come from problem.Generator, in the order in which
they are made here, so that both sides have the same numbers to the last bit.
"""

import argparse
import json
import pathlib

import torch
import torch.nn.functional as F

import problem

D, POSITIONS, BATCH, HIDDEN, SEED = 3, 12, 7, (5, 4), 7
STEPS, RATE = 10, 1e-2


def tensor(g, *dims):
    """Uniform numbers from [-1, 1), row-major, as a parameter."""
    return torch.tensor(g.matrix(1, torch.Size(dims).numel())).reshape(dims).requires_grad_()


def parameters(g):
    """By the names that the Go program gives them. Weights are inputs × outputs."""
    p = {}
    widths = (D, *HIDDEN, D)
    for i in range(len(widths) - 1):
        layer = f"features/hidden_{i}" if i < len(HIDDEN) else "features/output"
        p[layer + "/weights"] = tensor(g, widths[i], widths[i + 1])
        p[layer + "/biases"] = tensor(g, widths[i + 1])
    for key in ("a1", "a2", "b", "a_bar", "b_bar"):
        p["regression/" + key] = tensor(g, D)
    p["regression/c"] = tensor(g, 1)
    return p


def features(p, y):
    for i in range(len(HIDDEN)):
        layer = f"features/hidden_{i}"
        y = F.silu(y @ p[layer + "/weights"] + p[layer + "/biases"])
    return y @ p["features/output/weights"] + p["features/output/biases"]


def r(p, h1, h2):
    a1, a2, b, a_bar, b_bar, c = (p["regression/" + key] for key in ("a1", "a2", "b", "a_bar", "b_bar", "c"))
    return ((a1 * h1 + a2 * h2 + b).abs() - (a_bar * h1 + b_bar) ** 2).sum(-1) + c


def loss(p, x, at):
    """Of binary cross-entropy, the neighbours being class 1 with log-odds −r."""
    here, before, other = (features(p, x[i]) for i in at)
    logits = -torch.cat([r(p, here, before), r(p, here, other)])
    labels = torch.cat([torch.ones(BATCH), torch.zeros(BATCH)]).to(logits)
    return F.binary_cross_entropy_with_logits(logits, labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="file to write")
    args = parser.parse_args()

    g = problem.Generator(SEED)
    x = torch.tensor(g.matrix(POSITIONS, D))
    p = parameters(g)
    here = torch.arange(1, BATCH + 1)
    at = [here, here - 1, (5 * here) % POSITIONS]

    first = loss(p, x, at)
    first.backward()
    gradients = {name: v.grad.flatten().tolist() for name, v in p.items()}

    optimizer = torch.optim.Adam(p.values(), lr=RATE)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        step = loss(p, x, at)
        step.backward()
        optimizer.step()
        losses.append(step.item())

    result = {
        "origin": f"scripts/baselines/pcl_oracle.py with PyTorch {torch.__version__.split('+')[0]}",
        "features": features(p, x).T.flatten().tolist(),  # after the steps
        "losses": losses,
        "gradients": gradients,
    }
    path = pathlib.Path(args.out)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"loss {first.item():.9f} → {losses[-1]:.9f}")


if __name__ == "__main__":
    main()
