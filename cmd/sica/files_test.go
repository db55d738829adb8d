package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/filter"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// mixedLaplace are mixtures of autoregressive signals with Laplace innovations.
func mixedLaplace(t *testing.T, d, n int) *mat.Dense {
	t.Helper()
	_, x := laplaceMixture(d, n)
	return x
}

// laplaceMixture returns sources and what is mixed of them.
func laplaceMixture(d, n int) (sources, mixed *mat.Dense) {
	rng := rand.New(rand.NewPCG(11, uint64(d)))
	s, x, a := mat.NewDense(d, n, nil), new(mat.Dense), mat.NewDense(d, d, nil)
	for i := range d {
		last := 0.0
		for k := range n {
			last = (.9-.4*float64(i))*last + rng.ExpFloat64()*float64(1-2*rng.IntN(2))
			s.Set(i, k, last)
		}
	}
	for k := range a.RawMatrix().Data {
		a.RawMatrix().Data[k] = rng.NormFloat64()
	}
	x.Mul(a, s)
	return s, x
}

// Columns that aren't signals are set aside, said, in the JSON, and in what is written; channels
// that are left out come back when components are removed.
func TestSetAside(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const n = 600
	x := mixedLaplace(t, 4, n)
	var text strings.Builder
	text.WriteString("Sample Index;A1;A2;A3;T7;Trigger;state\n")
	for k := range n {
		cells := fmt.Sprintf("%d;%.5f;%.5f;%.5f;%.5f;%d;%s\n", k, x.At(0, k), x.At(1, k), x.At(2, k),
			x.At(3, k), k/50%2, []string{"rest", "move"}[k/100%2])
		text.WriteString(strings.ReplaceAll(cells, ".", ","))
	}
	in := write(t, dir, "in.csv", text.String())
	said := must(t, "separate", "--in", in, "--out", at("z.csv"), "--save", at("model"), "--json",
		at("z.json"), "--without", "T7", "--preset", "smoke")
	for _, want := range []string{"note: numbers have decimal commas", `"Sample Index" counts`,
		`"Trigger" holds markers`, `"state" is text`, `"T7" was left out, as asked`, "3 signals",
		"note: " + at("z.csv") + " also has what was set aside\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("separate printed %q, want %q", said, want)
		}
	}
	var report struct{ Notes []string }
	data, _ := os.ReadFile(at("z.json"))
	if err := json.Unmarshal(data, &report); err != nil || len(report.Notes) != 5 {
		t.Errorf("the JSON has the notes %q (%v)", report.Notes, err)
	}
	columns := func(file string) (names []string) {
		r, err := datasets.ReadRecording(file)
		if err != nil {
			t.Fatal(err)
		}
		names = slices.Clone(r.Names)
		for _, c := range r.Aside {
			names = append(names, c.Name)
		}
		return names
	}
	if got := columns(at("z.csv")); !slices.Equal(got,
		[]string{"s1", "s2", "s3", "state", "Sample Index", "Trigger"}) {
		t.Errorf("recovered signals have the columns %q", got)
	}
	must(t, "remove", "--model", at("model"), "--in", in, "--out", at("clean.csv"), "--components",
		"1")
	if got := columns(at("clean.csv")); !slices.Equal(got,
		[]string{"A1", "A2", "A3", "T7", "state", "Sample Index", "Trigger"}) {
		t.Errorf("the cleaned recording has the columns %q", got)
	}
	for file, want := range map[string]string{
		"z.csv":     "Sample Index,s1,s2,s3,Trigger,state",
		"clean.csv": "Sample Index,A1,A2,A3,T7,Trigger,state",
	} {
		if got, _, _ := strings.Cut(read(t, at(file)), "\n"); got != want {
			t.Errorf("%s has the header %q, want %q", file, got, want)
		}
	}
	if said := must(t, "inspect", "--model", at("model"), "--in", in, "--reference", "T7"); !strings.
		Contains(said, "coherence") {
		t.Errorf("with a channel that was left out as reference: %q", said)
	}
}

// Removing a component from a recording that has less of it than the fit's says so.
func TestRemoveNotesWhatItAdds(t *testing.T) {
	dir, x := t.TempDir(), mixedLaplace(t, 2, 600)
	file := func(name string, cz float64) string {
		text := "Fp1,Cz\n"
		for k := range 600 {
			text += fmt.Sprintf("%g,%g\n", x.At(0, k), cz*x.At(1, k))
		}
		return write(t, dir, name, text)
	}
	same, weak, model := file("same.csv", 1), file("weak.csv", 0.01), filepath.Join(dir, "model")
	must(t, "separate", "--in", same, "--out", filepath.Join(dir, "z.csv"), "--save", model, "--backend", "go")
	for _, in := range []string{same, weak} {
		said := must(t, "remove", "--model", model, "--in", in, "--out", filepath.Join(dir, "clean.csv"),
			"--components", "1")
		noted := strings.Contains(said, "than there was: Cz. The components don't fit this recording")
		if want := in == weak; noted != want {
			t.Errorf("%s: a note on Cz is %v, want %v: %s", filepath.Base(in), noted, want, said)
		}
	}
}

// A channel of the separation that is dead in another recording makes what is recovered of that wrong:
// commands refuse it, and write nothing.
func TestDeadChannelIsRefused(t *testing.T) {
	dir, x := t.TempDir(), mixedLaplace(t, 2, 600)
	file := func(name string, positions int, cz float64) string {
		text := "Fp1,Cz\n"
		for k := range positions {
			text += fmt.Sprintf("%g,%g\n", x.At(0, k), cz*x.At(1, k))
		}
		return write(t, dir, name, text)
	}
	model, out := filepath.Join(dir, "model"), filepath.Join(dir, "out.csv")
	must(t, "separate", "--in", file("alive.csv", 600, 1), "--out", filepath.Join(dir, "z.csv"), "--save", model,
		"--backend", "go")
	dead, short := file("dead.csv", 600, 0), file("short.csv", 99, 0)
	for _, args := range [][]string{
		{"transform", "--out", out}, {"remove", "--out", out, "--components", "1"}, {"inspect"},
	} {
		code, _, stderr := command(t.Context(), append(args, "--model", model, "--in", dead)...)
		if code != exitFailure || !strings.Contains(stderr, `channel "Cz" has the same value at every position`) {
			t.Errorf("%s: exit %d, %q", args[0], code, stderr)
		}
		if _, err := os.Stat(out); !os.IsNotExist(err) {
			t.Errorf("%s wrote a file (%v)", args[0], err)
		}
	}
	must(t, "transform", "--model", model, "--in", short, "--out", out) // few positions may agree
}

// A note says what speaks against the cleaned file: components that are larger than a channel, and
// drift that a fit behind a high-pass filter didn't see, unless what is written is filtered, too.
func TestRemoveNotes(t *testing.T) {
	for _, c := range []struct {
		share, left, fit, written float64
		want                      string
	}{
		{0.5, 0.5, 0, 0, ""},
		{1.05, 0.1, 0, 0, ""},
		{0.04, 1.05, 0, 0, ""},
		{0.3, 1.15, 0, 0, "too much was taken out of these channels, so don't use them: A. If the artefact is in"},
		{1.01, 0.75, 0, 0, "too much was taken out"},
		{0.7, 0.5, 0, 0, ""},
		{2, 2, 0, 0, "more was taken out than there was: A. The components don't fit this recording, so don't"},
		{0.5, 0.5, 1, 0, "below 1 Hz, which the fit didn't see, the cleaned channels can be wrong by as much as their drift: use --highpass 1 here"},
		{0.5, 0.5, 1, 0.5, "below 1 Hz"},
		{0.5, 0.5, 1, 1, ""},
		{2, 2, 1, 1, "more was taken out"},
	} {
		r := removal{fitHighpass: c.fit, highpass: cmp.Or(c.written, c.fit)}
		if c.written > 0 {
			r.written = []*filter.ZeroPhase{filter.NewZeroPhase(c.written, 250)}
		}
		notes := strings.Join(r.notes([]inspect.Change{{Share: c.share, Left: c.left}}, []string{"A"}), " ")
		if !strings.HasPrefix(notes, c.want) || c.want == "" && notes != "" {
			t.Errorf("%+v: %q", c, notes)
		}
	}
	for _, isSteady := range []bool{false, true} { // drift has no quiet half
		r := removal{isSteady: isSteady}
		notes := r.notes([]inspect.Change{{Share: 0.8, Left: 0.2, Quiet: 18, QuietChannel: 12}}, nil)
		if (notes == nil) != isSteady {
			t.Errorf("steady %v: %q", isSteady, notes)
		}
	}
}

// With drift, and stretches that were skipped, what was taken out is measured without both. Remove
// --highpass writes the separation's channels filtered, into the range of an EDF file with an offset,
// and others as they are.
func TestRemoveHighpass(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const n, rate = 6000, 200
	two := mixedLaplace(t, 2, n)
	in := &datasets.Recording{
		Signals: mat.NewDense(3, n, nil), Names: []string{"Fp1", "Cz", "EOG1"}, Rate: rate, Units: []string{"uV", "uV", "uV"},
	}
	for k := range n {
		drift := 4000 + 300*math.Sin(2*math.Pi*float64(k)/n)
		if k > 3000 && k <= 3400 {
			drift += 500 * math.Sin(float64(k)/20) // the electrode moves
		}
		in.Signals.SetCol(k, []float64{two.At(0, k) + drift, two.At(1, k) + drift/2, drift})
	}
	if err := datasets.WriteRecording(at("in.edf"), in); err != nil {
		t.Fatal(err)
	}
	must(t, "separate", "--in", at("in.edf"), "--out", at("z.csv"), "--save", at("model"), "--without", "EOG1",
		"--skip", "14s-19s", "--highpass", "1", "--backend", "go")
	remove := []string{"remove", "--model", at("model"), "--in", at("in.edf"), "--components", "1", "--out"}
	said := must(t, append(remove, at("raw.edf"))...)
	filtered := must(t, append(remove, at("clean.edf"), "--highpass", "1")...)
	table, _, _ := strings.Cut(said, "note:")
	if !strings.Contains(said, "use --highpass 1 here, too") || strings.Contains(filtered, "note:") ||
		!strings.HasPrefix(filtered, table) || !strings.Contains(filtered, " uV\n") ||
		!strings.Contains(strings.Join(strings.Fields(filtered), " "), "above 1 Hz. The fit's skipped stretches aren't in them") {
		t.Errorf("it printed\n%s, and with --highpass\n%s", said, filtered)
	}
	for _, match := range regexp.MustCompile(`([0-9.]+) %`).FindAllStringSubmatch(filtered, -1) {
		if share, err := strconv.ParseFloat(match[1], 64); err != nil || share > 100 {
			t.Errorf("%q of a channel was taken out", match[0])
		}
	}
	raw, err := datasets.ReadRecording(at("raw.edf"))
	if err != nil {
		t.Fatal(err)
	}
	clean, err := datasets.ReadRecording(at("clean.edf"))
	if err != nil {
		t.Fatal(err)
	}
	want := mat.DenseCopyOf(raw.Signals)
	for i := range 2 {
		f := filter.NewZeroPhase(1, rate)
		want.SetRow(i, append(f.Add(want.RawRowView(i)), f.Rest()...))
	}
	if !mat.EqualApprox(clean.Signals, want, 0.5) { // steps of the original range
		t.Error("the cleaned file isn't the filtered one")
	}
	no := write(t, dir, "no.csv", "Fp1,Cz\n1,2\n2,1\n3,5\n")
	for args, want := range map[string]string{
		no + " --highpass 1":             "no sampling rate",
		at("in.edf") + " --highpass 100": "--highpass: is 100 Hz",
		at("in.edf") + " --highpass -1":  "must be above 0",
	} {
		code, _, stderr := command(t.Context(), append(strings.Fields("remove --model "+at("model")+" --components 1 --out "+
			at("no.edf")+" --in"), strings.Fields(args)...)...)
		if code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q", args, code, stderr)
		}
	}
}

// A recording that comes in blocks is filtered as a whole one is, and no position is lost.
func TestRemovalFiltersBlocks(t *testing.T) {
	const n = 5000
	x := mixedLaplace(t, 2, n)
	var results [2]*mat.Dense
	for k, length := range []int{n, 700} {
		r := removal{highpass: 1, measured: inspect.Removal{Rate: 250}}
		for range 2 {
			f := filter.Filter{Highpass: 1}
			r.filterBefore, r.filterAfter = append(r.filterBefore, f.Stream(250)), append(r.filterAfter, f.Stream(250))
			r.written = append(r.written, filter.NewZeroPhase(1, 250))
		}
		results[k] = mat.NewDense(2, n, nil)
		done := 0
		for z, err := range r.cleaned(blockwise.InMemory{Dense: x}.Blocks(length), unchanged) {
			if err != nil {
				t.Fatal(err)
			}
			results[k].Slice(0, 2, done, done+z.RawMatrix().Cols).(*mat.Dense).Copy(z)
			done += z.RawMatrix().Cols
		}
		if done != n || r.peak != mat.Max(absolute(results[k])) {
			t.Errorf("%d of %d positions, a peak of %g", done, n, r.peak)
		}
	}
	if !mat.EqualApprox(results[0], results[1], 1e-5) {
		t.Error("blocks are filtered otherwise")
	}
}

func unchanged(x *mat.Dense) (*mat.Dense, error) { return x, nil }

// absolute returns the absolute values of x.
func absolute(x *mat.Dense) *mat.Dense {
	y := mat.DenseCopyOf(x)
	y.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, y)
	return y
}

// Of a reference that was itself separated, proposed components without peaks are named, and remove
// --proposed isn't advised.
func TestProposalOfSeparatedReference(t *testing.T) {
	dir := t.TempDir()
	in, model := filepath.Join(dir, "in.csv"), filepath.Join(dir, "model")
	const n = 3000
	x, rng := mat.NewDense(3, n, nil), rand.New(rand.NewPCG(4, 0))
	for k := range n {
		blink, brain := 5*math.Exp(-math.Pow(float64(k%300)-150, 2)/400), 2*rng.Float64()
		rest := 0.2 * rng.NormFloat64()
		x.SetCol(k, []float64{blink + 0.2*brain + rest, 0.2*blink - brain - rest, blink - 2.2*brain + rest})
	}
	if err := datasets.WriteRecording(in, &datasets.Recording{Signals: x, Names: []string{"Fp1", "Cz", "Fz"}}); err != nil {
		t.Fatal(err)
	}
	must(t, "separate", "--in", in, "--out", filepath.Join(dir, "z.csv"), "--save", model, "--backend", "go")
	const caution = "omponent N has no peaks (kurtosis below 1), so it is probably neither blinks nor beats: if so, "
	for reference, next := range map[string]string{
		"Fp1": "", "Cz": "leave it in", "Fz": "run sica remove --components N",
	} {
		said := must(t, "inspect", "--model", model, "--in", in, "--reference", reference)
		removed := must(t, "remove", "--model", model, "--in", in, "--out", filepath.Join(dir, "clean.csv"),
			"--proposed")
		wantSaid, wantRemoved := "Look at them (--html), then run sica remove --proposed.\n", "as proposed with the reference Fp1"
		if next != "" {
			wantSaid, wantRemoved = "Look at them (--html). C"+caution+next+".\n", "note: c"+caution+next+"\n"
		}
		for _, c := range []struct{ said, want string }{{said, wantSaid}, {removed, wantRemoved}} {
			plain := regexp.MustCompile(`(omponents?) [1-3]`).ReplaceAllString(c.said, "$1 N")
			if !strings.Contains(plain, c.want) || next == "" && strings.Contains(plain, "no peaks") {
				t.Errorf("%s: it printed %s, want %s", reference, c.said, c.want)
			}
		}
	}
}

// What is cleaned has the form of its file: channels that were left out stay in their place, and
// without a header there is none, and times stay first.
func TestRemoveKeepsTheForm(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const n = 600
	x := mixedLaplace(t, 3, n)
	file := func(name, header string) string {
		text := header
		for k := range n {
			text += fmt.Sprintf("%g,%g,%g,%g\n", float64(k)/100, x.At(0, k), x.At(1, k), x.At(2, k))
		}
		return write(t, dir, name, text)
	}
	for name, c := range map[string]struct {
		in, without, first string
		mostIn             []string
	}{
		"named":  {file("named.csv", "time,Fp1,Cz,O2\n"), "Fp1", "time,Fp1,Cz,O2", []string{"Cz", "O2"}},
		"middle": {file("middle.csv", "time,Fp1,Cz,O2\n"), "Cz", "time,Fp1,Cz,O2", []string{"Fp1", "O2"}},
		"plain":  {file("plain.csv", ""), "", "0,", []string{"column 2", "column 3", "column 4"}},
		"fewer":  {file("fewer.csv", ""), "2", "0,", []string{"column 3", "column 4"}},
	} {
		model := at(name + "-model")
		args := []string{"separate", "--in", c.in, "--out", at("z.csv"), "--save", model, "--backend", "go"}
		if c.without != "" {
			args = append(args, "--without", c.without)
		}
		said := must(t, args...)
		if !slices.ContainsFunc(c.mostIn, func(name string) bool { return strings.Contains(said, name) }) {
			t.Errorf("%s: separate names none of %q: %s", name, c.mostIn, said)
		}
		outs := []string{"clean.csv", "clean.npy"}
		if c.without != "" && name != "fewer" { // which have a rate
			outs = append(outs, "clean.edf")
		}
		for _, out := range outs {
			must(t, "remove", "--model", model, "--in", c.in, "--out", at(out), "--components", "1")
		}
		before, after := lines(read(t, c.in)), lines(read(t, at("clean.csv")))
		if len(after) != len(before) || !strings.HasPrefix(after[0], c.first) {
			t.Errorf("%s: %d lines, the first %q, want %d and %q", name, len(after), after[0],
				len(before), c.first)
			continue
		}
		last := strings.Split(after[len(after)-1], ",")
		given := strings.Split(before[len(before)-1], ",")
		if last[0] != given[0] {
			t.Errorf("%s: the last time is %q, want %q", name, last[0], given[0])
		}
		for i, channel := range strings.Split("time,Fp1,Cz,O2", ",") {
			left := channel == c.without || c.without == fmt.Sprint(i+1)
			if same := last[i] == given[i]; i > 0 && same != left {
				t.Errorf("%s: the last value of %s is %q, in the file %q", name, channel, last[i], given[i])
			}
		}
		must(t, "inspect", "--model", model, "--in", c.in)
		if c.without == "" || name == "fewer" {
			continue
		}
		for _, out := range outs[1:] {
			r, err := datasets.ReadRecording(at(out))
			if err != nil || strings.Join(r.Names, ",") != "Fp1,Cz,O2" {
				t.Fatalf("%s: %s has %q (%v)", name, out, r.Names, err)
			}
			place := slices.Index(r.Names, c.without)
			want, err := strconv.ParseFloat(given[place+1], 64)
			if got := r.Signals.At(place, n-1); err != nil || math.Abs(got-want) > 0.001 {
				t.Errorf("%s: in %s %s ends with %g, in the file with %g", name, out, c.without, got, want)
			}
		}
	}
}

func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }

// Images come back as images where --out is a folder, and what was colour is said.
func TestImagesOut(t *testing.T) {
	dir := t.TempDir()
	const side = 24
	x := mixedLaplace(t, 2, side*side)
	paths := []string{filepath.Join(dir, "a.png"), filepath.Join(dir, "b.png")}
	if err := datasets.WriteImages(x, []int{side, side}, paths...); err != nil {
		t.Fatal(err)
	}
	colour := image.NewRGBA(image.Rect(0, 0, side, side))
	for k := range side * side {
		v := uint8(k * 37)
		colour.SetRGBA(k%side, k/side, color.RGBA{v, 255 - v, v, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, colour); err != nil {
		t.Fatal(err)
	}
	third := write(t, dir, "c.png", b.String())
	out := filepath.Join(dir, "components") + "/"
	said := must(t, "separate", "--in", paths[0], "--in", paths[1], "--in", third, "--out", out,
		"--save", filepath.Join(dir, "model"), "--backend", "go")
	if !strings.Contains(said, "1 of 3 images have colours") {
		t.Errorf("separate printed %q", said)
	}
	z, shape, err := datasets.ReadImages(out+"1.png", out+"2.png", out+"3.png")
	if err != nil || !slices.Equal(shape, []int{side, side}) || z.RawMatrix().Rows != 3 {
		t.Errorf("images of %v: %v", shape, err)
	}
	again := filepath.Join(dir, "again") + "/"
	must(t, "transform", "--model", filepath.Join(dir, "model"), "--in", paths[0], "--in", paths[1],
		"--in", third, "--out", again)
	same, _, err := datasets.ReadImages(again+"1.png", again+"2.png", again+"3.png")
	if err != nil || !mat.EqualApprox(same, z, 1./128) {
		t.Errorf("transform wrote other images (%v)", err)
	}
	write(t, dir, "1.png", b.String())
	code, _, stderr := command(t.Context(), "separate", "--in", filepath.Join(dir, "1.png"), "--in",
		paths[0], "--out", dir)
	if code != exitUsage || !strings.Contains(stderr, "it would be overwritten") {
		t.Errorf("an image that would be overwritten: exit %d, %q", code, stderr)
	}
}

// The columns of a table whose shape has two axes can be written as images, by their own shape only.
func TestImagesOfTable(t *testing.T) {
	dir := t.TempDir()
	const height, width = 20, 24
	in, model := filepath.Join(dir, "in.csv"), filepath.Join(dir, "model")
	if err := datasets.WriteFile(in, mixedLaplace(t, 2, height*width)); err != nil {
		t.Fatal(err)
	}
	must(t, "separate", "--in", in, "--shape", "20x24", "--out", dir+"/z/", "--save", model, "--backend", "go")
	must(t, "transform", "--model", model, "--in", in, "--shape", "20x24", "--out", dir+"/again/")
	z, shape, err := datasets.ReadImages(dir+"/z/1.png", dir+"/z/2.png")
	if err != nil || !slices.Equal(shape, []int{height, width}) {
		t.Errorf("images of %v: %v", shape, err)
	}
	again, _, err := datasets.ReadImages(dir+"/again/1.png", dir+"/again/2.png")
	if err != nil || !mat.EqualApprox(again, z, 1./128) {
		t.Errorf("transform wrote other images (%v)", err)
	}
	for shape, want := range map[string]string{"480": "use --shape 32x32", "24x24": "has 480 positions, not 576"} {
		code, _, stderr := command(t.Context(), "separate", "--in", in, "--shape", shape, "--out", dir+"/no/")
		if code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("--shape %s: exit %d, %q", shape, code, stderr)
		}
	}
}

// A recording in EDF comes back as EDF with labels, units and annotations.
func TestEDFRecording(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	recording := &datasets.Recording{
		Signals: mixedLaplace(t, 3, 1000), Names: []string{"Fp1", "Cz", "O2"}, Rate: 100,
		Units:  []string{"uV", "uV", "uV"},
		Events: []datasets.Event{{Onset: 2.5, Duration: 1, Text: "blink"}},
	}
	if err := datasets.WriteRecording(at("in.edf"), recording); err != nil {
		t.Fatal(err)
	}
	must(t, "separate", "--in", at("in.edf"), "--out", at("z.edf"), "--save", at("model"), "--backend",
		"go")
	must(t, "inspect", "--model", at("model"), "--in", at("in.edf"))
	must(t, "remove", "--model", at("model"), "--in", at("in.edf"), "--out", at("clean.edf"),
		"--components", "2")
	must(t, "transform", "--model", at("model"), "--in", at("in.edf"), "--out", at("again.bdf"))
	for file, names := range map[string]string{
		"clean.edf": "Fp1 Cz O2", "z.edf": "s1 s2 s3", "again.bdf": "s1 s2 s3",
	} {
		r, err := datasets.ReadRecording(at(file))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(r.Names, " ") != names || r.Rate != 100 ||
			!slices.Equal(r.Events, recording.Events) || file == "clean.edf" && r.Units[0] != "uV" {
			t.Errorf("%s: %q in %q at %g Hz, %v", file, r.Names, r.Units, r.Rate, r.Events)
		}
	}
}

// What is missing is refused with the flag that settles it, and filled in or dropped by it; what
// is transposed is named and read by its flag; several files are one recording.
func TestReadingFlags(t *testing.T) {
	dir := t.TempDir()
	const n = 400
	x := mixedLaplace(t, 2, n)
	var holes, wide strings.Builder
	holes.WriteString("a,b\n")
	for k := range n {
		if k == 7 {
			holes.WriteString("NaN,1\n")
			continue
		}
		fmt.Fprintf(&holes, "%g,%g\n", x.At(0, k), x.At(1, k))
	}
	for i := range 2 {
		for k := range n {
			if k > 0 {
				wide.WriteString(",")
			}
			fmt.Fprintf(&wide, "%g", x.At(i, k))
		}
		wide.WriteString("\n")
	}
	missing := write(t, dir, "holes.csv", holes.String())
	flat := write(t, dir, "wide.csv", wide.String())
	left, right := filepath.Join(dir, "left.wav"), filepath.Join(dir, "right.wav")
	for path, z := range map[string]mat.Matrix{
		left: x.Slice(0, 1, 0, n), right: x.Slice(1, 2, 0, n-3),
	} {
		if err := datasets.WriteFile(path, mat.DenseCopyOf(z)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"--in " + missing, exitFailure, "--missing interpolate"},
		{"--missing interpolate --in " + missing, exitOK, "1 missing value was interpolated"},
		{"--missing drop --in " + missing, exitOK, "left out: 1 position with missing values"},
		{"--missing guess --in " + missing, exitUsage, "must be error, interpolate or drop"},
		{"--separator xx --in " + missing, exitUsage, "must be one character, tab or space"},
		{"--in " + flat, exitFailure, "must be at least 16; use --transpose if a row of the file is a signal"},
		{"--highpass 1 --rate 250 --in " + flat, exitFailure, "use --transpose if a row of the file is"},
		{"--transpose --in " + flat, exitOK, "each row is a signal"},
		{"--transpose --in " + left, exitFailure, "must not be transposed"},
		{"--in " + left + " --in " + right, exitOK, "the files have 397 to 400 positions"},
		{"--without 3 --in " + missing + " --missing drop", exitFailure, `no channel "3"`},
	} {
		args := append([]string{"separate", "--out", filepath.Join(dir, "z.csv"), "--backend", "go"},
			strings.Fields(c.args)...)
		code, stdout, stderr := command(t.Context(), args...)
		if code != c.code || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%s: exit %d, %q, want %d and %q", c.args, code, stdout+stderr, c.code, c.says)
		}
	}
}

// The command that separate prints as the next one runs as it is printed.
func TestNextCommandRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 600
	x := mixedLaplace(t, 3, n)
	var wide, odd strings.Builder
	for i := range 3 {
		for k := range n {
			fmt.Fprintf(&wide, "%g ", x.At(i, k))
		}
		wide.WriteString("\n")
	}
	odd.WriteString("a;b;c\n1;;2\n")
	for k := range n {
		row := fmt.Sprintf("%g;%g;%g\n", x.At(0, k), x.At(1, k), x.At(2, k))
		odd.WriteString(strings.ReplaceAll(row, ".", ","))
	}
	write(t, ".", "wide it's.txt", wide.String())
	write(t, ".", "odd.csv", odd.String())
	for k, flags := range [][]string{
		{"--in", "wide it's.txt", "--transpose"},
		{"--in", "wide it's.txt", "--transpose", "--separator", "space", "--rate", "250", "--highpass", "2",
			"--without", "2"},
		{"--in", "odd.csv", "--missing", "drop", "--separator", ";", "--decimal", ",", "--rate", "250",
			"--skip", "1-50"},
	} {
		model := fmt.Sprint("the model ", k)
		code, said, status := command(t.Context(), append([]string{"separate", "--out", "z.csv", "--save",
			model, "--quick", "--backend", "go"}, flags...)...)
		if code != exitOK || strings.Contains(status, "half") {
			t.Fatalf("%q: exit %d, %q", flags, code, status)
		}
		_, next, _ := strings.Cut(strings.TrimSpace(said), "\nnext: sica ")
		read, err := exec.Command("sh", "-c", `printf '%s\n' `+next).Output() // as a shell does
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Split(strings.TrimSuffix(string(read), "\n"), "\n")
		if code, _, stderr := command(t.Context(), words...); code != exitOK {
			t.Errorf("%q: exit %d, %s", words, code, stderr)
		}
	}
}

// Learning leaves out a bad channel, a bad stretch, drift and hum; what is recovered has all
// positions of the signals as they are.
func TestLeftOutOfLearning(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const n, rate = 4000, 250
	s, x := laplaceMixture(3, n)
	rng := rand.New(rand.NewPCG(8, 0))
	var text strings.Builder
	text.WriteString("time,A,B,C,T7\n")
	for k := range n {
		seconds := float64(k) / rate
		common := 20*seconds + 30*math.Sin(2*math.Pi*50*seconds)
		if seconds >= 10 && seconds < 11 {
			common += 500 * rng.NormFloat64()
		}
		fmt.Fprintf(&text, "%g,%g,%g,%g,%g\n", seconds, x.At(0, k)+common, x.At(1, k)-0.5*common,
			x.At(2, k)+0.2*common, 1e4*rng.NormFloat64())
	}
	in := write(t, dir, "rec.csv", text.String())
	said := must(t, "separate", "--in", in, "--out", at("z.csv"), "--save", at("model"),
		"--without", "T7", "--skip", "10s-11s", "--highpass", "1", "--notch", "50", "--json",
		at("z.json"), "--preset", "smoke")
	for _, want := range []string{
		`"T7" was left out, as asked`, "positions 2501-2750 were skipped, 250 of 4000",
		"filtered: high-pass at 1 Hz, notches at 50 Hz and its multiples",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("separate printed %q, want %q", said, want)
		}
	}
	z, err := datasets.ReadRecording(at("z.csv"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := sica.Load(at("model"))
	if err != nil {
		t.Fatal(err)
	}
	if d, all := z.Signals.Dims(); d != 3 || all != n || r.Z.RawMatrix().Cols != n-rate {
		t.Errorf("recovered %d signals at %d positions, learned from %d", d, all, r.Z.RawMatrix().Cols)
	}
	demixing, err := r.Demixing()
	if err != nil {
		t.Fatal(err)
	}
	var clean mat.Dense // the recovered signals without what was added
	clean.Mul(demixing.Unmixing, x)
	m, err := metric.MCC(&clean, s)
	if err != nil || m.MCC < 0.99 {
		t.Errorf("MCC %.4f of what was learned (%v): %s", m.MCC, err, r.Why)
	}
	if data, _ := os.ReadFile(at("z.json")); !strings.Contains(string(data), `"learned_on": 3750`) {
		t.Errorf("JSON doesn't say how much was learned from")
	}
	// The saved separation remembers all of it.
	const recalled = "using --highpass 1 --notch 50 --skip 10s-11s as in the fit; --highpass 0, " +
		"--notch 0 and --skip \"\" turn them off"
	inspect := func(file, in string, flags ...string) (said, json string) {
		args := append([]string{"inspect", "--model", at("model"), "--in", in, "--json", at(file)}, flags...)
		said = must(t, args...)
		return said, read(t, at(file))
	}
	said, byDefault := inspect("default.json", in)
	if !strings.Contains(said, recalled) ||
		!strings.Contains(said, "positions 2501-2750 were skipped, 250 of 4000") {
		t.Errorf("inspect printed %q", said)
	}
	said, given := inspect("given.json", in, "--highpass", "1", "--notch", "50", "--skip", "10s-11s")
	if given != byDefault || strings.Contains(said, "as in the fit") {
		t.Errorf("with the flags inspect gives something else, or printed %q", said)
	}
	said, none := inspect("none.json", in, "--highpass", "0", "--notch", "0", "--skip", "")
	if none == byDefault || strings.Contains(said, "as in the fit") || strings.Contains(said, "skipped") {
		t.Errorf("without filters inspect gives the same, or printed %q", said)
	}
	rows := lines(text.String())
	said, _ = inspect("short.json", write(t, dir, "short.csv", strings.Join(rows[:3001], "\n")+"\n"))
	if !strings.Contains(said, "nothing was skipped: the fit's --skip is about a recording of 4000") {
		t.Errorf("of another recording inspect printed %q", said)
	}
	if !testing.Short() { // networks, which take a minute without XLA
		said = must(t, "report", "--model", at("model"), "--in", in, "--refits", "0")
		if !strings.Contains(said, "positions 2501-2750 were skipped, 250 of 4000") ||
			!strings.Contains(said, recalled) {
			t.Errorf("report printed %q", said)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"--skip 20s-21s", "from 0 s to 16 s"}, {"--highpass 200", "below 125 Hz"},
		{"--skip 1s-2s --shape 40x100", "are for recordings"},
		{"--without O2", `no channel "O2"`},
		{"--skip 1s-2s --method sica-rf --preset smoke", "--method sica-rf learns from all positions"},
	} {
		args := append([]string{"separate", "--in", in, "--out", at("y.csv")},
			strings.Fields(c.args)...)
		if code, _, stderr := command(t.Context(), args...); code != exitUsage && code != exitFailure ||
			!strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %q, want %q", c.args, code, stderr, c.want)
		}
	}
}

// Interpolated values aren't learned from, so that they don't spoil a separation, and the MCC leaves
// them out.
func TestInterpolatedAreNotLearnedFrom(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const n, holes = 4000, 80
	s, x := laplaceMixture(4, n)
	rng := rand.New(rand.NewPCG(5, 0))
	for k, position := range rng.Perm(n)[:holes] {
		x.Set(k%4, position, math.NaN())
	}
	var table strings.Builder
	for k := range n {
		fmt.Fprintf(&table, "%g,%g,%g,%g\n", x.At(0, k), x.At(1, k), x.At(2, k), x.At(3, k))
	}
	in := write(t, dir, "in.csv", table.String())
	if err := datasets.WriteFile(at("s.csv"), s); err != nil {
		t.Fatal(err)
	}
	said := must(t, "separate", "--in", in, "--missing", "interpolate", "--truth", at("s.csv"),
		"--out", at("z.csv"), "--json", at("z.json"), "--method", "sica-linear")
	if !strings.Contains(said, "left out of learning: 80 positions with interpolated values") ||
		!strings.Contains(said, "All 4 signals are identified") {
		t.Error(said)
	}
	var rep separation
	if err := files.ReadJSON(at("z.json"), &rep); err != nil {
		t.Fatal(err)
	}
	if rep.LearnedOn != n-holes || rep.Match.MCC < 0.999 {
		t.Errorf("learned on %d positions, MCC %.4f", rep.LearnedOn, rep.Match.MCC)
	}
	z, err := datasets.ReadFile(at("z.csv"))
	if err != nil || z.RawMatrix().Cols != n {
		t.Errorf("recovered %v (%v), want all positions", z, err)
	}

	table.Reset()
	for k := range n { // a hole at nearly every position
		a, b := x.At(1, k), x.At(2, k)
		if k > 10 {
			a = math.NaN()
		}
		fmt.Fprintf(&table, "%g,%g,%g\n", x.At(3, k), a, b)
	}
	in = write(t, dir, "in.csv", table.String())
	code, _, stderr := command(t.Context(), "separate", "--in", in, "--missing", "interpolate",
		"--out", at("z.csv"))
	if code != exitFailure || !strings.Contains(stderr, "positions have no interpolated value") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

// A shape of one axis is that of the file. What is learned from may be less of it, and is a
// sequence, even if it looks like rows of an image.
func TestShapeOfOneAxis(t *testing.T) {
	dir := t.TempDir()
	const n, holes = 512, 2
	_, x := laplaceMixture(2, n)
	table := func(name, first string) string {
		var b strings.Builder
		for k := range n {
			cell := strconv.FormatFloat(x.At(0, k), 'g', -1, 64)
			if k < holes {
				cell = first
			}
			fmt.Fprintf(&b, "%s,%g\n", cell, x.At(1, k))
		}
		return write(t, dir, name, b.String())
	}
	whole, lacking := table("whole.csv", "1"), table("lacking.csv", "NA")
	var b strings.Builder
	for k := range n {
		u, v := x.At(0, k), x.At(1, k)
		if k < 100 {
			u, v = 1, 2
		}
		fmt.Fprintf(&b, "%g,%g\n", u, v)
	}
	pause := write(t, dir, "pause.csv", b.String())
	var image strings.Builder
	for k := range n {
		row, column := float64(k/64), float64(k%64)
		fmt.Fprintf(&image, "%g,%g\n", math.Sin(row/9)+column/40-0.3, math.Cos(column/11)*(1+row/30))
	}
	rows := write(t, dir, "rows.csv", image.String())
	for _, c := range []struct {
		args string
		left int
	}{
		{pause, n - 100},
		{whole + " --skip 1-100", n - 100},
		{lacking + " --missing interpolate", n - holes},
		{whole + " --learn-on 300", 300},
		{whole + " --learn-on all --skip 1-100", n - 100},
		{rows, n},
	} {
		for _, name := range []string{"separate", "report"} {
			if name == "report" && testing.Short() && c.args != pause {
				continue // trains a network
			}
			out := filepath.Join(dir, "out.json")
			args := []string{name, "--shape", strconv.Itoa(n), "--json", out, "--method", "sica-linear"}
			if name == "separate" {
				args = append(args, "--out", filepath.Join(dir, "z.csv"))
			} else {
				args = append(args, "--refits", "0")
			}
			must(t, append(append(args, "--in"), strings.Fields(c.args)...)...)
			var made struct{ Result, Report struct{ Shape []int } }
			if err := files.ReadJSON(out, &made); err != nil {
				t.Fatal(err)
			}
			shape := append(made.Result.Shape, made.Report.Shape...)
			if !slices.Equal(shape, []int{c.left}) {
				t.Errorf("%s %s: shape %v, want %d", name, c.args, shape, c.left)
			}
		}
	}

	for _, c := range []struct{ args, says string }{
		{whole + " --shape 100 --learn-on 300", "--shape 100: whole.csv has 512 positions, not 100"},
		{lacking + " --shape 8x64 --missing drop",
			"--shape 8x64: lacking.csv has 510 positions after --missing drop, not 512"},
		{whole + " --shape 2x4x1x64", "use one to three positive whole numbers"},
	} {
		args := append([]string{"separate", "--out", filepath.Join(dir, "z.csv"), "--in"},
			strings.Fields(c.args)...)
		code, _, stderr := command(t.Context(), args...)
		if code != exitUsage || !strings.Contains(strings.ReplaceAll(stderr, dir+"/", ""), c.says) {
			t.Errorf("%s: exit %d, %q, want %q", c.args, code, stderr, c.says)
		}
	}
}

// To drop positions is advised only where that is possible: not of images.
func TestInterpolatedNote(t *testing.T) {
	const advice = "--missing drop"
	for axes, want := range []bool{true, true, false, false} {
		shape := []int{4, 5, 6}[:axes]
		if got := interpolatedNote(shape); strings.Contains(got, advice) != want {
			t.Errorf("shape %v: %q", shape, got)
		}
	}
}

// A closed pipe, as of head, keeps no file from being written.
func TestClosedPipe(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "z.csv")
	if err := datasets.WriteFile(in, mixedLaplace(t, 2, 400)); err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	defer writer.Close()
	var errs strings.Builder
	code := run(t.Context(), []string{"separate", "--in", in, "--out", out, "--method", "sica-linear"},
		writer, &errs)
	if _, err := os.Stat(out); code != exitOK || err != nil {
		t.Errorf("exit %d, %q, %v", code, &errs, err)
	}
}

// A click after skipped stretches is an outlier at its position in the recording. Neither the MCC
// nor the signals' correlation counts it.
func TestOutliersAfterSkip(t *testing.T) {
	dir := t.TempDir()
	const n = 2000
	s, x := laplaceMixture(2, n)
	x.Set(1, 1499, 500)
	in, truth := filepath.Join(dir, "in.npy"), filepath.Join(dir, "s.npy")
	for path, signals := range map[string]*mat.Dense{in: x, truth: s} {
		if err := datasets.WriteFile(path, signals); err != nil {
			t.Fatal(err)
		}
	}
	for _, flags := range [][]string{nil, {"--skip", "1-300,1000-1100"}, {"--rate", "500", "--seed", "1"}} {
		flags = append(flags, "--details")
		model := filepath.Join(dir, fmt.Sprint("model", len(flags)))
		args := []string{"separate", "--in", in, "--out", filepath.Join(dir, "z.npy"), "--backend",
			"go", "--save", model, "--truth", truth}
		said := must(t, append(args, flags...)...)
		const want = "recovered: MCC 1.0000 at 1999 of 2000 positions"
		if !strings.Contains(said, want) {
			t.Errorf("%q: printed %q, want %q", flags, said, want)
		}
		hasTime := strings.Contains(said, "At 2.998 s is an outlier")
		if hasTime != slices.Contains(flags, "--rate") {
			t.Errorf("%q: the time of the outlier: %v in %q", flags, hasTime, said)
		}
		if strings.Contains(said, "correlated: signals") {
			t.Errorf("%q: printed %q", flags, said)
		}
		if r, err := sica.Load(model); err != nil || !slices.Equal(r.Outliers, []int{1499}) {
			t.Errorf("%q: outliers %v (%v), want 1499", flags, r.Outliers, err)
		}
	}
}

// Inspect proposes the component of the blinks, and remove --proposed takes it out.
func TestProposed(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const n, rate = 3000, 250
	x := mixedLaplace(t, 3, n)
	rng := rand.New(rand.NewPCG(9, 0))
	blinks := make([]float64, n)
	for k := range blinks {
		blinks[k] = 20 * math.Exp(-math.Pow(float64(k%300)-150, 2)/400)
	}
	in := &datasets.Recording{
		Signals: mat.NewDense(5, n, nil), Names: []string{"Fp1", "Fp2", "Cz", "O1", "EOG1"}, Rate: rate,
	}
	for k := range n {
		for i, weight := range []float64{1, 0.8, 0.1} {
			in.Signals.Set(i, k, x.At(i, k)+weight*blinks[k])
		}
		in.Signals.Set(3, k, x.At(0, k)-x.At(2, k)+0.5*rng.NormFloat64())
		in.Signals.Set(4, k, 3*blinks[k]+2*rng.NormFloat64())
	}
	rec := at("rec.edf")
	if err := datasets.WriteRecording(rec, in); err != nil {
		t.Fatal(err)
	}
	must(t, "separate", "--in", rec, "--out", at("z.csv"), "--save", at("model"), "--without", "EOG1",
		"--backend", "go")
	remove := []string{"remove", "--model", at("model"), "--in", rec, "--out", at("clean.edf"),
		"--proposed"}
	if code, _, stderr := command(t.Context(), remove...); code != exitUsage ||
		!strings.Contains(stderr, "holds no proposal") {
		t.Errorf("before it was proposed: exit %d, %q", code, stderr)
	}
	said := must(t, "inspect", "--model", at("model"), "--in", rec, "--reference", "EOG1")
	if !strings.Contains(said, "proposed: ") || !strings.Contains(said, "is at least 0.5") ||
		strings.Contains(said, "proposed: none") {
		t.Fatalf("inspect printed %q", said)
	}
	said = must(t, append(remove, "--json", at("removed.json"))...)
	checkRemoved(t, at("removed.json"), rec)
	taken := regexp.MustCompile(`quiet half\nFp1 +[0-9.]+ % +[0-9.]+ % +0\.[0-9]+ of [0-9.]+\nFp2 `)
	if !strings.Contains(said, "reference EOG1 for rec.edf (3000 positions)") ||
		strings.Contains(said, "note:") || !taken.MatchString(said) {
		t.Errorf("remove printed %q", said)
	}
	other := at("other.edf")
	if err := os.WriteFile(other, []byte(read(t, rec)), 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := slices.Clone(remove)
	elsewhere[4] = other
	if said := must(t, elsewhere...); !strings.Contains(said, "as proposed with the reference EOG1 "+
		"for rec.edf (3000 positions)\nnote: this is another recording: other.edf (3000 positions)") {
		t.Errorf("of another file remove printed %q", said)
	}
	clean, err := datasets.ReadRecording(at("clean.edf"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(clean.Names, in.Names) || clean.Rate != rate {
		t.Errorf("the cleaned recording has %q at %g Hz", clean.Names, clean.Rate)
	}
	for i := range 4 {
		if c := math.Abs(stat.Correlation(clean.Signals.RawRowView(i), blinks, nil)); c > 0.1 {
			t.Errorf("%s still has %.2f of the blinks", clean.Names[i], c)
		}
	}
	if c := stat.Correlation(clean.Signals.RawRowView(4), blinks, nil); c < 0.9 {
		t.Errorf("the reference has %.2f of its blinks", c)
	}
	none := must(t, "inspect", "--model", at("model"), "--in", rec, "--reference", write(t, dir,
		"noise.csv", noise(rng, n)))
	if !strings.Contains(none, "proposed: none") {
		t.Errorf("of noise as reference: %q", none)
	}
	// A loop over recordings doesn't stop at one without artefacts.
	written := must(t, append(slices.Clone(remove[:7]), "--proposed")...)
	if !strings.Contains(written, "removing none, as proposed") {
		t.Errorf("with nothing proposed: %q", written)
	}
	before, err := datasets.ReadFile(rec)
	if err != nil {
		t.Fatal(err)
	}
	after, err := datasets.ReadFile(at("clean.edf"))
	if err != nil {
		t.Fatal(err)
	}
	var change mat.Dense
	change.Sub(after, before) // rounding of EDF's 16 bits
	if most := mat.Norm(&change, math.Inf(1)); most > 1e-2*mat.Norm(before, math.Inf(1)) {
		t.Errorf("with nothing proposed the recording changed by up to %g", most)
	}
	for _, c := range []struct{ args, want string }{
		{"", "say --components 2,5, --proposed or --selection FILE"},
		{"--proposed --components 1", "one of the three"},
	} {
		args := append(slices.Clone(remove[:7]), strings.Fields(c.args)...)
		if code, _, stderr := command(t.Context(), args...); code != exitUsage ||
			!strings.Contains(stderr, c.want) {
			t.Errorf("remove %s: exit %d, %q, want %q", c.args, code, stderr, c.want)
		}
	}
}

// The table has what is most like a reference first, the picture is by number.
func TestPictureIsByNumber(t *testing.T) {
	dir := generate(t)
	in, model := filepath.Join(dir, "mixed.csv"), filepath.Join(dir, "model")
	must(t, "separate", "--in", in, "--out", filepath.Join(dir, "z.csv"), "--save", model,
		"--backend", "go")
	z, err := datasets.ReadFile(filepath.Join(dir, "z.csv"))
	if err != nil {
		t.Fatal(err)
	}
	_, n := z.Dims()
	second := filepath.Join(dir, "second.csv")
	if err := datasets.WriteFile(second, mat.DenseCopyOf(z.Slice(1, 2, 0, n))); err != nil {
		t.Fatal(err)
	}
	picture := filepath.Join(dir, "components.svg")
	said := must(t, "inspect", "--model", model, "--in", in, "--reference", second, "--plot", picture)
	if !strings.HasPrefix(lines(said)[1], "2 ") {
		t.Errorf("the table begins with another component: %s", said)
	}
	labels := regexp.MustCompile(`>(\d): [0-9.]+ %<`).FindAllStringSubmatch(read(t, picture), -1)
	if len(labels) != 2 || labels[0][1] != "1" || labels[1][1] != "2" {
		t.Errorf("the picture has %q", labels)
	}
}

// A proposal that was left in the folder of another separation isn't used.
func TestProposalOfAnotherSeparation(t *testing.T) {
	dir := generate(t)
	in, model := filepath.Join(dir, "mixed.csv"), filepath.Join(dir, "model")
	separate := []string{"separate", "--in", in, "--out", filepath.Join(dir, "z.csv"), "--save", model,
		"--backend", "go"}
	must(t, separate...)
	must(t, "inspect", "--model", model, "--in", in, "--reference", "1")
	proposed := read(t, filepath.Join(model, proposalFile))
	if err := os.RemoveAll(model); err != nil {
		t.Fatal(err)
	}
	must(t, append(separate, "--seed", "2")...)
	write(t, model, proposalFile, proposed)
	code, _, stderr := command(t.Context(), "remove", "--model", model, "--in", in, "--out",
		filepath.Join(dir, "clean.csv"), "--proposed")
	if want := "is of another separation: use sica inspect --reference again"; code != exitUsage ||
		!strings.Contains(stderr, want) {
		t.Errorf("exit %d, %q, want %d and %q", code, stderr, exitUsage, want)
	}
}

// A file of positions in its rows, where the separation's had signals in its rows, is refused with
// what to do.
func TestModelOfATransposedFile(t *testing.T) {
	dir := t.TempDir()
	x := mixedLaplace(t, 3, 400)
	rows, model := filepath.Join(dir, "rows.npy"), filepath.Join(dir, "model")
	if err := datasets.WriteFile(rows, mat.DenseCopyOf(x.T())); err != nil {
		t.Fatal(err)
	}
	must(t, "separate", "--in", rows, "--transpose", "--out", filepath.Join(dir, "z.csv"), "--save",
		model, "--quick")
	clean := filepath.Join(dir, "clean.csv")
	for _, args := range [][]string{
		{"remove", "--out", clean, "--components", "1"}, {"transform", "--out", clean}, {"inspect"},
		{"report"},
	} {
		args = append(args, "--model", model, "--in", rows)
		code, _, stderr := command(t.Context(), args...)
		want := "sica: " + rows + ": channels: are 400; must be 3, as in the fit; use --transpose if a " +
			"row of the file is a signal\n"
		if code != exitFailure || stderr != want {
			t.Errorf("%q: exit %d, %q, want %q", args, code, stderr, want)
		}
	}
}

// checkRemoved checks the record of the removal of proposed blinks from five channels, of which four were
// separated.
func checkRemoved(t *testing.T, path, rec string) {
	t.Helper()
	var got removed
	if err := files.ReadJSON(path, &got); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Input, []string{rec}) || got.Positions != 3000 || got.ChosenBy != "proposed" ||
		got.Reference != "EOG1" || len(got.Components) == 0 || len(got.Channels) != 4 {
		t.Fatalf("%+v", got)
	}
	for _, c := range got.Components {
		if c.Graded == nil || c.Share <= 0 {
			t.Errorf("component %+v", c)
		}
	}
	if c := got.Channels[0]; c.Name != "Fp1" || c.Taken < 0.5 || c.Left <= 0 || c.Quiet == nil ||
		*c.Quiet >= *c.QuietChannel {
		t.Errorf("channel %+v", c)
	}
}

// What is labelled as an artefact is proposed whatever the reference, but no heartbeat. That another
// reference's proposal is replaced by one without its signals is said.
func TestLabelledArtefactsAreProposed(t *testing.T) {
	var all []inspect.Component
	for i, name := range []string{"heartbeat", "blink", "", "alpha", "line", ""} {
		all = append(all, inspect.Component{Signal: i, Label: inspect.Label{Name: name}, Proposed: i == 2})
	}
	all[2].Correlation = 0.7
	closest := slices.Repeat([]*reference{{name: "EOG1"}}, len(all))
	first := newProposal(all, closest, "EOG1")
	why := []string{"looks like blink: ", "correlation 0.70, coherence 0.00 with EOG1", "looks like line: "}
	if !slices.Equal(first.Signals, []int{1, 2, 4}) || !slices.Equal(first.Why, why) ||
		!all[1].Proposed || all[0].Proposed ||
		!strings.Contains(first.String(), "2 (blink) and 5 (line)") {
		t.Errorf("%+v, %s", first, first)
	}
	all = all[:3]
	all[2].Proposed = false
	dir := t.TempDir()
	for _, c := range []struct {
		p        proposal
		replaces bool
	}{{first, false}, {first, false}, {newProposal(all, closest, "EOG2"), true}} {
		var out strings.Builder
		if err := c.p.write(&out, dir); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "reference EOG1: 2, 3, 5;"); got != c.replaces {
			t.Errorf("%+v: %q", c.p, &out)
		}
	}
}

// More signals than positions are separated by their principal components, and the error without
// --components names it; what else it and the note name helps, too.
func TestMoreSignalsThanPositions(t *testing.T) {
	const d, n = 300, 200
	sources, _ := laplaceMixture(3, n)
	rng := rand.New(rand.NewPCG(5, 0))
	mixing := mat.NewDense(d, 3, nil)
	mixing.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, mixing)
	var x mat.Dense
	x.Mul(mixing, sources)
	x.Apply(func(_, _ int, v float64) float64 { return v + 0.05*rng.NormFloat64() }, &x)
	dir := t.TempDir()
	wide, tall := filepath.Join(dir, "wide.npy"), filepath.Join(dir, "tall.npy")
	for path, z := range map[string]mat.Matrix{wide: &x, tall: x.T()} {
		if err := datasets.WriteFile(path, mat.DenseCopyOf(z)); err != nil {
			t.Fatal(err)
		}
	}
	truth, out := filepath.Join(dir, "truth.npy"), filepath.Join(dir, "z.npy")
	if err := datasets.WriteFile(truth, sources); err != nil {
		t.Fatal(err)
	}
	separate := []string{"separate", "--out", out, "--backend", "go"}
	code, said, stderr := command(t.Context(), append(separate, "--in", wide)...)
	if code != exitFailure || !strings.Contains(said, "300 signals at 200 positions: if each row") ||
		!strings.Contains(stderr, "--components well below 200") {
		t.Errorf("exit %d, %q, %q", code, said, stderr)
	}
	if _, _, stderr = command(t.Context(), append(separate, "--in", tall, "--transpose")...); !strings.Contains(stderr,
		"leave out --transpose if a column") || strings.Contains(stderr, "use --transpose") {
		t.Errorf("with --transpose: %q", stderr)
	}
	for _, flags := range [][]string{{"--in", wide}, {"--in", tall, "--transpose"}} {
		must(t, append(append(slices.Clone(separate), "--components", "3"), flags...)...)
		said = must(t, "score", "--truth", truth, "--recovered", out)
		if !regexp.MustCompile(`MCC 0\.9[5-9]`).MatchString(said) {
			t.Errorf("%q: %q", flags, said)
		}
	}
}

// What is like one of several references is proposed, and the table says like which.
func TestSeveralReferences(t *testing.T) {
	dir := t.TempDir()
	const n, d = 4000, 6
	rng := rand.New(rand.NewPCG(5, 0))
	sources := mat.NewDense(d, n, nil)
	sources.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() * rng.ExpFloat64() }, sources)
	for k := range n {
		sources.Set(0, k, 20*math.Exp(-math.Pow(float64(k%300)-150, 2)/400)+0.1*sources.At(0, k))
		sources.Set(1, k, 9*math.Exp(-math.Pow(float64(k%210)-60, 2)/50)+0.1*sources.At(1, k))
	}
	mixing := mat.NewDense(d, d, nil)
	mixing.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, mixing)
	var x mat.Dense
	x.Mul(mixing, sources)
	in := &datasets.Recording{Signals: mat.NewDense(d+2, n, nil), Rate: 250,
		Names: []string{"a", "b", "c", "d", "e", "f", "EOG", "ECG"}}
	for i := range d {
		in.Signals.SetRow(i, x.RawRowView(i))
	}
	for k := range n {
		in.Signals.Set(d, k, 3*sources.At(0, k)+rng.NormFloat64())
		in.Signals.Set(d+1, k, 5*sources.At(1, k)+rng.NormFloat64())
	}
	rec, model := filepath.Join(dir, "rec.npy"), filepath.Join(dir, "model")
	if err := datasets.WriteRecording(rec, in); err != nil {
		t.Fatal(err)
	}
	must(t, "separate", "--in", rec, "--out", filepath.Join(dir, "z.csv"), "--save", model, "--without",
		"EOG,ECG", "--backend", "go")
	proposed := func(flags ...string) []int {
		said := must(t, append([]string{"inspect", "--model", model, "--in", rec}, flags...)...)
		var p proposal
		if err := files.ReadJSON(filepath.Join(model, proposalFile), &p); err != nil {
			t.Fatal(err)
		}
		if len(p.Signals) == 0 || strings.Contains(said, "coherence   with") != (len(flags) > 2) {
			t.Errorf("%q: %q", flags, said)
		}
		return p.Signals
	}
	eog, ecg := proposed("--reference", "EOG"), proposed("--reference", "ECG")
	both := proposed("--reference", "EOG", "--reference", "ECG")
	if want := slices.Sorted(slices.Values(append(eog, ecg...))); !slices.Equal(both, slices.Compact(want)) {
		t.Errorf("proposed %v for both, %v and %v alone", both, eog, ecg)
	}
}

// A signal of another rate in EDF may be the reference, and the cleaned file keeps it as it was.
func TestReferenceOfAnotherRate(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const n, rate, slower = 3000, 250, 5
	two := mixedLaplace(t, 2, n)
	x := mat.NewDense(3, n, nil)
	eyes := datasets.Column{Name: "EOG", Values: make([]float64, n/slower)}
	for k := range n {
		blink := 20 * math.Exp(-math.Pow(float64(k%300)-150, 2)/400)
		a, b := two.At(0, k), two.At(1, k)
		x.SetCol(k, []float64{a + blink, b + 0.8*blink, a - b + 0.1*blink})
		if k%slower == 0 {
			eyes.Values[k/slower] = 3 * blink
		}
	}
	in := &datasets.Recording{Signals: x, Names: []string{"Fp1", "Fp2", "Cz"}, Rate: rate,
		OtherRates: []datasets.Column{eyes}}
	if err := datasets.WriteRecording(at("in.edf"), in); err != nil {
		t.Fatal(err)
	}
	must(t, "separate", "--in", at("in.edf"), "--out", at("z.csv"), "--save", at("model"),
		"--without", "EOG", "--backend", "go")
	if said := must(t, "inspect", "--model", at("model"), "--in", at("in.edf"), "--reference",
		"EOG"); !strings.Contains(said, "EOG (50 Hz), are left out here: they may be a reference") ||
		!strings.Contains(said, "proposed: ") || strings.Contains(said, "proposed: none") ||
		strings.Contains(said, "was itself separated") {
		t.Errorf("it printed\n%s", said)
	}
	must(t, "remove", "--model", at("model"), "--in", at("in.edf"), "--out", at("clean.edf"),
		"--proposed")
	clean, err := datasets.ReadRecording(at("clean.edf"))
	if err != nil {
		t.Fatal(err)
	}
	if len(clean.OtherRates) != 1 || clean.OtherRates[0].Name != "EOG" || !floats.EqualApprox(
		clean.OtherRates[0].Values, eyes.Values, 0.01) {
		t.Errorf("of another rate the cleaned file has %v", clean.OtherRates)
	}
	left := clean.Signals.RawRowView(0)
	if c := stat.Correlation(left, datasets.Resample(eyes.Values, n), nil); math.Abs(c) > 0.1 {
		t.Errorf("after the removal Fp1 has a correlation of %.2f with the eyes", c)
	}
}

// A reference may be an electrode in the name of one channel, and no more.
func TestReferenceByElectrode(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	in := &datasets.Recording{Signals: mixedLaplace(t, 3, 600), Rate: 250, TimeColumn: "time",
		Names: []string{"EEG Fp1-REF", "EEG Cz-REF", "EEG Cz-LE"}}
	if err := datasets.WriteRecording(at("in.csv"), in); err != nil {
		t.Fatal(err)
	}
	must(t, "separate", "--in", at("in.csv"), "--out", at("z.csv"), "--save", at("model"), "--backend",
		"go")
	inspect := []string{"inspect", "--model", at("model"), "--in", at("in.csv"), "--reference"}
	want := must(t, append(inspect, "EEG Fp1-REF")...)
	if said := must(t, append(inspect, "fp1")...); !strings.Contains(said, "(reference fp1)") ||
		strings.ReplaceAll(said, "reference fp1", "reference EEG Fp1-REF") != want {
		t.Errorf("by the electrode it printed\n%s\nand by the full name\n%s", said, want)
	}
	for reference, want := range map[string]string{
		"Cz": `must be one of "EEG Cz-REF", "EEG Cz-LE", or a number up to 3`, "4": "channels 1 to 3",
		"EEG Cz": `channel "EEG Cz" is in several`, "C": `isn't in the recording; must be one of "EEG Cz-REF", `,
	} {
		if code, _, stderr := command(t.Context(), append(inspect, reference)...); code != exitUsage ||
			!strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q, want %q", reference, code, stderr, want)
		}
	}
}

// The number of a reference is that of its column, also behind channels that were left out, as for
// --without.
func TestReferenceByNumber(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, header := range map[string][]string{
		"names.csv": {"Fp1", "Cz", "Oz", "EOG"}, "numbers.csv": nil,
	} {
		in := &datasets.Recording{Signals: mixedLaplace(t, 4, 600), Names: header, NoHeader: header == nil}
		if err := datasets.WriteRecording(at(name), in); err != nil {
			t.Fatal(err)
		}
		must(t, "separate", "--in", at(name), "--out", at("z.csv"), "--save", at(name+".model"), "--backend",
			"go", "--without", "1,4")
		inspect := []string{"inspect", "--model", at(name + ".model"), "--in", at(name), "--reference"}
		names := []string{"column 1", "column 2", "column 3", "column 4"}
		if header != nil {
			names = header
		}
		for k, channel := range names {
			number := fmt.Sprint(k + 1)
			want := must(t, append(inspect, channel)...)
			want = strings.ReplaceAll(want, "reference "+channel, "reference "+number+", "+channel)
			want, _, _ = strings.Cut(want, "note: this replaces")
			if said := must(t, append(inspect, number)...); said != want {
				t.Errorf("%s: by number %s it printed\n%s\nand by name\n%s", name, number, said, want)
			}
		}
		for reference, want := range map[string]string{"5": "channels 1 to 4", "Nope": names[3]} {
			if code, _, stderr := command(t.Context(), append(inspect, reference)...); code != exitUsage ||
				!strings.Contains(stderr, want) {
				t.Errorf("%s: exit %d, %q, want %q", reference, code, stderr, want)
			}
		}
	}
}

// noise returns a CSV file of a white signal.
func noise(rng *rand.Rand, n int) string {
	var text strings.Builder
	for range n {
		fmt.Fprintf(&text, "%g\n", rng.NormFloat64())
	}
	return text.String()
}

// A separation is applied to channels by name: in another order they give the same, and where some
// are missing or renamed the error names them.
func TestChannelsByName(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	x := mixedLaplace(t, 3, 600)
	file := func(name string, header string, rows ...int) string {
		var text strings.Builder
		text.WriteString(header + "\n")
		for k := range 600 {
			for i, row := range rows {
				if i > 0 {
					text.WriteString(",")
				}
				fmt.Fprintf(&text, "%g", x.At(row, k))
			}
			text.WriteString("\n")
		}
		return write(t, dir, name, text.String())
	}
	in := file("in.csv", "A,B,C", 0, 1, 2)
	must(t, "separate", "--in", in, "--out", at("z.csv"), "--save", at("model"), "--backend", "go")
	transform := func(in string) string {
		said := must(t, "transform", "--model", at("model"), "--in", in, "--out", at("y.csv"))
		data, err := os.ReadFile(at("y.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(said, "taken by name") != (in != at("in.csv")) {
			t.Errorf("transform printed %q", said)
		}
		return string(data)
	}
	if want := transform(in); transform(file("order.csv", "c,A,B", 2, 0, 1)) != want {
		t.Error("in another order the channels give other signals")
	}
	for _, c := range []struct{ in, want string }{
		{file("fewer.csv", "A,C", 0, 2), `lacks the separation's channel "B"; must`},
		{file("renamed.csv", "A,B,D", 0, 1, 2), `channel "C", and it has the channel "D" besides`},
	} {
		for _, args := range [][]string{
			{"transform", "--out", at("y.csv")}, {"inspect"}, {"report", "--refits", "0"},
			{"remove", "--out", at("y.csv"), "--components", "1"},
		} {
			args = append(args, "--model", at("model"), "--in", c.in)
			if code, _, stderr := command(t.Context(), args...); code == exitOK ||
				!strings.Contains(stderr, c.want) {
				t.Errorf("%s of %s: exit %d, %q", args[0], c.in, code, stderr)
			}
		}
	}
}

// The model remembers what became of missing values. Neither the removal of all components nor a
// component given twice is taken for something else.
func TestRemoveRemembersMissing(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const n = 400
	x := mixedLaplace(t, 2, n)
	var table strings.Builder
	table.WriteString("time,a,b\n")
	for k := range n {
		a := fmt.Sprint(x.At(0, k))
		if k == 50 {
			a = ""
		}
		fmt.Fprintf(&table, "%g,%s,%g\n", 0.004*float64(k), a, x.At(1, k))
	}
	in := write(t, dir, "in.csv", table.String())
	for _, how := range []string{"interpolate", "drop"} {
		model := at(how)
		said := must(t, "separate", "--in", in, "--out", at("z.csv"), "--save", model, "--missing", how,
			"--method", "sica-linear")
		if want := " positions at 250 Hz (1.6 s), seed 1"; how != "drop" && !strings.Contains(said, want) {
			t.Errorf("separate printed %q, want %q", said, want)
		}
		must(t, "inspect", "--model", model, "--in", in)
		said = must(t, "remove", "--model", model, "--in", in, "--out", at("clean.csv"), "--components",
			"1,2")
		if !strings.Contains(said, "1 missing value was interpolated") ||
			!strings.Contains(said, "all components were removed, so nothing is left") {
			t.Errorf("%s: remove printed %q", how, said)
		}
		if r, err := datasets.ReadFile(at("clean.csv")); err != nil || r.RawMatrix().Cols != n {
			t.Errorf("%s: cleaned %v, %v", how, r, err)
		}
	}
	code, _, stderr := command(t.Context(), "remove", "--model", at("drop"), "--in", in, "--out",
		at("clean.csv"), "--components", "2,2")
	if code != exitUsage || !strings.Contains(stderr, "2 is there twice") {
		t.Errorf("exit %d, %q", code, stderr)
	}
	nameless := write(t, dir, "nameless.csv", strings.Repeat("1.5,2\n2,1\n4,7.5\n", 20))
	if said := must(t, "transform", "--model", at("drop"), "--in", nameless, "--out",
		at("y.csv")); !strings.Contains(said, "the file has no names: its columns were taken") {
		t.Errorf("transform printed %q", said)
	}
}

// A time in milliseconds that is called time says so where a filter is refused.
func TestFilterOfMilliseconds(t *testing.T) {
	var table strings.Builder
	table.WriteString("time,a,b\n")
	x := mixedLaplace(t, 2, 100)
	for k := range 100 {
		fmt.Fprintf(&table, "%d,%g,%g\n", 4*k, x.At(0, k), x.At(1, k))
	}
	dir := t.TempDir()
	in := write(t, dir, "in.csv", table.String())
	code, _, stderr := command(t.Context(), "separate", "--in", in, "--out", filepath.Join(dir, "z.csv"),
		"--highpass", "1")
	if code != exitUsage || !strings.Contains(stderr, `as in "time (ms)"`) {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

// A MAT-file of channels by times says how it is read, and then is, with the rate that it has.
func TestMAT(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join("..", "..", "datasets", "testdata", "mat", "wide.mat"),
		filepath.Join(dir, "z.edf")
	code, _, said := command(t.Context(), "separate", "--in", in, "--out", out)
	if code != exitFailure || !strings.Contains(said, "use --transpose if a row of the file is a signal") {
		t.Errorf("exit %d, printed %q", code, said)
	}
	must(t, "separate", "--in", in, "--out", out, "--transpose", "--variable", "eeg", "--backend", "go",
		"--method", "sica-fast", "--preset", "smoke")
	r, err := datasets.ReadRecording(out)
	if err != nil || r.Rate != 250 || r.Signals.RawMatrix().Rows != 8 {
		t.Errorf("recovered %+v (%v)", r, err)
	}
}
