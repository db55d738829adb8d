package mapping

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/quantile"
)

func TestNearestInOrder(t *testing.T) {
	row := []float64{5, 1, 4, 2, 3, 0}
	nearest := newNearest(mat.NewDense(1, 6, row), 2).ofFit
	for _, test := range []struct {
		position int
		want     []int
	}{
		{0, []int{4, 2, 0}}, // the largest value: two below it
		{1, []int{5, 1, 3}},
		{2, []int{4, 2, 0}},
		{4, []int{3, 4, 2}},
		{5, []int{5, 1, 3}}, // the smallest: two above it
	} {
		if got := nearest(test.position); !slices.Equal(got, test.want) {
			t.Errorf("nearest to position %d are %v, want %v", test.position, got, test.want)
		}
	}
}

func TestNearestInOrderOfEqualValues(t *testing.T) {
	row := []float64{0, 7, 7, 7, 7, 7, 9}
	nearest := newNearest(mat.NewDense(1, len(row), row), 2).ofFit
	for position := 1; position <= 5; position++ {
		if got, want := nearest(position), []int{2, 3, 4}; !slices.Equal(got, want) {
			t.Errorf("nearest to position %d are %v, want %v for all equal values", position, got, want)
		}
	}
}

func TestNearestInOrderOfTwoPositions(t *testing.T) {
	nearest := newNearest(mat.NewDense(1, 2, []float64{1, 0}), 2).ofFit
	if got, want := nearest(0), []int{1, 0}; !slices.Equal(got, want) {
		t.Errorf("nearest are %v, want %v", got, want)
	}
}

func TestNearestInSpaceAgainstBruteForce(t *testing.T) {
	const n, count = 300, 17
	rng := rand.New(rand.NewPCG(5, 6))
	for d := 2; d <= 4; d++ {
		y := mat.NewDense(d, n, nil)
		y.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, y)
		nearest := newNearest(y, count).ofFit
		for position := range n {
			distance := make([]float64, n)
			for other := range n {
				distance[other] = floats.Distance(mat.Col(nil, position, y), mat.Col(nil, other, y), 2)
			}
			want := quantile.Order(distance)[:count]
			got := slices.Clone(nearest(position))
			slices.SortFunc(got, func(a, b int) int { return cmp.Compare(distance[a], distance[b]) })
			if !slices.Equal(got, want) {
				t.Fatalf("d = %d: nearest to position %d are %v, want %v", d, position, got, want)
			}
		}
	}
}

// Of a picture most of whose positions are equal the search ends at the count nearest.
func TestNearestInSpaceOfEqualPositions(t *testing.T) {
	const n, count = 1 << 18, 200
	y := mat.NewDense(2, n, nil)
	for position := range 10 {
		y.Set(0, position, 1)
	}
	nearest := newNearest(y, count)
	for position := 0; position < n; position += n / 512 {
		if got := nearest.ofFit(position); len(got) != count {
			t.Fatalf("position %d has %d nearest, want %d", position, len(got), count)
		}
	}
	if got, ok := nearest.same([]float64{0, 0}); !ok || got < 10 {
		t.Errorf("position %d, %v, has the components 0; want one from 10 on", got, ok)
	}
}
