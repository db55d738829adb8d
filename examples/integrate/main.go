// Integrate follows a flow there and back: a cloud turns around the origin, and returns. Then it turns
// around a centre, which is an input of the compiled program.
package main

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
)

// turn is the velocity (−y₂, y₁) at y [B, 2], of which a trained network may take the place.
func turn(_ *model.Scope, y, _ *Node, _ []*Node) *Node {
	first, second := Slice(y, AxisRange(), AxisElem(0)), Slice(y, AxisRange(), AxisElem(1))
	return Concatenate([]*Node{Neg(second), first}, -1)
}

// thereAndBack returns where the cloud is after a quarter turn, and after that turned back.
func thereAndBack(cloud [][]float32) (there, back [][]float32) {
	b := must(backend.Open(backend.Auto))
	store := model.NewStore() // with the velocity's variables, if it has any
	defer store.Finalize()
	between := func(start, end float64) func(*flows.IntegrateConfig) {
		return func(c *flows.IntegrateConfig) { c.Solver(flows.Heun).Between(start, end).Steps(100) }
	}
	moved := must(flows.Follow(b, store, turn, cloud, between(0, math.Pi/2)))
	returned := must(flows.Follow(b, store, turn, moved, between(math.Pi/2, 0)))
	return moved.Value().([][]float32), returned.Value().([][]float32)
}

// around returns where clouds are after a quarter turn around a centre, [1, 2]. What the velocity
// needs besides y and the time goes through Hold, and the graph has nothing but Integrate.
func around(cloud, centre [][]float32) [][]float32 {
	aside := func(s *model.Scope, y, tau *Node, held []*Node) *Node { return turn(s, Sub(y, held[0]), tau, nil) }
	exec := must(model.NewExec(must(backend.Open(backend.Auto)), model.NewStore(),
		func(scope *model.Scope, y, centre *Node) *Node {
			return flows.Integrate(scope, aside, y).Hold(centre).Solver(flows.Heun).Between(0, math.Pi/2).Done()
		}))
	defer exec.Finalize()
	return must(exec.Call1(cloud, centre)).Value().([][]float32) // for many calls keep exec
}

func main() {
	there, back := thereAndBack([][]float32{{1, 0}, {0, 2}})
	fmt.Printf("there %.3f, back %.3f\n", there, back)
	fmt.Printf("around (1, 1): %.3f\n", around([][]float32{{1, 0}}, [][]float32{{1, 1}}))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
