package results_test

import (
	"errors"
	"io/fs"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/laboratory/experiment/results"
)

// The embedded results are those of the folder, including the signals.
func TestEmbeddedResultsAreTheFolders(t *testing.T) {
	embedded, err := results.Read()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := experiment.Read(".", experiment.OutcomesFile)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(embedded.Outcomes(), folder.Outcomes()) {
		t.Error("the outcomes differ")
	}
	kept := 0
	for _, o := range folder.Outcomes() {
		want, err := folder.Signals(o.Trial)
		got, embeddedErr := embedded.Signals(o.Trial)
		if errors.Is(err, fs.ErrNotExist) && errors.Is(embeddedErr, fs.ErrNotExist) {
			continue
		}
		if err != nil || embeddedErr != nil || !mat.Equal(got, want) {
			t.Errorf("%s: the signals differ, or errors %v, %v", o.Trial, err, embeddedErr)
		}
		kept++
	}
	if kept == 0 {
		t.Error("no signals were kept")
	}
}
