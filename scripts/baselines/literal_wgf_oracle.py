"""Writes what SICA-WGF of the paper's text makes of mixed signals in one iteration, for the Go
tests to compare with.

    pip install numpy==2.2.6 jax==0.10.2
    sica generate --signals ar7 --steps 5 --step-size 0.1 --seed 63001 --out data/63001   # … 63007
    python scripts/baselines/literal_wgf_oracle.py --data data --out laboratory/experiment/testdata/literal.json

It was written from arXiv:2512.00665 alone: Algorithm 2 with the flow WGF, equation 14, the
appendix on the network and that on hyperparameters. No number can be equal to the Go program's,
since the random weights, permutations and batches differ: the tests compare means over seeds.
What the paper leaves open is read as docs/evaluation/paper.md has it: standardised signals, a step of 1,
one logit, one permutation of each signal, PyTorch's initialisation.
"""

import argparse
import itertools
import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

SEEDS = range(63001, 63008)
CHANNELS, KERNEL = 16, 3
RATE, BATCH, EPOCHS, ETA = 1e-5, 100, 10, 1.0
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # Adam, PyTorch's defaults


def mcc(z, s):
    d = len(z)
    r = np.abs(np.corrcoef(z, s)[:d, d:])
    return max(np.mean([r[i, order[i]] for i in range(d)]) for order in itertools.permutations(range(d)))


def weights(rng, d, length):
    """Three convolutions and the last layer, uniform on ±1/√fan-in."""
    layers = []
    for inputs in (3 * d, CHANNELS, CHANNELS):
        bound = 1 / np.sqrt(KERNEL * inputs)
        layers.append((rng.uniform(-bound, bound, (CHANNELS, inputs, KERNEL)), rng.uniform(-bound, bound, CHANNELS)))
    bound = 1 / np.sqrt(CHANNELS * length)
    layers.append((rng.uniform(-bound, bound, (CHANNELS, length)), rng.uniform(-bound, bound)))
    return jax.tree.map(lambda w: jnp.asarray(w, jnp.float32), layers)


def logit(layers, mask, value, context):
    """[B], of the mask [B, 1, T], the value [B, d] and the context [B, d, T]."""
    h = jnp.concatenate(
        [jnp.broadcast_to(mask, context.shape), jnp.broadcast_to(value[:, :, None], context.shape), context], 1
    )
    for k, (w, b) in enumerate(layers[:3]):
        h = jax.lax.conv_general_dilated(h, w, (1,), "SAME", dimension_numbers=("NCH", "OIH", "NCH")) + b[:, None]
        h = jax.nn.relu(h) if k < 2 else h
    w, b = layers[3]
    return jnp.einsum("bct,ct->b", h, w) + b


def sample(z, at):
    """The mask, the value and the context of z [d, T], signal i taken at position at[:, i]. A product
    sample's signals are of different positions, and so is the place of each one's gap."""
    gap = jax.nn.one_hot(at, z.shape[1], dtype=z.dtype)  # [B, d, T]
    return gap, jnp.einsum("bdt,dt->bd", gap, z), z * (1 - gap)


def loss(layers, z, joint, product):
    ones, zeros = logit(layers, *sample(z, joint)), logit(layers, *sample(z, product))
    return jnp.mean(jnp.logaddexp(0, -ones)) + jnp.mean(jnp.logaddexp(0, zeros))


@jax.jit
def step(layers, first, second, count, z, joint, product):
    value, g = jax.value_and_grad(loss)(layers, z, joint, product)
    first = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, first, g)
    second = jax.tree.map(lambda v, g: BETA2 * v + (1 - BETA2) * g * g, second, g)

    def moved(w, m, v):
        return w - RATE * m / (1 - BETA1**count) / (jnp.sqrt(v / (1 - BETA2**count)) + EPSILON)

    return jax.tree.map(moved, layers, first, second), first, second, value


@jax.jit
def velocity(layers, z, at):
    gap, value, context = sample(z, at)
    return -jax.grad(lambda y: jnp.sum(logit(layers, gap, y, context)))(value)


def iteration(rng, z):
    d, length = z.shape
    z = jnp.asarray(z, jnp.float32)
    layers = weights(rng, d, length)
    first = second = jax.tree.map(jnp.zeros_like, layers)
    shuffled = np.stack([rng.permutation(length) for _ in range(d)], 1)
    losses = []
    for _ in range(EPOCHS):
        order = rng.permutation(length)
        for start in range(0, length, BATCH):
            rows = order[start : start + BATCH]
            joint = np.repeat(rows[:, None], d, 1)
            layers, first, second, value = step(
                layers, first, second, len(losses) + 1.0, z, jnp.asarray(joint), jnp.asarray(shuffled[rows])
            )
            losses.append(float(value))
    parts = [velocity(layers, z, jnp.asarray(np.repeat(np.arange(k, k + 64)[:, None], d, 1))) for k in range(0, length, 64)]
    return np.concatenate(parts).T, losses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder with mixed.csv and sources.csv of each seed")
    parser.add_argument("--out", required=True, help="file to write")
    args = parser.parse_args()

    runs = []
    for seed in SEEDS:
        folder = pathlib.Path(args.data) / str(seed)
        x, s = (np.loadtxt(folder / name, delimiter=",", skiprows=1, ndmin=2).T for name in ("mixed.csv", "sources.csv"))
        z = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
        v, losses = iteration(np.random.default_rng(seed), z)
        runs.append(
            {
                "seed": seed,
                "mixed": float(mcc(x, s)),
                "mcc": float(mcc(z + ETA * v, s)),
                "move": float(np.sqrt(np.mean(v**2))),  # root mean square, in standard deviations
                "loss": float(np.mean(losses[-11:])),  # of the last epoch
            }
        )
        print(runs[-1], flush=True)
    origin = f"scripts/baselines/literal_wgf_oracle.py with JAX {jax.__version__}"
    path = pathlib.Path(args.out)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"origin": origin, "runs": runs}, indent=1) + "\n")


if __name__ == "__main__":
    main()
