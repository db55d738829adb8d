package sica

import (
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/internal/outlier"
)

// setAside returns the reduced signals of a run with their outliers mended, for the choice of a
// separation, and the positions of the outliers; the signals themselves and nil if there are none.
func (f *fitting) setAside(r *fitRun) (mended *ica.Signals, outliers []int, err error) {
	x := r.reduced.X()
	outliers = outlier.Find(x, f.grid)
	if outliers == nil {
		return r.reduced, nil, nil
	}
	mended, err = f.signals(r, outlier.Mend(x, outliers))
	return mended, outliers, err
}

// putBack makes d, which was chosen without the outliers of the signals x, a separation of x.
func (d *decision) putBack(x *ica.Signals, outliers []int) (err error) {
	if outliers == nil {
		return nil
	}
	d.outliers = outliers
	d.say(outlierSentence)
	d.Z, err = mapping.ApplyAll(x.X(), d.Maps)
	return err
}
