package notebook

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"os/signal"
	"strings"
	"sync"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// Must returns v, or ends the cell with the error in one red line.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Check ends the cell with the error in one red line, if there is one. The program exits
// with status 1, so that running the notebook without a person fails too.
func Check(err error) {
	if err == nil {
		return
	}
	if !gonbui.IsNotebook {
		fmt.Fprintln(os.Stderr, oneLine(err))
	}
	send("", bundle{protocol.MIMETextHTML: redLine(err), protocol.MIMETextPlain: oneLine(err)})
	exit(1)
}

// Tests take its place.
var exit = os.Exit

// oneLine is what the error says, in one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// The colour is that of errors in VS Code's theme or JupyterLab's, light or dark.
func redLine(err error) string {
	return `<div style="color:var(--vscode-errorForeground,var(--jp-error-color1,#d32f2f))">` + html.EscapeString(oneLine(err)) + `</div>`
}

// Context ends when the kernel is interrupted, with the square button or the keys I I:
// what was given it then stops, and a fit returns what it has; see [Kept]. GoNB ends the
// program five seconds later. It is the same one each time, so that what a cell would do
// next doesn't begin.
var Context = sync.OnceValue(func() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt)
	return ctx
})

// Kept is Must for what an interrupt of the kernel may cut short, with [Context]: it then
// says so and returns v, what there is so far. Without any it ends the cell.
func Kept[T any](v *T, err error) *T {
	if v != nil && errors.Is(err, context.Canceled) {
		send("", bundle{protocol.MIMETextMarkdown: "*Interrupted: this is the result so far.*"})
		return v
	}
	return Must(v, err)
}
