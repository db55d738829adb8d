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
)

// label sets the labels of the components of the recording x, in any order, if its rate is known.
func label(
	all []inspect.Component, r *sica.Result, x blockwise.Source, about *datasets.Recording,
) error {
	if about.Rate == 0 || len(r.Shape) > 1 {
		return nil
	}
	for z, err := range blockwise.Transform(r, x.Blocks(inspect.LabelledPositions)) {
		if err != nil {
			return err
		}
		return labelBy(z, all, about) // without the other positions
	}
	return nil
}

// labelBy is label from the recovered signals z of a sequence with a rate.
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

// gradesFile and labelsFile are the files in the folder of a saved separation with the grades and
// the labels of its signals. They aren't in the manifest.
const gradesFile, labelsFile = "grades.json", "labels.json"

// readOfSignals returns the entries for each signal in a file in a model's folder; nil without it.
func readOfSignals[T any](model *files.Model, name string) (all []T, err error) {
	path := filepath.Join(model.Folder, name)
	err = files.ReadJSON(path, &all)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if d := model.Signals(); err == nil && len(all) != d {
		err = fmt.Errorf("%s: has %d signals; must have %d, as the model", path, len(all), d)
	}
	return all, err
}
