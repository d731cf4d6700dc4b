package gen

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/model"
)

// blocks is a project with a game that a model wrote, which has a speed.
func blocks(t *testing.T) (*project, *sage, *arcade) {
	t.Helper()
	s, a := &sage{calls: writing(t, "blocks")}, &arcade{}
	p := writers(t, s, a)
	p.runWith(wide("blocks that fall"))
	const first = `"tunables": {`
	p.write("game/src/game.json", strings.Replace(p.files()["game/src/game.json"], first, first+` "speed": { "value": 1.5, "min": 1, "max": 2, "label": "Pace" },`, 1))
	s.calls, s.asked, a.played = nil, nil, nil
	return p, s, a
}

func TestTunablesOfAGameThatAModelWroteChangeWithoutAToken(t *testing.T) {
	p, s, a := blocks(t)
	for _, step := range []struct{ prompt, want string }{{"make it a bit faster", `"value": 1.875, "min": 1`}, {"etwas langsamer bitte", `"value": 1.5, "min": 1`}, {"Call it Falling blocks II", `"title": "Falling blocks II"`}} {
		before := p.files()
		result, _ := p.runWith(wide(step.prompt))
		after := p.files()
		if !result.Changed || !strings.Contains(after["game/src/game.json"], step.want) || !strings.Contains(result.Summary, "Changed: ") {
			t.Fatalf("%q: %+v", step.prompt, result)
		}
		for name, text := range before {
			if strings.HasPrefix(name, "game/src/") && name != "game/src/game.json" && after[name] != text {
				t.Errorf("%q: %s is another", step.prompt, name)
			}
		}
	}
	data := p.files()["game/src/game.json"]
	p.write("game/src/game.json", strings.Replace(data, `"speed"`, `"step"`, 1)) // its pause is left
	if result, _ := p.runWith(wide("faster")); !result.Changed || !strings.Contains(result.Summary, "Changed: ") {
		t.Errorf("a shorter pause: %+v", result)
	}
	p.write("game/src/game.json", data)
	if len(s.asked) != 0 || len(a.played) != 4 {
		t.Errorf("the model was asked %d times, and the game played %d times", len(s.asked), len(a.played))
	}
	if a.played[0].Short {
		t.Error("it is played as one of another type")
	}
	short := strings.Replace(p.files()["game/package.json"], `"format": "platform"`, `"format": "short"`, 1)
	p.write("game/package.json", short)
	p.runWith(wide("faster"))
	if !a.played[4].Short {
		t.Errorf("it is not played as what it is: %s", short)
	}
	result, _ := p.runWith(wide("make the blocks glow"))
	if result.Changed || !result.Free || len(s.asked) == 0 {
		t.Errorf("what no tunable can do: %+v after %d questions", result, len(s.asked))
	}
	if result, _ = p.run("make the blocks glow"); result.Changed || !result.Free || !strings.Contains(result.Summary, "hurry, pause, speed") {
		t.Errorf("without a model: %+v", result)
	}
}

// TestTunableWithoutBoundsIsNotTuned: faster is not 0. An author is told to set bounds,
// but for those that the game had without before.
func TestTunableWithoutBoundsIsNotTuned(t *testing.T) {
	const bounds = `"speed": { "value": 1.5, "min": 1, "max": 2`
	for name, other := range map[string]string{
		"none": `"speed": { "value": 240`, "turned round": `"speed": { "value": 1.5, "min": 2, "max": 1`, "beyond": `"speed": { "value": 3, "min": 1, "max": 2`,
	} {
		p, _, _ := blocks(t)
		p.write("game/src/game.json", strings.Replace(p.files()["game/src/game.json"], bounds, other, 1))
		before := p.files()["game/src/game.json"]
		if result, _ := p.run("faster"); result.Changed || p.files()["game/src/game.json"] != before {
			t.Errorf("%s: %+v, %s", name, result, p.files()["game/src/game.json"])
		}
		if result, _ := p.run("call it Falling"); !result.Changed {
			t.Errorf("%s: another name: %+v", name, result)
		}
		game, err := loadKitGame(p.root)
		if err != nil {
			t.Fatal(err)
		}
		_, known := game.aboutOf(maps.Clone(game.files))
		_, faults := (&kitGame{}).aboutOf(maps.Clone(game.files))
		if len(known) > 0 || len(faults) != 1 || !strings.Contains(faults[0], `tunables: "speed" has a value`) {
			t.Errorf("%s: its author is told %q, and that of a change %q", name, faults, known)
		}
	}
}

func TestNoSecretOfAGameGoesToItsAuthor(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijklmnop"
	p, s, _ := blocks(t)
	p.write("game/NOTES.md", "- the key is "+secret+"\n")
	s.calls = [][2]string{toolCall(t, "read_file", map[string]any{"paths": []string{"NOTES.md"}}), toolCall(t, "search_files", map[string]any{"pattern": "the key"})}
	p.runWith(wide("make the blocks glow"))
	if said, err := json.Marshal(s.asked); err != nil || strings.Contains(string(said), secret) || strings.Count(string(said), mask) < 3 {
		t.Errorf("it was told %s (%v)", said, err)
	}
	if p.files()["game/NOTES.md"] != "- the key is "+secret+"\n" {
		t.Error("the game's file was changed")
	}
}

// TestGameWithFewChecksIsTunedAllTheSame: that an author be asked for more is nothing
// that keeps its user's own words from being done.
func TestGameWithFewChecksIsTunedAllTheSame(t *testing.T) {
	p, s, _ := blocks(t)
	for name := range p.files() {
		if strings.HasPrefix(name, "game/checks/") {
			if err := p.root.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if result, rep := p.runWith(wide("faster")); !result.Changed || warned(rep) != "" || len(s.asked) > 0 {
		t.Errorf("%+v, warned %q", result, warned(rep))
	}
}

func TestOldChecksAreTheTestsOfAChange(t *testing.T) {
	p, s, a := blocks(t)
	const broken = `check "a stack to the top ends it, and it begins again at 0": score is 3`
	before := p.files()
	edit := toolCall(t, "edit_file", map[string]any{"path": "src/main.js", "edits": []map[string]string{{"old": "import about", "new": "/* glow */ import about"}}})
	hand := toolCall(t, "done", map[string]any{"summary": "The blocks glow."})
	s.calls, a.reports = [][2]string{edit, hand}, []playtest.Report{failing("G13", broken), {}}
	result, rep := p.runWith(wide("make the blocks glow"))
	if after := p.files(); result.Changed || !maps.Equal(before, after) || len(result.Unmet) != 1 || !strings.Contains(warned(rep), "it is as it was") {
		t.Errorf("a change that breaks a check: %+v, warned %q", result, warned(rep))
	}
	if last := s.asked[2].Messages; !strings.Contains(last[len(last)-1].Text(), broken) {
		t.Errorf("the model was told %q", last[len(last)-1].Text())
	}
	// A check that is changed is judged as it was, too.
	weaker := toolCall(t, "delete_file", map[string]any{"path": "checks/ends.json"})
	s.calls, s.asked, a.played, a.reports = [][2]string{edit, weaker, hand}, nil, nil, nil
	if result, _ = p.runWith(wide("make the blocks glow")); !result.Changed || len(a.played) != 1 {
		t.Fatalf("%+v after %d plays", result, len(a.played))
	}
	if former := string(a.played[0].Files["checks/former-ends.json"]); !strings.Contains(former, "begins again at 0 (as it was before)") {
		t.Errorf("the judge got %q", former)
	}
	if _, there := p.files()["game/checks/former-ends.json"]; there {
		t.Error("the check of before became a part of the game")
	}
}

func TestWhatWasWrongBeforeIsNotHeldAgainstAChange(t *testing.T) {
	p, _, a := blocks(t)
	a.reports = []playtest.Report{failing("G09", "skill hardly pays: ratio 0.90"), failing("G09", "skill hardly pays: ratio 0.80")}
	if result, rep := p.runWith(wide("faster")); !result.Changed || !strings.Contains(warned(rep), "did not before this change") {
		t.Errorf("%+v, warned %q", result, warned(rep))
	}
	a.played, a.reports = nil, []playtest.Report{failing("G08", "no control starts it again"), {}}
	if result, _ := p.runWith(wide("slower")); result.Changed || !strings.Contains(result.Summary, "Nothing was changed: with this change") {
		t.Errorf("%+v", result)
	}
}

func TestPlanIsMadeWithToolsThatOnlyRead(t *testing.T) {
	p, s, _ := blocks(t)
	before := p.files()
	s.calls = [][2]string{
		toolCall(t, "write_file", map[string]any{"path": "src/main.js", "content": "x"}), toolCall(t, "read_file", map[string]any{"paths": []string{"src/main.js"}}),
		toolCall(t, "ask", map[string]any{"questions": []string{"One?", "Two?", "Three?", "Four?"}}), toolCall(t, "propose_plan", map[string]any{"plan": "# Glowing blocks\n\nThey glow."}),
	}
	req := wide("make the blocks glow")
	req.Settings.ChatMode = api.ChatPlan
	result, _ := p.runWith(req)
	after := p.files()
	text := after["game/PLAN.md"]
	delete(after, "game/PLAN.md")
	if !result.Changed || !maps.Equal(before, after) || !strings.Contains(text, "They glow.") || !strings.Contains(text, "- Three?") || strings.Contains(text, "Four?") {
		t.Errorf("%+v; the plan is %q", result, text)
	}
	var names []string
	for _, tool := range s.asked[0].Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "list_files read_file search_files ask propose_plan" {
		t.Errorf("it was offered %s", got)
	}
}

func TestBalanceThatEndsBeforeAModelsGameIsProvenLeavesTheGeneratorsOwn(t *testing.T) {
	spent := &model.Refusal{Status: http.StatusPaymentRequired}
	p := writers(t, &sage{calls: writing(t, "blocks")[:3], fails: spent}, &arcade{})
	req := wide("a fox that flies through gaps")
	req.JobID, req.ProjectID, req.Workspace = "job_1", p.id, p.root
	if _, err := p.gen.Generate(t.Context(), req, &recorder{}); !errors.Is(err, ErrExhausted) {
		t.Fatalf("got %v", err)
	}
	if changed, err := SettleDraft(p.root, newDelivery(req).change, req.JobID, true); !changed || err != nil || p.files()["game/src/mechanics/gap.js"] == "" {
		t.Errorf("changed %v, %v", changed, err)
	}
}

func TestBalanceThatEndsAfterAGamePassedLeavesThatGame(t *testing.T) {
	spent := &model.Refusal{Status: http.StatusPaymentRequired}
	calls := slices.DeleteFunc(writing(t, "blocks"), func(c [2]string) bool { return strings.Contains(c[1], `"path":"checks/`) })
	s := &sage{calls: calls, fails: spent} // it is asked for checks, and can't pay for them
	p := writers(t, s, &arcade{})
	req := wide("blocks that fall")
	req.JobID, req.ProjectID, req.Workspace = "job_1", p.id, p.root
	if _, err := p.gen.Generate(t.Context(), req, &recorder{}); !errors.Is(err, ErrExhausted) {
		t.Fatalf("got %v", err)
	}
	if changed, err := SettleDraft(p.root, newDelivery(req).change, req.JobID, true); !changed || err != nil || p.files()["game/src/board.js"] == "" {
		t.Errorf("changed %v, %v", changed, err)
	}
	if last := s.asked[len(s.asked)-1].Messages; !strings.Contains(last[len(last)-1].Text(), "It passed and is kept. But checks/ has 1 checks") {
		t.Errorf("it was told %q", last[len(last)-1].Text())
	}
}
