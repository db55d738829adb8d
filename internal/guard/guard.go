// Package guard calls functions of the library's users: losses, networks, optimizers, candidates,
// callbacks. GoMLX waits for ever for a graph whose function panicked with anything but an error,
// or exited its goroutine. Here both become errors.
package guard

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// An Error is a panic of a function, or its exit of the goroutine.
type Error struct {
	Function string // its name: "the loss"
	Place    string // where it panicked, " at file.go:12", or empty
	Reason   any    // of the panic; nil for an exit
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

// Call calls f in a goroutine of its own and waits for it. It returns the error that f panicked
// with, as functions that build graphs do. Any other panic, one of the runtime, and an exit of the
// goroutine are an *Error with the function's name.
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

// Result is [Call] of a function with a result.
func Result[T any](function string, f func() (T, error)) (result T, err error) {
	if panicked := Call(function, func() { result, err = f() }); panicked != nil {
		return result, panicked
	}
	return result, err
}

// Callback calls f in this goroutine. It panics with an *Error if f panics, for [Catch] in a
// function that has called it. A callback may exit its goroutine, as that of a test does.
func Callback(function string, f func()) {
	defer func() {
		if reason := recover(); reason != nil {
			panic(newError(function, reason))
		}
	}()
	f()
}

// Catch, deferred, sets err to the *Error of a Callback that panicked. Other panics go on.
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
