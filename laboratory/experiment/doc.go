// Package experiment measures how well methods separate: the experiments of SICA's paper
// (S. Liu, arXiv:2512.00665) and this project's own tables.
//
// The names to know are Figure, Table and Trial. A Figure or a Table is a list of trials and
// what is shown of their outcomes. A Trial is one seeded separation: a Problem, a Method and
// the preset of its settings. Run makes the trials that a Store lacks and writes each outcome
// to it at once, so that a killed run loses nothing but the trials under way:
//
//	figure, err := experiment.FigureNamed("3b")
//	store, err := experiment.Open("results", experiment.OutcomesFile)
//	plan := experiment.Plan{Trials: figure.Trials(methods.Paper, 20), Jobs: 1}
//	err = experiment.Run(ctx, backend, store, plan)
//	err = figure.WriteTable(os.Stdout, store.Results, methods.Paper, 20)
//
// The methods are those of package methods. What the paper says of each figure, how that is
// tested and why a statement doesn't hold is in statements.json; ways to interpret what the paper
// leaves open are in interpretations.json.
package experiment
