package metric

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Align returns the recovered signals z as they are best shown beside the
// sources s: row i is the recovered signal that MCC pairs with source i, turned
// upside down if their correlation is negative, and brought to the mean and the
// standard deviation of the source. It uses the truth, so it is for pictures
// only. Neither argument is changed. The errors are MCC's.
func Align(z, s *mat.Dense) (*mat.Dense, error) {
	m, err := match(z, s, preprocess.Standardised)
	if err != nil {
		return nil, fmt.Errorf("metric: align: %w", err)
	}
	aligned := mat.DenseCopyOf(s)
	for i, j := range m.Assignment {
		row := z.RawRowView(j)
		mean, sd := stat.PopMeanStdDev(row, nil)
		toMean, toSD := stat.PopMeanStdDev(s.RawRowView(i), nil)
		if m.Correlation[i] < 0 {
			toSD = -toSD
		}
		for t, v := range row {
			aligned.Set(i, t, toMean+toSD*(v-mean)/sd)
		}
	}
	return aligned, nil
}
