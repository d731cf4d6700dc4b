package gen

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/sim"
	"github.com/svc-games/svc/engine/model"
)

// sage reads a request as it is told, and then makes the calls that it is
// given, one answer each.
type sage struct {
	reading string
	calls   [][2]string
	fails   error // when it is to change the sources
	down    error // in any case
	asked   []model.Request
}

func (s *sage) Chats(context.Context) ([]string, error) { return []string{"wise"}, nil }

func (s *sage) Chat(_ context.Context, r model.Request) (model.Reply, error) {
	if len(r.Tools) == 0 {
		return model.NewReply(s.reading), s.down
	}
	s.asked = append(s.asked, r)
	if s.fails != nil && len(s.asked) > len(s.calls) {
		return model.Reply{}, s.fails
	}
	if len(s.asked) > len(s.calls) {
		return model.NewReply("That is all."), nil
	}
	next := s.calls[len(s.asked)-1]
	return model.NewReply("", model.Call{Name: next[0], Arguments: next[1]}), nil
}

// wobbly reads a brief for a gap game, of which one wish is open.
const wobbly = `{"mechanic":"gap","theme":"forest","hero":"fox","title":"Wobble","unmet":["gates that sway"]}`

// sway is an edit of the gap mechanic that plays as well as before.
func sway(t *testing.T) [2]string {
	return alter(t, "X, s.y, s.r * 2.9", "X, s.y + Math.sin(s.t * 9) * 3, s.r * 2.9")
}

func alter(t *testing.T, old, new string) [2]string {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"path": "src/mechanics/gap.js", "old": old, "new": new})
	if err != nil {
		t.Fatal(err)
	}
	return [2]string{"edit_file", string(raw)}
}

var handedIn = [2]string{"done", `{"summary":"The gates sway."}`}

// sagely is a project whose jobs a sage helps with.
func sagely(t *testing.T, s *sage) *project {
	t.Helper()
	g := quickGenerator().(*embedded)
	g.author, g.agents = author.New(s), s
	return newProject(t, g)
}

// wisely is the setting that names the sage.
func wisely(prompt string) Request {
	return Request{Prompt: prompt, Settings: api.Settings{Model: "wise", ReasoningLevel: api.ReasoningLow}}
}

func TestAllOfALongPieceIsPassedOnMasked(t *testing.T) {
	rep := &recorder{}
	text := strings.Repeat("a ", mostSaid) + "sk-ant-0123456789abcdef é "
	agentReporter{rep: rep}.Delta(text)
	got := ""
	for _, e := range rep.of(api.EventAssistantDelta) {
		piece := e.Members["text"].(string)
		if got += piece; len([]rune(piece)) > mostSaid {
			t.Errorf("a piece of %d characters", len([]rune(piece)))
		}
	}
	if got != strings.Replace(text, "sk-ant-0123456789abcdef", mask, 1) {
		t.Errorf("passed on was %q", got)
	}
}

func TestWishThatNoSpecCanExpressIsMetInTheSources(t *testing.T) {
	s := &sage{reading: wobbly, calls: [][2]string{sway(t), {"edit_file", `{"path":"src/game.json","edits":[{"old":"\"speed\": 1,","new":"\"speed\": 1.1,"}]}`}, handedIn}}
	p := sagely(t, s)
	result, rep := p.runWith(wisely("a fox and gates that sway"))
	files := p.files()
	if len(result.Unmet) != 0 || !strings.Contains(result.Summary, "The gates sway.") || warned(rep) != "no_browser" && strings.Contains(warned(rep), "model") {
		t.Errorf("%+v, warned %q", result, warned(rep))
	}
	for name, want := range map[string]string{
		"game/src/mechanics/gap.js": "Math.sin(s.t * 9) * 3", "game/game.js": "Math.sin(s.t * 9) * 3", projectFile: `"authored"`,
		"game/src/game.json": `"speed": 1.1`, specFile: `"speed": 1.1`,
	} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
	if about := s.asked[0].Messages[0].Text(); !strings.Contains(about, "gates that sway") || strings.Contains(about, "sk-") {
		t.Errorf("the model was told %q", about)
	}
	if len(result.Learned.Files) != 2 {
		t.Errorf("learned %d files", len(result.Learned.Files))
	}
}

func TestSourcesAreChangedOnlyWhereTheSpecFallsShort(t *testing.T) {
	s := &sage{reading: strings.ReplaceAll(wobbly, `"gates that sway"`, "")}
	p := sagely(t, s)
	p.runWith(wisely("a fox that flies through gaps"))
	if len(s.asked) != 0 {
		t.Errorf("the model was asked %d times to change the sources", len(s.asked))
	}
	if !strings.Contains(p.files()[projectFile], `"generated"`) {
		t.Errorf("the project is %s", p.files()[projectFile])
	}
}

func TestRevisionThatDoesNotPassLeavesTheGeneratorsGame(t *testing.T) {
	plain := sagely(t, &sage{reading: wobbly, fails: &model.Refusal{Status: http.StatusBadGateway}})
	_, rep := plain.runWith(wisely("a fox and gates that sway"))
	if !strings.Contains(warned(rep), "could not be asked") {
		t.Errorf("warned %q", warned(rep))
	}
	want := plain.files()
	for name, edit := range map[string][2]string{
		"does not build":     alter(t, "tick(s);", "tick(s;"),
		"scores by itself":   alter(t, "s.flap = Math.max(0", "if (s.safe === 0) s.t -= STEP / 2; gain(s, 5, X, s.y); s.lives = 9; s.flap = Math.max(0"),
		"breaks its state":   alter(t, "tick(s);", "tick(s); s.vy = NaN;"),
		"uses the network":   alter(t, "tick(s);", "tick(s); fetch('/x');"),
		"names an address":   alter(t, "tick(s);", "tick(s); s.from = 'https://evil.example/';"),
		"runs text":          alter(t, "tick(s);", "tick(s); eval('1');"),
		"leaves the project": alter(t, "import {", "import secret from '../../../.svc/settings.json';\nimport {"),
	} {
		s := &sage{reading: wobbly, calls: [][2]string{edit, handedIn}}
		p := sagely(t, s)
		result, rep := p.runWith(wisely("a fox and gates that sway"))
		if got := p.files(); !maps.Equal(got, want) || len(result.Unmet) != 1 || !strings.Contains(warned(rep), "changed nothing in the sources") {
			t.Errorf("%s: the game is another one; %+v, warned %q", name, result, warned(rep))
		}
	}
}

func TestChangeThatOnlyTheSourcesCanTakeChangesTheGame(t *testing.T) {
	s := &sage{reading: strings.ReplaceAll(wobbly, `"gates that sway"`, "")}
	p := sagely(t, s)
	p.runWith(wisely("a fox that flies through gaps"))
	s.reading, s.calls = `{"wishes":[],"unmet":["gates that sway"]}`, [][2]string{sway(t), handedIn}
	result, _ := p.runWith(wisely("let the gates sway"))
	if !result.Changed || len(result.Unmet) != 0 || result.Summary != "The gates sway." {
		t.Errorf("%+v", result)
	}
	before := p.files()
	s.calls, s.asked = nil, nil
	result, _ = p.runWith(wisely("let the gates sway"))
	if result.Changed || !result.Free || len(result.Unmet) != 1 || !maps.Equal(before, p.files()) {
		t.Errorf("a model that did nothing: %+v", result)
	}
}

func TestBalanceThatIsUsedUpOnTheWayLeavesTheProvenGame(t *testing.T) {
	s := &sage{reading: wobbly, calls: [][2]string{sway(t)}, fails: &model.Refusal{Status: http.StatusPaymentRequired}}
	p := sagely(t, s)
	req := wisely("a fox and gates that sway")
	req.JobID, req.ProjectID, req.Workspace = "job_1", p.id, p.root
	_, err := p.gen.Generate(t.Context(), req, &recorder{})
	if !errors.Is(err, ErrExhausted) {
		t.Fatalf("got %v", err)
	}
	if changed, err := SettleDraft(p.root, newDelivery(req).change, "job_2", true); changed || err != nil || p.files()[draftFile] == "" {
		t.Errorf("another job's draft: changed %v, %v", changed, err)
	}
	if changed, err := SettleDraft(p.root, newDelivery(req).change, req.JobID, true); !changed || err != nil {
		t.Errorf("the draft: changed %v, %v", changed, err)
	}
	if files := p.files(); files[draftFile] != "" || files["game/index.html"] == "" || strings.Contains(files["game/game.js"], "s.t * 9") {
		t.Error("the game that was proven by then is not there")
	}
}

func TestGameThatIsDeliveredTakesItsDraftAway(t *testing.T) {
	s := &sage{reading: wobbly, calls: [][2]string{sway(t), handedIn}}
	p := sagely(t, s)
	p.runWith(wisely("a fox and gates that sway"))
	if files := p.files(); files[draftFile] != "" || files["game/index.html"] == "" {
		t.Error("the draft is still there, or no game is")
	}
}

func TestModelSeesNoKeysAndTheCodeOfSkills(t *testing.T) {
	const key = "sk-abcdefghijklmnopqrstuvwxyz"
	s := &sage{reading: wobbly, calls: [][2]string{handedIn}}
	req := wisely("a fox and gates that sway " + key)
	req.Instructions, req.Context = "use "+key, []api.ContextBlock{{Name: "c", Content: key}}
	req.Skills = []api.Skill{{Key: "w", Title: "W", Prompt: key, Files: []api.SkillFile{{Path: "w.js", Content: "const wobble = '" + key + "';"}}}}
	_, rep := sagely(t, s).runWith(req)
	raw, err := json.Marshal(s.asked)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), key) || !strings.Contains(string(raw), "const wobble") {
		t.Errorf("the model was told %s", raw)
	}
	if slices.ContainsFunc(rep.of(api.EventWarning), func(e event) bool { return e.Members["code"] == "unserved_skills" }) {
		t.Error("the skills are said not to be served")
	}
}

func TestSimulationOfChangedSourcesIsBounded(t *testing.T) {
	p := newProject(t, quickGenerator())
	p.run("a fox that flies through gaps")
	s := specOf(t, Request{Workspace: p.root})
	for name, code := range map[string]string{"endless": "for (;;) {}", "greedy": "const all = []; for (;;) all.push(new Array(1000).fill(1));"} {
		files := compile.Files{}
		for file, content := range p.files() {
			files[strings.TrimPrefix(file, "game/")] = []byte(content)
		}
		files["src/mechanics/gap.js"] = []byte(strings.Replace(string(files["src/mechanics/gap.js"]), "tick(s);", "tick(s); "+code, 1))
		start := time.Now()
		_, err := (&embedded{strangers: sim.Here{}}).judge(t.Context(), &recorder{}, s, files, effort{seeds: 1, patience: time.Second})
		var unplayable *unplayableError
		if !errors.As(err, &unplayable) || time.Since(start) > time.Minute {
			t.Errorf("%s: %v after %v", name, err, time.Since(start))
		}
	}
}

// numb is a Judge whose compiler comes to no end.
type numb struct {
	sim.Here
	asked []compile.Files
}

func (n *numb) Compile(_ context.Context, files compile.Files, _ string) ([]build.Problem, error) {
	n.asked = append(n.asked, files)
	return nil, errors.New("it takes too much time")
}

func TestNoSourceOfAModelIsCompiledHereThatTheJudgeCouldNot(t *testing.T) {
	s := &sage{reading: wobbly, calls: [][2]string{sway(t), handedIn}}
	p := sagely(t, s)
	n := &numb{}
	p.gen.(*embedded).strangers = n
	result, rep := p.runWith(wisely("a fox and gates that sway"))
	if !strings.Contains(warned(rep), "changed nothing in the sources") || len(result.Unmet) != 1 {
		t.Errorf("%+v, warned %q", result, warned(rep))
	}
	if len(n.asked) < 2 || len(n.asked[0]) != 1 {
		t.Fatalf("it was asked %d times", len(n.asked))
	}
	whole := n.asked[1]
	if whole["src/main.js"] == nil || !strings.Contains(string(whole["src/mechanics/gap.js"]), "s.t * 9") || whole["index.html"] != nil {
		t.Errorf("it got %v", whole.Names())
	}
	if said := s.asked[1].Messages[len(s.asked[1].Messages)-1].Text(); !strings.Contains(said, "it takes too much time") {
		t.Errorf("the model was told %q", said)
	}
}
