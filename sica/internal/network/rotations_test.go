package network

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

func TestIndex(t *testing.T) {
	for _, test := range []struct {
		shape  []int
		reach  int
		scored int
		lags   []int
	}{
		{[]int{100}, 2, 98, []int{-2, -1}},
		{[]int{40, 12}, 1, 39 * 11, []int{-12, -1}},
		{[]int{40, 12}, 2, 38 * 9, []int{-24, -13, -12, -11, -2, -1}},
	} {
		x, err := newIndex(test.shape, test.reach)
		if err != nil {
			t.Fatal(err)
		}
		if len(x.scored) != test.scored || !reflect.DeepEqual(x.lags, test.lags) {
			t.Errorf("shape %v: %d scored positions and lags %v, want %d and %v", test.shape, len(x.scored), x.lags, test.scored, test.lags)
		}
		for fold := range folds {
			train, held := x.train[fold], x.held[fold]
			if len(train)+len(held) != test.scored || len(held) < test.scored/6 {
				t.Errorf("shape %v, fold %d: %d and %d positions", test.shape, fold, len(train), len(held))
			}
			for _, start := range x.pieceStarts(fold, 5) {
				for row := start; row < start+5; row++ {
					if x.isHeldOut(fold, row*x.stride) {
						t.Fatalf("shape %v, fold %d: a batch from row %d has row %d, which is held out", test.shape, fold, start, row)
					}
				}
			}
		}
	}
	for _, shape := range [][]int{{19}, {40, 4}, {0}, {-1, -40}} {
		if _, err := newIndex(shape, 2); err == nil {
			t.Errorf("shape %v: no error", shape)
		}
	}
}

func TestPastGain(t *testing.T) {
	const n = 4000
	x, err := newIndex([]int{n}, 2)
	if err != nil {
		t.Fatal(err)
	}
	train, held := x.train[0], x.held[0]
	for rho, evident := range map[float64]bool{0: false, .5: true} {
		s, err := datasets.LaplaceAR(newRand(3), 1, n, rho)
		if err != nil {
			t.Fatal(err)
		}
		if g := newDifference(scorePast(t.Context(), s.RawRowView(0), x.lags, train, held)); g.Significant() != evident {
			t.Errorf("ρ = %g: %+v", rho, g)
		}
	}
}

// A rotation lengthens the code of Laplace sources but not of Gaussian ones with equal spectra; of
// three signals only such a pair is joined.
func TestRotatedPairsWithEqualCodeAreJoined(t *testing.T) {
	const n = 4000
	x, err := newIndex([]int{n}, 2)
	if err != nil {
		t.Fatal(err)
	}
	ar := func(innovation int) datasets.ARProcess {
		p := datasets.ARProcess{Coefficients: []float64{.7}, Scale: 1, BurnIn: 100}
		if innovation == 1 {
			p.Innovation = datasets.Laplace
		}
		return p
	}
	s, err := datasets.AR(newRand(5), n, ar(0), ar(1), ar(0))
	if err != nil {
		t.Fatal(err)
	}
	z := innovationScaled(s, x.lags, x.scored)
	pairs, err := rotatePairs(t.Context(), z, x.lags, x.scored)
	if err != nil {
		t.Fatal(err)
	}
	if got := groups(3, pairs); !reflect.DeepEqual(got, [][]int{{0, 2}}) {
		t.Errorf("groups %v of pairs %v, want signals 0 and 2 joined", got, pairs)
	}
	if got := groups(4, []pairLoss{{0, 1, nonlinear.Difference{Mean: 1, SE: .1}}, {0, 2, nonlinear.Difference{Mean: 0, SE: 1}}, {1, 3, nonlinear.Difference{Mean: 0, SE: 1}}, {2, 3, nonlinear.Difference{Mean: 0, SE: 1}}}); !reflect.DeepEqual(got, [][]int{{0, 1, 2, 3}}) {
		t.Errorf("groups %v, want one of all", got)
	}
}

// Of many signals a pair with a significant loss at some positions has the loss of these two signals
// alone at them, and any other pair that at all positions.
func TestPairsOfManySignals(t *testing.T) {
	const n = glancePairs + 500
	x, err := newIndex([]int{n}, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := datasets.LaplaceAR(newRand(7), fewSignals+1, n, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 { // Gaussian with equal spectra: no rotation of them is identified
		s.SetRow(i, drawNormal(uint64(8+i), 1, n, 1).RawRowView(0))
	}
	z := innovationScaled(s, x.lags, x.scored)
	pairs, err := rotatePairs(t.Context(), z, x.lags, x.scored)
	if err != nil {
		t.Fatal(err)
	}
	if got := groups(fewSignals+1, pairs); !reflect.DeepEqual(got, [][]int{{0, 1}}) {
		t.Errorf("groups %v, want the Gaussian signals", got)
	}
	glance := subsample(x.scored, glancePairs)
	for _, k := range []int{0, 1, len(pairs) - 1} {
		p := pairs[k]
		positions := glance
		if k == 0 { // of signals 0 and 1
			positions = x.scored
		}
		two := mat.NewDense(2, n, slices.Concat(z.RawRowView(p.i), z.RawRowView(p.j)))
		alone, err := rotatePairs(t.Context(), two, x.lags, positions)
		if err != nil || alone[0].loss != p.loss {
			t.Errorf("signals %d and %d: %+v, alone %+v (%v)", p.i, p.j, p.loss, alone, err)
		}
	}
}

// A rotation away from the candidate is undone.
func TestRotationIsUndone(t *testing.T) {
	start := rotateNearest(drawNormal(1, 3, 500, 1), drawNormal(1, 3, 500, 1))
	turn := mat.NewDense(3, 3, []float64{.36, .48, -.8, -.8, .6, 0, .48, .64, .6})
	z := mat.NewDense(3, 500, nil)
	z.Mul(turn, start)
	var back, product mat.Dense
	product.Mul(nearestRotation(z, start, [][]int{{0, 1, 2}}), turn)
	if !mat.EqualApprox(&product, mat.NewDiagDense(3, []float64{1, 1, 1}), .1) { // unit covariance up to 1/√500
		t.Errorf("turned by %v in all", mat.Formatted(&product))
	}
	back.Mul(nearestRotation(z, start, nil), z)
	if !mat.Equal(&back, z) {
		t.Error("signals without a group were turned")
	}
	q := nearestRotation(z, start, [][]int{{0, 2}})
	if q.At(1, 1) != 1 || q.At(0, 1) != 0 || q.At(1, 2) != 0 {
		t.Errorf("a signal outside the group was turned: %v", mat.Formatted(q))
	}
}

// The log-determinant is that of the whitening.
func TestWhitenHasLogDet(t *testing.T) {
	x := drawNormal(1, 3, 300, 1)
	for t := range 300 {
		x.Set(1, t, 1e4*x.At(1, t)+x.At(0, t)+7)
	}
	w, logDet, err := whiten(x)
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := mat.LogDet(w.Dense()); math.Abs(logDet-want) > 1e-10 {
		t.Errorf("log|det| %g, want %g", logDet, want)
	}
}
