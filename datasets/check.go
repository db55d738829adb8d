package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

var (
	errNilRand   = errors.New("datasets: rng is nil; must be a *rand.Rand")
	errNoSignals = errors.New("no signals; must be at least one signal and one position")
)

// newSignals returns a d×n matrix of zeros.
func newSignals(d, n int) (*mat.Dense, error) {
	if err := signal.CheckSize(d, n); err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	return mat.NewDense(d, n, nil), nil
}

// checkSignals returns the dimensions of z, or an error if z is empty or an entry is NaN or
// infinite.
func checkSignals(z *mat.Dense) (d, n int, err error) {
	if z == nil || z.IsEmpty() {
		return 0, 0, errNoSignals
	}
	if err := checkValues(z, 0); err != nil {
		return 0, 0, err
	}
	d, n = z.Dims()
	return d, n, nil
}

// checkValues returns an error if a value of z is NaN or infinite. first is the index of z's first
// position in the recording.
func checkValues(z *mat.Dense, first int) error {
	i, t, isFound := signal.NotFinite(z)
	if !isFound {
		return nil
	}
	v, more, advice := z.At(i, t), "", ""
	if math.IsNaN(v) {
		advice = ", or be filled in (MissingInterpolate) or left out (MissingDrop)"
	}
	if count := countNotFinite(z); count > 1 {
		more = fmt.Sprintf(", and %d more entries aren't finite", count-1)
	}
	return fmt.Errorf("signal %d is %v at position %d%s; every entry must be finite%s",
		i+1, v, first+t+1, more, advice)
}

// countNotFinite returns how many values of z are NaN or infinite.
func countNotFinite(z *mat.Dense) (count int) {
	d, _ := z.Dims()
	for i := range d {
		for _, v := range z.RawRowView(i) {
			if !signal.Finite(v) {
				count++
			}
		}
	}
	return count
}

// check returns an error unless the fields of r, except Signals, are valid for d signals. Whatever
// writes a recording calls it before it writes anything.
func (r *Recording) check(d int) error {
	if err := cmp.Or(
		checkLength("Names", r.Names, d), checkLength("Units", r.Units, d),
		checkLength("Places", r.Places, d),
		checkAmount("Rate", r.Rate), checkAmount("Highpass", r.Highpass),
	); err != nil {
		return err
	}
	if !signal.Finite(r.Start) {
		return fmt.Errorf("Start is %g; must be finite", r.Start)
	}
	for i, place := range r.Places {
		if place < 0 {
			return fmt.Errorf("Places: signal %d has %d; must be at least 0", i+1, place)
		}
	}
	for i, c := range r.Aside {
		if c.Place < 0 {
			return fmt.Errorf("Aside: column %d has Place %d; must be at least 0", i+1, c.Place)
		}
	}
	for i, e := range r.Events {
		if !signal.Finite(e.Onset) || !signal.Finite(e.Duration) {
			return fmt.Errorf("Events: event %d has Onset %g and Duration %g; must be finite, "+
				"and the Duration negative if there is none", i+1, e.Onset, e.Duration)
		}
	}
	return nil
}

// checkLength returns an error unless a field of a Recording is nil or has an entry for each of d
// signals.
func checkLength[T any](field string, entries []T, d int) error {
	if entries != nil && len(entries) != d {
		return fmt.Errorf("%s: %d for %d signals; must be one for each", field, len(entries), d)
	}
	return nil
}

// checkAmount returns an error unless a field is finite and at least 0.
func checkAmount(field string, v float64) error {
	if !signal.Finite(v) || v < 0 {
		return fmt.Errorf("%s is %g; must be finite and at least 0", field, v)
	}
	return nil
}
