package puppets

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/audit"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/test/long"
)

var chromium = playtest.NewPool("")

func TestMain(m *testing.M) {
	code := m.Run()
	chromium.Close()
	os.Exit(code)
}

func all(t *testing.T) []Puppet {
	t.Helper()
	list, err := All()
	if err != nil || len(list) != 8 {
		t.Fatalf("%d puppets: %v", len(list), err)
	}
	return list
}

func named(t *testing.T, name string) Puppet {
	t.Helper()
	list := all(t)
	i := slices.IndexFunc(list, func(p Puppet) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("there is no puppet %s", name)
	}
	return list[i]
}

// built returns the files with their bundle and the framework of their renderer.
func built(t *testing.T, files map[string][]byte, renderer string) (map[string][]byte, error) {
	t.Helper()
	files = maps.Clone(files)
	out, err := build.Bundle(t.Context(), build.Options{Entry: "src/main.js", Read: func(name string) ([]byte, error) {
		data, ok := files[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return data, nil
	}})
	if err != nil {
		return nil, err
	}
	files["game.js"] = out.Script
	if renderer == "canvas" {
		return files, nil
	}
	script, err := os.ReadFile(filepath.Join(frameworks(), renderer, renderer+".min.js"))
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	files["lib/"+renderer+".min.js"] = script
	return files, err
}

func frameworks() string {
	if dir := os.Getenv("SVC_FRAMEWORKS"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "bin", "frameworks")
}

// verdict is what audit and judge say of a game, rules first.
func verdict(t *testing.T, p Puppet, files map[string][]byte, seed uint32) (blocking, other []string) {
	t.Helper()
	files, err := built(t, files, p.Start.Renderer)
	if err != nil {
		return []string{err.Error()}, nil
	}
	for _, f := range audit.Check(compile.Files(files), audit.Limits{Bytes: audit.MaxLong}) {
		if f.Severity == audit.Block {
			blocking = append(blocking, f.Rule+" "+f.Message)
		}
	}
	if len(blocking) > 0 {
		return blocking, nil
	}
	b, release, err := chromium.Get()
	if errors.Is(err, playtest.ErrNoBrowser) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer release(false)
	r, err := b.Play(t.Context(), playtest.Game{Files: files, Width: p.Size.W, Height: p.Size.H, Limit: 60, Shots: true, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v: score %v, blind %v, ratio %.2f", r.Took, r.Score, r.Blind, r.SkillRatio)
	if dir := os.Getenv("SVC_SHOTS"); dir != "" {
		for _, shot := range r.Shots {
			_ = os.WriteFile(filepath.Join(dir, p.Name+"-"+shot.Moment+".jpg"), shot.JPEG, 0o644)
		}
	}
	for _, c := range r.Failed(false) {
		if c.Rule == "P04" || strings.HasPrefix(c.Note, "a frame takes") { // that is the machine's speed
			continue
		}
		if p.Start.Kind == "puzzle" && strings.HasPrefix(c.Note, "skill hardly pays") { // a remark on puzzles: blind play may be lucky under a seed
			continue
		}
		if c.Blocking {
			blocking = append(blocking, c.Rule+" "+c.Note)
		} else {
			other = append(other, c.Rule+" "+c.Note)
		}
	}
	return blocking, other
}

// The short run judges one of eight under one seed, the long one all under three.
func TestPuppetsGamesPassTheJudgeUnderEverySeed(t *testing.T) {
	for _, p := range all(t) {
		t.Run(p.Name, func(t *testing.T) {
			checks := 0
			for name, data := range p.Files {
				if lines := strings.Count(string(data), "\n"); lines > 200 && filepath.Ext(name) == ".js" {
					t.Errorf("%s has %d lines", name, lines)
				}
				if strings.HasPrefix(name, "checks/") {
					checks++
				}
			}
			if checks < 3 {
				t.Errorf("it has %d checks", checks)
			}
			seeds := []uint32{1, 2, 3}
			switch {
			case long.Asked():
			case p.Name == "snake" || p.Name == os.Getenv("SVC_PUPPET"):
				seeds = seeds[:1]
			default:
				return
			}
			files, err := p.Game()
			if err != nil {
				t.Fatal(err)
			}
			for _, seed := range slices.Repeat(seeds, times(t)) {
				if blocking, other := verdict(t, p, files, seed); len(blocking)+len(other) > 0 {
					t.Errorf("seed %d: %q, %q", seed, blocking, other)
				}
			}
		})
	}
}

// The short run judges the faults that are found the fastest.
func TestFaultsOfPuppetsAreNamedByTheRightRule(t *testing.T) {
	short := []string{"syntax error", "network call", "wrong Phaser API", "cheating hook"}
	for _, f := range Faults {
		t.Run(f.Name, func(t *testing.T) {
			p := named(t, f.Puppet)
			files, err := p.Game()
			if err == nil {
				files, err = f.In(files)
			}
			if err != nil {
				t.Fatal(err)
			}
			if !long.Asked() && !slices.Contains(short, f.Name) && f.Name != os.Getenv("SVC_FAULT") {
				return
			}
			blocking, other := verdict(t, p, files, 1)
			t.Logf("%q, %q", blocking, other)
			said := append(blocking, other...)
			if !f.names(strings.Join(said, "\n")) {
				t.Errorf("%v does not name it", f.Rules)
			}
			if rules := rulesOf(said); len(rules) > 2 {
				t.Errorf("it is named by %v: one other is the most", rules)
			}
		})
	}
}

// times is how often a game is judged under each seed: once, or as the variable says by
// which flakes are looked for.
func times(t *testing.T) int {
	t.Helper()
	asked := os.Getenv("SVC_TIMES")
	if asked == "" {
		return 1
	}
	n, err := strconv.Atoi(asked)
	if err != nil || n < 1 {
		t.Fatalf("SVC_TIMES is %q: want a number of times", asked)
	}
	return n
}

// rulesOf returns the rules of findings, each once; what the compiler says is none.
func rulesOf(findings []string) []string {
	var rules []string
	for _, f := range findings {
		if rule := ruleName.FindString(f); rule != "" && !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	return rules
}

var ruleName = regexp.MustCompile(`^[AGPV][0-9][0-9]`)
