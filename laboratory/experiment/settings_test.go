package experiment

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
	"github.com/seed-47b1e431/gosica/sica/methods"
)

// The settings in the committed outcomes of the rivals are the present ones, without a backend.
func TestCommittedSettings(t *testing.T) {
	results, err := Read("results", OutcomesFile)
	if err != nil {
		t.Fatal(err)
	}
	b := backendtest.Open(t, backend.Go)
	for _, name := range []string{"fastica", "lica", "pcl", "ivae"} {
		m, err := methods.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		trial := Trial{Problem: Problem{Data: Heart, Mixing: MatrixMixing, Seed: FirstSeed},
			Method: name, Preset: methods.Paper}
		o, ok := results.find(trial)
		if !ok {
			t.Errorf("%s isn't among the committed outcomes", trial)
			continue
		}
		_, x, err := trial.Draw()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(m.New(methods.Task{Backend: b, Signals: x, Preset: methods.Paper,
			Seed: FirstSeed}))
		if err != nil {
			t.Fatal(err)
		}
		var settings any
		if err := json.Unmarshal(text, &settings); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(settings, o.Config) {
			t.Errorf("%s: settings %v, those committed are %v", name, settings, o.Config)
		}
	}
}
