// Command paper makes the figures of SICA's paper (S. Liu, arXiv:2512.00665), and says which of its
// statements hold:
//
//	go run ./laboratory/paper figure 3b --preset paper --out DIR
//	go run ./laboratory/paper statements --in DIR
//
// An outcome is kept as soon as it is made: run again, the command makes only what is missing.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "paper:", err)
		os.Exit(1)
	}
}

// run executes the command line.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	root := &cobra.Command{
		Use: "paper", Short: "Make the paper's figures", SilenceErrors: true, SilenceUsage: true,
	}
	root.AddCommand(newFigure(), newStatements())
	root.SetArgs(args)
	root.SetOut(stdout)
	return root.ExecuteContext(ctx)
}

// require marks a flag without which a command isn't called correctly.
func require(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagRequired(flag); err != nil {
		panic(err) // there is no such flag
	}
}
