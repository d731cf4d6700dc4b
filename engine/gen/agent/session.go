package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/model"
)

// Bounds of one step.
const (
	leastAnswer = 1000 // tokens that an answer may have, or none is asked for
	maxCalls    = 16   // tools that are called of one answer
	maxSilent   = 2    // answers in a row without a call, before it is given up
	maxBroken   = 2    // answers in a row that break off, likewise

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
	tools    []tool
	offers   []model.Tool // the tools as the model is told of them
	stuck    stuck

	refusal error // of a model that could not be asked
	most    int   // tokens that the answer at hand might have
	usage   model.Usage
	spent   int64 // millionths of a TIK
	steps   int
	hurried bool // it was told to come to an end
	silent  int  // answers in a row without a call
	broken  int  // answers in a row that broke off
	fixes   int  // revisions that were handed in and did not pass
	looks   int  // at revisions that passed
	looked  int  // the last revision that passed and was found wanting; -1 none

	clumsy map[string]int // edits of a file in a row that failed

	checked     int           // the revision that verdict is about; -1 none
	verdict     Verdict       // of the last check
	handedIn    int           // the last revision that did not pass; -1 none
	refused     Verdict       // why
	candidate   compile.Files // the last revision that passed a check
	candidateAt int           // its number
	green       compile.Files // the last that was proven; nil is the start

	summary   string
	unmet     []string
	plan      string
	questions []string
	finished  bool
}

func newSession(models Models, verifier Verifier, rep Reporter, task Task) *session {
	game, tools := newSources(task.Game, task.Fixed, task.Ask.Skills), toolsOf(task)
	return &session{
		models: models, verifier: verifier, rep: rep, task: task, game: game,
		talk: newTalk(task, game), tools: tools, offers: definitions(tools), clumsy: map[string]int{}, checked: -1, handedIn: -1, looked: -1,
	}
}

// work is the loop. Its error is ctx's, the balance's, or the verifier's.
func (s *session) work(ctx context.Context) (Stop, error) {
	timed, cancel := context.WithTimeout(ctx, s.task.Limits.Wall)
	defer cancel()
	if s.refusal = model.Fits(s.task.Window); s.refusal != nil {
		return StopProvider, nil
	}
	if window := s.task.Window; window > 0 && s.talk.tokens() > window/100*longShare {
		return StopRoom, nil
	}
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
	stop := Stop("")
	s.hurry(ctx) // what it says is read, too
	if s.most, stop = s.affords(); stop != "" {
		return stop, nil
	}
	s.steps++
	s.rep.Step(s.steps, s.task.Limits.Steps)
	reply, err := s.ask(ctx)
	if err != nil {
		return s.unanswered(err)
	}
	s.broken = 0
	s.pay(reply.Model, reply.Usage)
	if full := s.talk.read(reply.Model, reply.Usage); full > 0 && !s.holds(full) {
		s.refusal = model.Missed(full)
		return StopProvider, nil
	}
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

// hurry tells the model once that most of what it may use is used.
func (s *session) hurry(ctx context.Context) {
	const share = 85 // of a hundred
	limits := s.task.Limits
	late := s.steps*100 >= limits.Steps*share || price(s.usage) >= limits.Tokens/100*share || s.spendsMostOf(share)
	if end, ok := ctx.Deadline(); ok {
		late = late || time.Until(end) < limits.Wall*(100-share)/100
	}
	if late && !s.hurried && s.steps > 0 {
		s.hurried = true
		s.talk.say("Most of what you may use is used up. Finish now: leave out what is not begun, see that what there is works, and call " + s.last() + ".")
	}
}

// last is the name of the tool that ends the task.
func (s *session) last() string { return s.tools[len(s.tools)-1].name }

// lost pays for an answer that was charged and never came, at its limit, and reports
// whether another model can be paid for as much.
func (s *session) lost() bool {
	s.pay("", model.Usage{Input: s.mostRead(), Output: s.most, Estimated: true})
	limits := s.task.Limits
	return limits.TIK == 0 || s.spent+s.toRead()+int64(s.most)*s.dearest().Output <= limits.TIK
}

// unanswered says whether a run goes on without an answer. One that broke off is a
// step that was used.
func (s *session) unanswered(err error) (Stop, error) {
	switch {
	case errors.Is(err, model.ErrExhausted):
		return "", err
	case errors.Is(err, model.ErrBroken) && s.broken < maxBroken:
		s.broken++
		return "", nil
	}
	s.refusal = err
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
		s.talk.say("You are repeating yourself, with the same result each time. Try something else, or call " + s.last() + ".")
	}
	if s.fixes > s.task.Limits.Fixes {
		return StopFixes, nil
	}
	return "", nil
}

// ask sends the conversation. One that is too long for the model is made shorter
// and sent once more.
func (s *session) ask(ctx context.Context) (model.Reply, error) {
	s.talk.fit(s.task.Window)
	if window := s.task.Window; window > 0 { // it holds the answer too
		s.most = min(s.most, max(leastAnswer, window-s.talk.tokens()))
	}
	request := model.Request{
		Model: s.task.Model, System: s.talk.system, Messages: s.talk.messages(), Tools: s.offers,
		MaxOutput: s.most, Effort: string(s.task.Ask.Settings.ReasoningLevel), Cache: true, Lost: s.lost,
	}
	reply, err := s.chat(ctx, request)
	if refused, ok := errors.AsType[*model.Refusal](err); ok && refused.Context > 0 && !s.holds(refused.Context) {
		return reply, err
	}
	if model.KindOf(err) == model.Overflow && s.talk.compact(s.talk.later()/4) {
		request.Messages = s.talk.messages()
		return s.chat(ctx, request)
	}
	return reply, err
}

// holds notes how many tokens the model can hold, as its server says or shows, and reports
// whether that is enough.
func (s *session) holds(tokens int) bool {
	s.task.Window = tokens
	return model.Fits(tokens) == nil
}

// deltaEvery is how often a piece of an answer is passed on, at most.
const deltaEvery = 250 * time.Millisecond

// chat asks once, and passes the text on as it comes where that can be had.
func (s *session) chat(ctx context.Context, r model.Request) (model.Reply, error) {
	streams, ok := s.models.(Streamer)
	if !ok {
		return s.models.Chat(ctx, r)
	}
	var said speech
	last := time.Now()
	return model.Collect(func(yield func(model.Event, error) bool) {
		for e, err := range streams.Stream(ctx, r) {
			said.held.WriteString(e.Text)
			if said.held.Len() > 0 && (e.Reply != nil || err != nil || time.Since(last) >= deltaEvery) {
				if text := said.take(e.Reply != nil); text != "" {
					s.rep.Delta(text)
				}
				last = time.Now()
			}
			if !yield(e, err) {
				return
			}
		}
	})
}

// nudge answers a text without a call.
func (s *session) nudge(cut bool) Stop {
	if s.silent++; s.silent > maxSilent {
		return StopSilent
	}
	if cut {
		s.talk.say("Your answer was cut off before it called a tool. Say less, and write in smaller pieces.")
	} else {
		s.talk.say("Call a tool. When all is as it should be, call " + s.last() + ".")
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
// or else the last revision that passed a check, if that is newer than the one that is
// proven already.
func (s *session) salvage(ctx context.Context) error {
	if s.game.revision == 0 || s.game.revision == s.looked {
		return nil
	}
	if _, _, err := s.check(ctx); err != nil {
		return err
	}
	if s.candidate == nil || s.candidateAt == s.handedIn || s.candidateAt <= s.looked {
		return nil
	}
	_, err := s.prove(ctx, s.candidate)
	return err
}

func (s *session) outcome(stop Stop) Outcome {
	var written compile.Files
	if s.game.revision > 0 {
		written = s.game.copy()
	}
	return Outcome{
		Files: s.green, Written: written, Summary: s.summary, Unmet: s.unmet, Plan: s.plan, Questions: s.questions,
		Stop: stop, Refusal: s.refusal, Steps: s.steps, Usage: s.usage,
	}
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
