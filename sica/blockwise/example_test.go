package blockwise_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

// A recording is learned from in part and recovered as it is read; neither it nor what is
// recovered is in memory as a whole.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	sources, err := datasets.AR7(rand.New(rand.NewPCG(1, 0)), 2, 4096)
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "mixed.wav")
	if err := datasets.WriteFile(path, sources); err != nil {
		log.Fatal(err)
	}

	recording, err := datasets.OpenStream(path)
	if err != nil {
		log.Fatal(err)
	}
	b, err := backend.Open(backend.Go)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Finalize()
	cfg := sica.Default().Smoke().On(b)
	result, err := blockwise.Fit(context.Background(), recording, cfg, 1024)
	if err != nil {
		log.Fatal(err)
	}
	blocks, positions := 0, 0
	for block, err := range blockwise.Transform(result, recording.Blocks(1000)) {
		if err != nil {
			log.Fatal(err)
		}
		_, n := block.Dims()
		blocks, positions = blocks+1, positions+n
	}
	fmt.Println("learned from", result.Z.RawMatrix().Cols, "positions, recovered", positions, "in", blocks, "blocks")
	// Output: learned from 1024 positions, recovered 4096 in 5 blocks
}
