"""Writes the loss and the gradients of PyTorch's iVAE, for the Go tests to compare with.

    pip install numpy torch==2.15.0
    python scripts/baselines/ivae_oracle.py --out sica/baseline/ivae/testdata/pytorch.json

The signals, u, the noise and the parameters come from problem.Generator, in the
order in which they are made here, so that both sides have the same numbers to the
last bit. It also writes what ReduceLROnPlateau makes of a list of losses.
"""

import argparse
import json
import pathlib

import torch
import torch.nn.functional as F
from torch.distributions import Normal

import problem

D, K, POSITIONS, HIDDEN, SEED = 3, 2, 9, (5, 4), 11
BATCH = 7
STEPS, RATE = 10, 1e-3
NETWORKS = {  # inputs
    "encoder_mean": D + K,
    "encoder_log_variance": D + K,
    "prior_log_variance": K,
    "decoder": D,
}
PATIENCE, EPOCHS = 3, 60


def tensor(g, *dims):
    """Uniform numbers from [-1, 1), row-major, as a parameter."""
    return torch.tensor(g.matrix(1, torch.Size(dims).numel())).reshape(dims).requires_grad_()


def parameters(g):
    """By the names that the Go program gives them. Weights are inputs × outputs."""
    p = {}
    for network, inputs in NETWORKS.items():
        widths = (inputs, *HIDDEN, D)
        for i in range(len(widths) - 1):
            p[f"{network}/layer_{i}/weights"] = tensor(g, widths[i], widths[i + 1])
            p[f"{network}/layer_{i}/biases"] = tensor(g, widths[i + 1])
    return p


def mlp(p, network, y):
    for i in range(len(HIDDEN) + 1):
        y = y @ p[f"{network}/layer_{i}/weights"] + p[f"{network}/layer_{i}/biases"]
        if i < len(HIDDEN):
            y = F.leaky_relu(y, 0.1)
    return y


def loss(p, x, u, noise):
    """−ELBO as written in the article, log-density by log-density."""
    xu = torch.cat([x, u], 1)
    mean = mlp(p, "encoder_mean", xu)
    variance = mlp(p, "encoder_log_variance", xu).exp()
    prior = mlp(p, "prior_log_variance", u).exp()
    z = mean + variance.sqrt() * noise
    zero = torch.zeros_like(z)
    deviation = torch.full_like(x, 0.01).sqrt()
    elbo = (
        Normal(mlp(p, "decoder", z), deviation).log_prob(x)
        + Normal(zero, prior.sqrt()).log_prob(z)
        - Normal(mean, variance.sqrt()).log_prob(z)
    )
    return -elbo.sum(-1).mean()


def plateau(losses):
    """The learning rate after each loss."""
    optimizer = torch.optim.Adam([torch.zeros(1, requires_grad=True)], lr=RATE)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.1, patience=PATIENCE)
    rates = []
    for value in losses:
        scheduler.step(value)
        rates.append(optimizer.param_groups[0]["lr"])
    return rates


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="file to write")
    args = parser.parse_args()

    g = problem.Generator(SEED)
    x = torch.tensor(g.matrix(POSITIONS, D))
    u = torch.tensor(g.matrix(POSITIONS, K))
    noise = torch.tensor(g.matrix(BATCH, D))
    p = parameters(g)
    at = 5 * torch.arange(BATCH) % POSITIONS

    first = loss(p, x[at], u[at], noise)
    first.backward()
    gradients = {name: v.grad.flatten().tolist() for name, v in p.items()}

    optimizer = torch.optim.Adam(p.values(), lr=RATE)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        step = loss(p, x[at], u[at], noise)
        step.backward()
        optimizer.step()
        losses.append(round(step.item(), 6))

    # Losses that fall through zero, then stand still.
    epochs = [round(10 / (1 + i) - 1 + 0.3 * g.uniform(), 6) for i in range(EPOCHS)]
    result = {
        "origin": f"scripts/baselines/ivae_oracle.py with PyTorch {torch.__version__.split('+')[0]}",
        "losses": losses,
        "gradients": gradients,
        "signals": mlp(p, "encoder_mean", torch.cat([x, u], 1)).T.flatten().tolist(),  # after the steps
        "plateau": {"losses": epochs, "rates": plateau(epochs)},
    }
    path = pathlib.Path(args.out)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"loss {first.item():.9f} → {losses[-1]:.9f}, rates {sorted(set(result['plateau']['rates']))}")


if __name__ == "__main__":
    main()
