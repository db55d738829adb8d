package outlier

import (
	"fmt"

	"github.com/seed-47b1e431/gosica/internal/text"
)

// Sentence says which positions are outliers, counted from 1; nothing if there are none.
func Sentence(positions []int) string {
	const most = 5 // that are named
	if len(positions) == 0 {
		return ""
	}
	var names []string
	for _, t := range positions[:min(len(positions), most)] {
		names = append(names, fmt.Sprint(t+1))
	}
	if more := len(positions) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	const what = "(sudden, as a click or an electrode's pop: in one channel only, or unlike any other)"
	if len(names) == 1 {
		return fmt.Sprintf("Position %s is an outlier %s and was excluded from fitting.", names[0], what)
	}
	return fmt.Sprintf("Positions %s are outliers %s and were excluded from fitting.", text.List(names), what)
}
