package ica

import (
	"encoding/json"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// ErrNotLinear is wrapped by the error of Model.Demixing and sica.Result.Demixing if the recovered
// signals aren't a linear demixing of the mixed signals.
var ErrNotLinear = errors.New("the recovered signals aren't a linear demixing")

// A Demixing is the linear map of a separation, Z = Unmixing·(x − Mean), and its inverse, x = Mean
// + Mixing·Z, up to principal components that were left out. (scikit-learn's names are components_,
// mixing_ and mean_.) In JSON it has w and a, as lists of rows, and mean.
type Demixing struct {
	Unmixing *mat.Dense // k×d, a row for each recovered signal
	Mixing   *mat.Dense // d×k: column i is what 1 of recovered signal i adds to each mixed signal
	Mean     []float64  // of each mixed signal
}

// demixingJSON is a Demixing in JSON.
type demixingJSON struct {
	W    signal.Rows `json:"w"`
	A    signal.Rows `json:"a"`
	Mean []float64   `json:"mean"`
}

// MarshalJSON returns w, a and mean, the matrices as lists of rows. It is an error if a value isn't
// finite.
func (d Demixing) MarshalJSON() ([]byte, error) {
	return json.Marshal(demixingJSON{W: signal.RowsOf(d.Unmixing), A: signal.RowsOf(d.Mixing), Mean: d.Mean})
}

// UnmarshalJSON reads what MarshalJSON returns. It is an error if the sizes don't agree.
func (d *Demixing) UnmarshalJSON(data []byte) error {
	if string(data) == "null" { // by convention without effect
		return nil
	}
	var in demixingJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	w, err := in.W.Matrix()
	if err != nil {
		return fmt.Errorf("ica: Demixing: w: %w", err)
	}
	a, err := in.A.Matrix()
	if err != nil {
		return fmt.Errorf("ica: Demixing: a: %w", err)
	}
	k, channels := w.Dims()
	if rows, columns := a.Dims(); rows != channels || columns != k {
		return fmt.Errorf("ica: Demixing: a: is %d×%d; must be %d×%d, as w is %d×%d",
			rows, columns, channels, k, k, channels)
	}
	if len(in.Mean) != channels {
		return fmt.Errorf("ica: Demixing: mean: has %d values; must have %d, one a mixed signal",
			len(in.Mean), channels)
	}
	*d = Demixing{Unmixing: w, Mixing: a, Mean: in.Mean}
	return nil
}

// String returns the matrices and the mean with four digits.
func (d *Demixing) String() string {
	rows := func(m *mat.Dense) fmt.Formatter {
		return mat.Formatted(m, mat.Prefix("           "), mat.Squeeze())
	}
	return fmt.Sprintf("Unmixing = %.4g\nMixing   = %.4g\nMean     = %.4g", rows(d.Unmixing), rows(d.Mixing), d.Mean)
}

// Demixing returns the linear map of the model. The error wraps ErrNotLinear if the model isn't
// linear. A singular map is an error, too.
func (m *Model) Demixing() (*Demixing, error) {
	d, err := m.demixing()
	if err != nil {
		return nil, fmt.Errorf("ica: demixing: %w", err)
	}
	return d, nil
}

func (m *Model) demixing() (*Demixing, error) {
	a, ok := m.Map.(*mapping.Affine)
	if !ok {
		return nil, fmt.Errorf("%w: Model.Map is a %T; use Transform", ErrNotLinear, m.Map)
	}
	mixing, err := a.Inverse()
	if err != nil {
		return nil, err
	}
	return &Demixing{Unmixing: mat.DenseCopyOf(a.Dense()), Mixing: mixing, Mean: a.Centre}, nil
}
