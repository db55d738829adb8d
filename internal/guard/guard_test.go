package guard

import (
	"errors"
	"regexp"
	"runtime"
	"sync"
	"testing"
)

var errOwn = errors.New("own")

// The error of a function says its name, what stopped it and where. Call returns an error that the
// function panicked with as it is.
func TestHowFunctionsEnd(t *testing.T) {
	const at = `^f panicked at guard_test\.go:\d+: `
	const nested = `^g panicked at guard_test\.go:\d+: mine$`
	var pointer *int
	for name, test := range map[string]struct {
		f              func()
		call, callback string // patterns of the errors
		wraps          error
	}{
		"return":      {func() {}, "", "", nil},
		"string":      {func() { panic("mine") }, at + "mine$", at + "mine$", nil},
		"error":       {func() { panic(errOwn) }, "^own$", at + "own$", errOwn},
		"nil":         {func() { panic(nil) }, at + "panic called", at + "panic called", nil},
		"nil pointer": {func() { *pointer = 1 }, at + "runtime error", at + "runtime error", nil},
		"nested":      {func() { Callback("g", func() { panic("mine") }) }, nested, nested, nil},
		"nested call": {func() { panic(Call("g", func() { panic("mine") })) }, nested, nested, nil},
	} {
		catched := func() (err error) {
			defer Catch(&err)
			Callback("f", test.f)
			return nil
		}
		for i, err := range []error{Call("f", test.f), catched()} {
			pattern := []string{test.call, test.callback}[i]
			switch {
			case pattern == "" && err != nil,
				pattern != "" && (err == nil || !regexp.MustCompile(pattern).MatchString(err.Error())):
				t.Errorf("%s: %v, want %s", name, err, pattern)
			case test.wraps != nil && !errors.Is(err, test.wraps):
				t.Errorf("%s: %v doesn't wrap it", name, err)
			}
		}
	}
	if v, err := Result("f", func() (int, error) { return 7, errOwn }); v != 7 || err != errOwn {
		t.Errorf("%d, %v", v, err)
	}
}

// An exit of the goroutine is an error of Call, and goes through Callback and Catch.
func TestExit(t *testing.T) {
	err := Call("f", runtime.Goexit)
	if err == nil || err.Error() != "f exited its goroutine (runtime.Goexit); must return" {
		t.Error(err)
	}
	returned := false
	var wait sync.WaitGroup
	wait.Go(func() {
		var err error
		defer Catch(&err)
		Callback("f", runtime.Goexit)
		returned = true
	})
	wait.Wait()
	if returned {
		t.Error("the goroutine goes on")
	}
}

// Catch lets panics through that aren't of a Callback.
func TestCatchOnlyCallbacks(t *testing.T) {
	defer func() {
		if got := recover(); got != "ours" {
			t.Errorf("%v", got)
		}
	}()
	func() (err error) {
		defer Catch(&err)
		panic("ours")
	}()
}
