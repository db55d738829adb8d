package ica

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// The format of the files that SaveMap writes.
const (
	mapFormat  = "sica linear map"
	mapVersion = 1
)

// A savedMap is a linear map in JSON: z = Matrix·(x − Mean).
type savedMap struct {
	Format  string      `json:"format"`
	Version int         `json:"version"`
	Matrix  signal.Rows `json:"matrix"`
	Mean    []float64   `json:"mean"`
}

// SaveMap writes the map of a linear model to a file, in JSON: Unmixing and Mean, as
// [Model.Demixing] returns them. The folder must exist. The file is replaced as a whole, or left
// unchanged on an error. The errors include those of Demixing: ErrNotLinear if the map isn't
// linear. Other maps can be saved as a sica.Result.
func (m *Model) SaveMap(file string) error {
	if file == "" {
		return errors.New("ica: save map: the path is empty; must be that of a file")
	}
	d, err := m.demixing()
	if err != nil {
		return fmt.Errorf("ica: save map: %w", err)
	}
	saved := savedMap{mapFormat, mapVersion, signal.RowsOf(d.Unmixing), d.Mean}
	err = atomicfile.Write(file, func(w io.Writer) error { return json.NewEncoder(w).Encode(saved) })
	if err != nil {
		return fmt.Errorf("ica: save map: %w", err)
	}
	return nil
}

// LoadMap reads the map that SaveMap wrote to a file. Its Apply returns the same signals as
// Transform of the model, and its Invert the same as InverseTransform. A different number of
// signals is an error. Unlike Transform, Apply doesn't check values: NaN leads to NaN.
func LoadMap(file string) (preprocess.Map, error) {
	m, err := loadMap(file)
	if err != nil {
		return nil, fmt.Errorf("ica: load map: %s: %w", file, err)
	}
	return m, nil
}

func loadMap(file string) (preprocess.Map, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var saved savedMap
	if err := json.Unmarshal(data, &saved); err != nil {
		return nil, err
	}
	if saved.Format != mapFormat || saved.Version != mapVersion {
		return nil, fmt.Errorf("is a %q of version %d; must be a %q of version %d: fit anew and save",
			saved.Format, saved.Version, mapFormat, mapVersion)
	}
	channels := len(saved.Mean)
	if channels == 0 || len(saved.Matrix) == 0 {
		return nil, errors.New("its matrix or its mean is empty; must be those of a linear map")
	}
	matrix, err := saved.Matrix.Matrix()
	if err != nil {
		return nil, fmt.Errorf("the matrix: %w", err)
	}
	if rows, columns := matrix.Dims(); rows != channels || columns != channels {
		return nil, fmt.Errorf("the matrix is %d×%d; must be %d×%d, as the mean has %d values",
			rows, columns, channels, channels, channels)
	}
	return preprocess.LinearMap(matrix, saved.Mean), nil
}
