package linear

import "fmt"

// A Reason says why not all signals of a Solution are identified.
type Reason int

const (
	// AllIdentified: all signals are identified.
	AllIdentified Reason = iota
	// SameSpectrum: the data don't distinguish signals from their rotations, since these signals
	// may be Gaussian with the same spectrum.
	SameSpectrum
	// NonlinearMixing: Gaussian signals with the same spectrum, after a componentwise nonlinearity,
	// explain the mixed signals as well.
	NonlinearMixing
	// Noise: noise of the channels hides signals or their rotation.
	Noise
	// HiddenNoise: undetected noise could hide signals.
	HiddenNoise
	// LikeNoise: signals can't be distinguished from noise; see Findings.NoiseLike.
	LikeNoise
	// Dependence: the signals depend on each other.
	Dependence
	// MoreSources: there seem to be more sources than channels.
	MoreSources
	// Stopped: the fit was stopped before it had compared all models.
	Stopped
)

var reasonNames = [...]string{
	"all identified", "same spectrum", "nonlinear mixing", "noise", "hidden noise", "like noise",
	"dependence", "more sources", "stopped",
}

// String returns the reason in words, as JSON has it.
func (r Reason) String() string {
	if r < 0 || int(r) >= len(reasonNames) {
		return fmt.Sprintf("Reason(%d)", int(r))
	}
	return reasonNames[r]
}

// MarshalText returns the String of r.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText sets r to the reason whose String is text. Another text is an error.
func (r *Reason) UnmarshalText(text []byte) error {
	for k, name := range reasonNames {
		if name == string(text) {
			*r = Reason(k)
			return nil
		}
	}
	return fmt.Errorf("linear: reason: unknown (%q); must be one of %q", text, reasonNames)
}
