package playtest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Trace is a check that a game brings along: inputs, and what must come of them.
type Trace struct {
	Name   string            `json:"name"`
	Kind   string            `json:"kind,omitempty"`
	Seed   uint32            `json:"seed,omitempty"`
	Frames int               `json:"frames,omitempty"` // in all; without it a second more than the inputs
	Inputs []json.RawMessage `json:"inputs"`
	Expect json.RawMessage   `json:"expect"`
}

// checksFolder is where a game has its checks.
const checksFolder = "checks/"

// MaxTraces bounds a game's checks.
const MaxTraces = 12

// maxTraceFrames bounds one of them.
const maxTraceFrames = 3600

// traces reads the checks among a game's files; the problems say what is wrong with
// those that can't be read.
func traces(files map[string][]byte) (out []Trace, problems []string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasPrefix(name, checksFolder) || path.Ext(name) != ".json" {
			continue
		}
		if len(out) == MaxTraces {
			return out, append(problems, fmt.Sprintf("there are more than %d checks", MaxTraces))
		}
		t, err := readTrace(files[name])
		if err != nil {
			problems = append(problems, name+": "+err.Error())
			continue
		}
		if t.Name == "" {
			t.Name = strings.TrimSuffix(path.Base(name), ".json")
		}
		out = append(out, t)
	}
	return out, problems
}

func readTrace(data []byte) (Trace, error) {
	var t Trace
	if err := json.Unmarshal(data, &t); err != nil {
		return t, err
	}
	last, err := LastInput(t.Inputs)
	if err != nil {
		return t, err
	}
	if len(t.Inputs) == 0 || len(t.Expect) == 0 || t.Expect[0] != '{' {
		return t, fmt.Errorf("a check has inputs and an expectation")
	}
	if t.Frames == 0 {
		t.Frames = last + second
	}
	t.Frames = max(1, min(t.Frames, maxTraceFrames))
	if t.Seed == 0 {
		t.Seed = 1
	}
	return t, nil
}

// LastInput is the frame of the last of a check's inputs, which are in order.
func LastInput(inputs []json.RawMessage) (frame int, err error) {
	for _, input := range inputs {
		var when struct{ At *int }
		if err := json.Unmarshal(input, &when); err != nil || when.At == nil || *when.At < frame {
			return 0, fmt.Errorf("each input has a frame, \"at\", and none comes before the one in front of it")
		}
		frame = *when.At
	}
	return frame, nil
}

// outcome is how a trace went on a seat.
type outcome struct {
	wrong string // what does not hold
	tale  tale
}

// follow plays a trace from the opening of the game, with its inputs or without.
func (s *seat) follow(t Trace, inputs []json.RawMessage) (outcome, error) {
	began, err := s.load(t.Seed)
	if err != nil {
		return outcome{}, err
	}
	if began.Ready < 0 {
		return outcome{wrong: "it is not ready"}, nil
	}
	if _, err = s.replay(inputs, t.Frames-1); err == nil {
		err = s.draw(true) // texts are compared as they are seen
	}
	if err != nil {
		return outcome{}, err
	}
	went, err := s.play("", 1, "never")
	if err != nil {
		return outcome{}, err
	}
	wrong, err := Eval[string](s.Page, fmt.Sprintf("window.__judge.expects(%s)", t.Expect))
	return outcome{wrong, went}, err
}

// times is how often a check is followed: twice with its inputs, and without.
const times = 3

func (s *seat) turn(t Trace, time int) (outcome, error) {
	if time == times-1 {
		return s.follow(t, []json.RawMessage{})
	}
	return s.follow(t, t.Inputs)
}

// against says what speaks against a check; "" when nothing does.
func against(went [times]outcome) string {
	switch first, second, without := went[0].wrong, went[1].wrong, went[2].wrong; {
	case first != "":
		return ": " + first
	case second != "":
		return " holds the first time and not the second: " + second
	case without == "":
		return " holds without its inputs as well: it proves nothing"
	}
	return ""
}

// TryCheck follows a check that an author wrote as the judge will, and says what speaks
// against it; "" when nothing does. Its error is ctx's, or means that nothing can be said.
func (b *Browser) TryCheck(ctx context.Context, g Game, data []byte) (why string, err error) {
	t, err := readTrace(data)
	if err != nil {
		return "It can't be read: " + err.Error(), nil
	}
	s, err := b.sit(ctx, g)
	if err != nil {
		return "", err
	}
	defer s.Close()
	var went [times]outcome
	for time := range times {
		if went[time], err = s.turn(t, time); err != nil {
			return s.trouble(ctx, err)
		}
	}
	if why = against(went); why != "" {
		why = "The check" + clip(why, maxWord) + "."
	}
	return why, nil
}

// traced follows each check twice with its inputs and once without. Both seats take
// what comes next.
func (j *judge) traced() error {
	list, problems := traces(j.game.Files)
	for _, p := range problems {
		j.report.check("G13", true, false, p)
	}
	type turn struct{ check, time int }
	turns := make(chan turn, times*len(list))
	for i := range list {
		for time := range times {
			turns <- turn{i, time}
		}
	}
	close(turns)
	went := make([][times]outcome, len(list))
	_, err := inPair(j.seats[0], j.seats[1], func(s *seat, _ bool) (any, error) {
		for next := range turns {
			var err error
			if went[next.check][next.time], err = s.turn(list[next.check], next.time); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if err != nil {
		return err
	}
	for i, t := range list {
		j.keep(went[i][0].tale, true)
		why := against(went[i])
		j.checkOf(ofState|ofPlay, "G13", why == "", strings.TrimSpace(fmt.Sprintf("check %q%s", t.Name, why)))
	}
	return nil
}
