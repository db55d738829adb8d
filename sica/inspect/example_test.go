package inspect_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/inspect"
)

// Beats are found by their rhythm, and removed.
func Example() {
	_, x, _ := recording(2000) // 3 channels
	b, err := backend.Open(backend.Go)
	if err != nil {
		log.Fatal(err)
	}
	r, err := sica.Fit(context.Background(), x, sica.Default().On(b))
	if err != nil {
		log.Fatal(err)
	}
	components, err := inspect.Components(r, x, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range components {
		if c.Rhythm > 0.5 {
			fmt.Printf("a rhythm of period %.0f makes up %.0f %% of the channels\n", c.Period,
				100*c.Share)
			if x, err = r.Remove(x, []int{c.Signal}); err != nil {
				log.Fatal(err)
			}
		}
	}
	// Output: a rhythm of period 40 makes up 56 % of the channels
}
