package network

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/network/internal/source"
)

// likelihoods are log-likelihoods of signals at positions held out: by sources whose innovations
// are of constant strength, and by any, which may vary.
type likelihoods struct{ constant, varying []float64 }

// likelihoodsOf fits models of these kinds, or of varying strength, to each signal of z on the
// train positions.
func likelihoodsOf(z *mat.Dense, lags, train, held []int, components int, kinds ...source.Kind) likelihoods {
	varying, vary := source.ScoresOf(z, lags, train, held, components, append(slices.Clip(kinds), source.Varying)...)
	if !vary {
		return likelihoods{slices.Clone(varying), varying}
	}
	constant, _ := source.ScoresOf(z, lags, train, held, components, kinds...)
	return likelihoods{constant, varying}
}

// plus adds terms, one a position, to both.
func (l likelihoods) plus(terms []float64) likelihoods {
	floats.Add(l.constant, terms)
	floats.Add(l.varying, terms)
	return l
}

// paid is likelihoods of what was chosen among so many by the same positions: to say which
// costs the logarithm of their number.
func (l likelihoods) paid(choices int) likelihoods {
	return likelihoods{paid(l.constant, choices), paid(l.varying, choices)}
}

func paid(logLikelihoods []float64, choices int) []float64 {
	rest := slices.Clone(logLikelihoods)
	floats.AddConst(-math.Log(float64(choices))/float64(len(rest)), rest)
	return rest
}

// append adds those of other positions.
func (l *likelihoods) append(more likelihoods) {
	l.constant = append(l.constant, more.constant...)
	l.varying = append(l.varying, more.varying...)
}
