// Clean takes blinks out of a recording: it separates the channels, finds the components that a
// reference electrode saw, and writes the same recording without them.
package main

import (
	"context"
	"fmt"
	"log"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/inspect"
)

// clean writes the recording of a file to another, without what an electrode saw. The electrode's
// own channel isn't separated, and stays as it is. Clean returns the components that it took out.
func clean(ctx context.Context, from, to, electrode string) ([]inspect.Component, error) {
	rec, err := datasets.ReadRecording(from) // names, units, times and rate, too
	if err != nil {
		return nil, err
	}
	k := slices.Index(rec.Names, electrode)
	if k < 0 {
		return nil, fmt.Errorf("no channel is called %s; there are %q", electrode, rec.Names)
	}
	reference := mat.Row(nil, k, rec.Signals)
	without, err := datasets.ReadOptions{Without: []string{electrode}}.Recording(from)
	if err != nil {
		return nil, err
	}
	x := without.Signals // channels × positions

	b, err := backend.Open(backend.Auto)
	if err != nil {
		return nil, err
	}
	result, err := sica.Fit(ctx, b, x, sica.Default())
	if err != nil {
		return nil, err
	}
	components, err := inspect.Components(result, x, reference)
	if err != nil {
		return nil, err // sica.ErrNotLinear if a network made the signals
	}
	taken := slices.DeleteFunc(components, func(c inspect.Component) bool { return !c.Proposed })
	var signals []int
	for _, c := range taken {
		signals = append(signals, c.Signal) // from 0
	}
	cleaned, err := result.Remove(x, signals...)
	if err != nil {
		return nil, err
	}
	out := *without
	out.Signals = cleaned
	return taken, datasets.WriteRecording(to, &out)
}

func main() {
	must(write("recording.csv"))
	taken, err := clean(context.Background(), "recording.csv", "clean.csv", "EOG")
	must(err)
	for _, c := range taken {
		fmt.Printf("took out component %d: %.0f %% of the variance, correlation with the EOG %.2f\n",
			c.Signal+1, 100*c.Share, c.Correlation)
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
