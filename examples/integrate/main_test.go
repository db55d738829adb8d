package main

import (
	"math"
	"testing"
)

func TestThereAndBack(t *testing.T) {
	cloud := [][]float32{{1, 0}, {0, 2}}
	there, back := thereAndBack(cloud)
	for i, want := range [][]float32{{0, 1}, {-2, 0}} {
		for k := range want {
			if math.Abs(float64(there[i][k]-want[k])) > 1e-3 || math.Abs(float64(back[i][k]-cloud[i][k])) > 1e-3 {
				t.Errorf("there %v, back %v", there[i], back[i])
			}
		}
	}
}

func TestAround(t *testing.T) {
	if p := around([][]float32{{1, 0}}, [][]float32{{1, 1}})[0]; math.Hypot(float64(p[0]-2), float64(p[1]-1)) > 1e-3 {
		t.Errorf("%v, want [2 1]", p)
	}
}
