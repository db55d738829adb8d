package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/sica/experiment"
)

func newStatements() *cobra.Command {
	var in string
	cmd := &cobra.Command{
		Use:   "statements --in DIR",
		Short: "Say which of the paper's statements hold",
		Long: `Statements prints, as a Markdown page, every statement of the paper's section on
experiments with what the outcomes in DIR/cells.jsonl say to it, the readings of
what the paper leaves open that were compared, and the mean MCCs. Figure makes the outcomes,
merge adds those of other machines; docs/statements.md is this page of
notebooks/results.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := require(cmd, "in"); err != nil {
				return err
			}
			results, err := experiment.Read(in, experiment.Cells)
			if err != nil {
				return err
			}
			return writeStatements(cmd.OutOrStdout(), results)
		},
	}
	cmd.Flags().StringVar(&in, "in", "", "`DIR` of the outcomes (required)")
	return cmd
}

// writeStatements writes the page.
func writeStatements(w io.Writer, results *experiment.Results) error {
	fmt.Fprint(w, `# What the paper says, and what was measured

Printed by "bin/sica statements --in notebooks/results > docs/statements.md".
[The paper's figures](paper.md) says what the readings are. Brackets hold standard
errors, n counts runs; SICA is this project's Default. Where the paper shows means (3b, 3c,
4b, 4c), a method's single run decides nothing; it is among the MCCs below.

## Every statement of the section on experiments

`)
	if err := experiment.WriteStatements(w, results); err != nil {
		return err
	}
	fmt.Fprint(w, `
## Readings of what the paper leaves open

By "bin/sica figure readings": three runs of their own at the fewest and the most mixing
steps (SICA-RF's at the most), and which of the statements hold in them. The first group
decided the step; the others show what else could have.

`)
	if err := experiment.WriteReadings(w, results); err != nil {
		return err
	}
	for _, of := range []struct {
		preset experiment.Preset
		title  string
	}{
		{experiment.PaperPreset, fmt.Sprintf("steps of %g", experiment.PaperStepSize)},
		{experiment.PrintedPreset, "steps of 1, as printed"},
	} {
		fmt.Fprintf(w, "\n## Mean MCC, %s\n", of.title)
		for _, f := range experiment.Figures() {
			fmt.Fprintf(w, "\nFigure %s: %s\n\n", f.Name, f.Title)
			if err := f.WriteTable(w, results, of.preset, experiment.PaperRuns); err != nil {
				return err
			}
		}
	}
	return nil
}
