package plot

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// A Group is a signal matrix to be shown: the mixed signals, the truth or what
// a method recovered. To be comparable, recovered signals should be in the order,
// sign and scale of the truth; see sica.Align.
type Group struct {
	// Method gives the style; see StyleOf.
	Method string
	// Label is shown; "" shows Method.
	Label string
	// Signals are d×T.
	Signals *mat.Dense
}

func (g Group) label() string {
	if g.Label != "" {
		return g.Label
	}
	return g.Method
}

func methodsOf(groups []Group) []string {
	methods := make([]string, len(groups))
	for i, g := range groups {
		methods[i] = g.Method
	}
	return methods
}

// checkGroups returns an error unless there are groups, and all of one size,
// which it returns.
func checkGroups(groups []Group) (d, n int, err error) {
	if len(groups) == 0 {
		return 0, 0, errors.New("there are no groups; at least one is needed")
	}
	for i, g := range groups {
		if g.Signals == nil || g.Signals.IsEmpty() {
			return 0, 0, fmt.Errorf("group %q has no signals", g.label())
		}
		rows, columns := g.Signals.Dims()
		if i == 0 {
			d, n = rows, columns
		}
		if rows != d || columns != n {
			return 0, 0, fmt.Errorf("group %q is %d×%d and group %q is %d×%d; all must have the same size",
				g.label(), rows, columns, groups[0].label(), d, n)
		}
	}
	return d, n, nil
}
