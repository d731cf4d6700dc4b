package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/dop251/goja"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/kit"
)

// Modules that stand before a game's own where its runs are played again.
const (
	replayEntry = "svc-replay-entry.js"
	replayFirst = "svc-replay.js"
)

// Replay implements Judge, in this process.
func (Here) Replay(ctx context.Context, files compile.Files, runs []contract.Replay) ([]contract.ReplayEnding, error) {
	first, err := kit.Source("sim/replay.js")
	if err != nil {
		return nil, err
	}
	// Not for older browsers: that would call Math.pow in place of a square.
	out, err := build.Bundle(ctx, build.Options{Entry: replayEntry, Target: build.Game, Read: func(name string) ([]byte, error) {
		switch {
		case name == replayEntry:
			return fmt.Appendf(nil, "import './%s';\nimport './%s';\n", replayFirst, compile.Entry), nil
		case name == replayFirst:
			return first, nil
		case !fs.ValidPath(name):
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
		case strings.HasPrefix(name, compile.AssetsFolder+"/"):
			return nil, nil // nobody sees or hears it
		}
		return files.Read(name)
	}})
	if err != nil {
		return nil, fmt.Errorf("bundling the game: %w", err)
	}
	program, err := goja.Compile("game.js", string(out.Script), false)
	if err != nil {
		return nil, fmt.Errorf("compiling the game: %w", err)
	}
	endings := make([]contract.ReplayEnding, len(runs))
	unchanged := files.Unchanged()
	for i, run := range runs {
		if endings[i], err = replay(ctx, program, run); err != nil {
			return nil, err
		}
		endings[i].Sure = unchanged
	}
	return endings, nil
}

// replay plays one run again, in a machine of its own. Its error is ctx's, or that it
// takes too much memory.
func replay(ctx context.Context, program *goja.Program, run contract.Replay) (e contract.ReplayEnding, err error) {
	known := struct {
		Run   int64             `json:"run"`
		Steps int64             `json:"steps"`
		Given map[string]string `json:"given"`
	}{run.Run, run.Steps, run.Given}
	if known.Given == nil {
		known.Given = map[string]string{}
	}
	text, err := json.Marshal(known)
	if err != nil {
		return e, fmt.Errorf("encoding what is known of a run: %w", err)
	}
	m := empty()
	err = m.run(ctx, func() error {
		if err := errors.Join(m.vm.Set("svcRun", run.Log), m.vm.Set("svcKnown", string(text))); err != nil {
			return err
		}
		if _, err := m.vm.RunProgram(program); err != nil {
			return ended(ctx, err)
		}
		play, ok := goja.AssertFunction(m.vm.Get("svcPlay"))
		if !ok {
			return errors.New("the game can't be played without a page")
		}
		said, err := play(goja.Undefined())
		if err != nil {
			return ended(ctx, err)
		}
		var came struct { // the rest is not the game's to say
			Over    bool    `json:"over"`
			Outcome string  `json:"outcome"`
			Score   float64 `json:"score"`
			Steps   int64   `json:"steps"`
			Foreign string  `json:"foreign"`
			Failed  string  `json:"failed"`
		}
		err = json.Unmarshal([]byte(said.String()), &came)
		e = contract.ReplayEnding{
			Over: came.Over, Score: came.Score, Steps: came.Steps,
			Outcome: Brief(came.Outcome), Foreign: Brief(came.Foreign), Failed: Brief(came.Failed),
		}
		return err
	})
	if err != nil && ctx.Err() == nil && !errors.Is(err, errTooLarge) {
		return contract.ReplayEnding{Failed: Brief(err.Error())}, nil
	}
	return e, err
}

// maxSaid bounds what a game can have said of it, in bytes.
const maxSaid = 200

// Brief cuts what a game said, or is said of it, to what may go on.
func Brief(said string) string { return said[:min(len(said), maxSaid)] }

// Replay implements Judge.
func (e elsewhere) Replay(ctx context.Context, files compile.Files, runs []contract.Replay) ([]contract.ReplayEnding, error) {
	a, err := e.ask(ctx, task{Files: files, Runs: runs})
	if err == nil && len(a.Endings) != len(runs) {
		err = errors.New("the simulation has not played all runs")
	}
	return a.Endings, err
}
