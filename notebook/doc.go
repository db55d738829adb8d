// Package notebook is what the cells of this project's notebooks share, for the Go
// kernel GoNB:
//
//   - [Must], [Check] and [Kept] end a cell with one red line in place of a stack.
//   - [Show], [Markdown], [Table] and [Play] put a picture, text, a table and a sound
//     below the cell, and [Slider] pictures to go through.
//   - [Bar] says how far a computation is, and [Live] redraws its signals while it runs.
//   - [Context] ends when the kernel is interrupted, so that a fit keeps what it has.
//
// What is shown needs neither a server nor the network, and stays in the saved notebook.
// Outside a notebook the cells' code runs too: text is printed, and the rest left out.
//
// It is for package main, as it ends the program: a library returns errors.
package notebook
