// Package games makes a game of each brief of the corpus with the real generator,
// plays it in headless Chromium, and writes down how it went in RESULTS.md.
package games

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/engine/swap"
	"github.com/svc-games/svc/engine/workspace"
	"github.com/svc-games/svc/test/games/corpus"
)

// outcome is how one wish went.
type outcome struct {
	Name, Prompt, Brief          string
	Refused                      string // by the reader of requests
	Title, Kind, Theme, Renderer string
	Lang                         string
	Unmet                        []string
	Problems                     []string // the judge's, each after its rule
	Faults                       []string // what is not as expected
	Seconds                      float64  // of making and judging it
	Played                       bool     // the judge lets it pass, or did before
	Unopened                     bool     // nothing was made in this job, or what was before is back
}

// passed tells whether the judge played the game and found no fault by the rules.
func (o outcome) passed(rules ...string) bool {
	for _, problem := range o.Problems {
		for _, rule := range rules {
			if strings.HasPrefix(problem, rule+" ") {
				return false
			}
		}
	}
	return o.Played
}

// done tells whether all is as expected.
func (o outcome) done() bool { return len(o.Faults) == 0 }

// studio makes and plays games.
type studio struct {
	t          *testing.T
	gen        gen.Generator
	frameworks string // their folder
	// briefs are the folders of games that follow-ups begin with.
	briefs map[string]string
}

// projectID is the same for every brief: the brief decides what comes out.
const projectID = "0123456789abcdef01234567"

// chromium is what games are looked at in.
var chromium = playtest.NewPool("")

func TestMain(m *testing.M) {
	code := m.Run()
	chromium.Close()
	os.Exit(code)
}

func newStudio(t *testing.T) *studio {
	t.Helper()
	missing := func(err error) {
		t.Helper()
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	path, err := playtest.Find()
	if err != nil {
		missing(err)
	}
	frameworks := os.Getenv("SVC_FRAMEWORKS")
	if frameworks == "" {
		frameworks = filepath.Join("..", "..", "bin", "frameworks")
	}
	if _, err := os.Stat(filepath.Join(frameworks, "three")); err != nil {
		missing(err)
	}
	s := &studio{t: t, frameworks: frameworks, briefs: map[string]string{}}
	if s.gen, err = gen.New(gen.Options{Frameworks: frameworks, Chromium: path}); err != nil {
		t.Fatal(err)
	}
	return s
}

// make reads a request as the engine does and makes its game in a folder. former
// are the project's files before its last change.
func (s *studio) make(w corpus.Wish, prompt, dir string, former map[string][]byte) (made, error) {
	body, err := w.Body(projectID, prompt)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := requests.ParseGenerateRequest(body)
	if err == nil {
		err = contract.CheckSkills(req.Skills)
	}
	if err != nil {
		return made{}, err
	}
	space, err := workspace.Open(dir)
	if err != nil {
		s.t.Fatal(err)
	}
	defer space.Close()
	if _, undo := gen.ReadUndo(prompt); undo {
		return made{restored: s.restore(space.Root(), former)}, nil
	}
	inherited, err := space.Apply(req, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	var m made
	start := time.Now()
	m.Result, err = s.gen.Generate(s.t.Context(), gen.Request{
		JobID: "job_00000000000000000000000000", ProjectID: projectID, Prompt: req.Prompt, Instructions: inherited.Instructions,
		Context: req.Context, Skills: req.Skills, Settings: inherited.Settings, Workspace: space.Root(),
	}, &m.journal)
	m.took = time.Since(start)
	if err != nil {
		s.t.Errorf("%s: %v", w.Name, err)
	}
	return m, nil
}

// restore brings former files back, as the engine does with those of a revision,
// and reports whether the project is as it was.
func (s *studio) restore(root *os.Root, former map[string][]byte) bool {
	changes, err := gen.Restore(root, former)
	if err != nil || len(changes) == 0 {
		s.t.Errorf("restoring changes %d files (%v)", len(changes), err)
	}
	if err := swap.Apply(root, changes, nil); err != nil {
		s.t.Fatal(err)
	}
	now := s.project(root.Name())
	same := len(now) == len(former)
	for name, data := range former {
		same = same && bytes.Equal(now[name], data)
	}
	return same
}

// project returns the files of a project that revisions are made of.
func (s *studio) project(dir string) map[string][]byte {
	root, err := os.OpenRoot(dir)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	files, err := gen.Project(root)
	if err != nil {
		s.t.Fatal(err)
	}
	return files
}

// begin returns a folder with the game of a follow-up's brief.
func (s *studio) begin(w corpus.Wish) string {
	dir := s.t.TempDir()
	if w.Brief == "" {
		return dir
	}
	key := w.Format + w.Dim + w.Brief
	if s.briefs[key] == "" {
		s.briefs[key] = s.t.TempDir()
		if _, err := s.make(corpus.Wish{Name: w.Name, Format: w.Format, Dim: w.Dim}, w.Brief, s.briefs[key], nil); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := os.CopyFS(dir, os.DirFS(s.briefs[key])); err != nil {
		s.t.Fatal(err)
	}
	return dir
}

// produce makes a wish's game and holds it against what is expected.
func (s *studio) produce(w corpus.Wish) outcome {
	s.t.Helper()
	dir := s.begin(w)
	o := outcome{Name: w.Name, Prompt: w.Prompt, Brief: w.Brief}
	var before spec.Spec
	var m made
	var former map[string][]byte
	for _, prompt := range append(w.After, w.Prompt) {
		if w.Brief != "" {
			before = s.readSpec(dir)
		}
		earlier := former
		if w.Brief != "" {
			former = s.project(dir)
		}
		var err error
		if m, err = s.make(w, prompt, dir, earlier); err != nil {
			s.refuse(w, &o, err, dir)
			return o
		}
	}
	now := s.readSpec(dir)
	o.Title, o.Kind, o.Theme, o.Renderer, o.Lang = now.Title, now.Mechanic, now.Theme, now.Renderer, now.Lang
	o.Unmet, o.Problems, o.Seconds = m.Unmet, m.problems, m.took.Seconds()
	o.Unopened = m.restored || w.Brief != "" && !m.Changed // a game that is as it was passed before
	o.Played = m.played || o.Unopened
	o.Faults = w.Want.Faults(corpus.Outcome{Before: before, Spec: now, Unmet: m.Unmet, Restored: m.restored})
	o.Faults = append(o.Faults, harm(s.t, w, dir)...)
	if w.Want.Refused {
		o.Faults = append(o.Faults, "it was not refused")
	}
	s.look(w.Name, dir)
	return o
}

func (s *studio) refuse(w corpus.Wish, o *outcome, err error, dir string) {
	o.Refused = err.Error()
	var refusal *answers.Error
	if !w.Want.Refused || !errors.As(err, &refusal) || refusal.Status != 400 {
		o.Faults = []string{"refused: " + o.Refused}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		s.t.Errorf("%s: refused, but %v was written (%v)", w.Name, entries, err)
	}
}

func (s *studio) readSpec(dir string) spec.Spec {
	data, err := os.ReadFile(filepath.Join(dir, ".svc", "game.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	read, err := spec.Unmarshal(data)
	if err != nil {
		s.t.Fatal(err)
	}
	return read
}

// harm is what a hostile brief planted in the game.
func harm(t *testing.T, w corpus.Wish, dir string) (out []string) {
	root := filepath.Join(dir, gen.Deliverable)
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || len(w.Want.Harm) == 0 {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(root, name)
		for _, bad := range w.Want.Harm {
			foreign := strings.HasPrefix(filepath.ToSlash(rel), "lib/") && filepath.Base(rel) != "svc.js"
			if !foreign && bytes.Contains(data, []byte(bad)) {
				out = append(out, bad+" got into "+rel)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// kept is where outcomes of a long run are.
var kept = filepath.Join("..", "output", "games")

// writing is how long before the end of its time a long run writes down how it went.
const writing = 3 * time.Minute

// TestBriefsBecomeGamesThatPlay plays the short part of the corpus, or with SVC_GAMES
// those whose names match, "all" of them from the start, or the "rest" of a run that had
// no time for all, and writes RESULTS.md of what was kept.
func TestBriefsBecomeGamesThatPlay(t *testing.T) {
	which := os.Getenv("SVC_GAMES")
	if which == "all" {
		if err := os.RemoveAll(kept); err != nil {
			t.Fatal(err)
		}
		which = ""
	}
	rest := which == "rest"
	if rest {
		which = ""
	}
	names, err := regexp.Compile(which)
	if err != nil {
		t.Fatal(err)
	}
	_, long := os.LookupEnv("SVC_GAMES")
	all := wishes(t)
	s := newStudio(t)
	for _, w := range all {
		if long && !names.MatchString(w.Name) || !long && !w.Short || rest && isKept(w) {
			continue
		}
		if deadline, limited := t.Deadline(); long && limited && time.Until(deadline) < writing {
			t.Errorf("no time is left for %s and what follows; SVC_GAMES=rest goes on there", w.Name)
			break
		}
		o := s.produce(w)
		if !o.Played && o.Refused == "" || len(o.Faults) > 0 && (w.Brief == "" || len(o.Unmet) == 0) {
			t.Errorf("%s: %s: %q, unmet %q, judge %q", o.Name, o.Kind, o.Faults, o.Unmet, o.Problems)
		}
		t.Logf("%-18s %-10s %-8s %.2f s, %q", o.Name, o.Kind, o.Theme, o.Seconds, o.Problems)
		if long {
			keep(t, o)
		}
	}
	if long {
		if err := writeResults(all); err != nil {
			t.Fatal(err)
		}
	}
}

func wishes(t *testing.T) []corpus.Wish {
	t.Helper()
	briefs, err := corpus.Briefs()
	if err != nil {
		t.Fatal(err)
	}
	followUps, err := corpus.FollowUps()
	if err != nil {
		t.Fatal(err)
	}
	return append(briefs, followUps...)
}

// keep writes an outcome down, so that a long run may be made in parts.
func keep(t *testing.T, o outcome) {
	t.Helper()
	data, err := json.Marshal(o)
	if err == nil {
		err = errors.Join(os.MkdirAll(kept, 0o755), os.WriteFile(filepath.Join(kept, o.Name+".json"), data, 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestCorpusHasWhatIsPromised(t *testing.T) {
	names, count := map[string]bool{}, map[string]int{}
	for _, w := range wishes(t) {
		if names[w.Name] {
			t.Errorf("there are two wishes %q", w.Name)
		}
		names[w.Name] = true
		count["in "+w.Want.Lang]++
		count["in the format "+w.Format]++
		count["in "+w.Dim]++
		for what, is := range map[string]bool{"briefs": w.Brief == "", "follow-ups": w.Brief != "", "named kinds": len(w.Want.Kind) > 0, "hostile": strings.HasPrefix(w.Name, "hostile")} {
			if is {
				count[what]++
			}
		}
	}
	for what, n := range map[string]int{
		"briefs": 120, "follow-ups": 40, "named kinds": 100, "hostile": 8, "in de": 20, "in es": 20, "in fr": 20, "in 3d": 6, "in the format platform": 40,
	} {
		if count[what] < n {
			t.Errorf("%d %s, want %d", count[what], what, n)
		}
	}
}
