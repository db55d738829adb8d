package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/laboratory/internal/processor"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/methods"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// A Trial is one separation of an experiment. Trials are comparable and can be map keys.
type Trial struct {
	Problem
	Method string         `json:"method"`           // a Method's Name
	Preset methods.Preset `json:"preset,omitempty"` // "" for a method without settings
	// Measure is what is measured beyond the scores; "" is nothing.
	Measure string `json:"measure,omitempty"`
}

// String returns the words of the trial joined by dashes, such as
// "ar7-gelu-20-sica-rf-paper-20001", or "ar7-gelu-20x0.1-sica-rf-paper-20001" with a step size
// of 0.1. It can name a file.
func (t Trial) String() string {
	words := []string{t.Data, t.Mixing, fmt.Sprint(t.Steps)}
	if t.StepSize != 0 {
		words[2] += fmt.Sprintf("x%g", t.StepSize)
	}
	if t.Mixture != "" {
		words = []string{strings.Trim(notPlain.ReplaceAllString(t.Mixture, "-"), "-")}
		if t.Positions != 0 {
			words = append(words, fmt.Sprint(t.Positions))
		}
	}
	words = append(words, t.Method)
	for _, word := range []string{string(t.Preset), t.Measure} {
		if word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(append(words, fmt.Sprint(t.Seed)), "-")
}

// An Outcome is the result of a trial, with the machine and the program that made it: the last
// ones, if the trial was interrupted and continued.
type Outcome struct {
	Trial

	// MCC is the mean correlation coefficient with the true sources, nil if the method failed. With
	// more sources than signals it is that with the sources which the signals match best. All MCCs
	// of an outcome have nine digits.
	MCC *float64 `json:"mcc"`
	// Error says why the method failed. It is empty if it didn't.
	Error string `json:"error,omitempty"`
	// Why says in a sentence why SICA ended, Warning what is wrong with the fit.
	Why        string `json:"why,omitempty"`
	Warning    string `json:"warning,omitempty"`
	Converged  bool   `json:"converged"`
	Iterations int    `json:"iterations"`
	// Seconds is how long the separation took, with whatever else ran then, and
	// in all processes if it was interrupted. It has two digits.
	Seconds float64 `json:"seconds"`
	// Loss and Divergence hold a value for each of SICA's iterations; there is no
	// Divergence where none is measured. Losses have three digits.
	Loss       []float64 `json:"loss,omitempty"`
	Divergence []float64 `json:"divergence,omitempty"`
	// RankMCC is the MCC of Spearman's correlations; nil in outcomes of versions that didn't
	// measure it.
	RankMCC *float64 `json:"rank_mcc,omitempty"`
	// Numbers are what a method says of its own signals, by name.
	Numbers map[string]float64 `json:"numbers,omitempty"`
	// Report is nil unless the trial measures it.
	Report *Judgement `json:"report,omitempty"`
	// Iterates are the MCCs of SICA's start and of each iterate, if the trial measures them.
	// Best is the place of the result among them.
	Iterates []float64 `json:"iterates,omitempty"`
	Best     int       `json:"best,omitempty"`
	// SHA256 is the first 32 bits, in hexadecimal digits, of that of the recovered signals' bits,
	// row-major, low byte first. All 256 would make half of the committed outcomes.
	SHA256 string `json:"sha256,omitempty"`

	Config  any    `json:"config,omitempty"`
	Backend string `json:"backend"`
	Device  string `json:"device,omitempty"`
	CPU     string `json:"cpu,omitempty"`
	// Machine is what the bits of the signals depend on in addition to the program; nil in
	// outcomes of versions that didn't record it.
	Machine  *provenance.Machine `json:"machine,omitempty"`
	Versions map[string]string   `json:"versions,omitempty"`
}

// Run makes the trial and returns its outcome with the recovered signals. A method that
// fails on the problem is an outcome too, without signals. It is an error if the trial's
// problem, method, preset or measure is unknown, if ctx ends, or if the checkpoint, which is "" for
// none, can't be used.
func (t Trial) Run(
	ctx context.Context, b compute.Backend, checkpoint string,
) (*Outcome, *mat.Dense, error) {
	method, err := methodNamed(t.Method)
	if err != nil {
		return nil, nil, err
	}
	if err := method.CheckPreset(t.Preset); err != nil {
		return nil, nil, err
	}
	sources, x, err := t.Draw()
	if err != nil {
		return nil, nil, err
	}
	machine := provenance.ThisMachine(backend.PluginSHA256(b))
	o := &Outcome{
		Trial:    t,
		Backend:  backend.NameOf(b),
		Device:   folders.ReplaceAllString(b.Description(), ""),
		CPU:      provenance.CPU(),
		Machine:  &machine,
		Versions: provenance.Versions(),
	}
	began, cpuBefore := time.Now(), processor.Seconds()
	task := methods.Task{
		Backend: b, Signals: x, Preset: t.Preset, Seed: t.Seed, Checkpoint: checkpoint,
	}
	f, err := t.fit(ctx, method, task)
	o.Seconds = roundDigits(time.Since(began).Seconds(), secondsDigits)
	cpu := processor.Seconds() - cpuBefore
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if errors.Is(err, sica.ErrCheckpoint) {
		return nil, nil, err
	}
	var match metric.Match
	if err == nil {
		sources = nearestSources(f.Signals, sources)
		match, err = metric.MCC(f.Signals, sources)
	}
	if err != nil {
		o.Error = err.Error()
		o.Config, err = method.Settings(task)
		return o, nil, err
	}
	mcc := roundDigits(match.MCC, mccDigits)
	o.MCC = &mcc
	o.Seconds = roundDigits(f.Elapsed.Seconds(), secondsDigits)
	o.Why, o.Warning = f.Why, f.Convergence.Warning
	o.Converged, o.Iterations = f.Convergence.Converged, f.Convergence.Iterations
	if err := o.measure(ctx, b, f, sources, x); err != nil {
		return nil, nil, err
	}
	if t.Measure == measureOracle && !math.IsNaN(cpu) {
		o.Numbers[coreSeconds] = cpu
	}
	for i, loss := range o.Loss {
		o.Loss[i] = roundDigits(loss, lossDigits)
	}
	o.SHA256 = digest(f.Signals)
	o.Config = f.Config
	return o, f.Signals, nil
}

// fit does the task, and keeps the iterates if the measure asks for them.
func (t Trial) fit(ctx context.Context, m methods.Entry, task methods.Task) (*fitted, error) {
	if t.Measure == measureIterates {
		return fitIterates(ctx, m, task)
	}
	f, err := m.Fit(ctx, task)
	return &fitted{Fitted: f}, err
}

// secondsDigits, lossDigits and mccDigits are how many significant digits an outcome keeps. With
// all 17 the committed outcomes, which whoever downloads the module gets, are larger by two fifths,
// 120 kB. Other instructions move an MCC by up to 1e-8, with networks by more.
const (
	secondsDigits = 2
	lossDigits    = 3
	mccDigits     = 9
)

// roundDigits rounds v to n significant decimal digits.
func roundDigits(v float64, n int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', n-1, 64), 64)
	if err != nil { // beyond the largest float64
		return v
	}
	return rounded
}

// folders are the folders of a path, such as that of XLA's plugin, which say
// nothing about the device.
var folders = regexp.MustCompile(`/[^ ()]*/`)

func digest(z *mat.Dense) string {
	h := sha256.New()
	rows, _ := z.Dims()
	for i := range rows {
		for _, v := range z.RawRowView(i) {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}
