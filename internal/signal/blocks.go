package signal

import "gonum.org/v1/gonum/mat"

// SpreadBlocks returns blocks blocks of length positions of the sequences x, d×n, one after the
// other: the first from the begin, the last from the end, the others evenly between. It
// returns x itself if that isn't longer. There must be at least two blocks.
func SpreadBlocks(x *mat.Dense, blocks, length int) *mat.Dense {
	d, n := x.Dims()
	if n <= blocks*length {
		return x
	}
	y := mat.NewDense(d, blocks*length, nil)
	for b := range blocks {
		from := b * (n - length) / (blocks - 1)
		block := y.Slice(0, d, b*length, (b+1)*length).(*mat.Dense)
		block.Copy(x.Slice(0, d, from, from+length))
	}
	return y
}
