package html

import (
	"encoding/binary"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/stats"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

const (
	// maxPoints is the largest number of points of all signals in a page together: 8.5 MB at 8/3
	// bytes each, in base64. Such a page can be sent, and opens in two seconds.
	maxPoints = 3_200_000
	// blockSize is the number of positions that are read together.
	blockSize = 1 << 16
	// minRest is the share of a channel's variance from which what the components lack of it is in
	// the page. Less can't be seen.
	minRest = 1e-6
)

// samples are the signals of a page, each as the means of successive positions or, of images, of
// squares of pixels.
type samples struct {
	z, rest [][]float64
	every   int   // positions that a point is the mean of
	shape   []int // of an image; nil for a sequence

	xDeviations, zDeviations []float64 // standard deviations at all positions
}

// sample reads the recording. The rest is what the recovered signals lack of the mixed ones, both
// of mean 0: all of them if there is no demixing, nil if it can't be seen.
func (p *Page) sample(demixing *ica.Demixing) (samples, error) {
	d, n := p.X.Dims()
	k, _ := p.Result.Z.Dims()
	l := newLayout(p.Shape, n, k, d)
	z, rest := newMeans(k, l.points), newMeans(d, l.points)
	xMoments, restMoments := make([]stats.Moments, d), make([]stats.Moments, d)
	zMoments := make([]stats.Moments, k)
	position := 0
	for x, err := range p.X.Blocks(blockSize) {
		if err != nil {
			return samples{}, err
		}
		recovered, err := p.recover(x, position)
		if err != nil {
			return samples{}, err
		}
		left := missing(demixing, x, recovered)
		addMoments(xMoments, x)
		addMoments(zMoments, recovered)
		addMoments(restMoments, left)
		for t := range x.RawMatrix().Cols {
			if bin := l.bin(position + t); bin >= 0 {
				z.add(bin, recovered, t)
				rest.add(bin, left, t)
			}
		}
		position += x.RawMatrix().Cols
	}
	s := samples{
		z: z.values(), rest: rest.values(), every: l.every, shape: l.shape,
		xDeviations: deviations(xMoments), zDeviations: deviations(zMoments),
	}
	s.keepRest(demixing == nil, deviations(restMoments))
	return s, nil
}

// keepRest drops a rest that can't be seen, or makes room for it.
func (s *samples) keepRest(isNeeded bool, deviations []float64) {
	for c, sd := range deviations {
		isNeeded = isNeeded || sd*sd > minRest*s.xDeviations[c]*s.xDeviations[c]
	}
	if !isNeeded {
		s.rest = nil
		return
	}
	for _, mean := range s.rest {
		floats.AddConst(-floats.Sum(mean)/float64(len(mean)), mean)
	}
	k := (len(s.z)+len(s.rest))*len(s.z[0])/maxPoints + 1
	if s.shape != nil || k == 1 {
		return
	}
	s.every *= k
	for _, all := range [][][]float64{s.z, s.rest} {
		for i, values := range all {
			m := newMeans(1, (len(values)+k-1)/k)
			row := mat.NewDense(1, len(values), values)
			for t := range values {
				m.add(t/k, row, t)
			}
			all[i] = m.values()[0]
		}
	}
}

// recover returns the recovered signals of a block that begins at the position.
func (p *Page) recover(x *mat.Dense, position int) (*mat.Dense, error) {
	if p.Z == nil {
		return p.Result.Transform(x)
	}
	d, _ := p.X.Dims()
	if err := signal.CheckNew("X", x, d); err != nil {
		return nil, err
	}
	k, _ := p.Z.Dims()
	_, n := x.Dims()
	return p.Z.Slice(0, k, position, position+n).(*mat.Dense), nil
}

// missing returns what of x isn't in the recovered signals: all if there is no demixing.
func missing(demixing *ica.Demixing, x, z *mat.Dense) *mat.Dense {
	if demixing == nil {
		return x
	}
	left := new(mat.Dense)
	left.Mul(demixing.Mixing, z)
	left.Sub(signal.Added(x, demixing.Mean, -1), left)
	return left
}

// pieces returns the pieces of content, and how many positions of the recording a step is.
func (p *Page) pieces(n int) (pieces [][2]int, step int) {
	recorded := func(t int) int { return t }
	if subset, ok := p.X.(blockwise.Subset); ok {
		recorded = subset.Recorded
	}
	if p.Positions != nil {
		recorded = func(t int) int { return p.Positions[t] }
	}
	step = math.MaxInt
	for t := 1; t < n; t++ {
		step = min(step, recorded(t)-recorded(t-1))
	}
	pieces = [][2]int{{0, recorded(0)}}
	for t := 1; t < n; t++ {
		if at := recorded(t); at-recorded(t-1) != step {
			pieces = append(pieces, [2]int{t, at})
		}
	}
	return pieces, max(1, step)
}

// A layout says which positions become which point.
type layout struct {
	every, points int
	shape         []int // of an image as it is shown; nil for a sequence

	first, size, width int // of the frame that is shown: its first pixel, pixels, pixels in a row
}

// newLayout returns the layout of k recovered signals at n positions of d channels.
func newLayout(shape []int, n, k, d int) (l layout) {
	l.every = 1
	if axes := len(shape); axes > 1 {
		height := shape[axes-2]
		l.width = shape[axes-1]
		l.size = height * l.width
		l.first = n / l.size / 2 * l.size
		for {
			l.shape = []int{(height + l.every - 1) / l.every, (l.width + l.every - 1) / l.every}
			if l.points = l.shape[0] * l.shape[1]; l.points*(k+d) <= maxPoints || l.points == 1 {
				return l
			}
			l.every++
		}
	}
	l.every = (k*n + maxPoints - 1) / maxPoints
	l.points = (n + l.every - 1) / l.every
	return l
}

// bin returns the point of position t, −1 for none.
func (l layout) bin(t int) int {
	if l.shape == nil {
		return t / l.every
	}
	if t -= l.first; t < 0 || t >= l.size {
		return -1
	}
	return t/l.width/l.every*l.shape[1] + t%l.width/l.every
}

// means are those of signals in points.
type means struct {
	sums   *mat.Dense
	counts []int
}

func newMeans(d, points int) means {
	return means{mat.NewDense(d, points, nil), make([]int, points)}
}

// add adds column t of x to a point.
func (m means) add(point int, x *mat.Dense, t int) {
	sums, values := m.sums.RawMatrix(), x.RawMatrix()
	for i := range sums.Rows {
		sums.Data[i*sums.Stride+point] += values.Data[i*values.Stride+t]
	}
	m.counts[point]++
}

func (m means) values() [][]float64 {
	d, _ := m.sums.Dims()
	all := make([][]float64, d)
	for i := range all {
		all[i] = m.sums.RawRowView(i)
		for point, n := range m.counts {
			all[i][point] /= float64(n)
		}
	}
	return all
}

// addMoments adds row i of a block to moments i.
func addMoments(all []stats.Moments, block *mat.Dense) {
	for i := range all {
		all[i].Add(block.RawRowView(i))
	}
}

func deviations(all []stats.Moments) (sd []float64) {
	for _, m := range all {
		sd = append(sd, m.Deviation())
	}
	return sd
}

// A series is values as 16-bit numbers with their low byte first: value = offset + scale·number.
type series struct {
	Samples []byte  `json:"samples"` // base64 in JSON
	Scale   float64 `json:"scale"`
	Offset  float64 `json:"offset"`
}

// quantise returns the values with an error of at most half of Scale, 1/131,068 of their range.
func quantise(values []float64) (s series) {
	low, high := floats.Min(values), floats.Max(values)
	s.Offset, s.Scale = low/2+high/2, (high/2-low/2)/math.MaxInt16
	for _, v := range values {
		number := 0.0
		if s.Scale > 0 {
			number = math.Round((v - s.Offset) / s.Scale)
		}
		s.Samples = binary.LittleEndian.AppendUint16(s.Samples, uint16(int16(number)))
	}
	return s
}

func quantiseAll(all [][]float64) (quantised []series) {
	for _, values := range all {
		quantised = append(quantised, quantise(values))
	}
	return quantised
}
