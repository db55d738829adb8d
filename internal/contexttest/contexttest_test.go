package contexttest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-47b1e431/gosica/internal/contexttest"
)

func TestEndsAfter(t *testing.T) {
	ctx := contexttest.EndsAfter(t.Context(), 2)
	for call, want := range []error{nil, nil, context.Canceled, context.Canceled} {
		if err := ctx.Err(); !errors.Is(err, want) {
			t.Errorf("call %d: error %v, want %v", call, err, want)
		}
	}
}

func TestCounted(t *testing.T) {
	parent, cancel := context.WithCancel(t.Context())
	ctx, calls := contexttest.Counted(parent)
	before := ctx.Err()
	cancel()
	if after := ctx.Err(); before != nil || !errors.Is(after, context.Canceled) || calls() != 2 {
		t.Errorf("errors %v and %v, %d calls", before, after, calls())
	}
}
