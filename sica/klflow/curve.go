package klflow

import (
	"encoding/json"
	"math"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Curve has a value for each step of a process, NaN where none was measured. JSON has null for
// NaN and infinities.
type Curve []float64

// MarshalJSON returns the values, with null for NaN and infinities.
func (c Curve) MarshalJSON() ([]byte, error) {
	var values []*float64
	for _, v := range c {
		if signal.Finite(v) {
			values = append(values, &v)
		} else {
			values = append(values, nil)
		}
	}
	return json.Marshal(values)
}

// UnmarshalJSON reads the output of MarshalJSON, null as NaN.
func (c *Curve) UnmarshalJSON(data []byte) error {
	var values []*float64
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	*c = nil
	for _, v := range values {
		if v == nil {
			*c = append(*c, math.NaN())
		} else {
			*c = append(*c, *v)
		}
	}
	return nil
}
