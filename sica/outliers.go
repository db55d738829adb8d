package sica

import (
	"strings"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/internal/outlier"
)

// setAside returns the signals x of a run with their outliers mended, for the choice of a
// separation, and the positions of the outliers; x itself and nil if there are none.
func (f *fitting) setAside(x *ica.Signals) (mended *ica.Signals, outliers []int, err error) {
	outliers = outlier.Find(x.X(), f.grid)
	if outliers == nil {
		return x, nil, nil
	}
	mended, err = x.Replaced(outlier.Mend(x.X(), outliers))
	return mended, outliers, err
}

// putBack makes s, which was chosen without the outliers of the signals x, a separation of x.
func (s *separation) putBack(x *ica.Signals, outliers []int) (err error) {
	if outliers == nil {
		return nil
	}
	s.Outliers = outliers
	s.Why = strings.TrimSpace(s.Why + " " + notes.Outliers(outliers, 0, 0))
	s.Z, err = mapping.ApplyAll(x.X(), s.Maps)
	return err
}
