package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A recording as a person has it: named channels, times, one lead that is the difference
// of two others, rounded to the microvolt. It is separated, looked at, and cleaned of its
// beats; names, times and rate survive.
func TestRecording(t *testing.T) {
	const n, rate = 3000, 250
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(4, 0))
	var text strings.Builder
	text.WriteString("Time (s);Fp1;Cz;O2;Fp1-Cz\n")
	for k := range n {
		beat := math.Exp(-math.Pow(float64(k%200)-90, 2) / 18)
		a, b := rng.ExpFloat64()*float64(1-2*rng.IntN(2)), rng.Float64()
		fp1, cz, o2 := .5*beat+.1*a+.05*b, .3*beat-.1*a+.1*b, .2*a+.1*b
		cells := fmt.Sprintf("%.3f;%.6f;%.6f;%.6f;%.6f\n", 10+float64(k)/rate, fp1, cz, o2, fp1-cz)
		text.WriteString(strings.ReplaceAll(cells, ".", ","))
	}
	in, out, model, clean := filepath.Join(dir, "rec.csv"), filepath.Join(dir,
		"z.csv"), filepath.Join(dir, "model"), filepath.Join(dir, "clean.csv")
	if err := os.WriteFile(in, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if said := must(t, "separate", "--in", in, "--out", out, "--save", model, "--method",
		"sica-linear"); !strings.Contains(said,
		"4 mixed signals were reduced to 3 principal components") {
		t.Errorf("printed %q", said)
	}
	_, table, _ := strings.Cut(must(t, "inspect", "--model", model, "--in", in, "--reference", "Fp1"),
		"\n#") // below the notes
	looked := strings.Split(table, "\n")
	var beats string
	for _, line := range looked[1:] {
		if strings.Contains(line, "1.25 Hz") {
			beats = strings.Fields(line)[0]
		}
	}
	if beats == "" || !strings.Contains(looked[0], "coherence") {
		t.Fatalf("no beats of 1.25 Hz in\n%s", strings.Join(looked, "\n"))
	}
	picture := filepath.Join(dir, "components.svg")
	must(t, "inspect", "--model", model, "--in", in, "--plot", picture)
	if svg, err := os.ReadFile(picture); err != nil || !strings.Contains(string(svg), "Fp1-Cz") ||
		!strings.Contains(string(svg), "time, s") {
		t.Errorf("the picture: %v, %d bytes without names or time", err, len(svg))
	}
	must(t, "remove", "--model", model, "--in", in, "--out", clean, "--components", beats)
	r, err := datasets.ReadRecording(clean)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(r.Names, "|") != "Fp1|Cz|O2|Fp1-Cz" || r.Rate != rate ||
		r.TimeColumn != "Time (s)" || r.Start != 10 {
		t.Errorf("names %q, rate %g from %g on, times %q", r.Names, r.Rate, r.Start, r.TimeColumn)
	}
	centred, _ := signal.Centred(r.Signals)
	for i, channel := range r.Names {
		beat := 0.0 // what is left of its height
		for k := 90; k < n; k += 200 {
			beat += centred.At(i, k) / (n / 200)
		}
		if math.Abs(beat) > 4*stat.StdDev(centred.RawRowView(i), nil)/math.Sqrt(n/200) { // its standard errors
			t.Errorf("%s still beats by %.3f", channel, beat)
		}
	}
	z, err := datasets.ReadRecording(out)
	if err != nil || z.Rate != rate || z.Start != 10 {
		t.Errorf("the recovered signals have the rate %g, %v", z.Rate, err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"remove", "--model", model, "--in", in, "--out", clean, "--components", "4"},
			"signals 1 to 3"},
		{[]string{"remove", "--model", model, "--in", out, "--out", clean, "--components", "1"},
			`lacks the separation's channels "Fp1", "Cz", "O2", "Fp1-Cz", and it has the `},
		{[]string{"inspect", "--model", model, "--in", in, "--reference", "C3"},
			`there is no such file, and channel "C3" isn't in the recording; must be one of ` +
				`"Fp1", "Cz", "O2", "Fp1-Cz", or a number up to 4`},
		{[]string{"inspect", "--model", model, "--in", in, "--reference", "5"}, "channels 1 to 4"},
		{[]string{"inspect", "--model", model, "--in", in, "--rate", "-1"}, "--rate -1"},
	} {
		if code, _, stderr := command(t.Context(), c.args...); code == 0 ||
			!strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: exit %d, %q, want %q", c.args, code, stderr, c.want)
		}
	}
}

// Channels of an average reference have a rank of one less than there are, whether a filter hides
// that they were rounded or not, in separate and in report.
func TestRankOfFilteredRecording(t *testing.T) {
	const d, n, rate = 4, 1500, 250
	dir := t.TempDir()
	_, x := laplaceMixture(d, n)
	for k := range n {
		mean := mat.Sum(x.ColView(k)) / d
		for i := range d {
			x.Set(i, k, x.At(i, k)-mean)
		}
	}
	rounded := mat.DenseCopyOf(x) // as text
	rounded.Apply(func(_, _ int, v float64) float64 { return math.Round(1000*v) / 1000 }, rounded)
	recording := datasets.Recording{
		Rate: rate, Names: []string{"Fp1", "Cz", "O1", "O2"}, TimeColumn: "time",
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, signals := range map[string]*mat.Dense{"rec.csv": rounded, "rec.edf": x} {
		recording.Signals = signals // an EDF file has steps of its own
		if err := datasets.WriteRecording(in(name), &recording); err != nil {
			t.Fatal(err)
		}
	}
	for k, line := range []string{
		"rec.csv --highpass 1", "rec.csv --notch 50 --learn-on 1/2", "rec.edf --lowpass 60 --skip 1s-2s",
	} {
		name, flags, _ := strings.Cut(line, " ")
		args := append([]string{"--in", in(name), "--method", "sica-linear"}, strings.Fields(flags)...)
		model := in(fmt.Sprint("model", k))
		said := must(t, append([]string{"separate", "--out", in("z.csv"), "--save", model}, args...)...)
		if !strings.Contains(strings.ReplaceAll(said, "\n", " "), "were reduced to 3 principal") {
			t.Errorf("%s printed %q", line, said)
		}
		if k > 0 || testing.Short() { // networks, which take half a minute without XLA
			continue
		}
		for _, from := range [][]string{args, {"--in", in(name), "--model", model}} {
			said := must(t, append([]string{"report", "--refits", "2", "--details"}, from...)...)
			if !strings.Contains(said, "\n3 signals") {
				t.Errorf("report printed %q", said)
			}
		}
	}
}

// A column that may be a clock is named by every command that separates.
func TestClocks(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(5, 0))
	var rows strings.Builder
	rows.WriteString("frame,a,b\n")
	for k := range 80 { // too few for the networks of a report
		fmt.Fprintf(&rows, "%d,%g,%g\n", 3*k, rng.ExpFloat64(), rng.ExpFloat64())
	}
	in := write(t, dir, "in.csv", rows.String())
	for _, args := range [][]string{
		{"separate", "--in", in, "--out", filepath.Join(dir, "z.csv"), "--preset", "smoke",
			"--backend", "go"},
		{"report", "--in", in, "--refits", "0", "--preset", "smoke", "--backend", "go"},
		{"compare", "--in", in, "--methods", "zca", "--preset", "smoke", "--backend", "go"},
	} {
		want := `"frame" rises by the same amount at every position, as times do, and was set aside`
		if said := must(t, args...); strings.Count(said, want) != 1 {
			t.Errorf("%s printed %q", args[0], said)
		}
	}
}

// The rate of separate --rate alone is kept for inspect, and one that isn't the recording's is said.
func TestRateIsKept(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	sources, err := datasets.LaplaceAR(rand.New(rand.NewPCG(5, 0)), 2, 1000, 0.8)
	if err != nil {
		t.Fatal(err)
	}
	x := new(mat.Dense)
	x.Mul(mat.NewDense(2, 2, []float64{1, 0.6, -0.4, 1}), sources)
	if err := datasets.WriteFile(at("in.csv"), x); err != nil {
		t.Fatal(err)
	}
	must(t, "separate", "--in", at("in.csv"), "--out", at("z.csv"), "--save", at("model"),
		"--method", "sica-linear", "--rate", "250")
	said := must(t, "inspect", "--model", at("model"), "--in", at("in.csv"), "--skip", "0s-2s")
	for _, want := range []string{"--rate 250", "positions 1-500 were skipped"} {
		if !strings.Contains(said, want) {
			t.Errorf("inspect doesn't say %q:\n%s", want, said)
		}
	}
	for command, does := range map[string][]string{"remove": {"--components", "1"}, "transform": nil} {
		said := must(t, slices.Concat([]string{command, "--model", at("model"), "--in", at("in.csv"),
			"--out", at("out.wav")}, does)...)
		if out, err := datasets.ReadRecording(at("out.wav")); err != nil || out.Rate != 250 ||
			!strings.Contains(said, "using --rate 250 as in the fit") ||
			!strings.Contains(said, "players cut what is beyond 1") {
			t.Errorf("%s: %v, not at 250 Hz, or not said:\n%s", command, err, said)
		}
	}
	if said = must(t, "separate", "--in", at("in.csv"), "--out", at("z.wav"), "--method",
		"sica-linear"); !strings.Contains(said, "z.wav says 44100 Hz, a guess: use --rate") {
		t.Errorf("separate doesn't say that the rate is unknown:\n%s", said)
	}
	timed := &datasets.Recording{Signals: x, Names: []string{"a", "b"}, Rate: 100, TimeColumn: "time"}
	if err := datasets.WriteRecording(at("timed.csv"), timed); err != nil {
		t.Fatal(err)
	}
	for rate, want := range map[string]bool{"250": true, "100": false} {
		said = must(t, "separate", "--in", at("timed.csv"), "--out", at("z.csv"), "--method",
			"sica-linear", "--rate", rate)
		if strings.Contains(said, "the recording says 100 Hz") != want {
			t.Errorf("--rate %s of a recording of 100 Hz:\n%s", rate, said)
		}
	}
}
