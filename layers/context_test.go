package layers_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/seed-47b1e431/gosica/layers"
)

func TestNeighbours(t *testing.T) {
	for _, test := range []struct {
		width int
		shape []int
		want  [][]int32
	}{
		{1, []int{3}, [][]int32{{3, 1}, {0, 2}, {1, 3}}},
		{2, []int{3}, [][]int32{{3, 3, 1, 2}, {3, 0, 2, 3}, {0, 1, 3, 3}}},
		{0, []int{2}, [][]int32{{}, {}}},
		{1, []int{2, 2}, [][]int32{
			{4, 4, 4, 4, 1, 4, 2, 3},
			{4, 4, 4, 0, 4, 2, 3, 4},
			{4, 0, 1, 4, 3, 4, 4, 4},
			{0, 1, 4, 2, 4, 4, 4, 4},
		}},
	} {
		got, err := layers.Neighbours(test.width, test.shape...)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("Neighbours(%d, %v) = %v, %v; want %v", test.width, test.shape, got, err, test.want)
		}
	}
	for _, bad := range [][]int{{-1, 4}, {1, 0}} {
		if _, err := layers.Neighbours(bad[0], bad[1]); err == nil {
			t.Errorf("Neighbours(%d, %d) gave no error", bad[0], bad[1])
		}
	}
}

// In a video, t is a neighbour of t′ exactly if t′ is one of t, at mirrored places of the two
// lists.
func TestNeighboursAreMutual(t *testing.T) {
	table, err := layers.Neighbours(1, 3, 4, 5)
	if err != nil {
		t.Fatal(err)
	}
	for p, row := range table {
		if len(row) != 26 {
			t.Fatalf("position %d has %d neighbours, want 3³−1", p, len(row))
		}
		for k, q := range row {
			if int(q) < len(table) && table[q][len(row)-1-k] != int32(p) {
				t.Errorf("%d is neighbour %d of %d, but %d is not the mirrored neighbour of %d", q, k, p, p, q)
			}
		}
	}
}

// The paper's three matrices, written out for d = 2, T = 3 and a product
// sample that hides position 1 of signal 0 and position 2 of signal 1.
func TestWholeContextLiteral(t *testing.T) {
	z := [][][]float64{{{1, 2, 3}, {4, 5, 6}}}
	y := [][][]float64{{{7, 8}}}
	idx := [][][]int32{{{1, 2}}}
	eachBackend(t, func(t *testing.T, run runner) {
		got := run(func(in []*Node) []*Node {
			return []*Node{
				layers.WholeContext(in[0], in[1], in[2], 3),
				layers.WholeContextRF(in[0], in[1], in[2], in[3], InsertAxes(in[4], -1), 3),
			}
		}, z, y, idx, [][][]int32{{{0, 0}}}, [][]float64{{0.25}})
		want := [][][][]float64{{{ // columns M, M, Z_t, Z_t, Z̃, Z̃; rows positions
			{0, 0, 7, 8, 1, 4},
			{1, 0, 7, 8, 0, 5},
			{0, 1, 7, 8, 3, 0},
		}}}
		wantRF := [][][][]float64{{{ // and M′, M′, Z̃′, Z̃′, τ
			{0, 0, 7, 8, 1, 4, 1, 1, 0, 0, 0.25},
			{1, 0, 7, 8, 0, 5, 0, 0, 2, 5, 0.25},
			{0, 1, 7, 8, 3, 0, 0, 0, 3, 6, 0.25},
		}}}
		if v := got[0].Value(); !reflect.DeepEqual(v, want) {
			t.Errorf("WholeContext = %v, want %v", v, want)
		}
		if v := got[1].Value(); !reflect.DeepEqual(v, wantRF) {
			t.Errorf("WholeContextRF = %v, want %v", v, wantRF)
		}
	})
}

func TestWindowContextLiteral(t *testing.T) {
	z := [][][]float64{{{1, 2, 3}, {4, 5, 6}}}
	table, _ := layers.Neighbours(1, 3)
	eachBackend(t, func(t *testing.T, run runner) {
		got := run(func(in []*Node) []*Node {
			return []*Node{layers.WindowContext(in[0], in[1], in[2]), layers.GatherSignals(in[0], in[1])}
		}, z, [][][]int32{{{1, 2}, {0, 1}}}, table)
		want := [][][]float64{{{1, 3, 5, 0}, {0, 2, 4, 6}}}
		if v := got[0].Value(); !reflect.DeepEqual(v, want) {
			t.Errorf("WindowContext = %v, want %v", v, want)
		}
		if v := got[1].Value(); !reflect.DeepEqual(v, [][][]float64{{{2, 6}, {1, 5}}}) {
			t.Errorf("GatherSignals = %v", v)
		}
	})
}

// A context does not depend on the value at the hidden position, NaN included (paper: z_t is hidden
// from its own context).
func TestContextsDontSeeTheHiddenValue(t *testing.T) {
	const d, positions = 2, 9
	rng := rand.New(rand.NewPCG(1, 2))
	table, _ := layers.Neighbours(1, 3, 3)
	idx := [][][]int32{{{4, 0}}}
	y := [][][]float64{{{0.5, -0.5}}}
	z := make([]float64, d*positions)
	for i := range z {
		z[i] = rng.NormFloat64()
	}
	changed := append([]float64(nil), z...)
	changed[4], changed[positions] = math.NaN(), math.Inf(1)
	eachBackend(t, func(t *testing.T, run runner) {
		var contexts [2][]*tensors.Tensor
		for i, values := range [][]float64{z, changed} {
			contexts[i] = run(func(in []*Node) []*Node {
				return []*Node{
					layers.WholeContext(in[0], in[1], in[2], 3, 3),
					layers.WindowContext(in[0], in[2], in[3]),
				}
			}, tensors.FromFlatDataAndDimensions(append([]float64(nil), values...), 1, d, positions), y, idx, table)
		}
		for k, name := range []string{"WholeContext", "WindowContext"} {
			if a, b := contexts[0][k].Value(), contexts[1][k].Value(); !reflect.DeepEqual(a, b) {
				t.Errorf("%s changed with the hidden value: %v, then %v", name, a, b)
			}
		}
	})
}
