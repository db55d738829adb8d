// Clean takes blinks out of a recording: it separates the channels, finds the components that a
// reference electrode saw, and writes the same recording without them.
package main

import (
	"context"
	"fmt"
	"log"
	"slices"

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
	k, err := rec.Channel(electrode) // by its name or its electrode: Fp1 is "EEG Fp1-REF"
	if err != nil {
		return nil, err
	}
	without, err := datasets.ReadOptions{Without: []string{electrode}}.Recording(from)
	if err != nil {
		return nil, err
	}
	filter := datasets.Filter{Highpass: 1} // drifts would become components
	x, err := filter.Apply(without.Signals, without.Rate)
	if err != nil {
		return nil, err
	}
	all, err := filter.Apply(rec.Signals, rec.Rate)
	if err != nil {
		return nil, err
	}

	cfg := sica.Default()
	cfg.Rounding, err = datasets.Rounding(without.Signals) // for the rank, before the filter
	if err != nil {
		return nil, err
	}
	cfg.Backend, err = backend.Open(backend.Auto)
	if err != nil {
		return nil, err
	}
	result, err := sica.Fit(ctx, x, cfg)
	if err != nil {
		return nil, err
	}
	components, err := inspect.Components(result, x, all.RawRowView(k))
	if err != nil {
		return nil, err
	}
	taken := slices.DeleteFunc(components, func(c inspect.Component) bool { return !c.Proposed })
	var signals []int
	for _, c := range taken {
		signals = append(signals, c.Signal) // from 0
	}
	out := *without
	if out.Signals, err = result.Remove(without.Signals, signals); err != nil { // not filtered
		return nil, err
	}
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
