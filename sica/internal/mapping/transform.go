package mapping

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// Transform names a transform that is fitted to the signals alone, without training.
type Transform string

// Package preprocess says what each of them does.
const (
	Standardise Transform = "standardise"
	ZCA         Transform = "zca"
	Gaussianise Transform = "gaussianise"
	Conditional Transform = "conditional"
)

var transforms = []Transform{Standardise, ZCA, Gaussianise, Conditional}

// Parse returns the transform called name. The error for another name
// lists those that there are.
func Parse(name string) (Transform, error) {
	if t := Transform(name); slices.Contains(transforms, t) {
		return t, nil
	}
	return "", fmt.Errorf("unknown transform %q; valid are %q", name, transforms)
}

// Apply is what Fit makes of x; see preprocess.Apply.
func Apply(x *mat.Dense, steps ...Transform) (*mat.Dense, error) {
	z, _, err := Fit(context.Background(), x, steps)
	return z, err
}

// Fit applies the steps to the d×T signals x in order, and returns the maps that they are
// when they are fitted to x, too. It stops with ctx's error when ctx ends.
func Fit(ctx context.Context, x *mat.Dense, steps []Transform) (*mat.Dense, []Map, error) {
	for _, step := range steps {
		if _, err := Parse(string(step)); err != nil {
			return nil, nil, fmt.Errorf("preprocess: %w", err)
		}
	}
	if err := signal.Check("x", x); err != nil {
		return nil, nil, fmt.Errorf("preprocess: %w", err)
	}
	z := mat.DenseCopyOf(x)
	maps := []Map{}
	for _, step := range steps {
		next, fitted, err := step.fit(ctx, z)
		if err != nil {
			return nil, nil, fmt.Errorf("preprocess: %s: %w", step, err)
		}
		z, maps = next, append(maps, fitted)
	}
	return z, maps, nil
}

// Begin is Fit and its steps, with Standardise before them where the
// signals' scales or offsets differ too much for float64 otherwise.
func Begin(ctx context.Context, x *mat.Dense, steps []Transform) (z *mat.Dense, maps []Map, taken []Transform, err error) {
	if z, maps, err = Fit(ctx, x, steps); err == nil || len(steps) == 0 || steps[0] == Standardise {
		return z, maps, steps, err
	}
	taken = append([]Transform{Standardise}, steps...)
	if z, maps, failed := Fit(ctx, x, taken); failed == nil {
		return z, maps, taken, nil
	}
	return nil, nil, steps, err
}

// fit returns the transform of x, which must have passed signal.Check, and what
// it does to other signals.
func (t Transform) fit(ctx context.Context, x *mat.Dense) (*mat.Dense, Map, error) {
	switch t {
	case Standardise:
		z, err := Standardised(x)
		if err != nil {
			return nil, nil, err
		}
		return z, Standardisation(x), nil
	case ZCA:
		z, p, err := whitening(x)
		if err != nil {
			return nil, nil, err
		}
		return z, newSymmetric(p), nil
	case Gaussianise:
		z, err := gaussianise(x)
		return z, newNormalised(x), err
	case Conditional:
		z, c, err := conditional(ctx, x)
		return z, c, err
	}
	_, err := Parse(string(t))
	return nil, nil, err
}
