package mapping

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// Transform names a transform that is fitted to the signals alone; see preprocess.Transform.
type Transform string

// The transforms, as package preprocess describes them.
const (
	Standardise Transform = "standardise"
	ZCA         Transform = "zca"
	Gaussianise Transform = "gaussianise"
	Conditional Transform = "conditional"
)

var transforms = []Transform{Standardise, ZCA, Gaussianise, Conditional}

// Parse returns the transform with this name. It is an error, which lists the valid names, if
// there is none.
func Parse(name string) (Transform, error) {
	t := Transform(name)
	if err := Check(t); err != nil {
		return "", fmt.Errorf("transform: %w", err)
	}
	return t, nil
}

// Check returns an error unless t is one of the transforms. The error doesn't name the argument.
func Check(t Transform) error {
	if slices.Contains(transforms, t) {
		return nil
	}
	return fmt.Errorf("is %q; must be one of %q", string(t), transforms)
}

// Fit returns the signals x, d×n, after the transforms in order, and the maps that the
// transforms are as fitted to x. It doesn't change x. It stops with ctx's error when ctx ends.
// The other errors are those of preprocess.Apply.
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

// Begin is Fit, and returns the transforms that were used. It inserts Standardise before them
// if without it they fail, as where the scales or offsets of the signals differ too much for
// float64.
func Begin(
	ctx context.Context, x *mat.Dense, steps []Transform,
) (z *mat.Dense, maps []Map, used []Transform, err error) {
	z, maps, err = Fit(ctx, x, steps)
	if err == nil || len(steps) == 0 || steps[0] == Standardise {
		return z, maps, steps, err
	}
	used = append([]Transform{Standardise}, steps...)
	if z, maps, failed := Fit(ctx, x, used); failed == nil {
		return z, maps, used, nil
	}
	return nil, nil, steps, err
}

// fit returns x transformed, and the map of other signals. The signals must have passed
// signal.Check.
func (t Transform) fit(ctx context.Context, x *mat.Dense) (*mat.Dense, Map, error) {
	switch t {
	case Standardise:
		z, err := Standardised(x)
		if err != nil {
			return nil, nil, err
		}
		return z, Standardisation(x), nil
	case ZCA:
		w, err := pca.Whiten(x)
		if err != nil {
			return nil, nil, err
		}
		return w.Symmetric(), NewSymmetric(w), nil
	case Gaussianise:
		return gaussianise(x), newNormalised(x), nil
	case Conditional:
		z, c, err := conditional(ctx, x)
		return z, c, err
	}
	_, err := Parse(string(t))
	return nil, nil, err
}
