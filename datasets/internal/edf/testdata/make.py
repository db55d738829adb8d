"""Writes the recordings that the test reads, with pyEDFlib: python make.py"""
from datetime import datetime
import numpy as np
import pyedflib

for name, kind in (("pyedflib.edf", pyedflib.FILETYPE_EDFPLUS), ("pyedflib.bdf", pyedflib.FILETYPE_BDFPLUS)):
    with pyedflib.EdfWriter(name, 2, file_type=kind) as f:
        bits = 15 if kind == pyedflib.FILETYPE_EDFPLUS else 23
        f.setStartdatetime(datetime(2020, 2, 29, 23, 59, 58))
        for i, (label, unit, rate, reach) in enumerate((("EEG Cz", "uV", 64, 110), ("Resp", "mV", 32, 2))):
            f.setSignalHeader(i, dict(label=label, dimension=unit, sample_frequency=rate, physical_max=reach,
                                      physical_min=-reach, digital_max=2**bits - 1, digital_min=-2**bits,
                                      transducer="", prefilter="HP:0.1Hz"))
        f.writeSamples([100 * np.sin(.1 * np.arange(3 * 64)), .01 * np.arange(3 * 32) - .5])
        f.writeAnnotation(.5, -1, "start")
        f.writeAnnotation(1.25, .5, "blink")
