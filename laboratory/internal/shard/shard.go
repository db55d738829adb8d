// Package shard deals out work to several processes.
package shard

import (
	"fmt"
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
		return Shard{}, fmt.Errorf("shard %.40q: must be i/n with i from 1 to n, such as 1/4", text)
	}
	return Shard{index - 1, count}, nil
}

// Of returns a shard's items, in their order. The shards of all indices have all items. Items of
// one kind, which take about as long as each other, are dealt out in turn.
func Of[T any, K comparable](s Shard, items []T, kind func(T) K) []T {
	indices := make(map[K][]int)
	var kinds []K
	for i, item := range items {
		k := kind(item)
		if indices[k] == nil {
			kinds = append(kinds, k)
		}
		indices[k] = append(indices[k], i)
	}
	var mine []int
	next := 0
	for _, k := range kinds {
		for _, i := range indices[k] {
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
