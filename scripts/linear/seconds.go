package main

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// seconds prints how long the rule takes on the mixed signals in a file, a number for each
// separation. The first warms up.
func seconds(path string, separations int) error {
	x, err := datasets.ReadFile(path)
	if err != nil {
		return err
	}
	for range separations {
		begin := time.Now()
		signals, err := ica.New(x)
		if err != nil {
			return err
		}
		if _, err := linear.Separate(context.Background(), signals, linear.Options{}); err != nil {
			return err
		}
		fmt.Println(time.Since(begin).Seconds())
	}
	return nil
}
