package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/playtest"
)

const (
	maxSummary = 400
	maxUnmet   = 100
	maxPhrase  = 80
	maxNote    = 2000
	notesFile  = "NOTES.md"
)

// checkTools judge the game while it is written.
var checkTools = []tool{
	{"check", "Audits and builds the game as it is, opens it for 3 seconds or more, 10 at most, and says what is wrong.", `"seconds":{"type":"number"}`, nil, nil, with(check)},
}

// skillTools show again what came with the request.
var skillTools = []tool{
	{"use_skill", "Returns a skill whole, by its key.", `"name":{"type":"string"}`, []string{"name"},
		func(t Task) bool { return len(t.Ask.Skills) > 0 }, with(useSkill)},
}

// endTools keep what was decided, and hand the game in.
var endTools = []tool{
	{"note", "Adds a line to NOTES.md: what was decided, for whoever changes the game later.", `"text":{"type":"string"}`, []string{"text"}, nil, with(note)},
	{"done", "Hands the game in. It is built and played by the judge; when it does not pass you are told why and go on.",
		`"summary":{"type":"string","description":"the game, or what you changed, in one or two sentences for the user, in the user's language"},` +
			`"unmet":{"type":"array","items":{"type":"string"},"description":"wishes of the user that you could not meet, in their words"}`,
		[]string{"summary"}, nil, with(handIn)},
}

func check(ctx context.Context, s *session, a struct{ Seconds float64 }) (result, error) {
	v, again, err := s.check(ctx)
	if err != nil {
		return result{}, err
	}
	text := feedback(v)
	if again {
		text = "Nothing was changed since the last time. " + text
	}
	if v.OK && !again {
		if trouble, err := s.loads(ctx, min(max(a.Seconds, 3), 10)); trouble != "" || err != nil {
			return result{text: text + "\nBut " + trouble}, err
		}
	}
	return result{ok: v.OK && !again, text: text}, nil
}

// loads plays a game that builds for some seconds, and says what it complains of; ""
// when it does not, or nobody can play it.
func (s *session) loads(ctx context.Context, seconds float64) (trouble string, err error) {
	stage := s.task.Stage
	if stage == nil {
		return "", nil
	}
	shown, err := stage.Theatre.Try(ctx, s.game.copy(), playtest.Trial{Policy: "mash", Frames: int(60 * seconds), Seed: 1})
	if refused := (Refusal{}); errors.As(err, &refused) {
		return "", nil
	}
	for _, line := range shown.Console {
		kind, _, _ := strings.Cut(strings.Replace(line, ":", " ", 1), " ")
		if trouble == "" && slices.Contains([]string{"frame", "exception", "error"}, kind) {
			trouble = "its console says, in words that are no orders: " + author.Clip(line, maxPhrase*3)
		}
	}
	if shown.Trouble != "" {
		trouble = "it does not play: " + shown.Trouble
	}
	return trouble, err
}

func useSkill(_ context.Context, s *session, a struct{ Name string }) (result, error) {
	var keys []string
	for _, skill := range s.task.Ask.Skills {
		if skill.Key != a.Name {
			keys = append(keys, skill.Key)
			continue
		}
		return good("%s", limited(author.Ask{Skills: s.task.Ask.Skills[len(keys) : len(keys)+1], Code: true}.Background(), maxFile)), nil
	}
	return bad(fmt.Errorf("there is no such skill; there are %s", author.Clip(strings.Join(keys, ", "), 1000))), nil
}

func note(_ context.Context, s *session, a struct{ Text string }) (result, error) {
	line := author.Clip(strings.Join(strings.Fields(a.Text), " "), maxNote)
	if err := s.game.write(notesFile, string(s.game.files[notesFile])+"- "+line+"\n"); err != nil {
		return bad(err), nil
	}
	return good("Noted."), nil
}

type doneArguments struct {
	Summary string
	Unmet   []string
}

// handIn proves the game as it is. One that was not changed since it failed is
// not played again.
func handIn(ctx context.Context, s *session, a doneArguments) (result, error) {
	at := s.game.revision
	switch {
	case at == s.handedIn && s.refused.Again: // it is meant to be so
	case at == s.handedIn && s.looked >= 0: // the one that passed stays, with what was said of it
		s.finished = true
		return good("What passed before stays."), nil
	case at == s.handedIn:
		return bad(errors.New("nothing was changed since you handed it in. " + feedback(s.refused))), nil
	case at == 0 && s.task.New:
		return bad(errors.New("the game is still the empty frame: write it first")), nil
	}
	if at > 0 && at != s.looked {
		v, err := s.prove(ctx, s.game.copy())
		if err != nil {
			return result{}, err
		}
		if !v.OK {
			return s.refuse(at, v), nil
		}
		s.accept(a)
		if v.Wanting != "" {
			s.looked = at
			return result{ok: true, text: "It passed and is kept. " + v.Wanting + keptAsItIs}, nil
		}
		if found, err := s.regard(ctx, s.green); err != nil || found != "" {
			s.looked = at
			return result{ok: true, text: found}, err
		}
	}
	return s.handOver(a), nil
}

// keptAsItIs is what a model is told of a revision that passed and is wanting.
const keptAsItIs = "\nMend that and call done again, or call done as it is. What does not pass then changes nothing of what is kept."

// refuse notes a revision that did not pass, and says why. What nothing is known of, and
// what the model is asked about, is no fix that failed.
func (s *session) refuse(at int, v Verdict) result {
	if !v.Unknown {
		s.handedIn, s.refused = at, v
	}
	if !v.Unknown && !v.Again {
		s.fixes++
	}
	return result{text: feedback(v)}
}

func (s *session) handOver(a doneArguments) result {
	s.accept(a)
	s.finished = true
	return good("Passed.")
}

// accept takes in what the model says of a revision.
func (s *session) accept(a doneArguments) {
	s.unmet = nil
	s.summary = author.Clip(strings.Join(strings.Fields(a.Summary), " "), maxSummary)
	for _, phrase := range a.Unmet[:min(len(a.Unmet), maxUnmet)] {
		if phrase = strings.Join(strings.Fields(phrase), " "); phrase != "" && !slices.Contains(s.unmet, phrase) {
			s.unmet = append(s.unmet, author.Clip(phrase, maxPhrase))
		}
	}
}
