// Package shard deals out work to several processes.
package shard

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A Shard is one process's share of the work of several.
type Shard struct {
	Index int // from 0
	Count int // at least 1
}

// String is "i/n", i counting from 1.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index+1, s.Count) }

// Parse reads "i/n", with i from 1 to n.
func Parse(text string) (Shard, error) {
	i, n, ok := strings.Cut(text, "/")
	index, err1 := strconv.Atoi(i)
	count, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || index < 1 || index > count {
		return Shard{}, fmt.Errorf("shard %.40q: want i/n with i from 1 to n, such as 1/4", text)
	}
	return Shard{index - 1, count}, nil
}

// FromEnvironment returns the share of a task of a Slurm job array, or of a
// pod of a Kubernetes Indexed Job, and false outside of both. Slurm sets
// SLURM_ARRAY_TASK_ID, _MIN, _MAX and _STEP; Kubernetes sets
// JOB_COMPLETION_INDEX, and the pod's manifest must set JOB_COMPLETIONS.
func FromEnvironment() (Shard, bool, error) {
	if _, ok := os.LookupEnv("SLURM_ARRAY_TASK_ID"); ok {
		s, err := slurmShard()
		return s, err == nil, err
	}
	if _, ok := os.LookupEnv("JOB_COMPLETION_INDEX"); ok {
		s, err := kubernetesShard()
		return s, err == nil, err
	}
	return Shard{}, false, nil
}

func slurmShard() (Shard, error) {
	var id, first, last int
	for name, to := range map[string]*int{"SLURM_ARRAY_TASK_ID": &id, "SLURM_ARRAY_TASK_MIN": &first, "SLURM_ARRAY_TASK_MAX": &last} {
		if err := number(name, to); err != nil {
			return Shard{}, err
		}
	}
	step := 1
	if os.Getenv("SLURM_ARRAY_TASK_STEP") != "" {
		if err := number("SLURM_ARRAY_TASK_STEP", &step); err != nil {
			return Shard{}, err
		}
	}
	if step < 1 || id < first || id > last || (id-first)%step != 0 {
		return Shard{}, fmt.Errorf("SLURM_ARRAY_TASK_ID %d isn't one of %d to %d in steps of %d", id, first, last, step)
	}
	return Shard{(id - first) / step, (last-first)/step + 1}, nil
}

func kubernetesShard() (Shard, error) {
	var s Shard
	if err := number("JOB_COMPLETION_INDEX", &s.Index); err != nil {
		return Shard{}, err
	}
	if err := number("JOB_COMPLETIONS", &s.Count); err != nil {
		return Shard{}, err
	}
	if s.Index >= s.Count {
		return Shard{}, fmt.Errorf("JOB_COMPLETION_INDEX %d: want 0 to JOB_COMPLETIONS-1, %d", s.Index, s.Count-1)
	}
	return s, nil
}

// number reads an environment variable. None of them is ever near the limit, and
// what is below it can be counted.
func number(name string, to *int) error {
	n, err := strconv.ParseUint(os.Getenv(name), 10, 31)
	if err != nil {
		return fmt.Errorf("the environment's %s is %.40q: want a whole number from 0 to 2147483647", name, os.Getenv(name))
	}
	*to = int(n)
	return nil
}

// Of returns the shard's share of the items, in their order. The shares of all shards
// are the items. Those of one kind, which take about as long, are dealt out in turn.
func Of[T any, K comparable](s Shard, items []T, kind func(T) K) []T {
	alike := make(map[K][]int)
	var kinds []K
	for i, item := range items {
		k := kind(item)
		if alike[k] == nil {
			kinds = append(kinds, k)
		}
		alike[k] = append(alike[k], i)
	}
	var mine []int
	next := 0
	for _, k := range kinds {
		for _, i := range alike[k] {
			if next == s.Index {
				mine = append(mine, i)
			}
			next = (next + 1) % s.Count
		}
	}
	slices.Sort(mine)
	share := make([]T, len(mine))
	for n, i := range mine {
		share[n] = items[i]
	}
	return share
}
