package flows

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// isPureGo tells that b can't differentiate inside a While.
func isPureGo(b compute.Backend) bool { return b.String() == gobackend.BackendName }

// repeat applies body steps times, an int32 scalar, to the tensor carried, in one
// While, and returns it. body is given the iteration, held, which stays the same,
// and the variables, which it may use and change as outside.
//
// GoMLX 0.28.6 asks three things of a While on XLA: the body must get every
// tensor as loop state, nothing outside may use one of the graph's cached
// scalars (so Const here, never Zeros or AddScalar), and cond and body must
// declare the same parameters.
func repeat(g *Graph, steps, carried *Node, held []*Node, variables []*model.Variable, body func(i, carried *Node, held []*Node) *Node) *Node {
	state := append([]*Node{Const(g, int32(0)), carried, steps}, held...)
	first := len(state) // of the variables
	outside := make([]*Node, len(variables))
	for k, v := range variables {
		outside[k] = v.NodeValue(g)
	}
	state = append(state, outside...)
	parameters := func(g *Graph) []*Node {
		ps := make([]*Node, len(state))
		for k, s := range state {
			ps[k] = Parameter(g, fmt.Sprintf("state_%d", k), s.Shape())
		}
		return ps
	}
	cond := NewClosure(g, func(g *Graph) []*Node {
		ps := parameters(g)
		return []*Node{LessThan(ps[0], ps[2])}
	})
	changed := make([]bool, len(variables))
	whole := NewClosure(g, func(g *Graph) []*Node {
		ps := parameters(g)
		for k, v := range variables {
			v.SetNodeValue(ps[first+k])
		}
		next := body(ps[0], ps[1], ps[3:first])
		for k, v := range variables {
			changed[k] = v.NodeValue(g) != ps[first+k]
			ps[first+k] = v.NodeValue(g)
		}
		ps[0], ps[1] = Add(ps[0], Const(g, int32(1))), next
		return ps
	})
	final := While(cond, whole, state...)
	for k, v := range variables {
		v.SetNodeValue(outside[k])
		if changed[k] {
			v.SetNodeValue(final[first+k])
		}
	}
	return final[1]
}
