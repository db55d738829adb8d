package shard_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/internal/shard"
)

// A share that is read is one of those that there are, and is written as it is
// read.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"1/1", "2/4", "0/4", "5/4", "+1/4", "1/2/3", "9223372036854775807/9223372036854775807", "1/99999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := shard.Parse(text)
		if err != nil {
			checkError(t, err)
			return
		}
		checkShard(t, s)
		if again, err := shard.Parse(s.String()); err != nil || again != s {
			t.Errorf("%q is %s, which is %s (%v)", text, s, again, err)
		}
	})
}

func checkShard(t *testing.T, s shard.Shard) {
	t.Helper()
	if s.Index < 0 || s.Index >= s.Count {
		t.Errorf("the shard has index %d of %d", s.Index, s.Count)
	}
	items := []string{"a", "b", "a"}
	if n := len(shard.Of(s, items, func(item string) string { return item })); n > len(items)/s.Count+1 {
		t.Errorf("%d of %d items are in share %s", n, len(items), s)
	}
}

// A share of the environment is one of those that there are.
func FuzzFromEnvironment(f *testing.F) {
	names := []string{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP",
		"JOB_COMPLETION_INDEX", "JOB_COMPLETIONS"}
	f.Add(uint8(15), "3", "1", "8", "2")
	f.Add(uint8(7), "0", "-9223372036854775808", "9223372036854775807", "")
	f.Add(uint8(15), "0", "0", "9223372036854775807", "1")
	f.Add(uint8(48), "4", "5", "", "")
	f.Fuzz(func(t *testing.T, set uint8, a, b, c, d string) {
		env := make(map[string]string)
		for k, value := range []string{a, b, c, d, a, b} {
			if set&(1<<k) != 0 && !strings.Contains(value, "\x00") {
				env[names[k]] = value
			}
		}
		setOnly(t, names, env)
		s, ok, err := shard.FromEnvironment()
		switch {
		case err != nil:
			checkError(t, err)
		case ok:
			checkShard(t, s)
		case env["SLURM_ARRAY_TASK_ID"] != "" || env["JOB_COMPLETION_INDEX"] != "":
			t.Errorf("no shard of %q", slices.Collect(maps.Values(env)))
		}
	})
}

// checkError fails unless err is a line.
func checkError(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); text == "" || strings.Contains(text, "\n") || len(text) > 1000 {
		t.Errorf("the error is %q: want a line", text)
	}
}
