package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/inspect"
)

// A reference is a signal that components are compared with.
type reference struct {
	blockwise.Source
	name        string
	isSeparated bool // whether it is one of the separated channels
}

// readReferences returns the signals to compare with; nil if there are none.
func readReferences(names []string, in *files.Stream) (all []reference, err error) {
	for _, name := range names {
		r, err := readReference(name, in)
		if err != nil {
			return nil, err
		}
		all = append(all, *r)
	}
	return all, nil
}

// describeComponents returns the components with the comparison with the reference that each is
// closest to, and these references, both sorted by coherence. Without references the components are
// in the order of the signals.
func describeComponents(
	r *sica.Result, x blockwise.Source, references []reference,
) (all []inspect.Component, closest []*reference, err error) {
	if references == nil {
		all, err = inspect.Recording(r, x, nil)
		return all, nil, err
	}
	k, _ := r.Z.Dims()
	best, by := make([]inspect.Component, k), make([]*reference, k)
	for i := range references {
		components, err := inspect.Recording(r, x, references[i].Source)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range components {
			if by[c.Signal] == nil || likeness(c) > likeness(best[c.Signal]) {
				best[c.Signal], by[c.Signal] = c, &references[i]
			}
		}
	}
	all = slices.Clone(best)
	slices.SortStableFunc(all, func(a, b inspect.Component) int {
		return cmp.Compare(b.Coherence, a.Coherence)
	})
	for _, c := range all {
		closest = append(closest, by[c.Signal])
	}
	return all, closest, nil
}

// likeness returns the similarity of a component to its reference, from 0 to 1; see [inspect.Rule].
func likeness(c inspect.Component) float64 { return max(math.Abs(c.Correlation), c.Coherence) }

// readReference returns the signal to compare with, given by the name or number of a channel, its
// electrode, or a file. It adds the name of a channel given by its number.
func readReference(name string, in *files.Stream) (*reference, error) {
	r := &reference{name: name}
	d, n := in.Dims()
	aside := slices.Concat(in.About.Aside, in.About.OtherRates)
	all := slices.Clone(files.ChannelNames(&in.About)) // then the columns set aside
	for len(all) < d {
		all = append(all, strconv.Itoa(len(all)+1))
	}
	for _, c := range aside {
		all = append(all, c.Name)
	}
	place, lookup := (&datasets.Recording{Names: all}).Channel(name)
	number, err := strconv.Atoi(name)
	order := numbered(&in.About, d)
	switch {
	case err == nil && !slices.Contains(all, name):
		if number < 1 || number > len(order) {
			return nil, usage.Errorf("--reference %d: the recording has channels 1 to %d", number, len(order))
		}
		place = order[number-1]
		r.name = fmt.Sprintf("%d, %s", number, all[place])
	case lookup != nil:
		r.Source, err = readReferenceFile(name, lookup, len(order))
		return r, err
	}
	if place < d {
		r.isSeparated = true
		r.Source = files.Channel{Source: in.Source, Row: place}
		return r, nil
	}
	c := aside[place-d]
	if c.Values == nil {
		return nil, usage.Errorf("--reference %q: it holds text: use a channel of numbers", c.Name)
	}
	values := c.Values
	if place-d >= len(in.About.Aside) {
		values = datasets.Resample(values, n)
	}
	r.Source = blockwise.InMemory{Dense: mat.NewDense(1, n, values)}
	return r, nil
}

// numbered returns the places of a recording's channels in file order, in which --without and
// --reference count them. Places 0 to d−1 are its signals; the numeric columns set aside follow
// from d.
func numbered(r *datasets.Recording, d int) (order []int) {
	column := make(map[int]int) // in the file, by place
	for i := range d {
		order = append(order, i)
		if r.Places != nil {
			column[i] = r.Places[i]
		}
	}
	for k, c := range r.Aside {
		if c.Values != nil {
			order = append(order, d+k)
			column[d+k] = c.Place
		}
	}
	if r.Places != nil { // else the columns set aside come last
		slices.SortFunc(order, func(i, j int) int { return column[i] - column[j] })
	}
	return order
}

// readReferenceFile returns the signal in a file. If there is no such file, the error is lookup,
// from looking for a channel among the given number of channels.
func readReferenceFile(path string, lookup error, channels int) (blockwise.Source, error) {
	z, err := datasets.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err != nil && !strings.Contains(path, ".") {
		return nil, usage.Errorf("--reference: there is no such file, and %w, or a number up to %d", lookup, channels)
	}
	if err != nil {
		return nil, err
	}
	if d, _ := z.Dims(); d != 1 {
		return nil, usage.Errorf("--reference %s: has %d signals; must have one", path, d)
	}
	return blockwise.InMemory{Dense: z}, nil
}
