"""The picture of strong frequencies and near-dipolar components, for recordings.py."""

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


def draw_counts(axes: plt.Axes, counts: dict[str, int]):
    names, values = list(counts), list(counts.values())
    now = len(names) - 1
    axes.barh(names, values, color=[BLUE if k == now else GREY for k in range(len(names))])
    axes.invert_yaxis()
    for k, value in enumerate(values):
        weight = "bold" if k == now else "normal"
        axes.text(value + 0.5, k, str(value), va="center", fontweight=weight)
    axes.get_yticklabels()[now].set_fontweight("bold")
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 32)
    axes.set_xticks([0, 16, 32])
    axes.set_xlabel("near-dipolar components, of 32")
    axes.set_title("The EEG's components", loc="left", fontsize=10)


def draw(path: pathlib.Path, spectra: list[Spectrum], counts: dict[str, int]):
    """Two spectra, and bars of counts of near-dipolar components by method."""
    plt.rcParams |= {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}
    figure = plt.figure(figsize=(8, 4.2), facecolor="white", layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=[1.2, 1])
    for row, spectrum in enumerate(spectra):
        axes = figure.add_subplot(grid[row, 0])
        draw_spectrum(axes, spectrum)
    axes.set_xlabel("frequency, Hz (shaded: strong)")
    figure.supylabel("power of the strongest direction (mean: 1)", fontsize=10)
    draw_counts(figure.add_subplot(grid[:, 1]), counts)
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=150)
    plt.close(figure)
    Image.open(drawn).convert("RGB").quantize(32).save(path, optimize=True)
