package author

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/engine/model"
)

// script is a model that answers with the next of its lines, and the last for
// ever.
type script struct {
	lines []string
	err   error
	asked []model.Request

	broken int // answers that break off, before the first line
}

func (s *script) Chats(context.Context) ([]string, error) { return []string{"big", "small"}, s.err }

func (s *script) Chat(_ context.Context, r model.Request) (model.Reply, error) {
	s.asked = append(s.asked, r)
	if len(s.asked) <= s.broken {
		return model.Reply{}, model.ErrBroken
	}
	line := s.lines[0]
	if len(s.lines) > 1 {
		s.lines = s.lines[1:]
	}
	return model.NewReply(line), nil
}

func read(t *testing.T, s *script, ask Ask) (brief.Reading, error) {
	t.Helper()
	return New(s).Brief(t.Context(), ask, brief.Order{ProjectID: "p", Format: spec.Short}, brief.Read(ask.Prompt))
}

func TestModelSaysWhatABriefMeans(t *testing.T) {
	s := &script{lines: []string{"Sure!\n```json\n" + `{"mechanic":"hop","theme":"space","hero":"cat","title":"Moon Cat","lives":5,"speed":1.5,"boss":true,"combo":false,"unmet":["weather forecast"]}` + "\n```"}}
	r, err := read(t, s, Ask{Prompt: "gatto sulla luna"})
	if err != nil {
		t.Fatal(err)
	}
	made := r.Write(brief.Order{ProjectID: "p", Format: spec.Short})
	if err := made.Check(); err != nil {
		t.Errorf("the game is none: %v", err)
	}
	if made.Mechanic != "hop" || made.Theme != "space" || made.Cast.Hero.Noun != "cat" || made.Title != "Moon Cat" ||
		made.Play.Lives != 5 || made.Play.Speed != 1.5 || !made.Play.Boss || made.Play.Combo {
		t.Errorf("made %+v", made)
	}
	if len(r.Unmet) != 1 || r.Unmet[0] != "weather forecast" {
		t.Errorf("unmet %q", r.Unmet)
	}
}

func TestEachWishThatAModelLeavesOpenIsSaid(t *testing.T) {
	phrases := make([]string, 12)
	for i := range phrases {
		phrases[i] = "wish number " + strings.Repeat("i", i+1)
	}
	unmet, err := json.Marshal(phrases)
	if err != nil {
		t.Fatal(err)
	}
	r, err := read(t, &script{lines: []string{`{"mechanic":"hop","unmet":` + string(unmet) + `}`}}, Ask{Prompt: "a frog"})
	if err != nil || !slices.Equal(r.Unmet, phrases) {
		t.Errorf("unmet %q, %v", r.Unmet, err)
	}
}

func TestAnswerThatIsNoneIsExplainedToTheModel(t *testing.T) {
	right := `{"mechanic":"gap"}`
	for wrong, says := range map[string]string{
		"I'd love to help!":                     "no JSON object",
		`{"mechanic":"gap"`:                     "no JSON object",
		`{"mechanic":}`:                         "no valid JSON",
		`{"mechanic":"quake"}`:                  `mechanic can't be "quake"`,
		`{}`:                                    "mechanic is missing",
		`{"mechanic":"gap","hero":"../../etc"}`: `hero can't be "../../etc"`,
		`{"mechanic":"gap","lives":9000}`:       "lives can't be 9000",
		`{"mechanic":"gap","shell":"rm -rf /"}`: "unknown field",
		`{"mechanic":"gap","lives":"three"}`:    "lives",
		`{"mechanic":"gap"} {"mechanic":"hop"}`: "no valid JSON",
		`{"mechanic":"gap","seconds":3}`:        "seconds can't be 3",
		`{"mechanic":"gap","mood":"murderous"}`: `mood can't be "murderous"`,
	} {
		s := &script{lines: []string{wrong, right}}
		r, err := read(t, s, Ask{Prompt: "x"})
		if err != nil || r.Mechanics["gap"] == 0 {
			t.Errorf("%s: %+v, %v", wrong, r.Mechanics, err)
			continue
		}
		last := s.asked[1].Messages
		if got := last[len(last)-1]; got.Role != model.RoleUser || !strings.Contains(got.Text(), says) {
			t.Errorf("%s: the model is told %q, want %q", wrong, got.Text(), says)
		}
	}
}

func TestAnswerThatBreaksOffIsAskedForOnceMore(t *testing.T) {
	s := &script{lines: []string{`{"mechanic":"gap"}`}, broken: 1}
	if _, err := read(t, s, Ask{Prompt: "x", Settings: api.Settings{ReasoningLevel: api.ReasoningLow}}); err != nil || len(s.asked) != 2 {
		t.Errorf("%v after %d questions", err, len(s.asked))
	}
	s = &script{lines: []string{`{"mechanic":"gap"}`}, broken: 9}
	if _, err := read(t, s, Ask{Prompt: "x"}); !errors.Is(err, model.ErrBroken) || len(s.asked) != 2 {
		t.Errorf("for ever: %v after %d questions", err, len(s.asked))
	}
}

func TestModelThatLoopsIsLeftAfterItsRounds(t *testing.T) {
	for level, want := range map[api.ReasoningLevel]int{api.ReasoningLow: 1, api.ReasoningMedium: 2, api.ReasoningHigh: 4, "": 2} {
		s := &script{lines: []string{"I will do it now."}}
		if _, err := read(t, s, Ask{Prompt: "x", Settings: api.Settings{ReasoningLevel: level}}); !errors.Is(err, errUnusable) || len(s.asked) != want {
			t.Errorf("level %q: %v after %d rounds, want %d", level, err, len(s.asked), want)
		}
	}
}

func TestModelIsTheOneThatIsWanted(t *testing.T) {
	for wanted, asked := range map[string]string{"": "big", "small": "small"} {
		s := &script{lines: []string{`{"mechanic":"gap"}`}}
		if _, err := read(t, s, Ask{Prompt: "x", Settings: api.Settings{Model: wanted}}); err != nil || s.asked[0].Model != asked {
			t.Errorf("%q: %v", wanted, err)
		}
	}
	s := &script{}
	if _, err := read(t, s, Ask{Prompt: "x", Settings: api.Settings{Model: "dear"}}); !errors.Is(err, ErrNoModel) {
		t.Errorf("a model that is not there: %v", err)
	}
}

func TestPromptFollowsInstructionsContextAndSkills(t *testing.T) {
	s := &script{lines: []string{`{"mechanic":"gap"}`}}
	_, err := read(t, s, Ask{
		Prompt: "PROMPT", Instructions: "INSTRUCTIONS", Context: []api.ContextBlock{{Name: "c", Content: "CONTEXT"}},
		Skills: []api.Skill{{Title: "SKILL", Prompt: "how"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := s.asked[0].Messages[0].Text()
	at := -1
	for _, part := range []string{"INSTRUCTIONS", "CONTEXT", "SKILL", "PROMPT"} {
		next := strings.Index(text, part)
		if next <= at {
			t.Errorf("%s is at %d, after %d\n%s", part, next, at, text)
		}
		at = next
	}
	if !json.Valid(s.asked[0].Schema) || s.asked[0].MaxOutput == 0 {
		t.Errorf("request %+v", s.asked[0])
	}
}

func TestPartsAreShownAsTheyAre(t *testing.T) {
	s := &script{lines: []string{`{"mechanic":"gap"}`}}
	long := func(begin string) string { return "  " + begin + strings.Repeat(" ü\t", api.MaxPrompt/4) + "END\n\n" }
	ask := Ask{Prompt: long("PROMPT"), Instructions: long("INSTRUCTIONS"), Skills: []api.Skill{{Key: "k", Title: strings.Repeat("ü", api.MaxSkillTitle), Prompt: long("SKILL")}}}
	parts := []string{ask.Prompt, ask.Instructions, ask.Skills[0].Title, ask.Skills[0].Prompt}
	for range api.MaxContextBlocks {
		ask.Context = append(ask.Context, api.ContextBlock{Name: strings.Repeat("é", api.MaxContextName), Content: strings.Repeat("c ", 4<<10)})
		parts = append(parts, ask.Context[0].Name, ask.Context[0].Content)
	}
	if _, err := read(t, s, ask); err != nil {
		t.Fatal(err)
	}
	text := s.asked[0].Messages[0].Text()
	for _, part := range parts {
		if strings.Count(text, part) != max(1, strings.Count(strings.Join(parts, "\n"), part)) {
			t.Errorf("%.20q is not shown as it is", part)
		}
	}
}

func TestModelSaysAChangeInTheGeneratorsWords(t *testing.T) {
	current := brief.Read("a duck flaps through gaps").Write(brief.Order{ProjectID: "p", Format: spec.Short})
	s := &script{lines: []string{`{"wishes":["make it wobble like jelly"]}`, `{"wishes":["make it faster","5 lives"],"unmet":["wie Pudding wackeln"]}`}}
	w, err := New(s).Change(t.Context(), Ask{Prompt: "schneller, fünf Leben, und es soll wie Pudding wackeln"}, current)
	if err != nil || w.Text != "make it faster. 5 lives" || len(w.Unmet) != 1 {
		t.Errorf("%+v, %v", w, err)
	}
	last := s.asked[1].Messages
	if got := last[len(last)-1].Text(); !strings.Contains(got, "does not understand the wish") {
		t.Errorf("the model is told %q", got)
	}
}
