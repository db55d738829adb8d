"""Makes the files of this folder: pip install scipy, then python make.py."""
import os
import numpy as np
import scipy.io

os.chdir(os.path.dirname(os.path.abspath(__file__)))
x = np.array([[1.5, -2, 3], [4, 5.25, -6]])
variables = dict(
    x=x, single=x.astype("f4"), flags=x > 0, z=x + 1j, fs=250.0, name="Fp1 Ω", empty=np.zeros((0, 3)),
    names=np.array(["Fp1", "Cz", "EOG"], dtype=object), cube=np.arange(24.0).reshape(2, 3, 4),
    recording=dict(data=x, rate=500.0, label="Oz"),
    rows=np.array([("a", 1.0), ("bc", 2.0)], dtype=[("label", object), ("at", object)]),
)
for kind in "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split():
    info = np.iinfo(kind)
    variables[kind] = np.array([[info.min, 0, 7], [info.max, 1, 2]], kind)
scipy.io.savemat("scipy.mat", variables)
scipy.io.savemat("scipy_compressed.mat", variables, do_compression=True)
scipy.io.savemat("scipy_level4.mat", dict(x=x), format="4")
