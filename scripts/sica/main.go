// Command sica separates mixed signals: it generates the paper's examples,
// recovers the sources of a file of mixed signals, and scores what was
// recovered against the truth. Run it with --help.
//
// It exits with 0 if all went well, 1 if something failed, 2 if it was called
// wrongly, 3 if numbers stopped being finite and 130 if it was interrupted.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the work in good order, the second at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
