package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/inspect"
)

// proposalFile is the file in the folder of a saved separation with the latest proposal. It isn't
// in the manifest.
const proposalFile = "proposed.json"

// A proposal holds the recovered signals that inspect --reference proposes to remove, by the rule
// or because their labels are artefacts.
type proposal struct {
	Signals   []int    `json:"signals"` // from 0, in order
	Why       []string `json:"why"`     // reason for each of Signals
	Reference string   `json:"reference"`
	inspected
	// WithoutPeaks are the Signals without peaks, if the reference was itself separated: then
	// whatever is strong in it is proposed.
	WithoutPeaks []int `json:"without_peaks,omitempty"`

	labelled []string // signals proposed by their labels alone, in words
}

// inspected identifies what components were chosen for: the separation, by its Identity, and the
// recording, by the names of its files, without folders, and its number of positions.
type inspected struct {
	Model     string   `json:"model"`
	Input     []string `json:"input"`
	Positions int      `json:"positions"`
}

// newInspected describes a recording of n positions in some files, and its separation.
func newInspected(model *files.Model, in []string, n int) (inspected, error) {
	identity, err := model.Identity()
	return inspected{identity, baseNames(in), n}, err
}

// baseNames returns the names of files without their folders.
func baseNames(paths []string) (names []string) {
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

// String names the recording.
func (r inspected) String() string {
	return fmt.Sprintf("%s (%d positions)", strings.Join(r.Input, ", "), r.Positions)
}

// equals reports whether the recordings have the same names and positions, regardless of the
// separations.
func (r inspected) equals(other inspected) bool {
	return slices.Equal(r.Input, other.Input) && r.Positions == other.Positions
}

// minPeaked is the least kurtosis of a component with rare peaks, such as blinks and beats. In
// simulated EEGs blinks had 2.8 and more, other components of their channel up to 1.1.
const minPeaked = 1

// newProposal returns the proposal, and sets Proposed of components proposed by their labels alone.
// closest holds the reference that each component is most similar to.
func newProposal(all []inspect.Component, closest []*reference, references string) proposal {
	p := proposal{Signals: []int{}, Why: []string{}, Reference: references}
	order := grid.Range(len(all))
	slices.SortFunc(order, func(i, j int) int { return all[i].Signal - all[j].Signal })
	for _, k := range order {
		c := &all[k]
		var why []string
		if c.Proposed {
			why = append(why, fmt.Sprintf("correlation %.2f, coherence %.2f with %s", c.Correlation, c.Coherence,
				closest[k].name))
			isKnown := c.Label.Artefact() || c.Label.Beats > 0
			if !isKnown && c.Kurtosis < minPeaked && closest[k].isSeparated {
				p.WithoutPeaks = append(p.WithoutPeaks, c.Signal)
			}
		}
		if c.Label.Artefact() {
			if !c.Proposed {
				p.labelled = append(p.labelled, fmt.Sprintf("%d (%s)", c.Signal+1, c.Label.Name))
			}
			c.Proposed = true
			why = append(why, "looks like "+looksLike(c.Label))
		}
		if c.Proposed {
			p.Signals, p.Why = append(p.Signals, c.Signal), append(p.Why, strings.Join(why, "; "))
		}
	}
	return p
}

// String returns the proposed signals and the rule.
func (p proposal) String() string {
	if len(p.Signals) == 0 {
		return fmt.Sprintf("proposed: none. The rule: %s (reference %s).", inspect.Rule, p.Reference)
	}
	next := ", then run sica remove --proposed"
	if caution := p.caution(); caution != "" {
		next = ". " + text.Capitalise(caution)
	}
	labels := ""
	if p.labelled != nil {
		labels = fmt.Sprintf(" By their labels: %s.", text.List(p.labelled))
	}
	return fmt.Sprintf("proposed: %s. The rule: %s (reference %s).%s\nLook at them (--html)%s.",
		numbers(p.Signals), inspect.Rule, p.Reference, labels, next)
}

// caution says which proposed signals have no peaks, and what to do; "" if there are none.
func (p proposal) caution() string {
	if p.WithoutPeaks == nil {
		return ""
	}
	peaked := slices.DeleteFunc(slices.Clone(p.Signals),
		func(i int) bool { return slices.Contains(p.WithoutPeaks, i) })
	subject, verb, are, them := "component ", "has", "it is", "it"
	if len(p.WithoutPeaks) > 1 {
		subject, verb, are, them = "components ", "have", "they are", "them"
	}
	next := "leave " + them + " in"
	if len(peaked) > 0 {
		next = "run sica remove --components " + strings.ReplaceAll(numbers(peaked), " ", "")
	}
	return fmt.Sprintf("%s%s %s no peaks (kurtosis below %g), so %s probably neither blinks nor beats: if so, %s",
		subject, text.Numbers(p.WithoutPeaks), verb, float64(minPeaked), are, next)
}

// numbers returns signals, counted from 1, as text.
func numbers(signals []int) string {
	var all []string
	for _, i := range signals {
		all = append(all, strconv.Itoa(i+1))
	}
	return strings.Join(all, ", ")
}

// write writes the proposal to the folder of its separation. It says if it replaces an earlier
// proposal with other signals.
func (p proposal) write(out io.Writer, model string) error {
	var earlier proposal
	path := filepath.Join(model, proposalFile)
	isOther := func(i int) bool { return !slices.Contains(p.Signals, i) }
	if files.ReadJSON(path, &earlier) == nil && earlier.Model == p.Model &&
		slices.ContainsFunc(earlier.Signals, isOther) {
		files.Note(out, fmt.Sprintf("this replaces what was proposed with the reference %s: %s; "+
			"--reference takes several, with commas between", earlier.Reference, numbers(earlier.Signals)))
	}
	return files.WriteJSON(path, p)
}

// readProposal reads the proposal in the folder of a separation.
func readProposal(model *files.Model) (p proposal, err error) {
	path := filepath.Join(model.Folder, proposalFile)
	err = files.ReadJSON(path, &p)
	if errors.Is(err, fs.ErrNotExist) {
		return p, usage.Errorf("--proposed: %s holds no proposal: use sica inspect --reference "+
			"first, or --components", model.Folder)
	}
	if err != nil {
		return p, err
	}
	identity, err := model.Identity()
	if err != nil {
		return p, err
	}
	if p.Model != identity {
		return p, usage.Errorf("--proposed: what %s proposes is of another separation: use sica inspect "+
			"--reference again, or --components", path)
	}
	return p, checkSignals(path, p.Signals, model)
}

// checkSignals returns an error unless the signals of a file are those of a separation.
func checkSignals(path string, signals []int, model *files.Model) error {
	k := model.Signals()
	for _, i := range signals {
		if i < 0 || i >= k {
			return fmt.Errorf("%s: has signal %d; must be one of 1 to %d", path, i+1, k)
		}
	}
	return nil
}

// A selection holds the recovered signals that a person ticked on a page of inspect --html.
type selection struct {
	Signals []int `json:"signals,omitempty"` // from 0, in order
	inspected
}

// readSelection reads a selection of signals of a separation.
func readSelection(path string, model *files.Model) (s selection, err error) {
	err = files.ReadJSON(path, &s)
	var unread *fs.PathError
	if errors.As(err, &unread) {
		return s, err
	}
	isSelection := err == nil && s.Model != ""
	identity, err := model.Identity()
	switch {
	case err != nil:
		return s, err
	case !isSelection:
		return s, fmt.Errorf("%s: isn't a selection; must be one that the page of sica inspect --html "+
			"saved", path)
	case s.Model != identity:
		return s, fmt.Errorf("%s: is of another separation than %s; must be of the same: make its page "+
			"by sica inspect --html", path, model.Folder)
	case len(s.Signals) == 0:
		return s, usage.Errorf("--selection: in %s no component is ticked: tick one, or use "+
			"--components", path)
	}
	return s, checkSignals(path, s.Signals, model)
}
