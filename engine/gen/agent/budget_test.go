package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/model"
)

// writesFor answers with a file, and takes so many tokens.
func writesFor(n int, u model.Usage) turn {
	return func(ctx context.Context, r model.Request) (model.Reply, error) {
		reply, err := calls("write_file", fmt.Sprintf(`{"path":"src/f%d.js","content":"1"}`, n))(ctx, r)
		reply.Model, reply.Usage = r.Model, u
		return reply, err
	}
}

// costsAtMost is what a request costs that is charged at its limit, two bytes of JSON a
// token.
func costsAtMost(t *testing.T, r model.Request, p model.Price) int64 {
	r.Lost = nil
	raw, err := json.Marshal(struct {
		System   string
		Tools    []model.Tool
		Messages []model.Message
	}{r.System, r.Tools, r.Messages})
	if err != nil {
		t.Fatal(err)
	}
	return int64(len(raw)/2)*p.Input + int64(r.MaxOutput)*p.Output
}

// Whatever its answers take, an author never asks for one that may go beyond its TIK; it
// is told to finish, and what passed is the game.
func TestTIKIsNeverExceededAndWhatPassedIsTheGame(t *testing.T) {
	price, dear := model.Price{Input: 1, Cached: 1, CacheWrite: 2, Output: 10}, model.Price{Input: 2, Output: 30}
	broken := fails(fmt.Errorf("reading: %w", model.ErrBroken))
	for name, tc := range map[string]struct {
		tik    int64
		prices map[string]model.Price
		turns  func(n int) turn
		told   bool
	}{
		"small steps": {100_000, map[string]model.Price{"wise": price}, func(n int) turn { return writesFor(n, model.Usage{Input: 500, CacheWrite: 200, Output: 200}) }, true},
		"large steps": {120_000, map[string]model.Price{"wise": price}, func(n int) turn { return writesFor(n, model.Usage{Input: 900, Output: 1000}) }, false},
		"a dear one that stands in": {300_000, map[string]model.Price{"wise": price, "dear": dear}, func(n int) turn {
			return func(ctx context.Context, r model.Request) (model.Reply, error) {
				reply, err := writesFor(n, model.Usage{Input: 1000, Output: 300})(ctx, r)
				reply.Model = "dear"
				return reply, err
			}
		}, true},
		"broken answers": {200_000, map[string]model.Price{"wise": price}, func(n int) turn {
			if n%2 == 1 {
				return broken
			}
			return writesFor(n, model.Usage{Input: 500, Output: 100})
		}, false},
		"too little for one": {1_000, map[string]model.Price{"wise": price}, func(n int) turn { return broken }, false},
	} {
		job := task()
		job.Limits.Steps, job.Limits.TIK, job.Limits.Prices = 60, tc.tik, tc.prices
		job.Limits.Answer = 3000
		var spent int64
		var turns []turn
		for i := range 60 {
			next := tc.turns(i)
			turns = append(turns, func(ctx context.Context, r model.Request) (model.Reply, error) {
				reply, err := next(ctx, r)
				most := costsAtMost(t, r, tc.prices["wise"])
				if spent+most > tc.tik {
					t.Errorf("%s: %d are spent, and %d may follow, of %d", name, spent, most, tc.tik)
				}
				if err != nil {
					spent += most
				} else {
					spent += tc.prices[reply.Model].Of(reply.Usage)
				}
				return reply, err
			})
		}
		r := work(t, job, &judge{}, turns...)
		asked := len(r.model.asked)
		if r.Stop != StopTIK || (r.Files == nil) != (asked == 0) || asked == 0 != (name == "too little for one") {
			t.Errorf("%s: %q after %d questions and %d spent: %v", name, r.Stop, asked, spent, r.Refusal)
		}
		if tc.told && !strings.Contains(fmt.Sprint(r.model.asked[asked-1].Messages), "Finish now") {
			t.Errorf("%s: it was not told to finish", name)
		}
	}
}

// What a call may cost is counted with all that is sent: pictures, thoughts that go back,
// names and marks of strings.
func TestWhatIsReadIsCountedWithPicturesThoughtsAndQuotes(t *testing.T) {
	plain := newSession(nil, nil, nil, task())
	before := plain.mostRead()
	for name, tc := range map[string]struct {
		part model.Part
		most int
	}{
		"a picture":  {model.Part{Result: &model.Result{ID: "c", Images: []model.Image{{Type: "image/png", Data: []byte("x")}}}}, 5000},
		"a thought":  {model.Part{Opaque: &model.Opaque{Kind: "reasoning", Raw: json.RawMessage(`"` + strings.Repeat("x", 8000) + `"`)}}, 4000},
		"quotes":     {model.Part{Text: strings.Repeat("\"", 4000)}, 4000},
		"a name":     {model.Part{Call: &model.Call{ID: "c", Name: strings.Repeat("x", 600), Arguments: "{}"}}, 300},
		"many parts": {model.Part{Text: "x"}, 16},
	} {
		s := newSession(nil, nil, nil, task())
		s.talk.list = append(s.talk.list, model.Message{Role: model.RoleAssistant, Parts: []model.Part{tc.part}})
		if more := s.mostRead() - before; more < tc.most {
			t.Errorf("%s counts as %d tokens, and the egress may take it for %d", name, more, tc.most)
		}
	}
}

// TestLevelSetsHowFarAnAuthorMayGo: its answers, their tokens, the price of all, the time
// and how often a revision may fail; and a run goes by them, and thinks as hard.
func TestLevelSetsHowFarAnAuthorMayGo(t *testing.T) {
	for level, want := range map[api.ReasoningLevel]Limits{
		api.ReasoningLow:    {Steps: 20, Answer: 12_000, Tokens: 250_000, Wall: 5 * time.Minute, Fixes: 2},
		api.ReasoningMedium: {Steps: 40, Answer: 24_000, Tokens: 800_000, Wall: 15 * time.Minute, Fixes: 4},
		"":                  {Steps: 40, Answer: 24_000, Tokens: 800_000, Wall: 15 * time.Minute, Fixes: 4},
		api.ReasoningHigh:   {Steps: 80, Answer: 32_000, Tokens: 2_500_000, Wall: 38 * time.Minute, Fixes: 8},
	} {
		if got := LimitsOf(level); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v", level, got)
		}
		job := task()
		job.Limits, job.Ask.Settings.ReasoningLevel = LimitsOf(level), level
		writes := func(use model.Usage) (turns []turn) {
			for n := range want.Steps + 1 {
				turns = append(turns, writesFor(n, use))
			}
			return turns
		}
		r := work(t, job, &judge{}, writes(model.Usage{Input: 10, Output: 5})...)
		if r.Stop != StopSteps || len(r.model.asked) != want.Steps || r.model.asked[0].MaxOutput != want.Answer || r.model.asked[0].Effort != string(level) {
			t.Errorf("%q: %q after %d answers, the first of %d tokens, with the effort %q", level, r.Stop, len(r.model.asked), r.model.asked[0].MaxOutput, r.model.asked[0].Effort)
		}
		r = work(t, job, &judge{}, writes(model.Usage{Input: want.Tokens / 8})...)
		if r.Stop != StopTokens || len(r.model.asked) != 8 {
			t.Errorf("%q: %q after %d answers of an eighth of the price", level, r.Stop, len(r.model.asked))
		}
		var fixes []turn
		for n := range want.Fixes + 2 {
			fixes = append(fixes, writesFor(n, model.Usage{Input: 10, Output: 5}), calls("done", finish))
		}
		if r = work(t, job, &judge{picky: true}, fixes...); r.Stop != StopFixes || r.judge.proofs != want.Fixes+1 {
			t.Errorf("%q: %q after %d proofs", level, r.Stop, r.judge.proofs)
		}
	}
}
