package datasets

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestReadCSV(t *testing.T) {
	want := mat.NewDense(2, 3, []float64{1, -2.5, 3e-300, 4, 5, 6}) // Two signals, three positions.
	for name, file := range map[string]string{
		"plain":             "1,4\n-2.5,5\n3e-300,6\n",
		"no last line end":  "1,4\n-2.5,5\n3e-300,6",
		"header":            "left,right\n1,4\n-2.5,5\n3e-300,6\n",
		"header in quotes":  "\"left, or\nwest\",right\n1,4\n-2.5,5\n3e-300,6\n",
		"Windows":           "\ufeff1,4\r\n-2.5,5\r\n3e-300,6\r\n\r\n",
		"spaces and quotes": "s1, s2\n 1, 4\n-2.5 ,\"5\"\n3e-300,6\n",
		"semicolons":        "1;4\n-2.5;5\n3e-300;6\n",
		"decimal commas":    "left;right\n1,0;4\n-2,5;5\n3e-300;6\n",
		"no header, commas": "1,0;4,0\n-2,5;5\n3e-300;6\n",
		"tabs":              "left\tright\n1\t4\n-2.5\t5\n3e-300\t6\n",
		"times":             "Time (s),left,right\n0.5,1,4\n0.504,-2.5,5\n0.508,3e-300,6\n",
	} {
		got, err := formats[".csv"].read(strings.NewReader(file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !mat.Equal(got.Signals, want) {
			t.Errorf("%s: got %v", name, mat.Formatted(got.Signals))
		}
	}
}

func TestReadCSVErrors(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"nothing", "", "no rows"},
		{"header only", "a,b\n", "no rows"},
		{"ragged", "1,2\n3\n", "line 2 has 1 columns; must have 2"},
		{"ragged after a header", "a,b\n1,2\n3,4,5\n", "line 3 has 3 columns; must have 2"},
		{"text", "1,2\n3,four\n", `line 2, column 2: "four" is not a number`},
		{"half a header", "1,b\n1,2\n", `line 1, column 2: "b" is not a number`},
		{"two headers", "a,b\nc,d\n", `line 2, column 1: "c" is not a number`},
		{"empty cell", "a,b\n1,2\n3, \n", "line 3, column 2: the cell is empty"},
		{"empty cells first", ",\n1,2\n", "line 1, column 1: the cell is empty"},
		{"empty line", "1\n\n2\n", "line 2 is empty"},
		{"empty line after the header", "a\n\n2\n", "line 2 is empty"},
		{"empty line first", "\n1\n", "line 1 is empty"},
		{"NaN", "1,2\nNaN,4\n", "line 2, column 1: NaN is not finite"},
		{"NaN first", "nan\n1\n", "line 1, column 1: nan is not finite"},
		{"infinite", "1\n-inf\n", "line 2, column 1: -inf is not finite"},
		{"out of range", "1e999\n2\n", "line 1, column 1: 1e999 is not finite"},
		{"open quote", "1\n\"2\n", "parse error"},
		{"another separator", "1|2\n3|4\n", `line 2, column 1: "3|4" is not a number`},
		{"several commas", "1;2\n1,2,3;4\n", `line 2, column 1: "1,2,3" is not a number`},
	} {
		_, err := formats[".csv"].read(strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestWriteCSV(t *testing.T) {
	var b strings.Builder
	z := mat.NewDense(2, 2, []float64{0.1, -1e-7, 1. / 3, 12345678})
	if err := writeAll(".csv", &b, z); err != nil {
		t.Fatal(err)
	}
	if want := "s1,s2\n0.1,0.3333333333333333\n-1e-07,1.2345678e+07\n"; b.String() != want {
		t.Errorf("wrote %q, want %q", b.String(), want)
	}
}

// What is read can be written and read again to the same bits.
func FuzzReadCSV(f *testing.F) {
	for _, seed := range []string{"1,2\n3,4\n", "a,b\n1,2\n", "\ufeff1\r\n2\r\n", "1,,2\n", "\"a\nb\"\n0x1p-3\n", "1e999", ",\n\n", "-0,5e-324\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := formats[".csv"].read(bytes.NewReader(data))
		if err != nil {
			checkError(t, err)
			return
		}
		checkRoundTrip(t, r.Signals, ".csv")
	})
}
