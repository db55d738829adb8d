"""Makes the files of this folder: pip install soundfile, then python make.py."""
import os
import numpy as np
import soundfile

os.chdir(os.path.dirname(os.path.abspath(__file__)))
k = np.arange(50)
x = np.stack([0.9 * np.sin(k / 3), -0.5 * np.cos(k / 7)], axis=1)
for form, prefix in [("WAV", ""), ("WAVEX", "extensible_")]:
    for kind in ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"]:
        soundfile.write(prefix + kind.lower() + ".wav", x, 8000, format=form, subtype=kind)
