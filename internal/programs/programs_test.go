package programs

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
)

// closed is a backend that was finalized.
type closed struct{ compute.Backend }

func (closed) IsFinalized() bool { return true }

func TestPool(t *testing.T) {
	var freed []string
	p := NewPool(func(name string) { freed = append(freed, name) })
	b := gobackend.GetBackend()
	key := func(spec string) Key { return Key{b, spec} }
	take := func(k Key, want string) {
		t.Helper()
		if got, ok := p.Take(k); got != want || ok != (want != "") {
			t.Errorf("took %q, %v, want %q", got, ok, want)
		}
	}
	take(key("a"), "")
	p.Put(key("a"), "1")
	p.Put(key("b"), "2")
	p.Put(key("a"), "3")
	take(key("c"), "")
	take(key("a"), "3") // the last one first: it is the likelier to be in a cache
	take(key("a"), "1")
	take(key("a"), "")
	take(key("b"), "2")
	if freed != nil {
		t.Errorf("freed %q, which are their takers'", freed)
	}
	for i := range most + 2 {
		p.Put(key(fmt.Sprint(i)), fmt.Sprint(i))
	}
	if !slices.Equal(freed, []string{"0", "1"}) {
		t.Errorf("freed %q, want the two that were put there first", freed)
	}
	take(key("0"), "")
	take(key("2"), "2")

	p.Put(Key{closed{b}, "3"}, "of a finalized backend")
	take(Key{closed{b}, "3"}, "")
	if len(freed) != 2 {
		t.Errorf("freed %q: a program of a finalized backend can't be freed any more", freed)
	}
	take(key("3"), "3")
}
