package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/sica/experiment"
)

func newMerge() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge --out DIR FILE...",
		Short: "Join the outcomes of a figure's shares",
		Long: `Merge adds the outcomes of files such as cells-1-of-4.jsonl, which figure
--shard wrote, or the cells.jsonl of another folder, to DIR/cells.jsonl, and the
signals that were kept. An outcome that is already there stays as it is, so that
a file that grows can be merged again and again, even while figure writes to it.
Figure then draws what there is.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := require(cmd, "out"); err != nil {
				return err
			}
			from := make([]*experiment.Results, len(files))
			for i, file := range files {
				name, ok := strings.CutSuffix(filepath.Base(file), ".jsonl")
				if !ok {
					return usagef("%s: want a file of outcomes, whose name ends in .jsonl", file)
				}
				var err error
				if from[i], err = experiment.Read(filepath.Dir(file), name); err != nil {
					return err
				}
			}
			store, err := experiment.Open(out, experiment.Cells)
			if err != nil {
				return err
			}
			defer store.Close()
			for i, file := range files {
				added, err := store.Merge(from[i])
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %d outcomes, %d of them new\n", file, len(from[i].Outcomes()), added)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "`DIR` of the joined outcomes, made if need be (required)")
	return cmd
}
