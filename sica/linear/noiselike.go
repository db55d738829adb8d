package linear

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/ablation"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// likeNoise returns the noise-like signals, which can't be distinguished from white noise of the
// channels; nil if there are none. They are the largest set of m signals that lies in the space of
// the m weakest principal components.
//
// Noise of the same strength in all channels makes the weakest principal components white and
// Gaussian, with equal variances. So signals are noise-like if they are these components or
// rotations of them, if the code of each is hardly shorter than that of white Gaussian noise, and
// if none has rare large values, such as heartbeats, which hardly shorten the code.
func (s *draft) likeNoise(w *pca.Whitening) []int {
	if ablation.Off(ablation.NoiseLike) {
		return nil
	}
	d := len(s.Mean)
	gain := maxNoiseGain
	if d == 2 {
		gain = maxNoiseGainOfTwo
	}
	var white []int // and Gaussian
	for i, source := range s.Sources {
		if gaussianEntropy-source.CodeLength <= gain {
			white = append(white, i)
		}
	}
	var demixing mat.Dense // of the white principal components
	demixing.Mul(s.Demixing, w.Inverse)
	for m := min(len(white), d-1); m > 0; m-- {
		if !isNoise(w.Spread, m) {
			continue
		}
		var like []int
		for _, i := range white {
			row := demixing.RawRowView(i)
			if floats.Norm(row[d-m:], 2) >= minNoiseLike*floats.Norm(row, 2) &&
				math.Abs(kurtosis(row, w.White)) <= maxNoiseKurtosis {
				like = append(like, i)
			}
		}
		if len(like) == m {
			return like
		}
	}
	return nil
}

// isNoise reports whether the m weakest principal components may be noise. spread has the standard
// deviations, largest first. Those of noise are nearly equal, smaller than the others, and imply a
// small share of noise in the total variance.
func isNoise(spread []float64, m int) bool {
	d := len(spread)
	strongest, total := spread[d-m], floats.Norm(spread, 2)
	return strongest <= distinctSpread*spread[d-m-1] && spread[d-1] >= distinctSpread*strongest &&
		float64(d)*strongest*strongest <= maxNoiseShare*total*total
}

// kurtosis returns the excess kurtosis of the signal row·white.
func kurtosis(row []float64, white *mat.Dense) float64 {
	var y mat.VecDense
	y.MulVec(white.T(), mat.NewVecDense(len(row), row))
	return stat.ExKurtosis(y.RawVector().Data, nil)
}
