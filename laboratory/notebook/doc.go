// Package notebook has what the cells of this project's notebooks share, for the Go kernel GoNB.
// It is for package main, as it ends the program: a library returns errors.
//
// Start with [Must], [Show] and [Context]:
//
//		result := notebook.Kept(sica.Fit(notebook.Context(), x, cfg))
//		notebook.Show(plot.Scatter(0, 1, plot.Group{Method: plot.Default, Signals: result.Z}))
//
//	  - [Must], [Check] and [Kept] end a cell with one red line in place of a stack.
//	  - [Show], [Markdown], [Table] and [Play] show a picture, text, a table and a sound below the
//	    cell, and [Slider] pictures to go through.
//	  - [Bar] shows the progress of a computation, and [Live] the signals of a fit while it runs.
//	  - [Context] ends when the kernel is interrupted, so that a fit returns its result so far.
//
// The output needs neither a server nor the network, and stays in the saved notebook. Outside a
// notebook the cells' code runs too: text is printed, and the rest left out.
//
// Reference: GoNB, https://github.com/janpfeifer/gonb.
package notebook
