package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// labelPositions is how many of the first positions the labels are based on: as many as inspect
// analyses together.
const labelPositions = 1 << 16

// label sets what the components of the recording x, in any order, look like, if its rate is known.
func label(
	all []inspect.Component, r *sica.Result, x blockwise.Source, about *datasets.Recording,
) error {
	if about.Rate == 0 || len(r.Shape) > 1 {
		return nil
	}
	for z, err := range blockwise.Transform(r, x.Blocks(labelPositions)) {
		if err != nil {
			return err
		}
		return labelBy(z, all, about) // without the other positions
	}
	return nil
}

// labelBy is label by the recovered signals z of a sequence with a rate.
func labelBy(z *mat.Dense, all []inspect.Component, about *datasets.Recording) error {
	labels, err := inspect.Labels(all, z, files.ChannelNames(about), about.Rate)
	for i := range labels {
		all[i].Label = labels[i]
	}
	return err
}

// looksLike returns a label with its evidence, or a dash.
func looksLike(l inspect.Label) string {
	if l.Name == "" {
		return "–"
	}
	return fmt.Sprintf("%s: %s", l.Name, l.Evidence)
}

// gradesFile is the file in the folder of a saved separation with the grades of its signals. It isn't in
// the manifest.
const gradesFile = "grades.json"

// readGrades returns the grades that separate kept in the folder of a model of d signals; nil for none.
func readGrades(model string, d int) (grades []report.Graded, err error) {
	err = files.ReadJSON(filepath.Join(model, gradesFile), &grades)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && len(grades) != d {
		err = fmt.Errorf("%s: has %d signals; must have %d, as the model",
			filepath.Join(model, gradesFile), len(grades), d)
	}
	return grades, err
}
