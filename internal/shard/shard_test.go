package shard_test

import (
	"os"
	"testing"

	"github.com/seed-47b1e431/gosica/internal/shard"
)

// The shares of all shards are the items, each once; they are of one size, and have as
// many of a kind.
func TestSharesAreAPartition(t *testing.T) {
	const items, slow = 400, 80
	var all []int
	for i := range items {
		all = append(all, i)
	}
	isSlow := func(i int) bool { return i%(items/slow) == 2 }
	for _, n := range []int{1, 2, 4, 10, 40} {
		count := make(map[int]int)
		for i := range n {
			share := shard.Of(shard.Shard{Index: i, Count: n}, all, isSlow)
			if k := len(share); k < items/n || k > items/n+1 {
				t.Errorf("share %d of %d has %d of %d", i, n, k, items)
			}
			of := 0
			for _, item := range share {
				count[item]++
				if isSlow(item) {
					of++
				}
			}
			if of < slow/n || of > slow/n+1 {
				t.Errorf("share %d of %d has %d of %d slow ones", i, n, of, slow)
			}
		}
		for _, item := range all {
			if count[item] != 1 {
				t.Errorf("with %d shards item %d is in %d shares", n, item, count[item])
			}
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]shard.Shard{"1/1": {0, 1}, "2/4": {1, 4}, "4/4": {3, 4}} {
		if s, err := shard.Parse(text); err != nil || s != want || s.String() != text {
			t.Errorf("%q is %+v (%v)", text, s, err)
		}
	}
	for _, text := range []string{"", "1", "0/4", "5/4", "1/0", "a/b", "1/2/3", "-1/2"} {
		if s, err := shard.Parse(text); err == nil {
			t.Errorf("%q is %+v", text, s)
		}
	}
}

func TestFromEnvironment(t *testing.T) {
	variables := []string{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP",
		"JOB_COMPLETION_INDEX", "JOB_COMPLETIONS"}
	for _, test := range []struct {
		name string
		env  map[string]string
		want string // "" for an error
	}{
		{"Slurm", map[string]string{"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "8"}, "3/8"},
		{"Slurm from 0", map[string]string{"SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "7"}, "1/8"},
		{"Slurm in steps", map[string]string{"SLURM_ARRAY_TASK_ID": "6", "SLURM_ARRAY_TASK_MIN": "2", "SLURM_ARRAY_TASK_MAX": "9", "SLURM_ARRAY_TASK_STEP": "2"}, "3/4"},
		{"Slurm without an end", map[string]string{"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "1"}, ""},
		{"Slurm out of range", map[string]string{"SLURM_ARRAY_TASK_ID": "9", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "8"}, ""},
		{"Slurm from −2⁶³ to 2⁶³−1", map[string]string{"SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_MIN": "-9223372036854775808", "SLURM_ARRAY_TASK_MAX": "9223372036854775807"}, ""},
		{"Kubernetes", map[string]string{"JOB_COMPLETION_INDEX": "0", "JOB_COMPLETIONS": "5"}, "1/5"},
		{"Kubernetes without a count", map[string]string{"JOB_COMPLETION_INDEX": "0"}, ""},
		{"Kubernetes out of range", map[string]string{"JOB_COMPLETION_INDEX": "5", "JOB_COMPLETIONS": "5"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			setOnly(t, variables, test.env)
			s, ok, err := shard.FromEnvironment()
			if test.want == "" {
				if err == nil {
					t.Errorf("the shard is %s (%v)", s, ok)
				}
				return
			}
			if err != nil || !ok || s.String() != test.want {
				t.Errorf("the shard is %s (%v, %v), want %s", s, ok, err, test.want)
			}
		})
	}
	setOnly(t, variables, nil)
	if s, ok, err := shard.FromEnvironment(); ok || err != nil {
		t.Errorf("without an environment the shard is %s (%v)", s, err)
	}
}

// setOnly sets the environment variables to those of env and unsets the others
// for the rest of the test.
func setOnly(t *testing.T, names []string, env map[string]string) {
	for _, name := range names {
		t.Setenv(name, env[name]) // puts back what was there
		if _, ok := env[name]; !ok {
			os.Unsetenv(name)
		}
	}
}
