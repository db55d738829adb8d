package main

import . "github.com/gomlx/gomlx/core/graph"

// penalty of outputs z [B, d] is a scalar: the sum of the squared correlations over the batch of u,
// sin u, cos u, sin 2u and cos 2u of different outputs. Outputs become u, with mean 0 and variance 1.
func penalty(z *Node) *Node {
	standardised := func(x *Node) *Node {
		x = Sub(x, ReduceAndKeep(x, ReduceMean, 0))
		return Div(x, Sqrt(AddScalar(ReduceAndKeep(Square(x), ReduceMean, 0), 1e-6)))
	}
	u := standardised(z)
	u2 := MulScalar(u, 2)
	f := standardised(Concatenate([]*Node{u, Sin(u), Cos(u), Sin(u2), Cos(u2)}, -1)) // [B, 5d]
	correlations := DivScalar(MatMul(Transpose(f, 0, 1), f), float64(f.Shape().Dim(0)))
	d := z.Shape().Dim(1)
	different := make([][]float32, 5*d) // 1 for features of different outputs, each pair once
	for i := range different {
		different[i] = make([]float32, 5*d)
		for j := range i {
			if i%d != j%d {
				different[i][j] = 1
			}
		}
	}
	return ReduceAllSum(Mul(Square(correlations), Const(z.Graph(), different)))
}
