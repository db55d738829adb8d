"""Makes the files of this folder: pip install scipy mne eeglabio, then python make.py."""
import os
import mne
import numpy as np
import scipy.io

os.chdir(os.path.dirname(os.path.abspath(__file__)))
t = np.arange(40) / 20
x = np.array([np.sin((i + 1) * np.arange(40) / 3) + i for i in range(3)]).T  # [40, 3]
names = np.array([["Fp1", "Cz", "EOG"]], dtype=object)
for name, variables in dict(
    matrix=dict(x=x, fs=250.0, labels=names, note="by hand", info=dict(age=30.0)),
    channels_by_times=dict(eeg=x.T, t=t),
    vectors=dict(time=t, left=x[:, 0], right=x[:, 1:2].T),
    several=dict(a=x, b=x + 1),
    lengths=dict(a=x[:, 0], b=x[1:, 1]),
    struct=dict(recording=dict(data=x, srate=500.0)),
    complex=dict(z=x * 1j, name="z"),
    epochs=dict(x=x.reshape(10, 4, 3)),
    acqknowledge=dict(data=x, labels=np.array(["Fp1", "Cz", "EOG"]), units=np.array(["mV", "mV", "Volts"]),
                      isi=4.0, isi_units="ms"),
    spike2={f"Ch{i + 1}": dict(title=n, interval=0.004, values=x[:, i : i + 1]) for i, n in enumerate(names[0])},
    timelock=dict(tl=dict(avg=x, time=t, label=names.T)),
    # two blocks of 10 and 30 positions
    labchart=dict(data=np.concatenate([x[:10].T.ravel(), x[10:].T.ravel()])[None],
                  datastart=np.array([[1.0, 31], [11, 61], [21, 91]]),
                  dataend=np.array([[10.0, 60], [20, 90], [30, 120]]), samplerate=np.full((3, 2), 250.0),
                  titles=np.array(["Fp1", "Cz", "EOG"]), blocktimes=np.zeros((1, 2))),
).items():
    scipy.io.savemat(name + ".mat", variables, do_compression=True)
rng = np.random.default_rng(0)
innovations = rng.laplace(size=(8, 80))
sources = np.zeros((8, 80))
for k in range(1, 80):
    sources[:, k] = np.linspace(0.9, 0.2, 8) * sources[:, k - 1] + innovations[:, k]
wide = (10 * rng.normal(size=(8, 8)) @ sources).round().astype("i2")
scipy.io.savemat("wide.mat", dict(eeg=wide, fs=250.0), do_compression=True)
eeg = dict(nbchan=3.0, pnts=40.0, trials=1.0, srate=250.0, data="beside.fdt")
scipy.io.savemat("beside.mat", dict(EEG=eeg))  # as EEGLAB does with numbers in a file of their own
os.rename("beside.mat", "beside.set")
x.astype("<f4").tofile("beside.fdt")
chanlocs = np.zeros(3, dtype=[("labels", "O")])
chanlocs["labels"] = names[0]
eeg.update(data=x.T.astype("f4"), chanlocs=chanlocs)
scipy.io.savemat("eeglab.mat", dict(EEG=eeg), do_compression=True)
trials = np.empty((1, 2), dtype=object)
trials[0, 0], trials[0, 1] = x[:30].T, x[30:].T
data = dict(trial=trials, label=names.T, fsample=250.0)
scipy.io.savemat("fieldtrip.mat", dict(data=data), do_compression=True)
info = mne.create_info(["Fp1", "Cz", "EOG"], 250, "eeg")
raw = mne.io.RawArray(x.T * 1e-6, info, verbose="error")
raw.set_annotations(mne.Annotations([0.1, 0.12], [0, 0.02], ["blink", "17"]))
mne.export.export_raw("mne.set", raw, overwrite=True, verbose="error")
epochs = mne.EpochsArray(x.reshape(4, 10, 3).transpose(0, 2, 1) * 1e-6, info, verbose="error")
epochs.export("mne_epochs.set", overwrite=True, verbose="error")
