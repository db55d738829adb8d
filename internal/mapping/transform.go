package mapping

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

// The names of the transforms that are fitted to the signals alone, as described in package
// preprocess.
const (
	Standardise = "standardise"
	ZCA         = "zca"
	Gaussianise = "gaussianise"
	Conditional = "conditional"
)

var transforms = []string{Standardise, ZCA, Gaussianise, Conditional}

// Check returns an error unless t is one of the transforms. The error doesn't name the argument.
func Check[T ~string](t T) error {
	if slices.Contains(transforms, string(t)) {
		return nil
	}
	return fmt.Errorf("is %q; must be one of %q", string(t), transforms)
}

// Fit returns the signals x, d×n, after the transforms in order, and the fitted maps of these. It
// doesn't change x. If ctx ends, it returns the error of ctx. The other errors are those of
// preprocess.Apply.
func Fit[T ~string](
	ctx context.Context, x *mat.Dense, steps []T,
) (*mat.Dense, []Map, error) {
	for _, step := range steps {
		if err := Check(step); err != nil {
			return nil, nil, fmt.Errorf("preprocess: transform: %w", err)
		}
	}
	if err := signal.Check("x", x); err != nil {
		return nil, nil, fmt.Errorf("preprocess: %w", err)
	}
	z := mat.DenseCopyOf(x)
	maps := []Map{}
	for _, step := range steps {
		next, fitted, err := fit(ctx, string(step), z)
		if err != nil {
			return nil, nil, fmt.Errorf("preprocess: %s: %w", step, err)
		}
		z, maps = next, append(maps, fitted)
	}
	return z, maps, nil
}

// Begin is Fit that also returns the transforms that were used. It inserts Standardise before them
// if they fail without it, for example because the scales or offsets of the signals differ too much
// for float64.
func Begin[T ~string](
	ctx context.Context, x *mat.Dense, steps []T,
) (z *mat.Dense, maps []Map, used []T, err error) {
	z, maps, err = Fit(ctx, x, steps)
	if err == nil || len(steps) == 0 || steps[0] == Standardise {
		return z, maps, steps, err
	}
	used = append([]T{Standardise}, steps...)
	if z, maps, failed := Fit(ctx, x, used); failed == nil {
		return z, maps, used, nil
	}
	return nil, nil, steps, err
}

// fit returns x after the transform, and the map for other signals. The signals must have passed
// signal.Check.
func fit(ctx context.Context, transform string, x *mat.Dense) (*mat.Dense, Map, error) {
	switch transform {
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
		z, n := newNormalised(x)
		return z, n, nil
	case Conditional:
		z, c, err := conditional(ctx, x)
		return z, c, err
	}
	return nil, nil, Check(transform)
}
