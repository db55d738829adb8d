package network

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/host"
)

// growRestarts is how many of the runs of each fold are grown, the best first. Training after three
// layers often ends in a local optimum. As many new layers near the identity behind those that
// were trained, and a training of all of them from the full rate on, lead out of many. Of ten
// signals after three layers (seeds 7202 and 7203, n = 16,384, one fold) the gaps to the true
// inverse were −3.9 and −2.0 nats per position after eight restarts. The best run alone came to
// −2.4 on the first seed. Four came to −1.3 and −0.5: each time the one that had been dropped after
// half of its steps, at a high rate, went on best. A second growth brought 0.1 more. New layers
// behind ones that stay as they are brought 1.1 (seed 7202).
const growRestarts = 4

// grown returns the models of networks with as many new layers behind those that t trained, or
// the models as they are where these have a shorter code. It grows networks of many signals if
// other networks didn't recover the same signals, unless the training of t was futile.
func (t *training) grown(
	ctx context.Context, problems []*problem, models []*Model,
) ([]*Model, error) {
	if t.ends == nil || !slices.ContainsFunc(models, (*Model).unreproduced) {
		return models, nil
	}
	o := t.options
	o.Layers *= 2
	o.Restarts = min(growRestarts, o.Restarts)
	next, err := newTraining(ctx, o.Backend, problems, t.index, o)
	if err != nil {
		return nil, err
	}
	for r := range next.runs() {
		problem, restart, fold := next.of(r)
		next.begin = append(next.begin, t.ends[problem*o.Folds+fold][restart])
	}
	next.earlier = t.options.Restarts * o.Folds
	err = next.train(ctx)
	if err != nil && ctx.Err() == nil {
		next.discard()
		return nil, err
	}
	defer next.release() // a context that ended left the program as it was
	if err != nil {
		return nil, err
	}
	longer, err := next.models(ctx, problems)
	if err != nil {
		return nil, err
	}
	best := slices.Clone(models)
	for i, m := range longer {
		if m.codeLength() < best[i].codeLength() {
			best[i] = m
		}
	}
	return best, nil
}

// models are those of all problems.
func (t *training) models(ctx context.Context, problems []*problem) ([]*Model, error) {
	models := make([]*Model, len(problems))
	for i, p := range problems {
		t.options.report(Judging, float64(i)/float64(len(problems)), nil)
		var err error
		if models[i], err = t.model(ctx, i, p); err != nil {
			return nil, err
		}
	}
	return models, nil
}

// unreproduced is the opposite of Reproduced.
func (m *Model) unreproduced() bool { return !m.Reproduced() }

// codeLength is the mean over the folds of that of the best run.
func (m *Model) codeLength() float64 {
	least := make(map[int]float64)
	for _, r := range m.Runs {
		if length, ok := least[r.Fold]; !ok || r.CodeLength < length {
			least[r.Fold] = r.CodeLength
		}
	}
	total := 0.0
	for _, length := range least {
		total += length
	}
	return total / float64(len(least))
}

// prepend puts the layers of begin in front of the last ones of the active runs, in the place of
// their first. What the first layers were to cancel is cancelled by the matrix between, so that the
// networks are what those of begin are, up to the new layers' nonlinearities.
func (t *training) prepend() error {
	d := t.d
	for _, name := range []string{"lower", "upper", "sharpness", "biases", "matrices"} {
		path := mapScope + "/invertible/" + name
		v := t.store.GetVariable(path)
		value, err := v.Value()
		if err != nil {
			return err
		}
		drawn, err := host.Values(value)
		if err != nil {
			return err
		}
		size := len(drawn) / len(t.active)
		for k, r := range t.active {
			layers, trained := drawn[k*size:(k+1)*size], t.begin[r][path]
			if name != "matrices" {
				copy(layers, trained)
				continue
			}
			between := len(trained) - d*d
			rest, err := inverseProduct(layers[between:], d)
			if err != nil {
				return err
			}
			var product mat.Dense
			product.Product(mat.NewDense(d, d, slices.Clone(layers[between:len(trained)])), rest,
				mat.NewDense(d, d, slices.Clone(trained[between:])))
			copy(layers, trained)
			copy(layers[between:], product.RawMatrix().Data)
		}
		if err := v.SetValue(host.Tensor(drawn, v.DType(), v.Shape().Dimensions...)); err != nil {
			return err
		}
	}
	return nil
}

// inverseProduct returns the inverse of the product of d×d matrices, of which the first is applied
// first.
func inverseProduct(matrices []float64, d int) (*mat.Dense, error) {
	product := mat.NewDense(d, d, slices.Clone(matrices[:d*d]))
	for ; len(matrices) > d*d; matrices = matrices[d*d:] {
		var next mat.Dense
		next.Mul(mat.NewDense(d, d, slices.Clone(matrices[d*d:2*d*d])), product)
		product = &next
	}
	var inverse mat.Dense
	if err := inverse.Inverse(product); err != nil {
		return nil, err
	}
	return &inverse, nil
}
