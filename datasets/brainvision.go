package datasets

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/datasets/internal/brainvision"
	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// readBrainVision reads a BrainVision recording, given the name of its header.
func readBrainVision(path string, _ io.Reader, _ *ReadOptions) (*Recording, error) {
	f, err := brainvision.Read(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	if err != nil {
		return nil, err
	}
	r := &Recording{Rate: column.RoundRate(f.Rate), TimeColumn: "time", Notes: slices.Clone(f.Notes)}
	var rows [][]float64
	for _, c := range f.Channels {
		rows, r.Names, r.Units = append(rows, c.Values), append(r.Names, c.Name), append(r.Units, c.Unit)
	}
	if err := signal.CheckSize(len(rows), len(rows[0])); err != nil {
		return nil, err
	}
	r.Signals, r.Names = signal.Rows(rows).Dense(), column.DistinctNames(r.Names)
	for _, m := range f.Markers {
		event := Event{Onset: float64(m.Position) / r.Rate, Duration: -1}
		event.Text = strings.Trim(m.Type+"/"+m.Description, "/") // as MNE-Python names it
		if m.Length > 1 {
			event.Duration = float64(m.Length) / r.Rate
		}
		if !strings.EqualFold(m.Type, "New Segment") {
			r.Events = append(r.Events, event)
		}
	}
	if len(r.Events) > 0 {
		r.Notes = append(r.Notes, text.Counted(len(r.Events), "marker"))
	}
	return r, nil
}
