package mapping

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func drawNormal(seed uint64, rows, cols int, scale float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 77))
	m := mat.NewDense(rows, cols, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return scale * rng.NormFloat64() }, m)
	return m
}

// drawInvertible draws a network of three layers for three signals.
func drawInvertible() *Invertible {
	m := &Invertible{}
	for l := range 4 {
		a := LinearMap(drawNormal(uint64(l), 3, 3, 1), []float64{.3, 0, -1})
		copy(a.Offset, []float64{.1, -.2, .3})
		m.Linear = append(m.Linear, a)
		if l < 3 {
			m.Bends = append(m.Bends, []float64{.5, -.8, .1 * float64(l)})
		}
	}
	return m
}

func TestInvertibleInverts(t *testing.T) {
	m := drawInvertible()
	x := drawNormal(9, 3, 200, 3)
	before := mat.DenseCopyOf(x)
	z, err := m.Apply(x)
	if err != nil {
		t.Fatal(err)
	}
	back, err := m.Invert(z)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(back, x, 1e-10) {
		t.Error("g⁻¹(g(x)) isn't x")
	}
	if !mat.Equal(x, before) {
		t.Error("Apply changed its argument")
	}
}

// The inverse of a nonlinearity keeps its digits far from 0 and for the largest |c|, where one of
// the two forms of the root would cancel.
func TestInverseKeepsDigits(t *testing.T) {
	for _, c := range []float64{0, 1e-9, .5, -.5, .999, -.999, 1 - 0x1p-24, 0x1p-24 - 1} {
		for _, v := range []float64{0, 1e-12, 1, -1, 30, -30, 1e8, -1e8} {
			y, slope := nonlinearity(c, v)
			// Of y itself, which is given to one part in 2⁵² of it or of c, no more can be known.
			tolerance := 8 * 0x1p-52 * (math.Abs(v) + (math.Abs(y)+math.Abs(c)*math.Abs(v))/slope)
			if got := inverseNonlinearity(c, y); math.Abs(got-v) > tolerance {
				t.Errorf("c = %g: %g came back as %g, off by %g, more than %g", c, v, got, got-v, tolerance)
			}
		}
	}
}

// LogDet is log|det| of the Jacobian by central differences.
func TestInvertibleLogDet(t *testing.T) {
	const h = 1e-5
	m := drawInvertible()
	x := drawNormal(9, 3, 20, 2)
	got, err := m.LogDet(x)
	if err != nil {
		t.Fatal(err)
	}
	for k := range got {
		jacobian := mat.NewDense(3, 3, nil)
		for j := range 3 {
			moved := func(step float64) *mat.Dense {
				at := mat.NewDense(3, 1, mat.Col(nil, k, x))
				at.Set(j, 0, at.At(j, 0)+step)
				z, err := m.Apply(at)
				if err != nil {
					t.Fatal(err)
				}
				return z
			}
			var difference mat.Dense
			difference.Sub(moved(h), moved(-h))
			for i := range 3 {
				jacobian.Set(i, j, difference.At(i, 0)/(2*h))
			}
		}
		if want, _ := mat.LogDet(jacobian); math.Abs(got[k]-want) > 1e-7 {
			t.Errorf("position %d: %.9f, by differences %.9f", k, got[k], want)
		}
	}
}

func TestInvertibleErrors(t *testing.T) {
	m := drawInvertible()
	for want, x := range map[string]*mat.Dense{"x: is empty": nil, "has 2 signals; must have 3": mat.NewDense(2, 4, nil)} {
		if _, err := m.Apply(x); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Apply: error %v, want one with %q", err, want)
		}
		if _, err := m.Invert(x); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Invert: error %v, want one with %q", err, want)
		}
		if _, err := m.LogDet(x); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("LogDet: error %v, want one with %q", err, want)
		}
	}
}

// A network that is read from its record has the same bits; an invalid record is an error.
func TestInvertibleRecordKeepsBits(t *testing.T) {
	m := drawInvertible()
	written, err := Write(t.TempDir(), "stage", m)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(written)
	if err != nil {
		t.Fatal(err)
	}
	read := func(data string) (Map, error) {
		var r Record
		if err := json.Unmarshal([]byte(data), &r); err != nil {
			return nil, err
		}
		return r.Read("", 3, 10)
	}
	back, err := read(string(data))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, Map(m)) {
		t.Errorf("%+v came back as %+v", m, back)
	}

	const one, bends = `{"centre":[0,0,0],"matrix":[1,0,0,0,1,0,0,0,1],"offset":[0,0,0]}`, `[[0.1,0.2,0.3]]`
	network := func(linear, bends string) string {
		return `{"kind":"invertible","network":{"linear":[` + linear + `],"bends":` + bends + `}}`
	}
	if _, err := read(network(one+","+one, bends)); err != nil {
		t.Errorf("a network: %v", err)
	}
	for _, test := range []struct{ record, want string }{
		{`{"kind":"invertible"}`, "must be of 3"},
		{`{"kind":"invertible","network":{}}`, "0 affine maps and 0 layers"},
		{`{"kind":"invertible","network":{"linear":[null],"bends":[]}}`, "affine map 1"},
		{network(one+",null", bends), "affine map 2"},
		{network(one, bends), "1 affine maps and 1 layers"},
		{network(one+","+one, `[[0.1,0.2]]`), "2 nonlinearities; must have 3"},
		{network(one+","+one, `[[0.1,0.2,1]]`), "the nonlinearity 1;"},
		{network(one+","+one, `[[0.1,0.2,-1]]`), "the nonlinearity -1;"},
		{network(`{"centre":[0],"matrix":[1],"offset":[0]}`, `[]`), "affine map 1 of a network: a linear map isn't one of 3"},
		{network(`{"centre":[],"matrix":[],"offset":[]}`, `[]`), "isn't one of 3"},
		{network(`{"centre":[0,0,0],"matrix":[1,0,0,0,1,0,0,0,0],"offset":[0,0,0]}`, `[]`), "no inverse"},
		{network(`{"centre":[0,0,0],"matrix":[1,0,0],"offset":[0,0,0]}`, `[]`), "isn't one of 3"},
		{network(`{"centre":[0,0,0],"matrix":[1e999,0,0,0,1,0,0,0,1],"offset":[0,0,0]}`, `[]`), "1e999"},
		{network(strings.Repeat(one+",", maxLayers+1)+one, "["+strings.Repeat("[0,0,0],", maxLayers)+"[0,0,0]]"), "at most 1024"},
	} {
		if _, err := read(test.record); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.200s: error %v, want one with %q", test.record, err, test.want)
		}
	}
}

// Every record that is read as a network is a valid one, and can be written.
func FuzzInvertible(f *testing.F) {
	good, err := json.Marshal(drawInvertible())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"linear":[{"centre":[0],"matrix":[2],"offset":[1]},{"centre":[0],"matrix":[1e-300],"offset":[1]}],"bends":[[-0.9]]}`))
	f.Add([]byte(`{"linear":[{}],"bends":[]}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m Invertible
		if json.Unmarshal(data, &m) != nil || len(m.Linear) == 0 || m.Linear[0] == nil {
			return
		}
		d := len(m.Linear[0].Centre)
		if d > 10 || m.check(d) != nil {
			return
		}
		z, err := m.Apply(drawNormal(1, d, 5, 1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Invert(z); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(&m)
		if err != nil {
			t.Fatal(err)
		}
		var back Invertible
		if err := json.Unmarshal(again, &back); err != nil || !reflect.DeepEqual(back, m) {
			t.Fatalf("%+v came back as %+v: %v", m, back, err)
		}
	})
}
