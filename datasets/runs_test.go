package datasets

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Files with the same names are runs of one recording, in the first one's order, of any lengths. With a
// missing value that is left out, and with other names or one channel, they stay beside each other.
func TestRuns(t *testing.T) {
	dir := t.TempDir()
	write := func(name, header string, n, offset int) string {
		var text strings.Builder
		fmt.Fprintln(&text, header)
		for k := range n {
			for i := range strings.Count(header, ",") + 1 {
				if i > 0 {
					text.WriteByte(',')
				}
				if k == 7 && i == 0 && name == "gap" {
					continue
				}
				fmt.Fprintf(&text, "%g", float64((k*k*(i+3)+offset)%19)+float64(offset)/2)
			}
			text.WriteByte('\n')
		}
		path := filepath.Join(dir, name+".csv")
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one, two := write("one", "a,b,c", 60, 0), write("two", "a,b,c", 45, 100)
	turned, gap := write("turned", "c,b,a", 50, 0), write("gap", "a,b,c", 60, 0)
	r, err := ReadOptions{}.Recordings(one, two, turned)
	if err != nil {
		t.Fatal(err)
	}
	last, err := ReadFile(turned)
	if err != nil {
		t.Fatal(err)
	}
	d, n := r.Signals.Dims()
	if d != 3 || n != 155 || !slices.Equal(r.Joints, []int{60, 105}) || r.Signals.At(0, 110) != last.At(2, 5) {
		t.Errorf("%d signals at %d positions, joints %v, %g", d, n, r.Joints, r.Signals.At(0, 110))
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "a, b, c jump between the runs") {
		t.Errorf("notes %q", r.Notes)
	}
	more, err := ReadOptions{}.Recordings(one, write("more", "c,STI,a,b", 45, 100))
	if err != nil || !slices.Equal(more.Names, []string{"a", "b", "c"}) || !slices.Equal(more.Joints, []int{60}) {
		t.Errorf("of runs with another channel: %v, %v", more, err)
	}
	dropped, err := ReadOptions{Missing: MissingDrop}.Recordings(gap, two)
	if err != nil || !slices.Equal(dropped.Joints, []int{59}) || dropped.Signals.RawMatrix().Cols != 104 {
		t.Errorf("dropped: %v, %v", dropped, err)
	}
	// Positions of files beside each other are left out of all.
	beside, err := ReadOptions{Missing: MissingDrop}.Recordings(gap, write("d", "d,e", 60, 0))
	if err != nil || beside.Joints != nil || beside.Signals.RawMatrix().Cols != 59 ||
		beside.Signals.RawMatrix().Rows != 5 {
		t.Errorf("beside: %v, %v", beside, err)
	}
	single, err := ReadOptions{}.Recordings(write("v1", "volts", 60, 0), write("v2", "volts", 60, 3))
	if err != nil || single.Signals.RawMatrix().Rows != 2 {
		t.Errorf("of one channel each: %v, %v", single, err)
	}
}

// Where times start anew after a long run, what follows was recorded apart.
func TestJointsOfTimes(t *testing.T) {
	var text strings.Builder
	text.WriteString("time,a,b\n")
	for k := range 2500 {
		fmt.Fprintf(&text, "%g,%d,%d\n", float64(k%1250)/250, k*k%17, k*k%23)
	}
	r, err := readText(text.String(), ReadOptions{})
	if err != nil || !slices.Equal(r.Joints, []int{1250}) || r.Rate != 250 {
		t.Errorf("%v, %v", r, err)
	}
}

// The rate of several files is that of those that have one, and must be the same in all of them.
func TestRatesOfFiles(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for k, rate := range []string{"", `, "rate": 250`, `, "rate": 500`} {
		x := mat.NewDense(2, 40, nil)
		x.Apply(func(i, t int, _ float64) float64 { return math.Sin(float64((k+1)*t*t + i)) }, x)
		path := filepath.Join(dir, strconv.Itoa(k)+".npy")
		if err := WriteFile(path, x); err != nil {
			t.Fatal(err)
		}
		put(t, path+".json", []byte(`{"names": ["a", "b"]`+rate+"}"))
		paths = append(paths, path)
	}
	if r, err := (ReadOptions{}).Recordings(paths[:2]...); err != nil || r.Rate != 250 {
		t.Errorf("files without a rate and of 250 Hz: %v", err)
	}
	_, err := ReadOptions{}.Recordings(paths...)
	if err == nil || !strings.Contains(err.Error(), "the rate is 500 Hz; must be 250 Hz") {
		t.Errorf("files of 250 and 500 Hz: %v", err)
	}
}
