"""Makes the files of this folder: pip install pybv mne, then python make.py."""
import os
import mne
import numpy as np
from pybv import write_brainvision

os.chdir(os.path.dirname(os.path.abspath(__file__)))
x = np.array([10 * np.sin((i + 1) * np.arange(100) / 10) + i for i in range(3)]) * 1e-6
names = ["Fp1", "Cz", "EOG1"]
events = [dict(onset=20, duration=1, description=3), dict(onset=50, duration=5, description=7)]
for name, fmt, resolution in [("pybv_int16", "binary_int16", 0.1), ("pybv_float", "binary_float32", 1)]:
    write_brainvision(data=x, sfreq=250, ch_names=names, fname_base=name, folder_out=".",
                      events=events, resolution=resolution, fmt=fmt, unit="µV", overwrite=True)
raw = mne.io.RawArray(x, mne.create_info(names, 250, "eeg"))
raw.set_annotations(mne.Annotations([0.2], [0.02], ["blink"]))
mne.export.export_raw("mne.vhdr", raw, fmt="brainvision", overwrite=True)
