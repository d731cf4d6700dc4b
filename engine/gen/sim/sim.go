// Package sim plays a game's mechanic without a browser: a few seeds, several
// ways of tapping, thousands of steps a second. What it measures decides
// whether a game is one: skill must pay, and doing nothing must not.
package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/dop251/goja"

	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Policies are the ways of tapping, the skilled one last.
var Policies = []string{"idle", "hold", "mash", "periodic", Skilled}

// Skilled is the policy that does what an attentive player would.
const Skilled = "skilled"

// Trial is one run under one policy.
type Trial struct {
	Policy   string  `json:"policy"`
	Seed     uint32  `json:"seed"`
	Score    float64 `json:"score"`
	Seconds  float64 `json:"seconds"`
	Outcome  string  `json:"outcome"` // win, lose, or "" when cut off
	Level    int     `json:"level"`   // that it came to
	Entities int     `json:"entities"`
	Bad      string  `json:"bad"` // path of a number that is none
}

// Game is a mechanic that can be simulated. It is for one goroutine.
type Game struct {
	program  *goja.Program
	own      compile.Own
	turns    bool
	machines []*machine // made when they are needed
}

// machine is one JavaScript machine with the mechanic in it.
type machine struct {
	vm    *goja.Runtime
	parse goja.Callable // JSON.parse
	trial goja.Callable
	first goja.Callable
}

// Load bundles a game's mechanic, with its field, and the simulator.
func Load(ctx context.Context, s spec.Spec) (*Game, error) {
	return bundle(ctx, s, ours(compile.Field(s)), counted)
}

// ours reads the kit's sources, with the field of a game.
func ours(field []byte) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if name == "core/field.js" {
			return field, nil
		}
		return kit.Source(name)
	}
}

// loops finds those over a list, as the compiler prints them.
var loops = regexp.MustCompile(`for \((?:const|let) (\w+) of ((?:[^()\n]|\([^()\n]*\))+)\) `)

// counted makes loops over lists count: a run takes goja a third less. It is for the
// kit's own scripts, which loop over nothing that is endless.
func counted(script []byte) []byte {
	counting := loops.ReplaceAll(script, []byte(`for (let $$list = listed($2), $$i = 0, $1; $$i < $$list.length && ($1 = $$list[$$i], true); $$i++) `))
	return append([]byte("const listed = (l) => Array.isArray(l) ? l : Array.from(l);\n"), counting...)
}

// asIs leaves a script alone.
func asIs(script []byte) []byte { return script }

// LoadFiles is Load for the sources of a game as they are, which someone may
// have changed. They are not trusted: see maxHeap.
func LoadFiles(ctx context.Context, s spec.Spec, files compile.Files) (*Game, error) {
	return bundle(ctx, s, func(name string) ([]byte, error) {
		if strings.HasPrefix(name, "sim/") || strings.HasPrefix(name, "players/") {
			return kit.Source(name)
		}
		if own, there := files[name]; there && name == compile.PlayerFile { // its imports are of src/, which is the root here
			return bytes.ReplaceAll(own, []byte("'../src/"), []byte("'../")), nil
		}
		return files.Read(path.Join("src", name))
	}, asIs)
}

func bundle(ctx context.Context, s spec.Spec, read func(name string) ([]byte, error), finish func(script []byte) []byte) (*Game, error) {
	const entry = "sim-entry.js"
	main := fmt.Sprintf(`import * as mechanic from './mechanics/%s.js';
%s
import * as sim from './sim/sim.js';
export const trial = (...rest) => sim.trial(mechanic, player, ...rest);
export const first = (...rest) => sim.first(mechanic, ...rest);
`, s.Mechanic, importPlayer(s.Mechanic, read))
	out, err := build.Bundle(ctx, build.Options{
		Entry: entry, GlobalName: "sim", Target: build.Sim,
		Read: func(name string) ([]byte, error) {
			if name == entry {
				return []byte(main), nil
			}
			if !fs.ValidPath(name) {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
			}
			return read(name)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("bundling the simulation: %w", err)
	}
	program, err := goja.Compile("sim.js", string(finish(out.Script))+"\n;this.sim = sim;", false)
	if err != nil {
		return nil, fmt.Errorf("compiling the simulation: %w", err)
	}
	g := &Game{program: program, own: compile.OwnOf(s), turns: catalog.Mechanics[s.Mechanic].Turns}
	_, err = g.machine(ctx, 0)
	return g, err
}

// machine returns the machine of this number.
func (g *Game) machine(ctx context.Context, n int) (*machine, error) {
	for len(g.machines) <= n {
		m, err := newMachine(ctx, g.program)
		if err != nil {
			return nil, err
		}
		g.machines = append(g.machines, m)
	}
	return g.machines[n], nil
}

func newMachine(ctx context.Context, program *goja.Program) (*machine, error) {
	m := empty()
	return m, m.run(ctx, func() error {
		if _, err := m.vm.RunProgram(program); err != nil {
			return fmt.Errorf("loading the simulation: %w", ended(ctx, err))
		}
		exports := m.vm.Get("sim").ToObject(m.vm)
		var ok bool
		if m.trial, ok = goja.AssertFunction(exports.Get("trial")); !ok {
			return errors.New("loading the simulation: it has no trial")
		}
		if m.first, ok = goja.AssertFunction(exports.Get("first")); !ok {
			return errors.New("loading the simulation: it has no first")
		}
		return nil
	})
}

// empty returns a machine without a game, which could put something else in the
// place of JSON.parse.
func empty() *machine {
	vm := goja.New()
	parse, _ := goja.AssertFunction(vm.Get("JSON").ToObject(vm).Get("parse")) // it is one
	return &machine{vm: vm, parse: parse}
}

// Play plays one run of at most seconds. It returns soon after ctx ends.
func (g *Game) Play(ctx context.Context, play spec.Play, seed uint32, policy string, seconds int) (Trial, error) {
	m, err := g.machine(ctx, 0)
	if err != nil {
		return Trial{}, err
	}
	return m.play(ctx, g.config(play), seed, policy, seconds)
}

// config is what a mechanic is created with.
type config struct {
	spec.Play
	compile.Own
}

func (g *Game) config(play spec.Play) config { return config{play, g.own} }

func (m *machine) play(ctx context.Context, cfg config, seed uint32, policy string, seconds int) (Trial, error) {
	var t Trial
	err := m.run(ctx, func() error {
		settings, err := m.value(cfg)
		if err != nil {
			return err
		}
		v, err := m.trial(goja.Undefined(), settings, m.vm.ToValue(seed), m.vm.ToValue(policy), m.vm.ToValue(seconds*60))
		if err != nil {
			return fmt.Errorf("playing %s: %w", policy, ended(ctx, err))
		}
		data, err := json.Marshal(v.Export())
		if err == nil {
			err = json.Unmarshal(data, &t)
		}
		if err != nil {
			return fmt.Errorf("reading the result of %s: %w", policy, err)
		}
		return nil
	})
	return t, err
}

// First returns the state in which a new run starts, as text.
func (g *Game) First(ctx context.Context, play spec.Play, seed uint32) (string, error) {
	m, err := g.machine(ctx, 0)
	if err != nil {
		return "", err
	}
	var state string
	err = m.run(ctx, func() error {
		settings, err := m.value(g.config(play))
		if err != nil {
			return err
		}
		v, err := m.first(goja.Undefined(), settings, m.vm.ToValue(seed))
		if err != nil {
			return fmt.Errorf("making a state: %w", ended(ctx, err))
		}
		state = v.String()
		return nil
	})
	return state, err
}

// value hands a Go struct to JavaScript as a plain object under its JSON
// names. A wrapped Go map would do too, but in no fixed order.
func (m *machine) value(v any) (goja.Value, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding settings: %w", err)
	}
	return m.parse(goja.Undefined(), m.vm.ToValue(string(data)))
}
