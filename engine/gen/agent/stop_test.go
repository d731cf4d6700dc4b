package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/engine/model"
)

func TestModelThatTalksOnlyIsStopped(t *testing.T) {
	r := work(t, task(), &judge{}, says("What a nice game!"))
	if r.Stop != StopSilent || r.Files != nil || len(r.model.asked) != maxSilent+1 || r.judge.proofs != 0 {
		t.Errorf("%+v after %d questions", r.Outcome, len(r.model.asked))
	}
	r = work(t, task(), &judge{}, says("Let me see."), calls("done", finish))
	if r.Stop != "" {
		t.Errorf("a word too much: %+v", r.Outcome)
	}
}

func TestModelThatRepeatsItselfIsStopped(t *testing.T) {
	job := task()
	job.Limits.Steps = 60
	for name, turns := range map[string][]turn{
		"the same":        {calls("read_file", `{"path":"src/main.js"}`)},
		"the same error":  {calls("read_file", `{"path":"src/none.js"}`)},
		"checks again":    {calls("check", "")},
		"hands in again":  {calls("edit_file", edit("speed", "bad")), calls("done", finish)},
		"to and fro":      alternating(),
		"no such tool":    {calls("shell", "{}")},
		"no change at it": {calls("write_file", `{"path":"src/a.js","content":"1"}`)},
	} {
		r := work(t, job, &judge{}, turns...)
		if r.Stop != StopLoop || len(r.model.asked) > 14 || r.judge.proofs > 2 {
			t.Errorf("%s: %q after %d questions and %d proofs", name, r.Stop, len(r.model.asked), r.judge.proofs)
		}
		if !strings.Contains(fmt.Sprint(r.model.asked[len(r.model.asked)-1].Messages), "You are repeating yourself") && name != "to and fro" {
			t.Errorf("%s: it was not told so", name)
		}
	}
}

func alternating() []turn {
	var out []turn
	for range 20 {
		out = append(out, calls("edit_file", edit("speed = 1", "speed = 2")), calls("edit_file", edit("speed = 2", "speed = 1")))
	}
	return out
}

func TestStepsAndTokensAreBounded(t *testing.T) {
	var turns []turn
	for i := range 40 {
		turns = append(turns, calls("write_file", fmt.Sprintf(`{"path":"src/f%d.js","content":"1"}`, i)))
	}
	r := work(t, task(), &judge{}, turns...)
	if r.Stop != StopSteps || r.Steps != 10 {
		t.Errorf("steps: %q after %d", r.Stop, r.Steps)
	}
	job := task()
	job.Limits.Tokens = priceOfOutput*leastAnswer + 3*(10+5*priceOfOutput)
	r = work(t, job, &judge{}, turns...)
	if r.Stop != StopTokens || r.Steps != 4 || r.model.asked[3].MaxOutput != leastAnswer {
		t.Errorf("tokens: %q after %d, the last may write %d", r.Stop, r.Steps, r.model.asked[len(r.model.asked)-1].MaxOutput)
	}
}

func TestTimeIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, _ model.Request) (model.Reply, error) {
			<-ctx.Done()
			return model.Reply{}, ctx.Err()
		}
		start := time.Now()
		r := work(t, task(), &judge{}, calls("edit_file", edit("speed = 1", "speed = 2")), slow)
		if r.Stop != StopWall || time.Since(start) != time.Minute || r.Files == nil {
			t.Errorf("%q after %v", r.Stop, time.Since(start))
		}
	})
}

func TestCancelledRunEndsWithoutARevision(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("cancelled")
	stops := func(context.Context, model.Request) (model.Reply, error) {
		cancel(cause)
		return model.Reply{}, ctx.Err()
	}
	j := &judge{}
	out, err := Run(ctx, &scripted{turns: []turn{calls("edit_file", edit("speed = 1", "speed = 2")), stops}}, j, &log{}, task())
	if !errors.Is(err, cause) || out.Files != nil || j.proofs != 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestWhatDoesNotPassIsNeverHandedOut(t *testing.T) {
	spoil := calls("edit_file", edit("speed", "bad"))
	for name, turns := range map[string][]turn{
		"handed in": {spoil, calls("done", finish), calls("edit_file", edit("let a", "let c")), calls("done", finish)},
		"left":      {spoil, says("I am done.")},
		"provider":  {spoil, fails(&model.Refusal{Status: http.StatusBadGateway})},
	} {
		if r := work(t, task(), &judge{}, turns...); r.err != nil || r.Files != nil || r.Stop == "" || r.Summary != "" {
			t.Errorf("%s: %+v, %v", name, r.Outcome, r.err)
		}
	}
	r := work(t, task(), &judge{picky: true}, calls("edit_file", edit("speed = 1", "speed = 2")), calls("check", ""), calls("done", finish),
		calls("edit_file", edit("speed = 2", "speed = 3")), calls("done", finish))
	if r.Stop != StopFixes || r.Files != nil || r.judge.proofs != 2 {
		t.Errorf("a proof that fails: %+v, %d proofs", r.Outcome, r.judge.proofs)
	}
	if !strings.Contains(strings.Join(r.answers(), "\n"), "in the browser: it is dark 1") {
		t.Errorf("the model was told %q", r.answers())
	}
}

func TestWhoMeansItHandsInTheSameAgain(t *testing.T) {
	better := calls("edit_file", edit("speed = 1", "speed = 2"))
	r := work(t, task(), &judge{asks: 1}, better, calls("done", finish), calls("done", finish))
	if r.Stop != "" || r.Files == nil || r.judge.proofs != 2 {
		t.Errorf("%+v, %d proofs", r.Outcome, r.judge.proofs)
	}
	if r = work(t, task(), &judge{asks: 1}, better, calls("done", finish), says("Hm.")); r.Stop != StopSilent || r.Files != nil {
		t.Errorf("without a word: %+v", r.Outcome)
	}
}

// TestWhatNothingIsKnownOfIsProvenAgain: a fault of the judge's costs no fix, and a game
// that was stopped then is proven all the same.
func TestWhatNothingIsKnownOfIsProvenAgain(t *testing.T) {
	better, done := calls("edit_file", edit("speed = 1", "speed = 2")), calls("done", finish)
	for name, c := range map[string]struct {
		judge judge
		turns []turn
		stop  Stop
	}{
		"handed in again":    {judge{blind: 2}, []turn{better, done, done, done}, ""},
		"stopped":            {judge{blind: 1}, []turn{better, done, says("Hm.")}, StopSilent},
		"asked for the last": {judge{asks: 1}, []turn{better, done, done}, ""},
	} {
		job := task()
		job.Limits.Fixes = 0
		if r := work(t, job, &c.judge, c.turns...); r.Stop != c.stop || r.Files == nil {
			t.Errorf("%s: %+v", name, r.Outcome)
		}
	}
}

// TestWhatPassedAndIsWantingIsKept: a model that adds nothing, or spoils it then, keeps
// its game.
func TestWhatPassedAndIsWantingIsKept(t *testing.T) {
	better, spoil := calls("edit_file", edit("speed = 1", "speed = 2")), calls("edit_file", edit("speed = 2", "bad"))
	for name, turns := range map[string][]turn{
		"as it is": {better, calls("done", finish), calls("done", finish)},
		"in words": {better, calls("done", finish), says("I am done.")},
		"spoilt":   {better, calls("done", finish), spoil, calls("done", finish), calls("done", finish)},
	} {
		r := work(t, task(), &judge{wants: 2}, turns...)
		if !strings.Contains(string(r.Files["src/mechanics/gap.js"]), "speed = 2") || r.Summary != "It wobbles." || !strings.Contains(strings.Join(r.answers(), "\n"), "It passed and is kept. But it has no checks.") {
			t.Errorf("%s: %+v; it was told %q", name, r.Outcome, r.answers())
		}
	}
}

// TestWhatIsSaidOfARevisionThatFailedIsNotSaidOfTheOneThatIsKept: neither its summary
// nor its unmet wishes are of what is handed over. One that the model means is proven.
func TestWhatIsSaidOfARevisionThatFailedIsNotSaidOfTheOneThatIsKept(t *testing.T) {
	better, other := calls("edit_file", edit("speed = 1", "speed = 2")), calls("edit_file", edit("speed = 2", "bad"))
	first, second := calls("done", finish), calls("done", `{"summary":"It is blue.","unmet":["red"]}`)
	r := work(t, task(), &judge{wants: 1}, better, first, other, second, second)
	if r.Stop != "" || !strings.Contains(string(r.Files["src/mechanics/gap.js"]), "speed = 2") || r.Summary != "It wobbles." || !slices.Equal(r.Unmet, []string{"a song"}) {
		t.Errorf("%+v", r.Outcome)
	}
	other = calls("edit_file", edit("speed = 2", "speed = 3"))
	r = work(t, task(), &judge{wants: 1, asks: 2}, better, first, other, second, second)
	if r.Stop != "" || !strings.Contains(string(r.Files["src/mechanics/gap.js"]), "speed = 3") || r.Summary != "It is blue." {
		t.Errorf("meant to be so: %+v", r.Outcome)
	}
}

// TestOlderRevisionNeverTakesThePlaceOfAProvenOne: whoever is stopped keeps what was
// proven last, and it is not judged twice.
func TestOlderRevisionNeverTakesThePlaceOfAProvenOne(t *testing.T) {
	first := []turn{calls("edit_file", edit("speed = 1", "speed = 2"), "check", "{}"), calls("edit_file", edit("speed = 2", "speed = 3")), calls("done", finish)}
	for name, turns := range map[string][]turn{
		"spoilt":   append(slices.Clone(first), calls("edit_file", edit("speed = 3", "bad")), says("Hm.")),
		"as it is": append(slices.Clone(first), says("Hm.")),
	} {
		r := work(t, task(), &judge{wants: 2}, turns...)
		if r.Stop != StopSilent || !strings.Contains(string(r.Files["src/mechanics/gap.js"]), "speed = 3") || r.judge.proofs != 1 {
			t.Errorf("%s: %q, %d proofs, %s", name, r.Stop, r.judge.proofs, r.Files["src/mechanics/gap.js"])
		}
	}
}

func TestLastRevisionThatPassedIsKeptWhenTheModelIsStopped(t *testing.T) {
	better := calls("edit_file", edit("speed = 1", "speed = 2"))
	spoil := calls("edit_file", edit("speed = 2", "bad"))
	for name, c := range map[string]struct {
		turns []turn
		stop  Stop
	}{
		"unchecked":          {[]turn{better, says("All done!")}, StopSilent},
		"checked, spoilt":    {[]turn{better, calls("check", ""), spoil, says("Hm.")}, StopSilent},
		"the provider fails": {[]turn{better, fails(&model.Refusal{Status: http.StatusServiceUnavailable})}, StopProvider},
	} {
		r := work(t, task(), &judge{}, c.turns...)
		if r.err != nil || r.Stop != c.stop || !strings.Contains(string(r.Files["src/mechanics/gap.js"]), "speed = 2") || r.judge.proofs != 1 {
			t.Errorf("%s: %q, %v, %d proofs", name, r.Stop, r.err, r.judge.proofs)
		}
	}
}

func TestAnswerThatBreaksOffIsAStepThatIsPaidAndTheRunGoesOn(t *testing.T) {
	broken := fails(fmt.Errorf("%w: it fell silent", model.ErrBroken))
	better := calls("edit_file", edit("speed = 1", "speed = 2"))
	r := work(t, task(), &judge{}, broken, broken, better, broken, broken, calls("done", finish))
	if r.Stop != "" || r.Files == nil || r.Steps != 6 || r.Usage.Output < 4*answer || !r.Usage.Estimated {
		t.Errorf("%+v", r.Outcome)
	}
	r = work(t, task(), &judge{}, better, broken)
	if r.Stop != StopProvider || r.Files == nil || r.Steps != 1+maxBroken+1 {
		t.Errorf("for ever: %+v", r.Outcome)
	}
	poor := task()
	poor.Limits.Tokens = 2 * answer
	if r = work(t, poor, &judge{}, broken); r.Stop != StopTokens || r.Steps != 1 {
		t.Errorf("without tokens: %+v", r.Outcome)
	}
}

func TestCallThatAnAnswerEndedInIsNotRun(t *testing.T) {
	completed := func(context.Context, model.Request) (model.Reply, error) {
		return model.NewReply("", model.Call{Name: "write_file", Arguments: `{"path":"src/a.js","content":"let a"}`, Cut: true}), nil
	}
	r := work(t, task(), &judge{}, completed, calls("done", finish))
	if got := r.answers(); !strings.Contains(got[0], "cut off in the middle of this call") || r.Files != nil {
		t.Errorf("%q, %d files", got, len(r.Files))
	}
}

func TestUsedUpBalanceEndsTheRun(t *testing.T) {
	r := work(t, task(), &judge{}, calls("edit_file", edit("speed = 1", "speed = 2")), fails(&model.Refusal{Status: http.StatusPaymentRequired}))
	if !errors.Is(r.err, model.ErrExhausted) || r.judge.proofs != 0 {
		t.Errorf("%+v, %v", r.Outcome, r.err)
	}
}

// streaming is a scripted model whose text comes a letter at a time.
type streaming struct{ *scripted }

func (m streaming) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		reply, err := m.Chat(ctx, r)
		for _, letter := range reply.Text() {
			time.Sleep(20 * time.Millisecond)
			if !yield(model.Event{Text: string(letter)}, nil) {
				return
			}
		}
		yield(model.Event{Reply: &reply}, err)
	}
}

// TestSecretIsNeverPassedOnInPieces: whoever masks pieces sees each secret whole.
func TestSecretIsNeverPassedOnInPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		secrets := []string{
			"sk-ant-0123456789abcdef0123456789abcdef0123456789", "Bearer  0123456789/abcdef+0123456789==",
			"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA 0123456789\nabcdef 0123456789 abcdef\n",
		}
		text := "I take " + strings.Join(secrets, " and then, of all that there is, ") + "-----END RSA PRIVATE KEY-----. 文字は続きます。そして、終わりです。"
		l := &log{}
		m := streaming{&scripted{turns: []turn{says(text), calls("done", finish)}}}
		if _, err := Run(t.Context(), m, &judge{}, l, task()); err != nil || strings.Join(l.deltas, "") != text || len(l.deltas) < 5 {
			t.Errorf("%q, %v", l.deltas, err)
		}
		for _, secret := range secrets {
			if !slices.ContainsFunc(l.deltas, func(d string) bool { return strings.Contains(d, secret) }) {
				t.Errorf("%q stands in no piece whole: %q", secret, l.deltas)
			}
		}
	})
}

func TestWhatAModelSaysIsPassedOnFourTimesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const text = "I make it wobble, and then I hand it in, which takes a while."
		l := &log{}
		m := streaming{&scripted{turns: []turn{says(text), calls("done", finish)}}}
		start := time.Now()
		out, err := Run(t.Context(), m, &judge{}, l, task())
		most := int(time.Since(start)/deltaEvery) + 1
		if err != nil || out.Stop != "" || strings.Join(l.deltas, "") != text || len(l.deltas) > most || len(l.deltas) < 2 || len(l.said) != 1 {
			t.Errorf("%q in at most %d pieces; %+v, %v", l.deltas, most, out, err)
		}
	})
}

// TestPlannerIsAskedForItsPlan: what ends a plan is not done, which is not offered.
func TestPlannerIsAskedForItsPlan(t *testing.T) {
	job := task()
	job.Plan, job.Limits.Steps = true, 9
	same := calls("read_file", `{"path":"src/main.js"}`)
	r := work(t, job, &judge{}, says("Hm."), same, same, same, calls("list_files", "{}"), calls("search_files", `{"pattern":"x"}`), calls("list_files", "{}"), says("Hm."))
	said := ""
	for _, m := range r.model.asked[len(r.model.asked)-1].Messages[1:] {
		if m.Role == model.RoleUser {
			said += m.Text() + "\n"
		}
	}
	if strings.Contains(said, "call done") || strings.Count(said, "call propose_plan") < 3 {
		t.Errorf("it was told %s", said)
	}
	if job.Plan = false; newSession(nil, nil, nil, job).last() != "done" {
		t.Error("what ends a game is not done")
	}
}

func TestModelIsToldOnceToFinishWhenMostIsUsedUp(t *testing.T) {
	var turns []turn
	for i := range 20 {
		turns = append(turns, calls("write_file", fmt.Sprintf(`{"path":"src/f%d.js","content":"1"}`, i)))
	}
	for name, limit := range map[string]func(l *Limits){
		"steps": func(l *Limits) { l.Steps = 14 }, "price": func(l *Limits) { l.Steps, l.Tokens = 40, leastAnswer*priceOfOutput*20 },
	} {
		job := task()
		limit(&job.Limits)
		dear := slices.Clone(turns)
		if name == "price" {
			for i := range dear {
				dear[i] = func(ctx context.Context, r model.Request) (model.Reply, error) {
					reply, err := turns[i](ctx, r)
					reply.Usage.Output = leastAnswer
					return reply, err
				}
			}
		}
		r := work(t, job, &judge{}, dear...)
		last := r.model.asked[len(r.model.asked)-1].Messages
		told := 0
		for _, m := range last {
			told += strings.Count(m.Text(), "Finish now")
		}
		if told != 1 || r.Stop == "" {
			t.Errorf("%s: it was told %d times, and stopped since %q", name, told, r.Stop)
		}
	}
}
