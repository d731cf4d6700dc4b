package gen

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/sim"
	"github.com/svc-games/svc/engine/gen/spec"
)

// frameworksDir returns the folder of the JavaScript frameworks. A clean clone
// has none before `make build`; in CI that is an error.
func frameworksDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("SVC_FRAMEWORKS")
	if dir == "" {
		dir = filepath.Join("..", "..", "bin", "frameworks")
	}
	for _, name := range []string{"phaser", "pixi", "three"} {
		if _, err := newFrameworks(dir).get(name); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	return dir
}

// standIns are frameworks for tests that look at files and events only.
func standIns() *frameworks {
	f := newFrameworks("")
	for _, name := range []string{"phaser", "pixi", "three"} {
		f.loaded[name] = framework{name: name, version: "0.0.0", script: []byte("window." + name + " = {};\n"), license: []byte("MIT\n")}
	}
	return f
}

// playedGenerator simulates every game, as the real one does.
func playedGenerator() Generator {
	return &embedded{frameworks: standIns(), simulate: simulateAndTune, strangers: sim.Here{}}
}

// quickGenerator passes every game unplayed, for tests of everything else.
func quickGenerator() Generator {
	return &embedded{frameworks: standIns(), simulate: unplayed, strangers: sim.Here{}}
}

func unplayed(ctx context.Context, rep Reporter, _ *spec.Spec, _ effort) ([]string, error) {
	rep.Progress(api.StagePlaytesting, 10, "Playing the game.")
	rep.Event(api.EventPlaytestResult, map[string]any{"ok": true, "tier": "none"})
	return nil, ctx.Err()
}

// recorder is a Reporter that keeps all it is told.
type recorder struct {
	mu     sync.Mutex
	stages []api.Progress
	events []event
}

type event struct {
	Type    string
	Members map[string]any
}

func (r *recorder) Progress(stage api.Stage, percent int, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stages = append(r.stages, api.Progress{Stage: stage, Percent: percent, Message: message})
}

func (r *recorder) Event(eventType string, members map[string]any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, event{eventType, members})
}

func (r *recorder) Built(map[string][]byte) {}

// of returns the events of one type.
func (r *recorder) of(eventType string) []event {
	var out []event
	for _, e := range r.events {
		if e.Type == eventType {
			out = append(out, e)
		}
	}
	return out
}

// project is a workspace that jobs run in, one after the other.
type project struct {
	t    *testing.T
	dir  string
	root *os.Root
	gen  Generator
	id   string
}

func newProject(t *testing.T, g Generator) *project {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return &project{t: t, dir: dir, root: root, gen: g, id: "0123456789abcdef01234567"}
}

func (p *project) run(prompt string) (Result, *recorder) {
	p.t.Helper()
	return p.runWith(Request{Prompt: prompt})
}

func (p *project) runWith(req Request) (Result, *recorder) {
	p.t.Helper()
	rep := &recorder{}
	req.JobID, req.ProjectID, req.Workspace = "job_00000000000000000000000000", p.id, p.root
	result, err := p.gen.Generate(context.Background(), req, rep)
	if err != nil {
		p.t.Fatalf("generating %q: %v", req.Prompt, err)
	}
	return result, rep
}

// files returns the content of every file of the workspace.
func (p *project) files() map[string]string {
	p.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(p.dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(p.dir, path)
		out[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// spec returns the stored GameSpec as plain data.
func (p *project) spec() map[string]any {
	p.t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(p.files()[specFile]), &m); err != nil {
		p.t.Fatal(err)
	}
	return m
}
