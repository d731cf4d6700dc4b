package gen

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/kit"
	"github.com/svc-games/svc/engine/kit/examples"
	"github.com/svc-games/svc/engine/model"
)

// toolCall is one as a scripted model makes it.
func toolCall(t *testing.T, name string, arguments map[string]any) [2]string {
	t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return [2]string{name, string(raw)}
}

// writing are the calls by which a model hands in one of the examples.
func writing(t *testing.T, name string) [][2]string {
	t.Helper()
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(x examples.Example) bool { return x.Name == name })
	calls := [][2]string{toolCall(t, "read_file", map[string]any{"paths": []string{"src/main.js", "src/game.json"}})}
	for _, file := range slices.Sorted(maps.Keys(all[i].Files)) {
		calls = append(calls, toolCall(t, "write_file", map[string]any{"path": file, "content": string(all[i].Files[file])}))
	}
	return append(calls, toolCall(t, "check", nil), toolCall(t, "done", map[string]any{"summary": "Falling blocks.", "unmet": []string{"a song"}}))
}

// arcade is a browser that judges as it is told.
type arcade struct {
	reports []playtest.Report // one after the other, and the last for ever; none is a good one
	played  []playtest.Game
	fails   error
}

func (a *arcade) Warm()  {}
func (a *arcade) Close() {}

func (a *arcade) Play(_ context.Context, g playtest.Game) (playtest.Report, error) {
	a.played = append(a.played, g)
	if len(a.reports) == 0 {
		return playtest.Report{Score: 3}, a.fails
	}
	return a.reports[min(len(a.played), len(a.reports))-1], a.fails
}

func failing(rule, note string) playtest.Report {
	return playtest.Report{Checks: []playtest.Check{{Rule: rule, Blocking: true, Note: note}}}
}

// writers is a project whose games a model writes, and a browser of ours judges.
func writers(t *testing.T, s *sage, a *arcade) *project {
	t.Helper()
	p := sagely(t, s)
	p.gen.(*embedded).browser = a
	return p
}

// wide is what blocks is played as.
func wide(prompt string) Request {
	req := wisely(prompt)
	req.Settings.GameType = api.GamePlatform
	return req
}

func TestModelWritesANewGameFromTheEmptyFrame(t *testing.T) {
	s := &sage{reading: "it was asked to read the brief", calls: writing(t, "blocks")}
	g := inBrowser(t)
	g.author, g.agents = author.New(s), s
	p := newProject(t, g)
	result, rep := p.runWith(wide("blocks that fall, with a song"))
	if !result.Changed || !slices.Equal(result.Unmet, []string{"a song"}) || !strings.Contains(result.Summary, "Falling blocks.") {
		t.Fatalf("%+v, warned %q; the model was told %q", result, warned(rep), s.asked[len(s.asked)-1].Messages[len(s.asked[len(s.asked)-1].Messages)-1].Text())
	}
	files := p.files()
	for name := range files {
		if strings.Contains(name, "mechanics/") || name == specFile || name == draftFile {
			t.Errorf("there is %s", name)
		}
	}
	for name, want := range map[string]string{
		"game/src/board.js": "export", "game/src/kit/kit.js": "Kit ", "game/index.html": "<title>", "game/game.js": "svc", "game/lib/svc.js": "svc",
		"game/checks/ends.json": "expect", "game/package.json": `"kind": "arcade"`, "game/README.txt": "a song", projectFile: modeAuthored, "game/test/player.js": "act",
	} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
	if played := rep.of(api.EventPlaytestResult); len(played) != 1 || played[0].Members["ok"] != true {
		t.Errorf("playtests %v", played)
	}
	if authored, err := Authored(p.root); !authored || err != nil {
		t.Errorf("authored %v, %v", authored, err)
	}
	if names := result.Learned; names == nil || len(names.Files) < 3 {
		t.Errorf("learned %+v", names)
	}
}

// killed is a model during whose first answer the engine ends.
type killed struct {
	sage
	now func()
}

func (k *killed) Chat(ctx context.Context, r model.Request) (model.Reply, error) {
	k.now()
	return k.sage.Chat(ctx, r)
}

func TestJobThatIsKilledBeforeItsModelHasAGameLeavesTheGenerators(t *testing.T) {
	s := &killed{sage: sage{calls: writing(t, "blocks")}}
	p := writers(t, &s.sage, &arcade{})
	p.gen.(*embedded).agents = s
	req := wide("a fox that flies through gaps")
	req.JobID, req.ProjectID, req.Workspace = "job_1", p.id, p.root
	var draft map[string]string
	s.now = func() { draft = p.files() }
	if _, err := p.gen.Generate(t.Context(), req, &recorder{}); err != nil {
		t.Fatal(err)
	}
	for name := range draft {
		if strings.HasPrefix(name, "game/") {
			t.Errorf("%s was there before the model had written anything", name)
		}
	}
	late := newProject(t, quickGenerator())
	if err := late.root.Mkdir(".svc", 0o755); err != nil {
		t.Fatal(err)
	}
	late.write(draftFile, draft[draftFile])
	req.Workspace = late.root
	if changed, err := SettleDraft(late.root, newDelivery(req).change, req.JobID, true); !changed || err != nil || late.files()["game/src/mechanics/gap.js"] == "" {
		t.Errorf("changed %v, %v", changed, err)
	}
	// Whoever has a game keeps that.
	s.asked, s.now = nil, func() { draft = p.files() }
	p.runWith(wide("a new game: blocks that fall"))
	if _, there := draft[draftFile]; there {
		t.Error("a game that is there would be replaced")
	}
}

func TestNewGameOfAModelThatCannotBeAskedIsTheGeneratorsOwn(t *testing.T) {
	const prompt = "a fox that flies through gaps"
	plain := newProject(t, quickGenerator())
	plain.run(prompt)
	want := plain.spec()["title"]
	for name, fails := range map[string]error{
		"down": &model.Refusal{Status: http.StatusBadGateway}, "without tools": &model.Refusal{Status: http.StatusBadRequest, Reason: "tools_unsupported"},
		"too small": &model.Refusal{Status: http.StatusBadRequest, Reason: "context_too_small"},
	} {
		s := &sage{reading: `{"mechanic":"stack","title":"Tower"}`, fails: fails}
		p := writers(t, s, &arcade{})
		result, rep := p.runWith(wisely(prompt))
		if !result.Changed || p.spec()["title"] != want || p.spec()["mechanic"] != "gap" || !strings.Contains(warned(rep), "The model wrote no game") || len(s.asked) != 1 {
			t.Errorf("%s: %+v, %v, warned %q after %d questions", name, result, p.spec()["title"], warned(rep), len(s.asked))
		}
	}
}

func TestAuthorIsToldTheProjectsStyle(t *testing.T) {
	s := &sage{calls: writing(t, "blocks")}
	p := writers(t, s, &arcade{})
	p.run("a fox that flies through gaps in the forest")
	result, _ := p.runWith(wide("a new game: blocks that fall"))
	if !result.Changed || len(s.asked) == 0 {
		t.Fatalf("%+v", result)
	}
	if said := s.asked[0].Messages[0].Text(); !strings.Contains(said, "the theme forest; sky #") {
		t.Errorf("it was told %s", said)
	}
}

func TestAuthorIsToldByRuleWhatTheJudgeFound(t *testing.T) {
	calls := writing(t, "blocks")
	mended := toolCall(t, "note", map[string]any{"text": "It starts again now."})
	s := &sage{calls: append(calls, calls[len(calls)-1], mended, calls[len(calls)-1])}
	a := &arcade{reports: []playtest.Report{failing("G08", "no control starts it again within a second of its end"), {}}}
	p := writers(t, s, a)
	result, _ := p.runWith(wide("blocks that fall"))
	if !result.Changed || len(a.played) != 2 {
		t.Fatalf("%+v after %d plays", result, len(a.played))
	}
	last := s.asked[len(s.asked)-1].Messages
	said := ""
	for _, m := range last {
		said += m.Text()
	}
	if strings.Count(said, "G08 no control starts it again") != 2 || !strings.Contains(said, "create must return a fresh state") || !strings.Contains(said, "nothing was changed since you handed it in") {
		t.Errorf("the model was told %q", last[len(last)-1].Text())
	}
}

func TestChangeOfAStockGameThatTheGrammarCannotDoIsAModelsAndNoOtherIs(t *testing.T) {
	s := &sage{reading: "it was asked to read the request", calls: [][2]string{sway(t), handedIn}}
	p := writers(t, s, &arcade{})
	p.run("a fox that flies through gaps")
	if result, _ := p.runWith(wisely("make it faster")); !result.Changed || len(s.asked) != 0 {
		t.Errorf("%+v after %d questions", result, len(s.asked))
	}
	result, _ := p.runWith(wisely("let the gates sway"))
	if !result.Changed || len(result.Unmet) != 0 || len(s.asked) != 2 || result.Summary != "The gates sway." || !strings.Contains(p.files()[projectFile], modeAuthored) {
		t.Errorf("%+v after %d questions", result, len(s.asked))
	}
}

func TestAnswersAreNoLongerThanTheModelWritesAndAllFitsIt(t *testing.T) {
	s := &sage{calls: writing(t, "blocks")}
	p := writers(t, s, &arcade{})
	offer := model.Offer{Name: "wise", Use: model.UseChat, Context: 64_000, MaxOutput: 2000}
	p.gen.(*embedded).studio = listed{offers: []model.Offer{offer}}
	if result, _ := p.runWith(wide("blocks that fall")); !result.Changed || s.asked[0].MaxOutput != offer.MaxOutput {
		t.Errorf("%+v; it may write %d", result, s.asked[0].MaxOutput)
	}
	s.asked = nil
	offer.Context = 3000
	p.gen.(*embedded).studio = listed{offers: []model.Offer{offer}}
	if _, rep := p.runWith(wide("a new game: blocks that fall")); len(s.asked) != 0 || !strings.Contains(warned(rep), "OLLAMA_CONTEXT_LENGTH") {
		t.Errorf("asked %d times, warned %q", len(s.asked), warned(rep))
	}
}

// A game with many checks teaches how it is written, not only that it holds.
func TestSkillOfAGameHasItsSourcesBeforeItsChecks(t *testing.T) {
	files := compile.Files{"src/main.js": []byte("main"), "src/a.js": []byte("a"), "src/kit/kit.js": []byte("kit"), "index.html": []byte("page")}
	for i := range 12 {
		files[fmt.Sprintf("checks/c%02d.json", i)] = []byte("{}")
	}
	files["src/large.js"] = bytes.Repeat([]byte("x"), maxLearnedBytes)
	skill := composed(wide("blocks"), kit.About{Title: "Fallen Blöcke", Kind: "arcade"}, "canvas", files)
	var names []string
	for _, f := range skill.Files {
		names = append(names, f.Path)
	}
	if got := strings.Join(names[:3], " "); got != "src/main.js src/a.js checks/c00.json" || len(names) != 14 || skill.Key != "arcade-fallen-bl-cke" {
		t.Errorf("it is %s with %v", skill.Key, names)
	}
	for i := range 30 {
		files[fmt.Sprintf("src/m%02d.js", i)] = []byte("m")
	}
	if skill = composed(wide("blocks"), kit.About{}, "canvas", files); len(skill.Files) != maxComposedFiles || skill.Files[0].Path != "src/main.js" {
		t.Errorf("%d files", len(skill.Files))
	}
}

// The operator's bound is that of the job's level, in the prices of the model and of
// those that stand in for it.
func TestTIKOfAJobIsThatOfItsLevel(t *testing.T) {
	s := &sage{calls: writing(t, "blocks")}
	p := writers(t, s, &arcade{})
	price := model.Price{Input: 3, Cached: 1, CacheWrite: 4, Output: 15}
	g := p.gen.(*embedded)
	g.studio = listed{offers: []model.Offer{
		{Name: "wise", Use: model.UseChat, Fallback: []string{"other"}, Price: price, TIKPerJob: map[string]int64{"low": 1, "medium": 80}},
		{Name: "other", Use: model.UseChat, Price: model.Price{Output: 20}},
	}}
	for level, want := range map[api.ReasoningLevel]int64{"": 80_000_000, api.ReasoningLow: 1_000_000, api.ReasoningMedium: 80_000_000, api.ReasoningHigh: 0} {
		req := wide("blocks that fall")
		req.Settings.ReasoningLevel = level
		limits, _ := g.limitsFor(t.Context(), req)
		if limits.TIK != want || want > 0 && (limits.Prices["wise"] != price || limits.Prices["other"].Output != 20) {
			t.Errorf("level %q: %+v", level, limits)
		}
	}
	dear := wide("blocks that fall")
	dear.Settings.ReasoningLevel = api.ReasoningLow
	g.studio = listed{offers: []model.Offer{{Name: "wise", Use: model.UseChat, Price: model.Price{Input: 1000, Output: 1000}, TIKPerJob: map[string]int64{"low": 1}}}}
	if result, rep := p.runWith(dear); !result.Changed || len(s.asked) != 0 || !strings.Contains(warned(rep), "the TIK that the operator allows for a job") {
		t.Errorf("%+v after %d questions, warned %q", result, len(s.asked), warned(rep))
	}
}

func TestSkillsAreShownWholeAndLearnedOnesWhereThereIsRoom(t *testing.T) {
	files := func(n int) []api.SkillFile {
		return []api.SkillFile{{Path: "src/a.js", Content: strings.Repeat("x", n)}}
	}
	req := wide("blocks")
	req.Skills = []api.Skill{{Key: "mine", Title: "M", Files: files(90_000)}, {Key: "auto-a", Title: "A", Files: files(20_000)}, {Key: "auto-b", Title: "B", Files: files(20_000)}}
	p := writers(t, &sage{}, &arcade{})
	req.Workspace = p.root
	g := p.gen.(*embedded)
	g.studio = listed{offers: []model.Offer{{Name: "wise", Use: model.UseChat, Context: 32_000}}}
	for isNew, want := range map[bool]string{true: "mine auto-a", false: "mine"} {
		var keys []string
		for _, s := range g.task(t.Context(), req, &recorder{}, &kitGame{}, isNew).Ask.Skills {
			keys = append(keys, s.Key)
		}
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("new %v: it is shown %s", isNew, got)
		}
	}
}
