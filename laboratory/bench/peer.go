package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// peer is an implementation in a program of its own, which answers one JSON
// object a line with another (see peers/protocol.py).
type peer struct {
	impl    string
	backend string // as its answer to hello has it
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

type request struct {
	Op      string `json:"op"`
	Case    string `json:"case,omitempty"`
	Impl    string `json:"impl,omitempty"`
	Flow    string `json:"flow,omitempty"`
	D       int    `json:"d,omitempty"`
	T       int    `json:"T,omitempty"`
	Shape   []int  `json:"shape,omitempty"`
	Runs    int    `json:"runs,omitempty"`
	Dir     string `json:"dir,omitempty"`
	Repeats int    `json:"repeats,omitempty"`
}

type reply struct {
	OK      bool      `json:"ok"`
	Error   string    `json:"error"`
	Impls   []string  `json:"impls"`
	Backend string    `json:"backend"`
	Losses  []float64 `json:"losses"`
	Compile float64   `json:"compile_ms"`
	MS      []float64 `json:"ms"`
}

func startPeer(ctx context.Context, line, impl, backend string) (*peer, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, errors.New("a peer's command line is empty")
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	p := &peer{impl: impl, backend: backend, cmd: cmd}
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %q: %w", line, err)
	}
	return p, nil
}

// greet asks a peer program for its implementations and its backend.
func greet(ctx context.Context, line string) (impls []string, backend string, err error) {
	p, err := startPeer(ctx, line, "", "")
	if err != nil {
		return nil, "", err
	}
	hello, err := p.ask(request{Op: "hello"})
	if err == nil && hello.Backend == "" {
		err = fmt.Errorf("%q names no backend; must answer hello with one", line)
	}
	return hello.Impls, hello.Backend, errors.Join(err, p.close())
}

// ask returns the answer to a request. It is an error if the answer is one.
func (p *peer) ask(r request) (reply, error) {
	var answer reply
	line, err := json.Marshal(r)
	if err != nil {
		return answer, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return answer, fmt.Errorf("%s doesn't listen: %w", p.impl, err)
	}
	line, err = p.out.ReadBytes('\n')
	if err != nil {
		return answer, fmt.Errorf("%s doesn't answer: %w", p.impl, err)
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return answer, fmt.Errorf("%s answers %q: %w", p.impl, line, err)
	}
	if !answer.OK {
		return answer, fmt.Errorf("%s: %s", p.impl, answer.Error)
	}
	return answer, nil
}

func (p *peer) name() (impl, backend string) { return p.impl, p.backend }

// supports excludes the cases that a peer doesn't have, and those that would take it minutes:
// torch_compile compiles each problem for up to two minutes, and a step of jax_scan takes seconds,
// as XLA's convolutions are slow inside a loop on the CPU.
func (p *peer) supports(q problem) bool {
	few := q.d == 2 && q.runs == 1 && q.positions() <= 1024
	switch p.impl {
	case "torch_eager":
		return q.kind != fastFit || q.runs == 1
	case "torch_compile":
		return q.kind != fastFit && few
	case "jax_scan":
		return (q.kind == rfTrainStep || q.kind == refine) && few && len(q.shape) == 1
	}
	return q.kind != fastFit
}

func (p *peer) prepare(
	_ context.Context, q problem, _ map[string]array, folder string,
) ([]float64, float64, error) {
	answer, err := p.ask(request{
		Op: "prepare", Case: q.kind, Impl: p.impl, Flow: string(q.settings().Kind),
		D: q.d, T: q.positions(), Shape: q.shape, Runs: q.runs, Dir: folder,
	})
	return answer.Losses, answer.Compile, err
}

func (p *peer) time(context.Context) (float64, error) {
	answer, err := p.ask(request{Op: "time", Repeats: 1})
	if err != nil {
		return 0, err
	}
	if len(answer.MS) != 1 {
		return 0, fmt.Errorf("%s answers %d times; must be 1", p.impl, len(answer.MS))
	}
	return answer.MS[0], nil
}

func (p *peer) release() { _, _ = p.ask(request{Op: "drop"}) }

func (p *peer) close() error {
	_, err := p.ask(request{Op: "quit"})
	return errors.Join(err, p.in.Close(), p.cmd.Wait())
}
