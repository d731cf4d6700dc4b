package games

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/engine/workspace"
)

// outcome is how one brief went.
type outcome struct {
	brief    brief
	refused  error // by the reader of requests
	spec     spec.Spec
	before   spec.Spec // of a follow-up
	unmet    []string
	simTime  time.Duration // of making it, with simulation only
	fullTime time.Duration // with the playtest in the browser
	simRatio float64
	report   playtest.Report // what the playtest in the browser found
	mid      []byte          // picture of the running game
	changed  bool
	played   bool // the game passed its playtest in the browser
}

// passed tells whether the game was played in the browser and none of the
// rules found a fault.
func (o outcome) passed(rules ...string) bool {
	if !o.played {
		return false
	}
	for _, c := range o.report.Checks {
		for _, rule := range rules {
			if c.Rule == rule && !c.OK {
				return false
			}
		}
	}
	return true
}

// studio makes and plays games.
type studio struct {
	t     *testing.T
	dir   string
	sim   gen.Generator
	full  gen.Generator
	specs map[string]string // by brief: its project's folder
}

// projectID is the same for every brief: the brief decides what comes out.
const projectID = "0123456789abcdef01234567"

func newStudio(t *testing.T) *studio {
	t.Helper()
	missing := func(err error) {
		t.Helper()
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	chromium, err := playtest.Find()
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
	s := &studio{t: t, dir: t.TempDir(), specs: map[string]string{}}
	if s.sim, err = gen.New(gen.Options{Frameworks: frameworks}); err != nil {
		t.Fatal(err)
	}
	if s.full, err = gen.New(gen.Options{Frameworks: frameworks, Chromium: chromium}); err != nil {
		t.Fatal(err)
	}
	return s
}

// journal keeps what a generator reports and is asked about later.
type journal struct {
	simRatio float64
	report   playtest.Report // of the last playtest in the browser: what failed
	played   bool            // and whether the game passed
	warnings []string
}

func (j *journal) Progress(api.Stage, int, string) {}

func (j *journal) Event(eventType string, members map[string]any) {
	switch {
	case eventType == api.EventPlaytestResult && members["tier"] == "sim":
		j.simRatio, _ = members["skillRatio"].(float64)
	case eventType == api.EventPlaytestResult:
		j.report = playtest.Report{}
		problems, _ := members["problems"].([]string)
		for _, p := range problems {
			rule, note, _ := strings.Cut(p, " ")
			j.report.Checks = append(j.report.Checks, playtest.Check{Rule: rule, Note: note})
		}
		j.played, _ = members["ok"].(bool)
	case eventType == api.EventWarning:
		code, _ := members["code"].(string)
		j.warnings = append(j.warnings, code)
	}
}

// make reads a request as the engine does and makes its game in a folder.
func (s *studio) make(b brief, g gen.Generator, dir string) (gen.Result, *journal, time.Duration, error) {
	body, err := b.body(projectID)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := api.ParseGenerateRequest(body)
	if err == nil {
		err = contract.CheckSkills(req.Skills)
	}
	if err != nil {
		return gen.Result{}, nil, 0, err
	}
	space, err := workspace.Open(dir)
	if err != nil {
		s.t.Fatal(err)
	}
	defer space.Close()
	inherited, err := space.Apply(req, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	rep := &journal{}
	start := time.Now()
	result, err := g.Generate(s.t.Context(), gen.Request{
		JobID: "job_00000000000000000000000000", ProjectID: projectID, Prompt: req.Prompt, Instructions: inherited.Instructions,
		Context: req.Context, Skills: req.Skills, Settings: inherited.Settings, Workspace: space.Root(),
	}, rep)
	if err != nil {
		s.t.Errorf("%s: %v", b.name, err)
	}
	return result, rep, time.Since(start), nil
}

// all reports whether every brief is asked for, and what it takes to be written
// down.
func all() bool { return os.Getenv("SVC_GAMES") == "all" }

// produce makes a brief's game with its playtest in the browser, and before that,
// where it is to be known how long it takes, with simulation only.
func (s *studio) produce(b brief) outcome {
	s.t.Helper()
	o := outcome{brief: b}
	var dirs [2]string
	for i := range dirs {
		dirs[i] = filepath.Join(s.dir, b.name+[]string{"-sim", "-full"}[i])
		if b.after != "" {
			if err := os.CopyFS(dirs[i], os.DirFS(s.specs[b.after])); err != nil {
				s.t.Fatal(err)
			}
			o.before = s.readSpec(dirs[i])
		} else if err := os.MkdirAll(dirs[i], 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
	if all() {
		_, _, took, err := s.make(b, s.sim, dirs[0])
		if err != nil {
			o.refused = err
			s.checkNothingWritten(b, dirs[0])
			return o
		}
		o.simTime = took
	}
	result, rep, took, err := s.make(b, s.full, dirs[1])
	if err != nil {
		o.refused = err
		s.checkNothingWritten(b, dirs[1])
		return o
	}
	o.fullTime, o.unmet, o.changed, o.simRatio, o.played = took, result.Unmet, result.Changed, rep.simRatio, rep.played
	s.specs[b.name] = dirs[1]
	o.spec = s.readSpec(dirs[1])
	o.report = rep.report
	s.lookAt(&o, dirs[1])
	return o
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

func (s *studio) checkNothingWritten(b brief, dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		s.t.Errorf("%s: refused, but %v was written (%v)", b.name, entries, err)
	}
}

// lookAt reads the delivered files and the picture of the running game.
func (s *studio) lookAt(o *outcome, dir string) {
	files := map[string][]byte{}
	root := filepath.Join(dir, gen.Deliverable)
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(root, name)
		files[filepath.ToSlash(rel)] = data
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	checkHarmless(s.t, o.brief, files)
	if o.mid, err = os.ReadFile(filepath.Join(dir, ".svc", "playtest", "mid.jpg")); err != nil {
		s.t.Errorf("%s: there is no picture of the game: %v", o.brief.name, err)
	}
}

// checkHarmless looks for what hostile briefs tried to plant.
func checkHarmless(t *testing.T, b brief, files map[string][]byte) {
	t.Helper()
	if !b.hostile {
		return
	}
	for name, data := range files {
		if strings.HasPrefix(name, "lib/") && name != "lib/svc.js" {
			continue
		}
		for _, bad := range []string{"<script>alert", "evil.example", "sk-0123456789", "process.env", "etc/passwd"} {
			if bytes.Contains(data, []byte(bad)) {
				t.Errorf("%s: %q got into %s", b.name, bad, name)
			}
		}
	}
}

// judge holds an outcome against what is promised of every game.
func judge(t *testing.T, o outcome) {
	t.Helper()
	b := o.brief
	var refusal *api.Error
	switch {
	case b.refused && (!errors.As(o.refused, &refusal) || refusal.Status != 400):
		t.Errorf("%s: was not refused as a bad request: %v", b.name, o.refused)
	case b.refused:
		return
	case o.refused != nil:
		t.Errorf("%s: refused: %v", b.name, o.refused)
		return
	}
	if !o.played || !o.report.OK() {
		t.Errorf("%s (%s): %s", b.name, o.spec.Mechanic, o.report)
	}
	if b.want != nil && !b.want(o.before, o.spec) {
		data, _ := json.Marshal(o.spec.Play)
		t.Errorf("%s: the change is not there: %s, %s in %s, unmet %q", b.name, data, o.spec.Mechanic, o.spec.Theme, o.unmet)
	}
	if b.lang != "" && b.after == "" && o.spec.Lang != b.lang {
		t.Errorf("%s: the texts are in %q", b.name, o.spec.Lang)
	}
}

func TestBriefsBecomeGamesThatPlay(t *testing.T) {
	chosen := corpus
	if !all() {
		chosen = nil
		for _, name := range inShort {
			for _, b := range corpus {
				if b.name == name {
					chosen = append(chosen, b)
				}
			}
		}
	}
	began := load()
	s := newStudio(t)
	var made []outcome
	for _, b := range chosen {
		o := s.produce(b)
		judge(t, o)
		made = append(made, o)
		t.Logf("%-18s %-10s %-8s sim %4d ms, browser %4d ms, ratio %.1f, %s", b.name, o.spec.Mechanic, o.spec.Theme, o.simTime.Milliseconds(), o.fullTime.Milliseconds(), o.simRatio, o.report)
	}
	if all() {
		if err := writeResults(made, began); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCorpusHasWhatItPromises(t *testing.T) {
	count := map[string]int{}
	names := map[string]bool{}
	for _, b := range corpus {
		count[string(b.kind)]++
		count["lang-"+b.lang]++
		if b.after != "" {
			count["follow-up"]++
			if !names[b.after] || b.want == nil {
				t.Errorf("%s follows %q, which does not come before it, or wants nothing", b.name, b.after)
			}
		}
		if b.hostile {
			count["hostile"]++
		}
		if names[b.name] {
			t.Errorf("there are two briefs %q", b.name)
		}
		names[b.name] = true
	}
	for what, n := range map[string]int{"short": 40, "platform": 10, "3d": 10, "follow-up": 20, "hostile": 6} {
		if count[what] != n {
			t.Errorf("%d of %s, want %d", count[what], what, n)
		}
	}
	for _, lang := range []string{"de", "es", "fr"} {
		if count["lang-"+lang] < 3 {
			t.Errorf("only %d briefs in %s", count["lang-"+lang], lang)
		}
	}
}
