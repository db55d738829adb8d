// Service answers requests to separate signals, each within a deadline. It makes itself warm by
// one fit without a deadline, so that no request waits for a compilation.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/sica"
)

// service separates by one backend, which may fit several requests at once.
type service struct {
	backend  compute.Backend
	deadline time.Duration
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var rows [][]float64 // the mixed signals
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<24)).Decode(&rows); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	x, err := matrix(rows)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.deadline)
	defer cancel()
	result, err := sica.Fit(ctx, x, sica.Default().On(s.backend))
	if result == nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	answer := struct { // Cut says that the deadline ended the fit: Z is what it had by then
		Z   [][]float64
		Why string
		Cut bool
	}{Z: rowsOf(result.Z), Why: result.Why, Cut: err != nil}
	json.NewEncoder(w).Encode(answer)
}

// warm makes the programs that requests of x's size need. A size of its own compiles once more.
func (s *service) warm(ctx context.Context, x *mat.Dense) error {
	_, err := sica.Fit(ctx, x, sica.Default().On(s.backend))
	return err
}

func main() {
	s := &service{must(backend.Open(backend.Auto)), 5 * time.Second}
	check(s.warm(context.Background(), example()))
	fmt.Println("warm; listening on localhost:8080")
	check(http.ListenAndServe("localhost:8080", s))
}
