package mapping_test

import (
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/mapping"
)

// shift adds what it is.
type shift struct{ By float64 }

func (s *shift) Apply(x *mat.Dense) (*mat.Dense, error) {
	x.Apply(func(_, _ int, v float64) float64 { return v + s.By }, x)
	return x, nil
}

// value isn't a pointer, and can't be written as JSON.
type value struct{ C chan int }

func (value) Apply(x *mat.Dense) (*mat.Dense, error) { return x, nil }

func newShift() mapping.Applier { return new(shift) }

// A transform of a registered type is written and read; for others the error says why it is not.
func TestRegisteredTransformsAreSaved(t *testing.T) {
	m := mapping.AsMap(&shift{3})
	if _, err := mapping.Write(t.TempDir(), "m", m); err == nil || !strings.Contains(err.Error(), "isn't registered") {
		t.Errorf("written before it is registered: %v", err)
	}
	mapping.Register("test.shift", newShift)
	record, err := mapping.Write(t.TempDir(), "m", m)
	if err != nil {
		t.Fatal(err)
	}
	read, err := record.Read("", 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(2, 1, []float64{1, 2})
	z, err := read.Apply(x)
	if err != nil || z.At(0, 0) != 4 || z.At(1, 0) != 5 || x.At(0, 0) != 1 {
		t.Errorf("maps %v to %v, %v", x, z, err)
	}
	if _, err := read.Invert(z); !errors.Is(err, mapping.ErrNotInvertible) {
		t.Errorf("inverted: %v", err)
	}
	for name, change := range map[string]func(*mapping.Record){
		"isn't registered in this program": func(r *mapping.Record) { r.CustomKind = "test.other" },
		"without its values":               func(r *mapping.Record) { r.Custom = nil },
		"cannot unmarshal":                 func(r *mapping.Record) { r.Custom = []byte(`{"By":"a"}`) },
	} {
		damaged := record
		change(&damaged)
		if _, err := damaged.Read("", 2, 1); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want an error with %q", err, name)
		}
	}

	for name, register := range map[string]func(){
		"the kind twice": func() { mapping.Register("test.shift", func() mapping.Applier { return &value{} }) },
		"the type twice": func() { mapping.Register("test.again", newShift) },
		"no kind":        func() { mapping.Register("", func() mapping.Applier { return &value{} }) },
		"no pointer":     func() { mapping.Register("test.value", func() mapping.Applier { return value{} }) },
		"nil":            func() { mapping.Register("test.nil", func() mapping.Applier { return nil }) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s didn't panic", name)
				}
			}()
			register()
		}()
	}
	mapping.Register("test.value", func() mapping.Applier { return new(value) })
	if _, err := mapping.Write("", "m", mapping.AsMap(&value{make(chan int)})); err == nil || !strings.Contains(err.Error(), "can't be saved") {
		t.Errorf("written: %v", err)
	}
}

// The error of a map names its place only among several.
func TestErrorNamesThePlaceOfAMap(t *testing.T) {
	x, m := mat.NewDense(2, 1, []float64{1, 2}), mapping.AsMap(&shift{3})
	for want, maps := range map[string][]mapping.Map{
		"*mapping_test.shift has no method LogDet":             {m},
		"map 1 of 2: *mapping_test.shift has no method LogDet": {m, m},
	} {
		_, _, err := mapping.ApplyLogDet(t.Context(), x, maps)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Several transforms of this package are saved and read like one, as a custom transform may consist
// of them. They map each position by itself if each of them does.
func TestSequenceRecord(t *testing.T) {
	x := mat.NewDense(2, 5, []float64{1, 2, 4, 8, 16, 3, 1, 2, 5, 4})
	z, maps, err := mapping.Fit(t.Context(), x, []string{mapping.Standardise, mapping.Gaussianise})
	if err != nil {
		t.Fatal(err)
	}
	dir, m := t.TempDir(), mapping.AsMap(mapping.Sequence(maps))
	record, err := mapping.Write(dir, "m", m)
	if err != nil {
		t.Fatal(err)
	}
	read, err := record.Read(dir, 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read.Apply(x); err != nil || !mat.EqualApprox(got, z, 1e-12) {
		t.Errorf("read again it maps to %v, error %v; want %v", got, err, z)
	}
	custom := mapping.AsMap(mapping.Sequence{m, mapping.AsMap(&shift{3})})
	if !mapping.IsPointwise(m) || mapping.IsPointwise(custom) {
		t.Errorf("pointwise: %v, with a custom one %v; want only the first",
			mapping.IsPointwise(m), mapping.IsPointwise(custom))
	}
	record.Sequence[1].Kind = "none"
	_, err = record.Read(dir, 2, 5)
	if err == nil || !strings.HasPrefix(err.Error(), "map 2 of 2: ") {
		t.Errorf("error %v", err)
	}
}
