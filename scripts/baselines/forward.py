"""A spherical head model: near-dipolar components, and EEG simulated with a known truth.

The head is MNE-Python's sphere of three shells (brain, skull, scalp), fitted to the electrodes.
"""

import dataclasses
import hashlib
import pathlib

import mne
import numpy as np
from scipy.signal import butter, lfilter, sosfiltfilt

RATE = 128.0  # Hz
SAMPLES = 30_504  # 238 s, as long as EEGLAB's sample recording
SPACING = 5.0  # mm between the dipoles that components are compared with
STRONGEST = 10  # sources that are scored

# BioSemi's caps of 32 and 64 channels, by the names of the 10-05 system.
CAPS = {32: "biosemi32", 64: "biosemi64"}
SOURCES = {32: 45, 64: 90}  # dipoles in the cortex


def standard_info(channels: int) -> mne.Info:
    """An EEG of that many channels, with the positions of the 10-05 system."""
    names = mne.channels.make_standard_montage(CAPS[channels]).ch_names
    info = mne.create_info(names, RATE, "eeg")
    return info.set_montage(mne.channels.make_standard_montage("standard_1005"))


def lead_field(info: mne.Info, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """The channels' potentials [dipoles, d, 3] of dipoles in a grid, and their positions in m.

    The last axis is the dipole's direction. Distances of the grid are in mm.
    """
    sphere = mne.make_sphere_model("auto", "auto", info)
    grid = mne.setup_volume_source_space(
        sphere=sphere, sphere_units="m", pos=spacing, mindist=2.0, exclude=0
    )
    solution = mne.make_forward_solution(info, None, grid, sphere, meg=False, eeg=True, mindist=0)
    gains = solution["sol"]["data"].reshape(len(info.ch_names), -1, 3).transpose(1, 0, 2)
    return gains, solution["source_rr"]


class Dipoles:
    """Compares patterns with dipoles, as Delorme et al. (PLoS ONE 2012) do.

    The grid's orthonormal bases are kept in a file of the folder cache, for each montage.
    """

    def __init__(self, info: mne.Info, cache: pathlib.Path):
        places = np.array([channel["loc"][:3] for channel in info["chs"]])
        key = hashlib.sha256(places.round(6).tobytes()).hexdigest()[:12]
        path = cache / f"dipoles-{len(places)}-{key}.npy"
        if not path.exists():
            gains, _ = lead_field(info, SPACING)
            bases = np.linalg.qr(gains - gains.mean(axis=1, keepdims=True))[0]
            cache.mkdir(parents=True, exist_ok=True)
            np.save(path, bases.transpose(0, 2, 1).reshape(-1, len(places)))
        self.bases = np.load(path)  # three rows for each dipole

    def residual_variances(self, a: np.ndarray) -> np.ndarray:
        """For each column of a, average-referenced, the percentage that no single dipole explains.

        The dipole is the best of the grid, of any direction.
        """
        a = a - a.mean(axis=0)
        a = a / np.linalg.norm(a, axis=0)
        explained = (self.bases @ a) ** 2
        return 100 * (1 - explained.reshape(-1, 3, a.shape[1]).sum(axis=1).max(axis=0))


@dataclasses.dataclass
class Simulation:
    """An EEG in µV, high-passed at 1 Hz, with its sources and their maps."""

    x: np.ndarray  # [channels, samples]
    sources: np.ndarray  # [sources, samples], high-passed, too
    maps: np.ndarray  # [channels, sources]
    strongest: np.ndarray  # indices of the STRONGEST sources, the line excluded


class Simulator:
    """Simulates EEG of 32 or 64 channels.

    There are 45 or 90 dipoles in the cortex, whose signals have 1/f spectra, and 60 % of them
    a rhythm of 6, 10, 11 or 20 Hz; blinks; four muscles of 25 to 60 Hz; the line, of 59.9 Hz and
    a random map; and 1 µV of noise in each sensor. Of the kind "bursting", rhythms and muscles
    have log-normal amplitudes. Of the kind "steady" they are stationary Gaussian processes, and
    all else of a seed is the same.
    """

    def __init__(self, channels: int):
        self.info = standard_info(channels)
        self.gains, places = lead_field(self.info, 8.0)
        radius = np.linalg.norm(places - self._centre(), axis=1)
        largest = radius.max()
        self.cortex = np.flatnonzero((radius > 0.62 * largest) & (radius < 0.92 * largest))
        self.below_scalp = np.flatnonzero(radius > 0.94 * largest)

    def _centre(self) -> np.ndarray:
        return mne.make_sphere_model("auto", "auto", self.info)["r0"]

    def _map(self, rng: np.random.Generator, dipoles: np.ndarray) -> np.ndarray:
        """The unit map of a dipole with a random place among these, and a random direction."""
        pattern = self.gains[rng.choice(dipoles)] @ rng.standard_normal(3)
        return pattern / np.linalg.norm(pattern)

    def _blink_map(self) -> np.ndarray:
        positions = self.info.get_montage().get_positions()
        places = np.array([positions["ch_pos"][name] for name in self.info.ch_names])
        pattern = np.exp(-np.linalg.norm(places - positions["nasion"], axis=1) / 0.04)
        return pattern / np.linalg.norm(pattern)

    def simulate(self, seed: int, bursting: bool) -> Simulation:
        rng = np.random.default_rng(seed)
        channels = len(self.info.ch_names)
        maps, sources = [], []
        for _ in range(SOURCES[channels]):
            maps.append(self._map(rng, self.cortex))
            source = coloured_noise(rng, rng.uniform(0.8, 1.8))
            if rng.random() < 0.6:
                centre = rng.choice([6.0, 10.0, 11.0, 20.0])
                tau = rng.uniform(0.3, 2)
                source = 0.6 * source + rhythm(rng, centre - 1.5, centre + 1.5, tau, bursting)
            sources.append(8 * source / source.std() * np.exp(rng.normal(0, 0.7)))
        maps.append(self._blink_map())
        onsets = np.zeros(SAMPLES)
        onsets[rng.integers(0, SAMPLES, SAMPLES // 500)] = 1
        sources.append(96 * np.convolve(onsets, np.hanning(40), "same"))
        for _ in range(4):
            maps.append(self._map(rng, self.below_scalp))
            size = 8 * np.exp(rng.normal(-0.3, 0.4))
            sources.append(size * rhythm(rng, 25, 60, 1.0, bursting))
        line = rng.standard_normal(channels)
        maps.append(line / np.linalg.norm(line))
        sources.append(10 * np.sin(2 * np.pi * 59.9 * np.arange(SAMPLES) / RATE))

        a, s = np.array(maps).T, np.array(sources)
        x = a @ s + rng.standard_normal((channels, SAMPLES))
        x = mne.filter.filter_data(x, RATE, 1, None)
        s = mne.filter.filter_data(s, RATE, 1, None)
        power = s[:-1].var(axis=1)  # maps have norm 1; the line is last
        strongest = np.argsort(-power)[:STRONGEST]
        return Simulation(x - x.mean(axis=1, keepdims=True), s, a, strongest)


def coloured_noise(rng: np.random.Generator, exponent: float) -> np.ndarray:
    """Gaussian noise of the power spectrum 1 / f^exponent, with standard deviation 1."""
    f = np.fft.rfftfreq(SAMPLES, 1 / RATE)
    f[0] = f[1]
    z = rng.standard_normal(len(f)) + 1j * rng.standard_normal(len(f))
    noise = np.fft.irfft(z / f ** (exponent / 2), SAMPLES)
    return noise / noise.std()


def rhythm(
    rng: np.random.Generator, low: float, high: float, tau: float, bursting: bool
) -> np.ndarray:
    """Gaussian noise from low to high Hz, with standard deviation 1.

    If bursting, its amplitude is log-normal: e to the power of 1.2 times a process of standard
    deviation 1 that forgets within tau seconds.
    """
    band = butter(2, (low, high), "band", fs=RATE, output="sos")
    signal = sosfiltfilt(band, rng.standard_normal(SAMPLES))
    decay = np.exp(-1 / (tau * RATE))
    level = lfilter([1 - decay], [1, -decay], rng.standard_normal(SAMPLES))
    if bursting:
        signal = signal * np.exp(1.2 * level * np.sqrt(2 * tau * RATE))
    return signal / signal.std()
