"""Separates real recordings, and simulated ones that are near to them, by sica and its rivals.

    python -m venv .setup/recordings
    .setup/recordings/bin/pip install -r scripts/baselines/requirements-recordings.txt
    go build -o bin/sica ./cmd/sica
    .setup/recordings/bin/python scripts/baselines/recordings.py \
        --data DIR --out out/recordings --sica bin/sica --label mine

It keeps what it makes in --out, and continues there: demixing matrices in matrices/, an outcome of
each recording and label as a line of recordings.jsonl, and what measures need in cache/. Then it
prints a table of each recording. Rivals are fitted once. To compare builds, give each a --label.
Another program takes part by --command 'program {in} {out}': it reads an NPY file of [n, d] from
{in}, and writes a demixing matrix [k, d] to {out}.

With --labels it only prints sica's labels of eeglab beside ICLabel's classes.

Pages are made of the outcomes without fitting. With --label LABEL, LABEL is called Default, the
row of --former "Default before", and other commands are left out:

    --table         prints tables of --recordings; those of one kind in a row are side by side
    --summary       prints the table of README.md
    --copy FILE     writes the outcomes that these show to FILE
    --pictures DIR  draws which frequencies are strong, and what repeats in the people's EEGs

DIR has these files. Nothing of it is kept, except demixing matrices.

    eeg/eeglab_data.set    EEGLAB's sample recording, 32 channels, 128 Hz
    eeg/meegkit_eeg_raw.npy  python-meegkit's test data, 8 channels, 250 Hz
    ecg/*.csv              PTB's s0010_re, 15 leads, 1000 Hz
    fmri/*.csv             nitime's regions, 31 × 250
    speech/*.wav           four voices
    images/*.png           photographs of 128×128
    eegmat/Subject*_1.edf  36 people at rest, of 19 channels, 500 Hz, 3 minutes: PhysioNet's "EEG
                           During Mental Arithmetic Tasks", doi 10.13026/C2JQ1P
    eegmmidb/S001R*.edf    runs 3 to 14 of a person, of 64 channels, 160 Hz, 2 minutes: PhysioNet's
                           "EEG Motor Movement/Imagery Dataset", doi 10.13026/C28G6P

Recordings, high-passed at 1 Hz except fmri. A whole is fitted, and each half.

    eeglab          and eeglab-notched, after a notch filter at 60 Hz
    meegkit
    ecg             as 15 principal components, down to 1e-4 of the largest standard deviation, and
                    ecg-rank, as 11 down to 1e-3, without the rounding of the leads
    fmri
    eegmat          each of the people, as principal components down to 1e-2 of the largest
                    standard deviation: components were taken out before publication
    eegmmidb        each of the runs
    voices          four, behind five random matrices of a condition below 10
    photographs     four of them, behind five random matrices of a condition below 10
    forward-KIND-D  ten simulated EEGs of D channels (forward.py), KIND is bursting or steady

Measures. The first group needs the electrodes' positions, and the last the truth.

    rv < 5, 10, 15 %  components whose pattern, average-referenced, a dipole in a spherical head
                    explains but for so much of its variance: near-dipolar (Delorme, Palmer, Onton,
                    Oostenveld, Makeig, Independent EEG sources are dipolar, PLoS ONE 2012).
                    median rv is in %.
    brain           components that ICLabel calls brain with a probability above 0.8
                    (Pion-Tonachini, Kreutz-Delgado, Makeig, NeuroImage 2019)
    MIR             mutual information reduction, nats a sample, from histograms (Delorme et al.)
    PMI signals     mean mutual information of two signals, nats
    PMI innovations the same of their residuals of AR(12), after decimation to about 64 Hz
    halves          |correlation| over the whole of the signals that the halves' matrices give:
                    mean, median, number above 0.95, and mean weighted by power in the channels
    electrodes      mean over the chest leads of the largest |cosine| of a component's pattern with
                    that lead alone: 1 if each electrode's noise is a component of its own
    strongest       mean |correlation| of the ten strongest sources with the nearest signals; the
                    best that a linear map can do is the row "oracle"
    map error       mean 1 - |cosine| of those sources' maps with those signals' patterns
    SI-SDR, MCC     in dB (Le Roux, Wisdom, Erdogan, Hershey, ICASSP 2019), and mean |correlation|
    seconds         of the clock and, in brackets, of the processor; of the whole, or mean of seeds
"""

import argparse
import collections
import functools
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator

import mne
import numpy as np
from PIL import Image
from scipy.io import wavfile
from scipy.signal import butter, sosfiltfilt

import demixers
import forward
import measures
import picture
from demixers import Problem

HALVES = ["first half", "second half"]
CHEST = [f"v{i}" for i in range(1, 7)]
CONDITION = 10  # random mixing matrices have a smaller one


class Recording:
    """Problems by name, and the measures of their demixing matrices."""

    columns: list[str]  # of its table
    rivals = ["pca", "sobi", "fastica", "picard", "picard-o", "infomax"]

    def parts(self) -> dict[str, Callable[[], Problem]]:
        raise NotImplementedError

    def measure(self, matrices: dict[str, np.ndarray]) -> dict:
        raise NotImplementedError


class Halved(Recording):
    """A recording that is separated as a whole, and by halves."""

    decimation = 1  # before the innovations

    def __init__(self, data: pathlib.Path, cache: pathlib.Path):
        self.data, self.cache = data, cache

    @functools.cached_property
    def whole(self) -> Problem:
        return self.load()

    def load(self) -> Problem:
        raise NotImplementedError

    def parts(self):
        half = self.whole.x.shape[1] // 2
        return {
            "whole": lambda: self.whole,
            HALVES[0]: lambda: self.whole.part(0, half),
            HALVES[1]: lambda: self.whole.part(half, 2 * half),
        }

    def measure(self, matrices):
        x = self.whole.x
        result = {}
        if "whole" in matrices:
            w = matrices["whole"]
            z = w @ x
            result["MIR"] = measures.mutual_information_reduction(w, x)
            result["PMI signals"] = measures.pairwise_information(z)
            innovations = measures.innovations(z, self.decimation)
            result["PMI innovations"] = measures.pairwise_information(innovations)
        if all(half in matrices for half in HALVES):
            first, second = (matrices[half] for half in HALVES)
            result |= measures.agreement(first, second, x, self.whole.basis)
        return result


class EEGLAB(Halved):
    columns = ["rv < 5 %", "rv < 10 %", "rv < 15 %", "median rv", "brain", "MIR", "PMI signals"]
    columns += ["PMI innovations", "halves median", "halves weighted"]
    rivals = [*Recording.rivals, "amica"]
    decimation = 2

    def __init__(self, data, cache, notched: bool = False):
        super().__init__(data, cache)
        self.notched = notched

    @functools.cached_property
    def raw(self) -> mne.io.BaseRaw:
        raw = mne.io.read_raw_eeglab(self.data / "eeg/eeglab_data.set", preload=True)
        if self.notched:
            raw.notch_filter(60)
        return raw.filter(1, None)

    @functools.cached_property
    def dipoles(self) -> forward.Dipoles:
        info = mne.create_info(self.raw.ch_names, self.raw.info["sfreq"], "eeg")
        return forward.Dipoles(info.set_montage(self.raw.get_montage()), self.cache)

    def load(self):
        return Problem(self.raw.get_data() * 1e6, self.raw.info["sfreq"])

    def measure(self, matrices):
        result = super().measure(matrices)
        if "whole" not in matrices:
            return result
        a = measures.patterns(matrices["whole"])
        result |= near_dipolar(self.dipoles, a)
        for half in HALVES:
            if half in matrices:
                counts = near_dipolar(self.dipoles, measures.patterns(matrices[half]))
                result |= {f"{half}, {key}": value for key, value in counts.items()}
        classes = self.iclabel(matrices["whole"]).values()
        result["brain"] = sum(name == "brain" and p > 0.8 for name, p in classes)
        return result

    def iclabel(self, w: np.ndarray) -> dict[int, tuple[str, float]]:
        """ICLabel's class of each component, and its probability.

        It reads MNE-Python's ICA of average-referenced channels, which has one component fewer.
        The weakest component is left out.
        """
        from mne_icalabel import label_components

        raw = self.raw.copy().set_eeg_reference("average", projection=False)
        d = len(self.whole.x)
        ica = mne.preprocessing.ICA(n_components=d - 1, max_iter=1, random_state=0).fit(raw)
        a = measures.patterns(w) * (w @ self.whole.x).std(axis=1)
        a -= a.mean(axis=0)
        mixing = ica.pca_components_[: d - 1] @ (a / ica.pre_whitener_)
        strongest = np.sort(np.argsort(-(a**2).sum(axis=0))[: d - 1])
        ica.mixing_matrix_ = mixing[:, strongest]
        ica.unmixing_matrix_ = np.linalg.pinv(ica.mixing_matrix_)
        labels = label_components(raw, ica, method="iclabel")
        classes = zip(labels["labels"], map(float, labels["y_pred_proba"]), strict=True)
        return dict(zip(strongest.tolist(), classes, strict=True))

    def compare_labels(self, sica: str) -> str:
        """Tables of sica's labels beside ICLabel's classes: by component, and of their counts."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            header = ",".join(self.raw.ch_names)
            np.savetxt(folder / "x.csv", self.whole.x.T, "%.6g", ",", header=header, comments="")
            command = [sica, "separate", "--quick", "--rate", str(self.whole.rate)]
            command += ["--in", str(folder / "x.csv"), "--out", str(folder / "z.npy")]
            command += ["--json", str(folder / "report.json")]
            subprocess.run(command, check=True, capture_output=True)
            z = np.load(folder / "z.npy").T
            labels = json.loads((folder / "report.json").read_text())["labels"]
        z -= z.mean(axis=1, keepdims=True)
        classes = self.iclabel(np.linalg.lstsq(self.whole.x.T, z.T, rcond=None)[0].T)
        lines = ["| component | label | evidence | ICLabel | probability |"]
        lines += ["| ---: | --- | --- | --- | ---: |"]
        counts = collections.Counter()
        for i, label in enumerate(labels):
            name, (other, probability) = label["name"] or "none", classes.get(i, ("left out", 0))
            cells = [str(i + 1), name, label["evidence"], other, f"{probability:.2f}"]
            lines.append("| " + " | ".join(cells) + " |")
            counts[name, other] += 1
        rows, columns = (sorted({pair[k] for pair in counts}) for k in (0, 1))
        lines += ["", "| label | " + " | ".join(columns) + " |"]
        lines += ["| --- |" + " ---: |" * len(columns)]
        for row in rows:
            cells = [str(counts[row, column]) for column in columns]
            lines.append(f"| {row} | " + " | ".join(cells) + " |")
        return "\n".join(lines)


def near_dipolar(dipoles: forward.Dipoles, a: np.ndarray) -> dict:
    rv = dipoles.residual_variances(a)
    counts = {f"rv < {limit} %": int((rv < limit).sum()) for limit in (5, 10, 15)}
    return counts | {"median rv": float(np.median(rv))}


class EDF(Halved):
    """An EEG of PhysioNet, as principal components down to a share of the largest."""

    columns = ["components", "rv < 5 %", "rv < 10 %", "rv < 15 %", "median rv", "MIR"]
    columns += ["PMI innovations", "halves mean", "halves > 0.95", "halves weighted"]

    def __init__(self, path: pathlib.Path, cache: pathlib.Path, weakest: float):
        super().__init__(path, cache)
        self.weakest = weakest

    @functools.cached_property
    def raw(self) -> mne.io.BaseRaw:
        raw = mne.io.read_raw_edf(self.data, preload=True, encoding="latin1")
        raw.rename_channels(lambda name: name.removeprefix("EEG "))
        mne.datasets.eegbci.standardize(raw)  # Fc5. becomes FC5
        montage = mne.channels.make_standard_montage("standard_1005")
        raw.pick([name for name in raw.ch_names if name in montage.ch_names])
        return raw.set_montage(montage).filter(1, None)

    @functools.cached_property
    def dipoles(self) -> forward.Dipoles:
        return forward.Dipoles(self.raw.info, self.cache)

    def load(self):
        rate = self.raw.info["sfreq"]
        self.decimation = round(rate / 64)
        return components(self.raw.get_data() * 1e6, rate, self.weakest)

    def measure(self, matrices):
        result = super().measure(matrices)
        if "whole" in matrices:
            w = matrices["whole"]
            a = self.whole.basis @ measures.patterns(w)
            result |= {"components": len(w)} | near_dipolar(self.dipoles, a)
        return result


def components(x: np.ndarray, rate: float, weakest: float) -> Problem:
    """The principal components of channels, down to a share of the largest standard deviation."""
    x = x - x.mean(axis=1, keepdims=True)
    u, s, _ = np.linalg.svd(x, full_matrices=False)
    u = u[:, s > weakest * s[0]]
    scale = (u.T @ x).std(axis=1)
    return Problem(u.T @ x / scale[:, None], rate, basis=u * scale)


class EDFs(Recording):
    """Recordings of one kind, and the means of their measures."""

    columns = EDF.columns

    def __init__(self, paths: list[pathlib.Path], cache: pathlib.Path, weakest: float):
        self.paths = {path.stem: path for path in paths}
        self.cache, self.weakest = cache, weakest

    @functools.lru_cache(1)  # one at a time is in memory
    def edf(self, name: str) -> EDF:
        return EDF(self.paths[name], self.cache, self.weakest)

    def problem(self, name: str, part: str) -> Problem:
        return self.edf(name).parts()[part]()

    def parts(self):
        return {
            f"{name} {part}": functools.partial(self.problem, name, part)
            for name in self.paths
            for part in ("whole", *HALVES)
        }

    def measure(self, matrices):
        def parts_of(name: str) -> dict[str, np.ndarray]:
            prefix = f"{name} "
            return {k.removeprefix(prefix): w for k, w in matrices.items() if k.startswith(prefix)}

        return by_seed((name, self.edf(name).measure(parts_of(name))) for name in self.paths)


class Meegkit(Halved):
    columns = ["MIR", "PMI signals", "PMI innovations", "halves mean", "halves weighted"]
    rivals = [*Recording.rivals, "amica"]
    decimation = 4

    def load(self):
        x = np.load(self.data / "eeg/meegkit_eeg_raw.npy").astype(float)
        return Problem(mne.filter.filter_data(x, 250.0, 1, None), 250.0)


class ECG(Halved):
    columns = ["halves mean", "halves > 0.95", "halves weighted", "electrodes"]

    def __init__(self, data, cache, weakest=1e-4):
        self.weakest = weakest
        super().__init__(data, cache)

    def load(self):
        path = next((self.data / "ecg").glob("*.csv"))
        self.leads = path.open().readline().strip().split(",")
        x = np.loadtxt(path, delimiter=",", skiprows=1).T
        x = sosfiltfilt(butter(2, 1, "high", fs=1000, output="sos"), x, axis=1)
        return components(x, 1000.0, self.weakest)

    def measure(self, matrices):
        result = super().measure(matrices)
        if "whole" in matrices:
            a = self.whole.basis @ measures.patterns(matrices["whole"])
            rows = [self.leads.index(lead) for lead in CHEST]
            result["electrodes"] = measures.single_channel(a, rows)
        return result


class FMRI(Halved):
    columns = ["halves weighted", "halves mean", "PMI signals", "PMI innovations", "MIR"]

    def load(self):
        path = next((self.data / "fmri").glob("*.csv"))
        return Problem(np.loadtxt(path, delimiter=",", skiprows=1).T)


class Mixtures(Recording):
    """Recorded sources behind random matrices, one for each seed."""

    columns = ["SI-SDR", "MCC"]

    def __init__(
        self,
        seeds: int,
        sources: Callable[[np.random.Generator], np.ndarray],
        rate: float | None = None,
        shape: str | None = None,
    ):
        self.seeds, self.sources, self.rate, self.shape = seeds, sources, rate, shape

    @functools.cache
    def problem(self, seed: int) -> Problem:
        rng = np.random.default_rng(seed)
        sources = self.sources(rng)
        sources = sources - sources.mean(axis=1, keepdims=True)
        sources /= sources.std(axis=1, keepdims=True)
        while True:
            a = rng.standard_normal((len(sources), len(sources)))
            if np.linalg.cond(a) < CONDITION:
                return Problem(a @ sources, self.rate, self.shape, sources=sources)

    def parts(self):
        return {f"seed {s}": functools.partial(self.problem, s) for s in range(self.seeds)}

    def measure(self, matrices):
        return by_seed(
            (seed, measures.recovery(w @ self.problem(seed).x, self.problem(seed).sources))
            for seed, w in seeds_of(matrices)
        )


def voices(data: pathlib.Path, seeds: int) -> Mixtures:
    paths = sorted((data / "speech").glob("*.wav"))
    rate = wavfile.read(paths[0])[0]
    return Mixtures(seeds, lambda _: np.array([wavfile.read(p)[1] for p in paths], float), rate)


def photographs(data: pathlib.Path, seeds: int) -> Mixtures:
    paths = sorted((data / "images").glob("*.png"))

    def four(rng: np.random.Generator) -> np.ndarray:
        chosen = rng.choice(len(paths), 4, replace=False)
        return np.array(
            [np.asarray(Image.open(paths[i]).convert("L")).ravel() for i in chosen], float
        )

    return Mixtures(seeds, four, shape="128x128")


class Forward(Recording):
    columns = ["strongest", "map error", "rv < 5 %", "rv < 10 %", "rv < 15 %", "median rv"]
    # Without Infomax, which takes minutes each; Picard has the same criterion.
    rivals = ["oracle", *(name for name in Recording.rivals if name != "infomax")]

    def __init__(self, seeds: int, channels: int, bursting: bool, cache: pathlib.Path):
        self.seeds, self.channels, self.bursting, self.cache = seeds, channels, bursting, cache

    @functools.cached_property
    def simulator(self) -> forward.Simulator:
        return forward.Simulator(self.channels)

    @functools.cached_property
    def dipoles(self) -> forward.Dipoles:
        return forward.Dipoles(forward.standard_info(self.channels), self.cache)

    @functools.lru_cache(10)
    def simulation(self, seed: int) -> forward.Simulation:
        return self.simulator.simulate(seed, self.bursting)

    def problem(self, seed: int) -> Problem:
        simulation = self.simulation(seed)
        sources = simulation.sources[simulation.strongest]
        return Problem(simulation.x, forward.RATE, sources=sources)

    def parts(self):
        return {f"seed {s}": functools.partial(self.problem, s) for s in range(self.seeds)}

    def score(self, seed: int, w: np.ndarray) -> dict:
        simulation = self.simulation(seed)
        strongest = simulation.strongest
        r = measures.correlations(w @ simulation.x, simulation.sources[strongest])
        nearest = r.argmax(axis=0)
        result = {"strongest": float(r.max(axis=0).mean())}
        if w.shape[0] < w.shape[1]:  # the oracle's has no patterns
            return result
        a = measures.patterns(w)
        a = a[:, nearest] / np.linalg.norm(a[:, nearest], axis=0)
        cosines = np.abs((a * simulation.maps[:, strongest]).sum(axis=0))
        result["map error"] = float((1 - cosines).mean())
        return result | near_dipolar(self.dipoles, measures.patterns(w))

    def measure(self, matrices):
        return by_seed((seed, self.score(seed, w)) for seed, w in seeds_of(matrices))


def seeds_of(matrices: dict[str, np.ndarray]) -> Iterator[tuple[int, np.ndarray]]:
    for part, w in matrices.items():
        yield int(part.split()[1]), w


def by_seed(scores: Iterator[tuple[int | str, dict]]) -> dict:
    """The means over seeds, or over recordings, and "seeds", the values of each."""
    each = dict(scores)
    keys = next(iter(each.values()), {})
    means = {key: float(np.mean([values[key] for values in each.values()])) for key in keys}
    return means | {"seeds": {str(seed): values for seed, values in each.items()}}


def standard_error(outcome: dict, key: str) -> float | None:
    """Of a mean over seeds; None of a single value."""
    values = [each[key] for each in outcome["measures"].get("seeds", {}).values() if key in each]
    return float(np.std(values, ddof=1) / len(values) ** 0.5) if len(values) > 1 else None


def kind(name: str) -> type[Recording]:
    """The class of a recording."""
    mixtures = dict.fromkeys(["voices", "photographs"], Mixtures)
    halved = {"eeglab": EEGLAB, "meegkit": Meegkit, "ecg": ECG, "fmri": FMRI}
    several = dict.fromkeys(["eegmat", "eegmmidb"], EDFs)
    return ({"forward": Forward} | mixtures | several | halved)[name.split("-")[0]]


def recordings(data: pathlib.Path, out: pathlib.Path, seeds: int | None) -> dict[str, Callable]:
    """What makes each recording, by its name."""
    cache = out / "cache"
    made = {
        "eeglab": lambda: EEGLAB(data, cache),
        "eeglab-notched": lambda: EEGLAB(data, cache, notched=True),
        "meegkit": lambda: Meegkit(data, cache),
        "ecg": lambda: ECG(data, cache),
        "ecg-rank": lambda: ECG(data, cache, weakest=1e-3),
        "fmri": lambda: FMRI(data, cache),
        "eegmat": lambda: EDFs(sorted(data.glob("eegmat/Subject*_1.edf")), cache, 1e-2),
        "eegmmidb": lambda: EDFs(
            [data / f"eegmmidb/S001R{run:02}.edf" for run in range(3, 15)], cache, 1e-6
        ),
        "voices": lambda: voices(data, seeds or 5),
        "photographs": lambda: photographs(data, seeds or 5),
    }
    for channels in forward.CAPS:
        for kind in ("bursting", "steady"):
            made[f"forward-{kind}-{channels}"] = functools.partial(
                Forward, seeds or 10, channels, kind == "bursting", cache
            )
    return made


class Store:
    """The folder of --out."""

    def __init__(self, out: pathlib.Path):
        self.out = out
        self.lines = out / "recordings.jsonl"

    def outcomes(self) -> dict[tuple[str, str], dict]:
        """The last outcome of each recording and label, in the order of the first."""
        last: dict[tuple[str, str], dict] = {}
        if self.lines.exists():
            for line in self.lines.read_text().splitlines():
                outcome = json.loads(line)
                last[outcome["recording"], outcome["label"]] = outcome
        return last

    def append(self, outcome: dict):
        """Adds a line in one write, since several programs may share the folder."""
        with self.lines.open("ab", buffering=0) as file:
            file.write((json.dumps(outcome) + "\n").encode())

    def matrix(self, recording: str, label: str, part: str) -> pathlib.Path:
        name = "_".join([recording, label, part]).replace(" ", "-").replace("/", "-")
        return self.out / "matrices" / f"{name}.npy"

    def fit(
        self,
        recording: str,
        label: str,
        part: str,
        problem: Callable[[], Problem],
        method: demixers.Method,
        again: bool,
    ) -> dict:
        """What a fit took; its matrix is in the file that self.matrix names."""
        path = self.matrix(recording, label, part)
        about = path.with_suffix(".json")
        if about.exists() and not again:
            return json.loads(about.read_text())
        try:
            demixing = method(problem())
        except Exception as failure:  # a rival's may be anything
            print(f"{recording}, {label}, {part}: {failure}", file=sys.stderr, flush=True)
            return {"failure": str(failure)}
        took = {
            "seconds": demixing.seconds,
            "processor": demixing.processor,
            "version": demixing.version,
            "threads": os.environ.get("OMP_NUM_THREADS"),
            "date": time.strftime("%Y-%m-%d"),
            **demixing.details,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, demixing.w)
        about.write_text(json.dumps(took))
        print(
            f"{recording}, {label}, {part}: {demixing.seconds:.1f} s", file=sys.stderr, flush=True
        )
        return took

    def run(
        self,
        name: str,
        recording: Recording,
        label: str,
        method: demixers.Method,
        refit: bool,
        remeasure: bool,
    ) -> dict:
        """Fits all parts that aren't there yet, and measures them."""
        fits, matrices = {}, {}
        for part, problem in recording.parts().items():
            fits[part] = self.fit(name, label, part, problem, method, refit)
            if "failure" not in fits[part]:
                matrices[part] = np.load(self.matrix(name, label, part))
        former = self.outcomes().get((name, label))
        if former and former["fits"] == fits and not remeasure:
            return former
        outcome = {"recording": name, "label": label, "measures": recording.measure(matrices)}
        outcome["fits"] = fits
        self.append(outcome)
        return outcome


FORMATS = {"PMI signals": ".5f", "PMI innovations": ".5f", "MIR": ".2f", "median rv": ".1f"}
FORMATS |= {"SI-SDR": ".2f", "components": ".1f", "halves > 0.95": ".1f"}
FORMATS |= {f"rv < {limit} %": ".1f" for limit in (5, 10, 15)}


def cell(key: str, outcome: dict) -> str:
    value, error = outcome["measures"].get(key), standard_error(outcome, key)
    if value is None:
        return "–"
    form = FORMATS.get(key, ".3f")
    text = str(value) if isinstance(value, int) else format(value, form)
    return text if error is None else f"{text} ± {error:{form}}"


def seconds(fits: dict[str, dict], only: str | None = None) -> str:
    """Of the whole, or the mean over seeds; of the clock and the processor unless only one."""
    wholes = [fit for part, fit in fits.items() if part.endswith("whole")]
    chosen = wholes or list(fits.values())
    chosen = [fit for fit in chosen if "failure" not in fit]
    if not chosen:
        return "–"
    if only:
        return f"{np.mean([fit[only] for fit in chosen]):.1f}"
    clock, processor = (np.mean([f[key] for f in chosen]) for key in ("seconds", "processor"))
    return f"{clock:.1f} ({processor:.1f})"


def table(name: str, columns: list[str], outcomes: list[dict]) -> str:
    lines = [f"**{name}**", "", "| method | fits | " + " | ".join([*columns, "seconds"]) + " |"]
    lines.append("| --- |" + " ---: |" * (len(columns) + 2))
    for outcome in outcomes:
        fits = outcome["fits"]
        good = sum("failure" not in fit for fit in fits.values())
        row = [outcome["label"], f"{good}/{len(fits)}"]
        row += [cell(key, outcome) for key in columns]
        lines.append("| " + " | ".join([*row, seconds(fits)]) + " |")
    return "\n".join(lines) + "\n"


NAMES = {  # of methods on pages, in their order
    "oracle": "best linear map",
    "fastica": "FastICA",
    "picard": "Picard",
    "picard-o": "Picard-O",
    "infomax": "Infomax",
    "sobi": "SOBI",
    "amica": "AMICA",
}
COLUMNS: dict[type[Recording], dict[str, str]] = {  # on pages: measures, and their headings
    EEGLAB: {
        "rv < 5 %": "< 5 %",
        "rv < 10 %": "< 10 %",
        "rv < 15 %": "< 15 %",
        "median rv": "median, %",
        "brain": "brain",
        "PMI innovations": "innovations' MI",
        "MIR": "MIR",
        "halves weighted": "halves",
    },
    ECG: {"halves mean": "mean", "halves > 0.95": "> 0.95", "halves weighted": "weighted"},
    Forward: {"strongest": "correlation", "map error": "map error", "rv < 10 %": "< 10 %"},
}
SUMMARY = {  # rows of README.md's table
    "EEGs of 36 people: components of about 18 that repeat in both halves": (
        "eegmat",
        "halves > 0.95",
        ".1f",
    ),
    "the same: near-dipolar components": ("eegmat", "rv < 10 %", ".1f"),
    "one more EEG: near-dipolar components of 32": ("eeglab", "rv < 10 %", ".0f"),
    "four voices: SI-SDR, dB": ("voices", "SI-SDR", ".1f"),
    "four photographs: SI-SDR, dB": ("photographs", "SI-SDR", ".1f"),
}
SUMMARISED = ["fastica", "picard-o", "infomax", "sobi", "amica"]  # its columns


class Page:
    """The outcomes that pages show, with words for labels."""

    def __init__(self, store: Store, label: str, former: str):
        self.known = store.outcomes()
        self.names = NAMES | {former: "Default before", label: "Default"}

    def outcomes(self, recording: str) -> dict[str, dict]:
        """Of a recording, by label."""
        found = {label: self.known.get((recording, label)) for label in self.names}
        return {label: outcome for label, outcome in found.items() if outcome}

    def value(self, recording: str, label: str, key: str):
        return self.known.get((recording, label), {"measures": {}})["measures"].get(key)

    def table(self, recordings: list[str]) -> str:
        """Of recordings of one kind, side by side; seconds are those of the processor."""
        of = kind(recordings[0])
        columns = COLUMNS.get(of, {key: key for key in of.columns})
        headings = [*columns.values(), "seconds"] * len(recordings)
        lines = [f"**{', '.join(recordings)}**", "", "| method | " + " | ".join(headings) + " |"]
        lines.append("| --- |" + " ---: |" * len(headings))
        known = [self.outcomes(recording) for recording in recordings]
        for label, name in self.names.items():
            if not any(label in outcomes for outcomes in known):
                continue
            cells = []
            for outcomes in known:
                outcome = outcomes.get(label, {"measures": {}, "fits": {}})
                cells += [cell(key, outcome) for key in columns]
                cells.append(seconds(outcome["fits"], "processor"))
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        return "\n".join(lines) + "\n"

    def summary(self) -> str:
        labels = [*SUMMARISED, list(self.names)[-1]]
        lines = ["| | " + " | ".join(self.names[label] for label in labels) + " |"]
        lines.append("| --- |" + " ---: |" * len(labels))
        for row, (recording, key, form) in SUMMARY.items():
            values = [self.value(recording, label, key) for label in labels]
            cells = ["–" if v is None else format(v, form) for v in values]
            lines.append(f"| {row} | " + " | ".join(cells) + " |")
        return "\n".join(lines) + "\n"

    def repeats(self) -> dict[str, list[int]]:
        """How many components of each person repeat, by method."""
        return {
            self.names[label]: [
                each["halves > 0.95"] for each in outcome["measures"]["seeds"].values()
            ]
            for label, outcome in self.outcomes("eegmat").items()
            if label in SUMMARISED or label == list(self.names)[-1]
        }

    def copy(self, names: list[str], path: pathlib.Path):
        outcomes = [o for name in names for o in self.outcomes(name).values()]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(outcome) + "\n" for outcome in outcomes))


def draw(folder: pathlib.Path, known: dict[str, Callable], page: Page):
    shown = []
    for name, title in ("eeglab", "EEG, 32 channels"), ("ecg", "ECG, 15 channels"):
        whole = known[name]().whole
        edges, power, strong = measures.strongest_directions(whole.x)
        shown.append(picture.Spectrum(title, edges * whole.rate / 2, power, strong))
    picture.spectra(folder / "coarse.png", shown)
    picture.people(folder / "people.png", page.repeats())


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=pathlib.Path, help="folder of the data, to fit or draw")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of outcomes")
    parser.add_argument("--recordings", nargs="+", default=[], help="all by default")
    parser.add_argument(
        "--methods",
        nargs="+",
        help="rivals, sica, command; by default what "
        "--sica or --command names, or else the rivals except amica",
    )
    parser.add_argument("--sica", help="the command")
    parser.add_argument("--flags", default="", help="more flags of sica separate, in one word")
    parser.add_argument("--command", help="template of another program's command line")
    parser.add_argument("--label", help="name of sica's or the command's row")
    parser.add_argument(
        "--env",
        nargs="+",
        default=[],
        metavar="NAME=VALUE",
        help="environment of sica or the command",
    )
    parser.add_argument("--seeds", type=int, help="seeds of recordings with a truth")
    parser.add_argument("--refit", action="store_true", help="fit again what is there")
    parser.add_argument("--remeasure", action="store_true", help="measure again what is there")
    parser.add_argument("--labels", action="store_true", help="only print labels and ICLabel's")
    parser.add_argument("--table", action="store_true", help="only print the tables")
    parser.add_argument("--summary", action="store_true", help="only print README.md's table")
    parser.add_argument("--copy", type=pathlib.Path, metavar="FILE", help="of what pages show")
    parser.add_argument("--pictures", type=pathlib.Path, metavar="DIR", help="two, of pages")
    parser.add_argument("--former", default="c378914", help="label of an earlier Default")
    args = parser.parse_args()
    page = args.summary or args.copy or args.pictures
    if page and not args.label:
        parser.error("--label: must name Default's row, with --summary, --copy or --pictures")
    if not args.data and (args.pictures or not (page or args.table)):
        parser.error("--data: must be there to fit or to draw")
    return args


def chosen_methods(args: argparse.Namespace) -> dict[str, demixers.Method]:
    """The methods of the arguments, by label."""
    environment = dict(setting.split("=", 1) for setting in args.env)
    names = args.methods
    if names is None:
        names = ["sica"] * bool(args.sica) + ["command"] * bool(args.command)
        names = names or ["oracle", *Recording.rivals]
    if args.label and args.sica and args.command:
        raise SystemExit("--label: must name one of --sica and --command")
    methods: dict[str, demixers.Method] = {}
    for name in names:
        if name == "sica":
            path = args.sica or "bin/sica"
            methods[args.label or "sica"] = demixers.sica(path, environment, args.flags.split())
        elif name == "command":
            methods[args.label or "command"] = demixers.external(args.command, environment)
        elif name in demixers.RIVALS:
            methods[name] = demixers.RIVALS[name]
        else:
            rivals = ", ".join(demixers.RIVALS)
            raise SystemExit(f"--methods: must be sica, command or one of {rivals} ({name})")
    return methods


def main():
    args = parse()
    warnings.filterwarnings("ignore")
    mne.set_log_level("error")
    known = recordings(args.data, args.out, args.seeds)
    names = args.recordings or list(known)
    for name in names:
        if name not in known:
            raise SystemExit(f"--recordings: must be among {', '.join(known)} ({name})")
    if args.labels:
        print(EEGLAB(args.data, args.out / "cache").compare_labels(args.sica or "bin/sica"))
        return
    store = Store(args.out)
    page = Page(store, args.label, args.former) if args.label else None
    if page and (args.summary or args.copy or args.pictures):
        if args.summary:
            print(page.summary())
        if args.copy:
            page.copy(names, args.copy)
        if args.pictures:
            draw(args.pictures, known, page)
        return
    if args.table and page:
        for _, group in itertools.groupby(names, key=lambda n: (kind(n), n.split("-")[-1])):
            print(page.table(list(group)))
        return
    methods = {} if args.table else chosen_methods(args)
    for name in names:
        if methods:
            recording = known[name]()
        for label, method in methods.items():
            if label not in demixers.RIVALS or label in recording.rivals:
                store.run(name, recording, label, method, args.refit, args.remeasure)
        found = [o for (n, _), o in store.outcomes().items() if n == name]
        print(table(name, kind(name).columns, found), flush=True)


if __name__ == "__main__":
    main()
