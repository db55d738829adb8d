package electrode

import (
	"math"
	"testing"
)

var tenTwenty = []string{"EEG Fp1-REF", "Fp2.", "f3", "F4", "T3", "C4", "Pz", "Cz", "O1", "EOG1", "T7"}

// Electrodes are found by the names that recorders use, at their positions on the head.
func TestElectrodesHavePositions(t *testing.T) {
	all := Sensors(tenTwenty)
	if len(all) != 9 {
		t.Fatalf("%d electrodes of %q", len(all), tenTwenty)
	}
	at := map[int]Sensor{}
	for _, e := range all {
		at[e.Channel] = e
	}
	fp1, fp2, t3, cz, o1 := at[0], at[1], at[4], at[7], at[8]
	if fp1.X >= 0 || fp1.Y < 0.9 || math.Abs(fp1.X+fp2.X) > 1e-9 || t3.X != -1 || cz.X != 0 ||
		o1.Y > -0.9 || o1.X >= 0 {
		t.Errorf("Fp1 %v, Fp2 %v, T3 %v, Cz %v, O1 %v", fp1, fp2, t3, cz, o1)
	}
	if Sensors([]string{"Fp1", "Fp2", "Cz", "Pz", "I", "II", "V1"}) != nil {
		t.Error("four electrodes make a map")
	}
}

// A thin-plate spline interpolates all values, and a plane exactly.
func TestThinPlateInterpolates(t *testing.T) {
	all := Sensors(tenTwenty)
	values, plane := make([]float64, len(all)), make([]float64, len(all))
	for i, e := range all {
		values[i], plane[i] = math.Sin(float64(i*i)), 2+e.X-3*e.Y
	}
	curved, flat := thinPlate(all, values), thinPlate(all, plane)
	for i, e := range all {
		if math.Abs(curved(e.X, e.Y)-values[i]) > 1e-9 {
			t.Errorf("%g at electrode %d, want %g", curved(e.X, e.Y), i, values[i])
		}
	}
	if v := flat(0.3, -0.2); math.Abs(v-2.9) > 1e-9 {
		t.Errorf("a plane is %g, want 2.9", v)
	}
	line := Sensors([]string{"Fpz", "AFz", "Fz", "FCz", "Cz", "CPz", "Pz"})
	if v := thinPlate(line, make([]float64, 7))(0.5, 0.5); v != 0 {
		t.Errorf("electrodes in a line make %g of zeros", v)
	}
}
