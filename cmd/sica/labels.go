package main

import (
	"fmt"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/inspect"
)

// labelPositions is how many of the first positions the labels are based on: as many as inspect
// analyses together.
const labelPositions = 1 << 16

// labelled returns the components of the recording x with what they look like, if its rate is
// known.
func labelled(
	r *sica.Result, x, reference blockwise.Source, about *datasets.Recording,
) ([]inspect.Component, error) {
	all, err := inspect.Recording(r, x, reference)
	if err != nil || !(about.Rate > 0) || len(r.Shape) > 1 {
		return all, err
	}
	for z, err := range blockwise.Transform(r, x.Blocks(labelPositions)) {
		if err != nil {
			return nil, err
		}
		labels, err := inspect.Labels(all, z, files.ChannelNames(about), about.Rate)
		for i := range labels {
			all[i].Label = labels[i]
		}
		return all, err // without the other positions
	}
	return all, nil
}

// looksLike returns a label with its evidence, or a dash.
func looksLike(l inspect.Label) string {
	if l.Name == "" {
		return "–"
	}
	return fmt.Sprintf("%s: %s", l.Name, l.Evidence)
}
