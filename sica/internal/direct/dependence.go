package direct

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Dependence is what signals I < J tell of each other beyond their own pasts, in nats:
// the mutual information of the innovation of I (what its own past doesn't predict)
// with the innovation and the prediction of J, and the same the other way round. It
// is 0 if both are independent sources. It is by nearest neighbours among ranks, so
// that no monotone change of innovations or predictions matters.
type Dependence struct {
	I int `json:"i"`
	J int `json:"j"`
	// Nats is the estimate less the mean of those with J shifted against I, and SE
	// the deviation of these: what chance makes of independent signals with such
	// pasts.
	Nats float64 `json:"nats"`
	SE   float64 `json:"se"`
}

const (
	// nullShifts is how many shifts chance is known from: its deviation to a fifth.
	nullShifts = 16
	// neighbours is how many the distance is taken to. Of 5, 12 and 25, 25 told most
	// plainly a dependence from chance behind a leaky-ReLU layer and a cubic (T =
	// 1024); what it is too small by is the less of two evils.
	neighbours = 25
	// Positions that are compared with each other, evenly spaced if there are more,
	// are so many that all pairs take a second or two together.
	mostPositions, enoughPositions = 4096, 1024
	// fewestPositions are needed to tell anything from chance.
	fewestPositions = 100
	// falseAlarm is how often chance may pass for a dependence.
	falseAlarm = .01
)

// Dependences measures every pair of the signals z, d×T. Of the options it uses
// Shape, Past and Seed. There are none of fewer than 100 positions
// after the first tenth, which is left out.
func Dependences(ctx context.Context, z *mat.Dense, o Options) ([]Dependence, error) {
	if err := checkSignals(z); err != nil {
		return nil, err
	}
	_, T := z.Dims()
	o, err := o.withDefaults(T)
	if err != nil {
		return nil, err
	}
	x, err := o.index([]*mat.Dense{z})
	if err != nil {
		return nil, err
	}
	return dependences(ctx, z, x)
}

func dependences(ctx context.Context, z *mat.Dense, x *index) ([]Dependence, error) {
	positions := x.settled(x.scored)
	if len(positions) < fewestPositions {
		return nil, nil
	}
	d, _ := z.Dims()
	signals := make([]states, d)
	for i := range signals {
		signals[i] = newStates(z.RawRowView(i), x.lags, positions)
	}
	n := len(positions)
	if pairs := d * (d - 1) / 2; pairs > 0 {
		n = min(n, max(enoughPositions, int(mostPositions/math.Sqrt(float64(pairs)))))
	}
	for i, s := range signals {
		signals[i] = make(states, n)
		for k := range n {
			signals[i][k] = s[k*len(s)/n]
		}
	}
	var all []Dependence
	for i := range d {
		for j := i + 1; j < d; j++ {
			shifted := make([]float64, nullShifts)
			for k := range shifted {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				by := n * (k + 1) / (nullShifts + 1)
				shifted[k] = shared(signals[i], append(signals[j][by:n:n], signals[j][:by]...))
			}
			mean, std := stat.MeanStdDev(shifted, nil)
			all = append(all, Dependence{i, j, shared(signals[i], signals[j]) - mean, std})
		}
	}
	return all, nil
}

// states are, at each position, what is left of a signal and what its own past
// predicts of it, both in normal quantiles.
type states [][2]float64

func newStates(z []float64, lags, positions []int) states {
	coefficients, _ := regress(z, lags, positions)
	s := source{coefficients: coefficients}
	residuals, predictions := make([]float64, len(positions)), make([]float64, len(positions))
	for k, t := range positions {
		residuals[k] = s.residual(z, lags, t)
		predictions[k] = z[t] - residuals[k]
	}
	preprocess.NormalQuantiles(residuals)
	preprocess.NormalQuantiles(predictions)
	all := make(states, len(positions))
	for k := range all {
		all[k] = [2]float64{residuals[k], predictions[k]}
	}
	return all
}

// shared is the information of each signal's innovation with the other's states.
func shared(a, b states) float64 {
	return information(a.innovations(), b) + information(b.innovations(), a)
}

// innovations are the states without what is predicted.
func (s states) innovations() states {
	only := make(states, len(s))
	for t := range s {
		only[t][0] = s[t][0]
	}
	return only
}

// information is the mutual information of a and b in nats (A. Kraskov, H. Stögbauer,
// P. Grassberger, Physical Review E 69, 066138, 2004, equation 8).
func information(a, b states) float64 {
	n := len(a)
	inA, inB := newSorted(a), newSorted(b)
	sum := 0.
	for t := range n {
		reach := inA.reach(t, b)
		sum += mathext.Digamma(float64(inA.around(t, reach))) + mathext.Digamma(float64(inB.around(t, reach)))
	}
	return mathext.Digamma(neighbours) + mathext.Digamma(float64(n)) - sum/float64(n)
}

// sorted are states in the order of the first of their two values, so that a search
// for the nearest of them can end where that is too far away.
type sorted struct {
	s     states
	order []int // positions
	place []int // of each position in the order
}

func newSorted(s states) *sorted {
	o := &sorted{s: make(states, len(s)), order: make([]int, len(s)), place: make([]int, len(s))}
	for t := range s {
		o.order[t] = t
	}
	slices.SortFunc(o.order, func(t, u int) int { return cmp.Compare(s[t][0], s[u][0]) })
	for k, t := range o.order {
		o.place[t], o.s[k] = k, s[t]
	}
	return o
}

func distance(a, b [2]float64) float64 { return max(math.Abs(a[0]-b[0]), math.Abs(a[1]-b[1])) }

// reach is the distance from position t to the last of its neighbours, in the larger
// of the distances of these states and of b.
func (o *sorted) reach(t int, b states) float64 {
	var nearest [neighbours]float64 // rising
	for k := range nearest {
		nearest[k] = math.Inf(1)
	}
	at := o.place[t]
	own, other := o.s[at], b[t]
	for down, up := at-1, at+1; ; {
		toDown, toUp := math.Inf(1), math.Inf(1)
		if down >= 0 {
			toDown = own[0] - o.s[down][0]
		}
		if up < len(o.s) {
			toUp = o.s[up][0] - own[0]
		}
		if min(toDown, toUp) >= nearest[neighbours-1] {
			return nearest[neighbours-1]
		}
		next := up
		if toDown < toUp {
			next = down
			down--
		} else {
			up++
		}
		far := distance(own, o.s[next])
		if far >= nearest[neighbours-1] {
			continue
		}
		if far = max(far, distance(other, b[o.order[next]])); far >= nearest[neighbours-1] {
			continue
		}
		k := neighbours - 1
		for ; k > 0 && nearest[k-1] > far; k-- {
			nearest[k] = nearest[k-1]
		}
		nearest[k] = far
	}
}

// around is how many positions, t among them, are nearer to t than reach.
func (o *sorted) around(t int, reach float64) int {
	at := o.place[t]
	own := o.s[at]
	count := 1
	for k := at - 1; k >= 0 && own[0]-o.s[k][0] < reach; k-- {
		if math.Abs(own[1]-o.s[k][1]) < reach {
			count++
		}
	}
	for k := at + 1; k < len(o.s) && o.s[k][0]-own[0] < reach; k++ {
		if math.Abs(own[1]-o.s[k][1]) < reach {
			count++
		}
	}
	return count
}

// Worst is the pair whose dependence is most standard errors above 0, and whether
// that is more than chance makes of so many pairs.
func Worst(pairs []Dependence) (most Dependence, evident bool) {
	highest := math.Inf(-1)
	for _, p := range pairs {
		if z := p.Nats / p.SE; z > highest {
			most, highest = p, z
		}
	}
	chance := distuv.StudentsT{Sigma: math.Sqrt(1 + 1./nullShifts), Nu: nullShifts - 1}
	return most, highest > chance.Quantile(1-falseAlarm/float64(max(1, len(pairs))))
}
