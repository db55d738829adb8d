// Package guard calls functions of the library's users: losses, networks, optimizers, candidates,
// callbacks. GoMLX hangs if a graph function panics with anything but an error, or exits its
// goroutine. Here both become errors.
package guard

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// An Error says that a function panicked or exited its goroutine.
type Error struct {
	Function string // name of the function: "the loss"
	Place    string // where it panicked, " at file.go:12", or empty
	Reason   any    // value of the panic; nil for an exit
}

func (e *Error) Error() string {
	if e.Reason == nil {
		return e.Function + " exited its goroutine (runtime.Goexit); must return"
	}
	return fmt.Sprintf("%s panicked%s: %v", e.Function, e.Place, e.Reason)
}

// Unwrap returns the error that the function panicked with, if it is one.
func (e *Error) Unwrap() error {
	err, _ := e.Reason.(error)
	return err
}

// Call calls f in a separate goroutine and waits for it. If f panics with an error, as graph
// functions do, Call returns it. Any other panic, a runtime error, and an exit of the goroutine
// become an *Error with the name function.
func Call(function string, f func()) error {
	ended := make(chan error)
	go func() {
		var err error = &Error{Function: function}
		defer func() {
			switch reason := recover().(type) {
			case nil:
			case runtime.Error:
				err = newError(function, reason)
			case error:
				err = reason
			default:
				err = newError(function, reason)
			}
			ended <- err
		}()
		f()
		err = nil
	}()
	return <-ended
}

// Result is [Call] for a function with a result.
func Result[T any](function string, f func() (T, error)) (result T, err error) {
	if panicked := Call(function, func() { result, err = f() }); panicked != nil {
		return result, panicked
	}
	return result, err
}

// Callback calls f in this goroutine. If f panics, Callback panics with an *Error, for [Catch] in a
// caller. A callback may exit the goroutine, as in a test.
func Callback(function string, f func()) {
	defer func() {
		if reason := recover(); reason != nil {
			panic(newError(function, reason))
		}
	}()
	f()
}

// Catch, deferred, sets err to the *Error of a Callback that panicked. Other panics continue.
func Catch(err *error) {
	switch reason := recover().(type) {
	case nil:
	case *Error:
		*err = reason
	default:
		panic(reason)
	}
}

// newError returns the error for a panic that is being recovered from.
func newError(function string, reason any) *Error {
	if e, ok := reason.(*Error); ok { // of a function that this one called
		return e
	}
	return &Error{Function: function, Place: place(), Reason: reason}
}

// place returns where the running panic began, as Error.Place.
func place() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	panicking := false
	for {
		frame, more := frames.Next()
		if panicking && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf(" at %s:%d", filepath.Base(frame.File), frame.Line)
		}
		panicking = panicking || frame.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}
