"""Pictures of strong frequencies, and of what repeats in 36 EEGs, for recordings.py."""

import dataclasses
import io
import pathlib

import matplotlib

matplotlib.use("Agg")
import numpy as np  # noqa: E402
from matplotlib import pyplot as plt  # noqa: E402
from PIL import Image  # noqa: E402

BLUE, SHADE, GREY = "#1f6fb4", "#cfe3f5", "#a8a8a8"


@dataclasses.dataclass
class Spectrum:
    """The power of the strongest direction of whitened signals, in bands of frequencies."""

    title: str
    edges: np.ndarray  # Hz
    power: np.ndarray
    strong: np.ndarray  # whether a band is kept


def draw_spectrum(axes: plt.Axes, spectrum: Spectrum):
    edges, power = spectrum.edges, spectrum.power
    for k in np.flatnonzero(spectrum.strong):
        axes.axvspan(edges[k], edges[k + 1], color=SHADE, linewidth=0)
    axes.axhline(1, color="black", linewidth=1, linestyle=(0, (4, 3)))
    axes.stairs(power, edges, color=BLUE, linewidth=1.8, baseline=None)
    axes.set_yscale("log")
    axes.set_xlim(0, edges[-1])
    axes.set_ylim(0.09, 60)
    axes.set_yticks([0.1, 1, 10], ["0.1", "1", "10"])
    axes.minorticks_off()
    kept = (np.diff(edges) * spectrum.strong).sum() / edges[-1]
    axes.set_title(f"{spectrum.title}: {100 * kept:.0f} % strong", loc="left", fontsize=10)
    for k in np.flatnonzero((power >= 1) & ~spectrum.strong):
        axes.annotate(
            "line, left out",
            ((edges[k] + edges[k + 1]) / 2, power[k]),
            xytext=(-8, -2),
            textcoords="offset points",
            ha="right",
            fontsize=9,
        )


def people(path: pathlib.Path, repeats: dict[str, list[int]]):
    """How many components of each person repeat: a dot for each, and the mean of each method.

    Dots are shaken across, as many have the same place.
    """
    figure, axes = new_figure(2.6)
    rng = np.random.default_rng(0)
    names = list(repeats)
    now = len(names) - 1
    for k, values in enumerate(repeats.values()):
        colour = BLUE if k == now else GREY
        across = k + rng.uniform(-0.28, 0.28, len(values))
        axes.scatter(values, across, s=18, color=colour, alpha=0.8, linewidth=0)
        mean = np.mean(values)
        axes.plot([mean, mean], [k - 0.42, k + 0.42], color="black", linewidth=2)
        weight = "bold" if k == now else "normal"
        axes.text(20, k, f"mean {mean:.1f}", va="center", ha="right", fontweight=weight)
    axes.set_yticks(range(len(names)), names)
    axes.get_yticklabels()[now].set_fontweight("bold")
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.set_xlim(-0.5, 20)
    axes.set_xticks([0, 6, 12, 18])
    axes.set_xlabel("components, of about 18, that both halves of a recording have")
    axes.set_title("EEGs of 36 people, a dot for each", loc="left", fontsize=10)
    save(figure, path)


def spectra(path: pathlib.Path, shown: list[Spectrum]):
    """Which frequencies are strong."""
    figure, rows = new_figure(2.4, len(shown))
    for axes, spectrum in zip(rows, shown, strict=True):
        draw_spectrum(axes, spectrum)
        axes.set_xlabel("frequency, Hz (shaded: strong)")
    rows[0].set_ylabel("power of the strongest\ndirection (mean: 1)", fontsize=10)
    save(figure, path)


def new_figure(height: float, columns: int = 1) -> tuple[plt.Figure, plt.Axes]:
    plt.rcParams |= {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}
    return plt.subplots(1, columns, figsize=(8, height), facecolor="white", layout="constrained")


def save(figure: plt.Figure, path: pathlib.Path):
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=150)
    plt.close(figure)
    Image.open(drawn).convert("RGB").quantize(32).save(path, optimize=True)
