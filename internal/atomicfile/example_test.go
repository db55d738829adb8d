package atomicfile_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
)

func Example() {
	dir, err := os.MkdirTemp("", "atomicfile")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "greeting")
	err = atomicfile.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "hello")
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(path)
	fmt.Printf("%s %v\n", text, err)
	// Output: hello <nil>
}
