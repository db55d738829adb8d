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

// exit ends the program. Tests replace it.
var exit = os.Exit

// oneLine returns the text of the error in one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// redLine returns the error as HTML, in the colour of errors of VS Code's theme or JupyterLab's.
func redLine(err error) string {
	const color = "var(--vscode-errorForeground,var(--jp-error-color1,#d32f2f))"
	return `<div style="color:` + color + `">` + html.EscapeString(oneLine(err)) + `</div>`
}

// Context returns a context that ends when the kernel is interrupted, with the square button or the
// keys I I. A fit then returns its result so far; see [Kept]. GoNB ends the program five seconds
// later. Each call returns the same context, so that the rest of the cell doesn't begin.
var Context = sync.OnceValue(func() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt)
	return ctx
})

// Kept is Must for a result that an interrupt of the kernel may cut short, with [Context]. It then
// says so and returns v, the result so far. Without one it ends the cell.
func Kept[T any](v *T, err error) *T {
	if v != nil && errors.Is(err, context.Canceled) {
		send("", bundle{protocol.MIMETextMarkdown: "*Interrupted: this is the result so far.*"})
		return v
	}
	return Must(v, err)
}
