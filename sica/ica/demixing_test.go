package ica_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/ica"
)

// A Demixing comes back from JSON with equal bits, as a value and as a pointer; JSON whose sizes don't
// agree is an error that names what must be.
func TestDemixingJSON(t *testing.T) {
	d := ica.Demixing{
		Unmixing: mat.NewDense(2, 3, []float64{1, -2, 1. / 3, 0, 5e-300, 7}),
		Mixing:   mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}),
		Mean:     []float64{0.1, 0, -3},
	}
	const want = `{"w":[[1,-2,0.3333333333333333],[0,5e-300,7]],"a":[[1,2],[3,4],[5,6]],"mean":[0.1,0,-3]}`
	for _, v := range []any{d, &d} {
		data, err := json.Marshal(v)
		if err != nil || string(data) != want {
			t.Errorf("%T: %s, %v", v, data, err)
		}
	}
	var back ica.Demixing
	if err := json.Unmarshal([]byte(want), &back); err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(back.Unmixing, d.Unmixing) || !mat.Equal(back.Mixing, d.Mixing) || !slices.Equal(back.Mean, d.Mean) {
		t.Errorf("came back as\n%v", &back)
	}
	for data, message := range map[string]string{
		`{}`: "ica: Demixing: w: has no values; must have rows of at least one value",
		`{"w":[[1,2],[3]],"a":[[1]]}`: "ica: Demixing: w: row 2: has 1 values; " +
			"must have 2, as row 1 has",
		`{"w":[[1,2]],"a":[[1,2]]}`: "ica: Demixing: a: is 1×2; must be 2×1, as w is 1×2",
		`{"w":[[1,2]],"a":[[1],[2]],"mean":[1]}`: "ica: Demixing: mean: has 1 values; " +
			"must have 2, one a mixed signal",
	} {
		if err := json.Unmarshal([]byte(data), &back); err == nil || err.Error() != message {
			t.Errorf("%s: %v", data, err)
		}
	}
	if !mat.Equal(back.Unmixing, d.Unmixing) {
		t.Error("an error changed the Demixing")
	}
	d.Mixing.Set(0, 0, math.NaN())
	if data, err := json.Marshal(d); err == nil {
		t.Errorf("NaN became %s", data)
	}
}
