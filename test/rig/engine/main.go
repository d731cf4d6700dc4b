// Command engine is the reference engine with a generator that makes next to
// nothing, and with the ways to misbehave that tests ask for. The engine proxy
// hands an engine no variables, so what it is to do lies in a file in the folder
// of the frameworks.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/peer/cli"
	"github.com/svc-games/svc/test/rig/point"
	"github.com/svc-games/svc/test/rig/script"
)

func main() { cli.Main("engine", run) }

func run(ctx context.Context) error {
	opts, err := engine.ParseOptions(os.Args[1:], os.Getenv, os.Stderr)
	if err != nil {
		return err
	}
	cfg, err := opts.Config()
	if err != nil {
		return err
	}
	e := rigged{volume: opts.Volume, script: filepath.Join(opts.Frameworks, script.File), paint: painter(opts.Egress, cfg.Token)}
	if _, err := e.read(); err != nil {
		return err
	}
	cfg.Generator, cfg.Wrap = e, e.wrap
	return engine.Serve(ctx, cfg)
}

// rigged does what the script says at the moment.
type rigged struct {
	volume, script string
	paint          func(context.Context) error // asks a model for a picture
}

func (e rigged) read() (script.Engine, error) {
	var s script.Engine
	raw, err := os.ReadFile(e.script)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	return s, err
}

// Generate implements gen.Generator.
func (e rigged) Generate(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
	s, err := e.read()
	if err != nil {
		return gen.Result{}, err
	}
	work := s.Work
	if work > 0 {
		work += rand.N(work)
	}
	for done := time.After(work); done != nil; {
		select {
		case <-done:
			done = nil
		case <-ctx.Done():
			return gen.Result{}, ctx.Err()
		}
	}
	for hold := s.Hold; hold != ""; { // the test lets it go
		if _, err := os.Stat(filepath.Join(filepath.Dir(e.script), hold)); err != nil {
			break
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return gen.Result{}, ctx.Err()
		}
	}
	rep.Progress(api.StageWriting, 50, "Writing.")
	if err := req.Workspace.MkdirAll(gen.Deliverable, 0o700); err != nil {
		return gen.Result{}, err
	}
	if err := req.Workspace.WriteFile(gen.Deliverable+"/index.html", []byte("<!doctype html><title>game</title>"), 0o600); err != nil {
		return gen.Result{}, err
	}
	for range s.Pictures {
		if err := e.paint(ctx); err != nil {
			return gen.Result{}, err
		}
	}
	return gen.Result{Summary: "A game.", Changed: true}, nil
}

// wrap refuses, delays, loses and dies around the engine's answers.
func (e rigged) wrap(next http.Handler) http.Handler {
	names := map[string]string{
		"POST /v1/generate":          "accept",
		"POST " + contract.PathFence: "fence",
		"POST " + contract.PathAck:   "ack",
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, named := names[r.Method+" "+r.URL.Path]
		s, err := e.read()
		if err == nil && s.Hostile != "" && strings.Contains(e.volume, s.Hostile) {
			w = corrupt(w, r)
		}
		if err != nil || !named {
			next.ServeHTTP(w, r)
			return
		}
		e.maybeDie(s, "engine before "+name)
		if name == "accept" && rand.Float64() < s.Refuse {
			w.Header().Set(contract.HeaderRefused, "true")
			answers.Unavailable("Refused for the test.", time.Second, nil).WriteTo(w)
			return
		}
		if name == "fence" && s.Deaf || name == "accept" && s.Stall {
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		}
		// The answer is kept back: what it reports has happened already.
		held := httptest.NewRecorder()
		next.ServeHTTP(held, r)
		e.maybeDie(s, "engine after "+name)
		if name == "accept" && held.Code == http.StatusOK {
			time.Sleep(s.Slow) // a slow engine; no test waits for it
			if rand.Float64() < s.Lose {
				panic(http.ErrAbortHandler)
			}
		}
		for k, v := range held.Header() {
			w.Header()[k] = v
		}
		w.WriteHeader(held.Code)
		_, _ = w.Write(held.Body.Bytes()) // a client that left is no failure
	})
}

func (e rigged) maybeDie(s script.Engine, name string) {
	if rand.Float64() < s.Die {
		point.Die(filepath.Join(e.volume, "deaths"), name)
	}
}
