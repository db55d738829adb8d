package linear

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-47b1e431/gosica/internal/text"
)

// sentence says which signals are identified and, by the Reason, why not all are.
func (f *Findings) sentence() string {
	d := len(f.ExpectedError)
	switch {
	case d == 1:
		return "There is one signal: nothing to separate."
	case f.KeptWhitening:
		return "Symmetric whitening was kept: no rotation of it has a shorter code than " + f.null() +
			". Its orientation is right only if the mixing was symmetric with positive eigenvalues."
	case len(f.Groups) == 1:
		return fmt.Sprintf("No signal is identified: %s.", f.cause())
	}
	var alone []int
	for _, g := range f.Groups {
		if len(g) == 1 {
			alone = append(alone, g[0])
		}
	}
	switch {
	case len(alone) == d:
		return allIdentified(d)
	case len(alone) == 0:
		return fmt.Sprintf("Only groups of signals are identified: %s.", f.cause())
	case len(alone) == 1:
		return fmt.Sprintf("Only %s is identified: %s.", text.Signals(alone), f.cause())
	}
	return fmt.Sprintf("Only %s are identified: %s.", text.Signals(alone), f.cause())
}

func allIdentified(d int) string {
	if d == 2 {
		return "Both signals are identified."
	}
	return fmt.Sprintf("All %d signals are identified.", d)
}

// null names the null model that explains the mixed signals as well as a rotation does.
func (f *Findings) null() string {
	if f.Reason == NonlinearMixing {
		return "Gaussian signals of one spectrum after a nonlinear mixing"
	}
	return "Gaussian signals of one spectrum"
}

// cause says why signals aren't identified.
func (f *Findings) cause() string {
	mixed := "them" // signals that may be mixtures
	if len(f.Groups) > 1 {
		mixed = "signals " + text.Groups(f.Groups)
	}
	switch f.Reason {
	case Noise:
		return "noise of the channels, or more sources than channels, may mix " + mixed
	case HiddenNoise:
		return "noise of the channels that nothing shows could hide " + mixed
	case LikeNoise:
		return text.Signals(f.NoiseLike) + " can't be told from noise of the channels, under which a " +
			"source may be hidden, so that others are mixtures"
	case Dependence:
		why := f.dependence()
		if f.isDependent() {
			why += ". Noise of the channels, more sources than channels, a nonlinear mixing such as " +
				"clipping, or one that changes with time may be the reason"
		}
		return why
	case MoreSources:
		return "there seem to be more sources than channels, or channels with noise"
	case Stopped:
		return "the fit was stopped before it had compared all models"
	}
	return fmt.Sprintf("rotations of %s explain the recording as well as %s", mixed, f.null())
}

// dependence says which signals depend most on each other.
func (f *Findings) dependence() string {
	p := slices.MaxFunc(f.Pairs,
		func(a, b Pair) int { return cmp.Compare(a.Dependence, b.Dependence) })
	return fmt.Sprintf("signals depend on each other, most of all %d and %d", p.J+1, p.I+1)
}
