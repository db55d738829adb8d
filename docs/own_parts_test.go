package docs_test

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/experiment"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// FastICA's mean MCC on the pages about rivals is that of the page's mixtures, with one start for all
// runs and with the tables' start for each.
func TestFastICAOnPage(t *testing.T) {
	page := strings.Join(strings.Fields(read(t, "how-to/own-parts.md")+read(t, "architecture.md")), " ")
	const runs = 8
	own, seeded := make([]float64, runs), make([]float64, runs)
	for i := range runs {
		sources, x, err := experiment.Problem{Mixture: "uniform-2-linear", Seed: uint64(i + 1)}.Draw()
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []struct {
			start uint64
			mccs  []float64
		}{{fastica.Default().Seed, own}, {uint64(i + 1), seeded}} {
			method := fastica.Default()
			method.Seed = kind.start
			model, err := method.Fit(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			match, err := metric.MCC(model.Signals, sources)
			if err != nil {
				t.Fatal(err)
			}
			kind.mccs[i] = match.MCC
		}
	}
	for format, mccs := range map[string][]float64{
		"1.000 (SE 0.000), %.3f (%.3f) and": own, "FastICA's row is %.3f (%.3f)": seeded,
	} {
		mean, deviation := stat.MeanStdDev(mccs, nil)
		want := fmt.Sprintf(format, mean, stat.StdErr(deviation, runs))
		if !strings.Contains(page, want) {
			t.Errorf("the page doesn't have %q", want)
		}
	}
}
