package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/laboratory/internal/jsonl"
)

// A judgement measures what is said of signals without the truth, on recordings with it: an O for
// each recording.
type judgement[O interface {
	ID() experiment.SimulationID
}] struct {
	name, about string
	// runs is how many recordings of each kind the documentation's numbers are of, and seedB the first
	// seed of part B. That of part A is 1.
	runs, seedB int
	kinds       []experiment.Simulation[O]
	write       func(w io.Writer, outcomes []O)
}

// command returns the command that makes the outcomes that are missing and writes the tables.
func (j *judgement[O]) command() *cobra.Command {
	var part, only, out string
	var runs int
	var seed uint64
	cmd := &cobra.Command{
		Use:   j.name,
		Short: j.about,
		Long: j.about + fmt.Sprintf(`.

The kinds of part A set limits and probabilities; those of part B are only reported on, from other
seeds. Each recording is a line of OUT/%[1]s.jsonl as soon as it is measured. Run again, the command
makes only those that are missing. It doesn't see changes of code: delete the file after one. At
the end it writes OUT/%[1]s.md. The numbers of the documentation are those of

  go run ./laboratory/tables %[1]s --part A --seed 1 --runs %[2]d
  go run ./laboratory/tables %[1]s --part B --seed %[3]d --runs %[2]d

after another, and laboratory/tables/results has them.`, j.name, j.runs, j.seedB),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var kinds []experiment.Simulation[O]
			for _, k := range j.kinds {
				if k.Part == part && strings.Contains(k.Name, only) {
					kinds = append(kinds, k)
				}
			}
			return j.make(cmd.Context(), cmd.OutOrStdout(), out, kinds, seed, runs)
		},
	}
	f := cmd.Flags()
	f.StringVar(&part, "part", "A", "A or B")
	f.StringVar(&only, "only", "", "only kinds whose names contain `TEXT`")
	f.Uint64Var(&seed, "seed", 1, "seed of the first run; the others follow")
	f.IntVar(&runs, "runs", j.runs, "recordings of each kind")
	f.StringVar(&out, "out", filepath.Join("out", "tables"), "folder of the outcomes")
	return cmd
}

// make measures what is missing of so many recordings of the kinds, and writes the tables of all
// that the folder has.
func (j *judgement[O]) make(
	ctx context.Context, log io.Writer, out string, kinds []experiment.Simulation[O],
	seed uint64, runs int,
) (err error) {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	file, outcomes, err := jsonl.Open[O](filepath.Join(out, j.name+".jsonl"), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for run := range runs {
		for _, kind := range kinds {
			id := experiment.SimulationID{Kind: kind.Name, Seed: seed + uint64(run)}
			if slices.ContainsFunc(outcomes, func(o O) bool { return o.ID() == id }) {
				continue
			}
			begin := time.Now()
			o, err := kind.Measure(ctx, id.Seed)
			if err == nil {
				err = file.Add(o)
			}
			if err != nil {
				return fmt.Errorf("%s, seed %d: %w", id.Kind, id.Seed, err)
			}
			outcomes = append(outcomes, o)
			fmt.Fprintf(log, "%s, seed %d: %.1f s\n", id.Kind, id.Seed, time.Since(begin).Seconds())
		}
	}
	return atomicfile.Write(filepath.Join(out, j.name+".md"), func(w io.Writer) error {
		j.writeParts(io.MultiWriter(w, log), outcomes)
		return nil
	})
}

// writeParts writes the tables of each part.
func (j *judgement[O]) writeParts(w io.Writer, outcomes []O) {
	parts := make(map[string]string)
	for _, k := range j.kinds {
		parts[k.Name] = k.Part
	}
	for _, part := range []string{"A", "B"} {
		these := slices.DeleteFunc(slices.Clone(outcomes), func(o O) bool {
			return parts[o.ID().Kind] != part
		})
		if len(these) > 0 {
			fmt.Fprintf(w, "## Part %s: %d recordings\n\n", part, len(these))
			j.write(w, these)
		}
	}
}

// shareText returns how many of how many, and in percent.
func shareText(right, all int) string {
	if all == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d (%.0f %%)", right, all, 100*float64(right)/float64(all))
}
