package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/model"
)

// Bounds of one step.
const (
	maxAnswer = 8000 // tokens that the model may write
	maxCalls  = 16   // tools that are called of one answer
	maxSilent = 2    // answers in a row without a call, before it is given up
	maxBroken = 2    // answers in a row that break off, likewise

	bytesPerToken = 2 // as calls that break off are charged
)

// session is one run.
type session struct {
	models   Models
	verifier Verifier
	rep      Reporter
	task     Task
	talk     talk
	game     *sources
	tools    []model.Tool
	stuck    stuck

	hint   string // what would help a model that could not be asked
	usage  model.Usage
	steps  int
	silent int // answers in a row without a call
	broken int // answers in a row that broke off
	fixes  int // revisions that were handed in and did not pass

	clumsy map[string]int // edits of a file in a row that failed

	checked     int           // the revision that verdict is about; -1 none
	verdict     Verdict       // of the last check
	handedIn    int           // the last revision that did not pass; -1 none
	refused     Verdict       // why
	candidate   compile.Files // the last revision that passed a check
	candidateAt int           // its number
	green       compile.Files // the last that was proven; nil is the start

	summary  string
	unmet    []string
	finished bool
}

func newSession(models Models, verifier Verifier, rep Reporter, task Task) *session {
	game := newSources(task.Game, task.Ask.Skills)
	return &session{
		models: models, verifier: verifier, rep: rep, task: task, game: game,
		talk: newTalk(task, game), tools: definitions(), clumsy: map[string]int{}, checked: -1, handedIn: -1,
	}
}

// work is the loop. Its error is ctx's, the balance's, or the verifier's.
func (s *session) work(ctx context.Context) (Stop, error) {
	timed, cancel := context.WithTimeout(ctx, s.task.Limits.Wall)
	defer cancel()
	for !s.finished {
		stop, err := s.step(timed)
		switch {
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case timed.Err() != nil:
			return StopWall, nil
		case err != nil || stop != "":
			return stop, err
		}
	}
	return "", nil
}

// step asks once and does what the answer says.
func (s *session) step(ctx context.Context) (Stop, error) {
	left := s.task.Limits.Tokens - s.usage.Total()
	switch {
	case s.steps == s.task.Limits.Steps:
		return StopSteps, nil
	case left <= 0:
		return StopTokens, nil
	}
	s.steps++
	s.rep.Step(s.steps, s.task.Limits.Steps)
	most := min(left, maxAnswer)
	reply, err := s.ask(ctx, most)
	if err != nil {
		return s.unanswered(err, most)
	}
	s.broken = 0
	s.usage.Add(reply.Usage)
	calls := s.talk.answered(reply)
	if text := reply.Text(); text != "" {
		s.rep.Say(text)
	}
	if len(calls) == 0 {
		return s.nudge(reply.Cut), nil
	}
	s.silent = 0
	return s.answer(ctx, calls)
}

// unanswered says whether a run goes on without an answer. One that broke off is
// paid at its limit, and a step that was used.
func (s *session) unanswered(err error, most int) (Stop, error) {
	switch {
	case errors.Is(err, model.ErrExhausted):
		return "", err
	case errors.Is(err, model.ErrBroken) && s.broken < maxBroken:
		s.broken++
		s.usage.Add(model.Usage{Input: s.talk.size() / bytesPerToken, Output: most, Estimated: true})
		return "", nil
	}
	s.hint = model.Hint(err)
	return StopProvider, nil
}

// answer does what the calls of an answer say.
func (s *session) answer(ctx context.Context, calls []model.Call) (Stop, error) {
	repeats := false
	for _, call := range calls {
		result, err := s.call(ctx, call)
		if err != nil {
			return "", err
		}
		s.talk.result(call.ID, result)
		if s.finished {
			return "", nil
		}
		switch s.stuck.observe(call, result) {
		case circling:
			repeats = true
		case stuckFast:
			return StopLoop, nil
		}
	}
	if repeats {
		s.talk.say("You are repeating yourself, with the same result each time. Try something else, or call done.")
	}
	if s.fixes > s.task.Limits.Fixes {
		return StopFixes, nil
	}
	return "", nil
}

// ask sends the conversation. One that is too long for the model is shortened
// and sent once more.
func (s *session) ask(ctx context.Context, most int) (model.Reply, error) {
	request := model.Request{
		Model: s.task.Model, System: s.talk.system, Messages: s.talk.messages(maxTalk), Tools: s.tools,
		MaxOutput: most, Effort: string(s.task.Ask.Settings.ReasoningLevel), Cache: true,
	}
	reply, err := s.models.Chat(ctx, request)
	if model.KindOf(err) == model.Overflow {
		request.Messages = s.talk.messages(maxTalk / 4)
		return s.models.Chat(ctx, request)
	}
	return reply, err
}

// nudge answers a text without a call.
func (s *session) nudge(cut bool) Stop {
	if s.silent++; s.silent > maxSilent {
		return StopSilent
	}
	if cut {
		s.talk.say("Your answer was cut off before it called a tool. Say less, and write in smaller pieces.")
	} else {
		s.talk.say("Call a tool. When the game is as it should be, call done.")
	}
	return ""
}

// check judges the current revision, unless that was done already.
func (s *session) check(ctx context.Context) (v Verdict, again bool, err error) {
	if s.checked == s.game.revision {
		return s.verdict, true, nil
	}
	files := s.game.copy()
	if v, err = s.verifier.Check(ctx, files); err != nil {
		return v, false, err
	}
	s.checked, s.verdict = s.game.revision, v
	if v.OK {
		s.candidate, s.candidateAt = files, s.game.revision
	}
	return v, false, nil
}

// prove tries whether a revision may be handed out.
func (s *session) prove(ctx context.Context, files compile.Files) (Verdict, error) {
	v, err := s.verifier.Prove(ctx, files)
	if err == nil && v.OK {
		s.green = files
	}
	return v, err
}

// salvage proves what a model left that was stopped: the sources as they are,
// or else the last revision that passed a check.
func (s *session) salvage(ctx context.Context) error {
	if s.game.revision == 0 {
		return nil
	}
	if _, _, err := s.check(ctx); err != nil {
		return err
	}
	if s.candidate == nil || s.candidateAt == s.handedIn {
		return nil
	}
	_, err := s.prove(ctx, s.candidate)
	return err
}

func (s *session) outcome(stop Stop) Outcome {
	return Outcome{Files: s.green, Summary: s.summary, Unmet: s.unmet, Stop: stop, Hint: s.hint, Steps: s.steps, Usage: s.usage}
}

// feedback is a verdict as the model gets it: the worst of it, and not too much.
func feedback(v Verdict) string {
	const most = 5
	if v.OK {
		return "Passed. " + v.Note
	}
	text := "It does not pass:"
	for i, finding := range v.Findings {
		if i == most {
			text += fmt.Sprintf("\n- and %d more", len(v.Findings)-most)
			break
		}
		text += "\n- " + finding
	}
	return author.Clip(text, maxFeedback)
}
