package plot

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
)

func TestStylesAreDistinct(t *testing.T) {
	for _, name := range []string{Truth, Conditional} { // package methods tests those of methods
		if !HasStyle(name) {
			t.Errorf("%s has no style", name)
		}
	}
	seen := make(map[string]string)
	for _, method := range slices.Sorted(maps.Keys(styles)) {
		style := styles[method]
		look := fmt.Sprint(style.color, style.dashes) // as a line
		if other, ok := seen[look]; ok {
			t.Errorf("the lines of %s and %s are the same", method, other)
		}
		seen[look] = method
		look = fmt.Sprintf("%v %T", style.color, style.glyph) // as a point
		if other, ok := seen[look]; ok {
			t.Errorf("the points of %s and %s are the same", method, other)
		}
		seen[look] = method
	}
	for _, method := range []string{SOBI, JADE, Picard} {
		for _, rival := range []string{FastICA, LICA, PCL, IVAE} {
			if !(styles[method].width < styles[rival].width) {
				t.Errorf("%s isn't thinner than %s, a rival of the paper", method, rival)
			}
		}
	}
	if HasStyle("seed 1") {
		t.Error("an unknown method has a style of its own")
	}
}

func TestStylesOf(t *testing.T) {
	got := stylesOf([]Group{{Method: "seed 1"}, {Method: Default}, {Method: "seed 2"}, {Method: "seed 1"}})
	want := []style{others[0], styles[Default], others[1], others[0]}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("styles %v, want %v", got, want)
	}
}
