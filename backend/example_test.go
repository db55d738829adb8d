package backend_test

import (
	"fmt"

	"github.com/seed-47b1e431/gosica/backend"
)

func ExampleOpen() {
	b, err := backend.Open(backend.Go)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(backend.NameOf(b))

	_, err = backend.Open("gpu")
	fmt.Println(err)
	// Output:
	// go
	// backend: name is "gpu"; must be auto, xla:cuda (an NVIDIA GPU), xla:cpu or go
}
