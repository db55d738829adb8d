package shard_test

import (
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/laboratory/internal/shard"
)

// The shares of all shards are the items, each once. They have equal sizes and equal numbers of
// each kind, up to one.
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

// Every share that is parsed is valid, and its String is parsed as the same.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"1/1", "2/4", "0/4", "5/4", "+1/4", "1/2/3",
		"9223372036854775807/9223372036854775807", "1/99999999999999999999"} {
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
	if n := len(shard.Of(s, items,
		func(item string) string { return item })); n > len(items)/s.Count+1 {
		t.Errorf("%d of %d items are in share %s", n, len(items), s)
	}
}

// checkError fails unless err is a line.
func checkError(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); text == "" || strings.Contains(text, "\n") || len(text) > 1000 {
		t.Errorf("the error is %q: want a line", text)
	}
}
