package preprocess_test

import (
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/preprocess"
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

func newShift() preprocess.Applier { return new(shift) }

// A transform of a registered type is written and read; of others the error says why not.
func TestRegister(t *testing.T) {
	m := preprocess.AsMap(&shift{3})
	if _, err := preprocess.Write(t.TempDir(), "m", m); err == nil || !strings.Contains(err.Error(), "isn't registered") {
		t.Errorf("written before it is registered: %v", err)
	}
	preprocess.Register("test.shift", newShift)
	record, err := preprocess.Write(t.TempDir(), "m", m)
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
	if _, err := read.Invert(z); !errors.Is(err, preprocess.ErrNotInvertible) {
		t.Errorf("inverted: %v", err)
	}
	for name, change := range map[string]func(*preprocess.Record){
		"isn't registered in this program": func(r *preprocess.Record) { r.OwnKind = "test.other" },
		"without its values":               func(r *preprocess.Record) { r.Own = nil },
		"cannot unmarshal":                 func(r *preprocess.Record) { r.Own = []byte(`{"By":"a"}`) },
	} {
		damaged := record
		change(&damaged)
		if _, err := damaged.Read("", 2, 1); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want an error with %q", err, name)
		}
	}

	for name, register := range map[string]func(){
		"the kind twice": func() { preprocess.Register("test.shift", func() preprocess.Applier { return &value{} }) },
		"the type twice": func() { preprocess.Register("test.again", newShift) },
		"no kind":        func() { preprocess.Register("", func() preprocess.Applier { return &value{} }) },
		"no pointer":     func() { preprocess.Register("test.value", func() preprocess.Applier { return value{} }) },
		"nil":            func() { preprocess.Register("test.nil", func() preprocess.Applier { return nil }) },
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
	preprocess.Register("test.value", func() preprocess.Applier { return new(value) })
	if _, err := preprocess.Write("", "m", preprocess.AsMap(&value{make(chan int)})); err == nil || !strings.Contains(err.Error(), "can't be saved") {
		t.Errorf("written: %v", err)
	}
}
