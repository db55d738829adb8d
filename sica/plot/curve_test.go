package plot

import (
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/plot/plotter"
)

func TestSeriesGaps(t *testing.T) {
	nan := math.NaN()
	s := Series{
		X:  []float64{0, 1, 2, 3, 4, 5},
		Y:  []float64{nan, 10, 20, nan, nan, 50},
		SE: []float64{1, 2, nan, 1, 1, 3},
	}
	points, runs := s.points()
	wantRuns := []plotter.XYs{{{X: 1, Y: 10}, {X: 2, Y: 20}}, {{X: 5, Y: 50}}}
	if !reflect.DeepEqual(runs, wantRuns) {
		t.Errorf("runs %v, want %v", runs, wantRuns)
	}
	if want := (plotter.XYs{{X: 1, Y: 10}, {X: 2, Y: 20}, {X: 5, Y: 50}}); !reflect.DeepEqual(points.XYs, want) {
		t.Errorf("points %v, want %v", points.XYs, want)
	}
	if want := (plotter.YErrors{{Low: 2, High: 2}, {}, {Low: 3, High: 3}}); !reflect.DeepEqual(points.YErrors, want) {
		t.Errorf("errors %v, want %v", points.YErrors, want)
	}
}
