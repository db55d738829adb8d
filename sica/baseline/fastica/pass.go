package fastica

import (
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

const (
	// blockWidth is how many positions are worked on at a time, so that what is
	// read and written stays in the fastest cache: for ten signals 15 KiB each.
	// With it, gonum multiplies up to 64 signals without starting goroutines.
	blockWidth = 192

	// maxParts is how many parts the positions are shared out in. It doesn't
	// depend on the processors, so that neither does the rounding of the sums.
	maxParts = 64
)

// A passer goes through the white signals x and takes the means that an
// iteration needs. What it allocates, it allocates once.
type passer struct {
	x        blas64.General // d×T
	contrast contrast
	parts    []part
	workers  []blas64.General // for each, space for the signals of a block, d×blockWidth

	w      blas64.General // the directions of this step
	begun  atomic.Int64   // parts of this step
	others sync.WaitGroup // workers but the first
}

// A part holds the sums over the positions from first to before end.
type part struct {
	first, end  int
	cross       blas64.General // Σ g(y)·xᵀ, k×d
	derivatives []float64      // Σ g′(y), k
}

// newPasser returns a passer for up to d directions at a time.
func newPasser(x *mat.Dense, contrast contrast) *passer {
	d, n := x.Dims()
	blocks := (n + blockWidth - 1) / blockWidth
	p := &passer{
		x:        x.RawMatrix(),
		contrast: contrast,
		parts:    make([]part, min(blocks, maxParts)),
	}
	for i := range p.parts {
		p.parts[i] = part{
			first:       i * blocks / len(p.parts) * blockWidth,
			end:         min((i+1)*blocks/len(p.parts)*blockWidth, n),
			cross:       newGeneral(d, d),
			derivatives: make([]float64, d),
		}
	}
	p.workers = make([]blas64.General, min(runtime.GOMAXPROCS(0), len(p.parts)))
	for i := range p.workers {
		p.workers[i] = newGeneral(d, blockWidth)
	}
	return p
}

func newGeneral(rows, columns int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float64, rows*columns)}
}

// step sets next to what the iteration of Newton's method makes of the
// directions w, both k×d:
//
//	mean g(y)·xᵀ − mean g′(y) · w,  y = w·x,
//
// the second mean being that of each row (A. Hyvärinen, IEEE Trans. Neural
// Networks 10(3), 1999, equation 20).
func (p *passer) step(next, w blas64.General) {
	p.w = w
	p.begun.Store(0)
	for _, y := range p.workers[1:] {
		p.others.Add(1)
		go p.help(y)
	}
	p.work(p.workers[0])
	p.others.Wait()

	for i := range next.Rows {
		row := next.Data[i*next.Stride:][:next.Cols]
		clear(row)
		derivatives := 0.0
		for k := range p.parts {
			for j, v := range p.parts[k].cross.Data[i*next.Cols:][:next.Cols] {
				row[j] += v
			}
			derivatives += p.parts[k].derivatives[i]
		}
		n := float64(p.x.Cols)
		for j := range row {
			row[j] = row[j]/n - derivatives/n*w.Data[i*w.Stride+j]
		}
	}
}

func (p *passer) help(y blas64.General) {
	defer p.others.Done()
	p.work(y)
}

// work takes the sums over parts that nobody has begun, with y for its space,
// until none is left.
func (p *passer) work(y blas64.General) {
	y.Rows = p.w.Rows
	for {
		i := int(p.begun.Add(1)) - 1
		if i >= len(p.parts) {
			return
		}
		p.sum(&p.parts[i], p.w, y)
	}
}

// sum takes the sums over a part with y for its space.
func (p *passer) sum(to *part, w, y blas64.General) {
	cross := to.cross
	cross.Rows = w.Rows
	derivatives := to.derivatives[:w.Rows]
	clear(cross.Data[:cross.Rows*cross.Stride])
	clear(derivatives)
	for first := to.first; first < to.end; first += blockWidth {
		x := p.x
		x.Cols = min(blockWidth, to.end-first)
		x.Data = x.Data[first:]
		y.Cols = x.Cols
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, w, x, 0, y)
		for i := range derivatives {
			derivatives[i] += p.contrast.apply(y.Data[i*y.Stride:][:y.Cols])
		}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, y, x, 1, cross)
	}
}
