"""Cleans simulated EEG files of blinks by sica and by MNE-Python, from EDF to EDF.

    pip install mne pyedflib scipy
    go build -o bin/sica ./cmd/sica
    python scripts/baselines/eeg.py --sica bin/sica --seeds 6 7 8 9 10

A file has 19 channels of the 10-20 system, 40 s at 250 Hz: blinks, three rhythms and 15 other
autoregressive sources with Laplace innovations, each with a smooth field on the head; hum, drift,
noise, and a second of movement that an annotation marks. Beside them are an EOG, an ECG and a
temperature of 1 Hz.

It prints for each seed what the cleaned channels differ by from those without blinks, from 1 to
20 Hz and away from the movement, as a share of the blinks' standard deviation. It fails unless
pyedflib and MNE-Python read the same labels, units, rates, start and annotations from sica's
cleaned file as from the recording, the same ranges where they hold the values, and the same values
of the channels that were left out.
"""

import argparse
import pathlib
import subprocess
import tempfile
import warnings

import mne
import numpy as np
import pyedflib
from scipy.signal import butter, filtfilt

NAMES = "Fp1 Fp2 F7 F3 Fz F4 F8 T3 C3 Cz C4 T4 T5 P3 Pz P4 T6 O1 O2".split()
OLDER = {"T3": "T7", "T4": "T8", "T5": "P7", "T6": "P8"}
RATE, SECONDS = 250, 40
BAD = range(20, 21)  # seconds


def simulate(path, seed):
    """Writes a recording, and returns its channels without blinks, and the blinks in them."""
    rng = np.random.default_rng(seed)
    n = RATE * SECONDS
    t = np.arange(n) / RATE
    places = mne.channels.make_standard_montage("standard_1020").get_positions()["ch_pos"]
    places = np.array([places[OLDER.get(c, c)] for c in NAMES])
    places /= np.linalg.norm(places, axis=1)[:, None]

    def field(direction, width):
        direction = np.array(direction, float) / np.linalg.norm(direction)
        return np.exp((places @ direction - 1) / width)

    def process(a, b):
        innovations, x = rng.laplace(size=n), np.zeros(n)
        for k in range(2, n):
            x[k] = a * x[k - 1] + b * x[k - 2] + innovations[k]
        return x / x.std()

    def rhythm(hz, r):
        return process(2 * r * np.cos(2 * np.pi * hz / RATE), -r * r)

    blinks = np.zeros(n)
    for at in np.arange(1.5, SECONDS - 1, 3.1):
        blinks += np.exp(-(((t - at - rng.uniform(-0.5, 0.5)) / 0.09) ** 2))

    def contribution(to, size, source):
        return np.outer(to, size * source)

    in_channels = np.outer(field((0, 1, -0.1), 0.25), 120 * blinks)
    x = contribution(field((-0.2, -1, 0.2), 0.3), 15, rhythm(10, 0.97))
    x += contribution(field((0.3, -1, 0.3), 0.3), 10, rhythm(10.7, 0.98))
    x += contribution(field((-0.7, 0, 0.7), 0.2), 8, rhythm(20, 0.95))
    for i in range(15):
        direction = rng.normal(size=3)
        direction[2] = abs(direction[2])
        x += contribution(field(direction, 0.15 + 0.02 * i), 5, process(0.9 - 0.05 * i, 0))
    x += rng.normal(size=x.shape) * 0.3
    x += 8 * np.sin(2 * np.pi * 50 * t) * rng.uniform(0.5, 1, (len(NAMES), 1))
    x += 30 * np.sin(2 * np.pi * 0.05 * t + rng.uniform(0, 6, (len(NAMES), 1)))
    bad = slice(BAD.start * RATE, BAD.stop * RATE)
    x[:, bad] += rng.normal(size=(len(NAMES), RATE)) * 100
    eog = 200 * blinks + 0.1 * x[0] + rng.normal(size=n) * 3
    ecg = np.zeros(n)
    for at in np.arange(0.4, SECONDS, 0.83):
        ecg += np.exp(-(((t - at) / 0.015) ** 2))

    signals = [(f"EEG {c}-REF", "uV", -1000, 1000, RATE) for c in NAMES]
    signals += [("EOG1", "uV", -1000, 1000, RATE), ("ECG", "mV", -5, 5, RATE)]
    signals += [("Temp", "degC", 30, 42, 1)]
    with pyedflib.EdfWriter(str(path), len(signals), file_type=pyedflib.FILETYPE_EDFPLUS) as w:
        for i, (label, unit, low, high, rate) in enumerate(signals):
            w.setSignalHeader(i, dict(
                label=label, dimension=unit, sample_frequency=rate, physical_min=low,
                physical_max=high, digital_min=-32768, digital_max=32767,
                transducer="AgAgCl" if rate == RATE else "probe", prefilter="HP:0.01Hz"))
        w.writeSamples([row.copy() for row in x + in_channels] + [eog, ecg, np.full(SECONDS, 36.6)])
        w.writeAnnotation(BAD.start, 1, "BAD_move")
        w.writeAnnotation(5, -1, "eyes closed")
    return x, in_channels


LEARN = ["--skip", "bad", "--highpass", "1", "--notch", "50"]


def clean_by_sica(sica, folder, recording):
    """Returns the path of the cleaned file."""
    model, clean = folder / "model", folder / "clean.edf"
    for args in (
        ["separate", "--out", folder / "z.edf", "--save", model, "--without", "EOG1,ECG",
         "--backend", "go", *LEARN],
        ["inspect", "--model", model, "--reference", "EOG1", *LEARN],
        ["remove", "--model", model, "--out", clean, "--proposed"],
    ):
        subprocess.run([sica, *args, "--in", recording], check=True, capture_output=True)
    return clean


def clean_by_mne(recording, seed):
    raw = read(recording)
    raw.set_channel_types({"EOG1": "eog", "ECG": "ecg", "Temp": "misc"})
    learned = raw.copy().filter(1, None).notch_filter([50, 100])
    ica = mne.preprocessing.ICA(
        n_components=len(NAMES), method="infomax", fit_params=dict(extended=True),
        random_state=seed, max_iter="auto").fit(learned, reject_by_annotation=True)
    ica.exclude, _ = ica.find_bads_eog(raw, ch_name="EOG1")
    return ica.apply(raw.copy())


def read(path):
    return mne.io.read_raw_edf(path, preload=True)


def check_same(recording, clean):
    """Fails unless all but the cleaned channels' values are as they were."""
    a, b = read(recording), read(clean)
    assert a.ch_names == b.ch_names and a.info["sfreq"] == b.info["sfreq"]
    assert a._orig_units == b._orig_units and a.info["meas_date"] == b.info["meas_date"]
    assert sorted(a.annotations.description) == sorted(b.annotations.description)
    assert sorted(a.annotations.onset) == sorted(b.annotations.onset)
    with pyedflib.EdfReader(str(recording)) as a, pyedflib.EdfReader(str(clean)) as b:
        for i, (old, new) in enumerate(zip(a.getSignalHeaders(), b.getSignalHeaders())):
            limits = old["physical_min"], old["physical_max"]
            x = b.readSignal(i)
            if x.min() < limits[0] or x.max() > limits[1]:  # then the range is another
                new["physical_min"], new["physical_max"] = limits
            assert old == new
        assert a.getStartdatetime() == b.getStartdatetime()
        for i in range(len(NAMES), a.signals_in_file):
            assert np.array_equal(a.readSignal(i), b.readSignal(i))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sica", default="bin/sica")
    parser.add_argument("--seeds", type=int, nargs="+", default=[6, 7, 8, 9, 10])
    parser.add_argument("--lowpass", help="of what sica learns from, in Hz; none by default")
    args = parser.parse_args()
    if args.lowpass:
        LEARN.extend(["--lowpass", args.lowpass])
    warnings.filterwarnings("ignore")
    mne.set_log_level("error")
    b, a = butter(2, [1 / (RATE / 2), 20 / (RATE / 2)], "band")
    good = np.ones(RATE * SECONDS, bool)
    good[(BAD.start - 1) * RATE:(BAD.stop + 1) * RATE] = False

    def power(x):
        return (filtfilt(b, a, x)[:, good] ** 2).mean()

    for seed in args.seeds:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            recording = folder / "rec.edf"
            without, blinks = simulate(recording, seed)
            clean = clean_by_sica(args.sica, folder, recording)
            check_same(recording, clean)
            left = {"sica": read(clean), "MNE-Python": clean_by_mne(recording, seed)}
            for name, raw in left.items():
                rest = raw.get_data()[:len(NAMES)] * 1e6 - without
                print(f"seed {seed}: {name} {np.sqrt(power(rest) / power(blinks)):.3f}", flush=True)


if __name__ == "__main__":
    main()
