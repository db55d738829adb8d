package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/inspect"
)

// proposalFile is the file in the folder of a saved separation with the latest proposal. It isn't
// in the manifest.
const proposalFile = "proposed.json"

// A proposal is the recovered signals that inspect --reference proposes to remove.
type proposal struct {
	Signals   []int  `json:"signals"` // from 0, in order
	Reference string `json:"reference"`
	Rule      string `json:"rule"`
	// Input are the names of the files of the recording that was inspected, without their
	// folders, and Positions how many it has.
	Input     []string `json:"input"`
	Positions int      `json:"positions"`
	// WithoutPeaks are those of Signals without peaks, if the reference was itself separated: then
	// whatever is strong in it is proposed.
	WithoutPeaks []int `json:"without_peaks,omitempty"`
}

// baseNames returns the names of files without their folders.
func baseNames(paths []string) (names []string) {
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

// recordingName names a recording by its files, without their folders, and its positions.
func recordingName(files []string, positions int) string {
	return fmt.Sprintf("%s (%d positions)", strings.Join(files, ", "), positions)
}

// notes are those for people who remove the proposed signals from a recording in files.
func (p proposal) notes(paths []string, positions int) (notes []string) {
	for _, note := range []string{p.difference(paths, positions), p.caution()} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// difference returns a note if the proposal was made for another recording, else "".
func (p proposal) difference(paths []string, positions int) string {
	if slices.Equal(p.Input, baseNames(paths)) && p.Positions == positions {
		return ""
	}
	return "this is another recording: " + recordingName(baseNames(paths), positions)
}

func newProposal(all []inspect.Component, reference string) proposal {
	p := proposal{Signals: []int{}, Reference: reference, Rule: inspect.Rule}
	for _, c := range all {
		if c.Proposed {
			p.Signals = append(p.Signals, c.Signal)
		}
	}
	slices.Sort(p.Signals)
	return p
}

// String returns the proposed signals and the rule.
func (p proposal) String() string {
	if len(p.Signals) == 0 {
		return fmt.Sprintf("proposed: none. The rule: %s (reference %s).", p.Rule, p.Reference)
	}
	next := ", then run sica remove --proposed"
	if caution := p.caution(); caution != "" {
		next = ". " + text.Capitalise(caution)
	}
	return fmt.Sprintf("proposed: %s. The rule: %s (reference %s).\nLook at them (--plot)%s.",
		p.numbers(), p.Rule, p.Reference, next)
}

// caution says which proposed signals have no peaks, and what to do; "" without any.
func (p proposal) caution() string {
	if p.WithoutPeaks == nil {
		return ""
	}
	peaked := proposal{Signals: slices.DeleteFunc(slices.Clone(p.Signals),
		func(i int) bool { return slices.Contains(p.WithoutPeaks, i) })}
	subject, verb, are, them := "component ", "has", "it is", "it"
	if len(p.WithoutPeaks) > 1 {
		subject, verb, are, them = "components ", "have", "they are", "them"
	}
	next := "leave " + them + " in"
	if len(peaked.Signals) > 0 {
		next = "run sica remove --components " + strings.ReplaceAll(peaked.numbers(), " ", "")
	}
	return fmt.Sprintf("%s%s %s no peaks (kurtosis below %g), so %s probably neither blinks nor beats: if so, %s",
		subject, text.Numbers(p.WithoutPeaks), verb, float64(minPeaked), are, next)
}

// numbers returns the signals, counted from 1, as text.
func (p proposal) numbers() string {
	var numbers []string
	for _, i := range p.Signals {
		numbers = append(numbers, strconv.Itoa(i+1))
	}
	return strings.Join(numbers, ", ")
}

// write writes the proposal into the folder of a separation, in place of an earlier one.
func (p proposal) write(model string) error {
	return files.WriteJSON(filepath.Join(model, proposalFile), p)
}

// readProposal reads the proposal in the folder of a separation of k signals.
func readProposal(model string, k int) (p proposal, err error) {
	path := filepath.Join(model, proposalFile)
	err = files.ReadJSON(path, &p)
	if errors.Is(err, fs.ErrNotExist) {
		return p, usage.Errorf("--proposed: %s holds no proposal: use sica inspect --reference "+
			"first, or --components", model)
	}
	if err != nil {
		return p, err
	}
	if len(p.Signals) == 0 {
		return p, usage.Errorf("--proposed: sica inspect proposed none with the reference %s: use "+
			"--components", p.Reference)
	}
	for _, i := range p.Signals {
		if i < 0 || i >= k {
			return p, fmt.Errorf("%s: proposes signal %d; must be one of 1 to %d", path, i+1, k)
		}
	}
	return p, nil
}
