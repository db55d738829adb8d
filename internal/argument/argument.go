// Package argument checks the arguments of functions that build graphs. The checks panic, as GoMLX
// does, with one wording for all:
//
//	layers: Dense: x is (Float32)[4 5]; must be [R, B, C]: insert the runs axis by InsertAxes(x, 0)
package argument

import (
	"math"
	"strconv"
	"strings"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// ParamRuns is layers.ParamRuns, the hyperparameter for the number of runs.
const ParamRuns = "sica_runs"

// Present panics unless present is true. form says what the argument must be.
func Present(where, name string, present bool, form string) {
	if !present {
		exceptions.Panicf("%s: %s is nil; must be %s", where, name, form)
	}
}

// Any is a dimension of any length.
const Any = -1

// Floats panics unless x is of a float dtype and has minRank to maxRank axes. For the message,
// where is the function ("layers: Dense"), name the argument, and form its shape ("[R, B, C]").
func Floats(where, name string, x *Node, form string, minRank, maxRank int) {
	Present(where, name, x != nil, form)
	if !x.DType().IsFloat() {
		exceptions.Panicf("%s: %s is %s; must be floats shaped %s", where, name, x.Shape(), form)
	}
	if rank := x.Rank(); rank < minRank || rank > maxRank {
		exceptions.Panicf("%s: %s is %s; must be %s", where, name, x.Shape(), form)
	}
}

// Layer is Floats for the input x of a layer with weights for each run. The first axis of x must
// have length ParamRuns of scope, 1 by default. Otherwise it is probably the batch axis, and the
// message says how to insert a runs axis.
func Layer(
	scope *model.Scope, where, name string, x *Node, form string, minRank, maxRank int,
) {
	Present(where, "scope", scope != nil, "one, such as store.RootScope()")
	Present(where, name, x != nil, form)
	runs := model.GetParamOr(scope, ParamRuns, 1)
	if x.DType().IsFloat() && x.Rank() == minRank-1 {
		hint := "insert the runs axis by InsertAxes(%[2]s, 0)"
		if x.Rank() > 0 && x.Shape().Dim(0) == runs {
			hint = "an axis is missing, one after R if the first axis is R; else " + hint
		}
		exceptions.Panicf("%s: %s is %s; must be %s: "+hint, where, name, x.Shape(), form)
	}
	Floats(where, name, x, form, minRank, maxRank)
	if runs < 1 {
		exceptions.Panicf("%s: ParamRuns is %d; must be at least 1", where, runs)
	}
	got := x.Shape().Dim(0)
	if got != runs && runs > 1 {
		exceptions.Panicf("%s: %s is %s; must be %s with R = %d runs, as the store's "+
			"ParamRuns says (a checkpoint that was loaded sets it)",
			where, name, x.Shape(), form, runs)
	}
	if got != runs {
		exceptions.Panicf("%s: %s is %s; must be %s with R = %d runs: insert the runs axis by "+
			"InsertAxes(%[2]s, 0), or set the number of runs by ParamRuns",
			where, name, x.Shape(), form, runs)
	}
}

// Dims panics unless x is of a float dtype and has the given dimensions, each a length or Any.
func Dims(where, name string, x *Node, form string, dims ...int) {
	Floats(where, name, x, form, len(dims), len(dims))
	sameDims(where, name, x, form, dims)
}

// Indices panics unless x is of dtype int32 and has the given dimensions, each a length or Any.
func Indices(where, name string, x *Node, form string, dims ...int) {
	Present(where, name, x != nil, form)
	if x.DType() != dtypes.Int32 || x.Rank() != len(dims) {
		exceptions.Panicf("%s: %s is %s; must be int32 shaped %s", where, name, x.Shape(), form)
	}
	sameDims(where, name, x, form, dims)
}

func sameDims(where, name string, x *Node, form string, dims []int) {
	for axis, n := range dims {
		if n != Any && x.Shape().Dim(axis) != n {
			exceptions.Panicf("%s: %s is %s; must be %s = %s",
				where, name, x.Shape(), form, describe(dims))
		}
	}
}

// Same panics unless x is of a float dtype and shaped like other, the argument called otherName.
func Same(where, name string, x *Node, otherName string, other *Node) {
	Present(where, otherName, other != nil, "floats")
	Present(where, name, x != nil, "floats")
	if !x.DType().IsFloat() {
		exceptions.Panicf("%s: %s is %s; must be floats", where, name, x.Shape())
	}
	if !x.Shape().Equal(other.Shape()) {
		exceptions.Panicf("%s: %s is %s; must be %s, like %s",
			where, name, x.Shape(), other.Shape(), otherName)
	}
}

// AtLeast panics unless n, the number called name ("components"), is at least limit.
func AtLeast(where, name string, n, limit int) {
	if n < limit {
		exceptions.Panicf("%s: %s: %d; must be at least %d", where, name, n, limit)
	}
}

// NotNegative panics unless v, the value called name ("epsilon"), is finite and at least 0.
func NotNegative(where, name string, v float64) {
	if !(v >= 0) || math.IsInf(v, 0) {
		exceptions.Panicf("%s: %s: %g; must be finite and at least 0", where, name, v)
	}
}

// describe returns dimensions in words: [2, any, 3].
func describe(dims []int) string {
	words := make([]string, len(dims))
	for i, n := range dims {
		words[i] = "any"
		if n != Any {
			words[i] = strconv.Itoa(n)
		}
	}
	return "[" + strings.Join(words, ", ") + "]"
}
