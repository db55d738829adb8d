package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/seed-47b1e431/gosica/backend"
)

func TestService(t *testing.T) {
	s := &service{must(backend.Open(backend.Go)), time.Minute}
	check(s.warm(t.Context(), example()))
	for body, want := range map[string]int{
		string(must(json.Marshal(rowsOf(example())))): http.StatusOK,
		"[[1,2],[3]]":   http.StatusBadRequest,
		"[[1,2],[3,4]]": http.StatusUnprocessableEntity,
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewBufferString(body)))
		if w.Code != want {
			t.Errorf("status %d, want %d: %s", w.Code, want, w.Body)
		}
	}
}
