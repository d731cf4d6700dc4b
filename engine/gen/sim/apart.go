package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/spec"
)

// maxData is how much memory a process may have that simulates a game. One
// statement can ask for any amount, and a machine that gets none ends the
// process that it is in.
const maxData = 512 << 20

// maxAnswer bounds what is read of such a process, in bytes.
const maxAnswer = 1 << 20

// maxCompile is how much time a processor may spend on compiling sources, in
// seconds. The usual ones take a tenth of one. How busy the machine is does not
// count. Tests have less patience.
var maxCompile uint64 = 10

// A Judge judges the sources of a game as they are. Its errors are ctx's, or say
// why they can't be compiled or simulated.
type Judge interface {
	// Simulate plays them.
	Simulate(ctx context.Context, s spec.Spec, files compile.Files, seeds []uint32) (Verdict, error)
	// Compile returns what is wrong with each of them on its own. With an entry
	// they are bundled as well. It fails where the compiler comes to no end.
	Compile(ctx context.Context, files compile.Files, entry string) ([]build.Problem, error)
	// Replay plays runs of a game again that were played, as its page reported them. It
	// fails where the game can't be bundled, or takes too much memory.
	Replay(ctx context.Context, files compile.Files, runs []contract.Replay) ([]contract.ReplayEnding, error)
}

// Here is the Judge within this process, for sources that no stranger wrote.
type Here struct{}

// Simulate implements Judge.
func (Here) Simulate(ctx context.Context, s spec.Spec, files compile.Files, seeds []uint32) (Verdict, error) {
	game, err := LoadFiles(ctx, s, files)
	if err != nil {
		return Verdict{}, err
	}
	return game.Judge(ctx, s.Play, seeds)
}

// Compile implements Judge.
func (Here) Compile(ctx context.Context, files compile.Files, entry string) ([]build.Problem, error) {
	var problems []build.Problem
	for _, name := range files.Names() {
		problems = append(problems, build.Syntax(name, string(files[name]))...)
	}
	if entry == "" || len(problems) > 0 {
		return problems, ctx.Err()
	}
	out, err := build.Bundle(ctx, build.Options{Read: files.Read, Entry: entry, Target: build.Game})
	var broken *build.Error
	if errors.As(err, &broken) {
		return broken.Problems, nil
	}
	return out.Problems, err
}

// task is what Apart hands to Main: sources to simulate, of which to play runs again
// or, without seeds and runs, to compile.
type task struct {
	Spec  spec.Spec         `json:"spec"`
	Files compile.Files     `json:"files"`
	Seeds []uint32          `json:"seeds,omitempty"`
	Runs  []contract.Replay `json:"runs,omitempty"`
	Entry string            `json:"entry,omitempty"`
}

// answer is what comes back.
type answer struct {
	Verdict  Verdict                 `json:"verdict"`
	Problems []build.Problem         `json:"problems,omitempty"`
	Endings  []contract.ReplayEnding `json:"endings,omitempty"`
	Failed   string                  `json:"failed,omitempty"`
}

// Apart returns a Judge that has a command run Main, in a process of its own for
// each game: what takes too much memory, or hangs where nothing can interrupt
// it, ends with that process.
func Apart(command []string) Judge { return elsewhere(command) }

type elsewhere []string

// Simulate implements Judge.
func (e elsewhere) Simulate(ctx context.Context, s spec.Spec, files compile.Files, seeds []uint32) (Verdict, error) {
	a, err := e.ask(ctx, task{Spec: s, Files: files, Seeds: seeds})
	return a.Verdict, err
}

// Compile implements Judge.
func (e elsewhere) Compile(ctx context.Context, files compile.Files, entry string) ([]build.Problem, error) {
	a, err := e.ask(ctx, task{Files: files, Entry: entry})
	return a.Problems, err
}

func (e elsewhere) ask(ctx context.Context, t task) (a answer, err error) {
	order, err := json.Marshal(t)
	if err != nil {
		return a, fmt.Errorf("encoding the sources: %w", err)
	}
	out, err := runApart(ctx, e, order)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(out, &a); err != nil {
		return a, fmt.Errorf("reading the verdict: %w", err)
	}
	if a.Failed != "" {
		return a, errors.New(a.Failed)
	}
	return a, nil
}

// runApart runs a command with an empty environment and returns what it writes.
func runApart(ctx context.Context, command []string, order []byte) ([]byte, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = []string{}
	cmd.WaitDelay = time.Second
	out, said := bounded{max: maxAnswer}, bounded{max: 4 << 10}
	cmd.Stdout, cmd.Stderr = &out, &said
	// It stays open until the end: Main ends with whoever holds the other end.
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the simulation: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the simulation: %w", err)
	}
	go func() { _, _ = in.Write(order) }() // a process that doesn't read it has failed, and Wait says how
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && (bytes.Contains(said.Bytes(), []byte("out of memory")) || bytes.Contains(said.Bytes(), []byte("stack overflow"))):
		return nil, errTooLarge
	case killed(cmd.ProcessState):
		return nil, errKilled
	case err != nil:
		return nil, fmt.Errorf("the simulation broke off: %w", err)
	}
	return out.Bytes(), nil
}

// errKilled is what is known of a process that the system ended.
var errKilled = errors.New("the sources take too much time or memory")

// killed tells whether a process was ended by the system: no one else ends it
// while its context lasts.
func killed(p *os.ProcessState) bool {
	status, ok := p.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// bounded keeps the first max bytes that are written to it.
type bounded struct {
	bytes.Buffer
	max int
}

func (b *bounded) Write(p []byte) (int, error) {
	_, _ = b.Buffer.Write(p[:min(len(p), b.max-b.Len())])
	return len(p), nil
}

// Main reads a game on the standard input, writes its verdict to the standard
// output and ends the process. See Apart.
func Main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "simulate: "+err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

func serve(in io.Reader, out io.Writer) error {
	if err := bound(syscall.RLIMIT_DATA, maxData); err != nil {
		return fmt.Errorf("bounding the memory: %w", err)
	}
	// Where the machine's memory or a container's runs out first, this process is
	// the one to go; what may not say so shares the risk.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	var t task
	decoder := json.NewDecoder(in)
	if err := decoder.Decode(&t); err != nil {
		return fmt.Errorf("reading the game: %w", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, in) // until no one waits for the verdict
		os.Exit(1)
	}()
	a, err := t.do()
	if err != nil {
		a = answer{Failed: err.Error()}
	}
	return json.NewEncoder(out).Encode(a)
}

func (t task) do() (a answer, err error) {
	if len(t.Seeds) > 0 {
		a.Verdict, err = Here{}.Simulate(context.Background(), t.Spec, t.Files, t.Seeds)
		return a, err
	}
	if len(t.Runs) > 0 {
		a.Endings, err = Here{}.Replay(context.Background(), t.Files, t.Runs)
		return a, err
	}
	if err := bound(syscall.RLIMIT_CPU, maxCompile); err != nil {
		return a, fmt.Errorf("bounding the time: %w", err)
	}
	a.Problems, err = Here{}.Compile(context.Background(), t.Files, t.Entry)
	return a, err
}

// bound limits what this process may use, for good.
func bound(resource int, most uint64) error {
	return syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most})
}

var _, _ Judge = Here{}, elsewhere(nil)
