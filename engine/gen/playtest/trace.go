package playtest

import (
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

// Bounds of a game's checks.
const (
	maxTraces      = 12
	maxTraceFrames = 3600
)

// traces reads the checks among a game's files; the problems say what is wrong with
// those that can't be read.
func traces(files map[string][]byte) (out []Trace, problems []string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasPrefix(name, checksFolder) || path.Ext(name) != ".json" {
			continue
		}
		if len(out) == maxTraces {
			return out, append(problems, fmt.Sprintf("there are more than %d checks", maxTraces))
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
	last := 0
	for _, input := range t.Inputs {
		var when struct{ At *int }
		if err := json.Unmarshal(input, &when); err != nil || when.At == nil || *when.At < last {
			return t, fmt.Errorf("each input has a frame, \"at\", and none comes before the one in front of it")
		}
		last = *when.At
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

// traced follows each check twice with its inputs and once without. Both seats take
// what comes next.
func (j *judge) traced() error {
	list, problems := traces(j.game.Files)
	for _, p := range problems {
		j.report.check("G13", true, false, p)
	}
	type turn struct{ check, time int }
	turns := make(chan turn, 3*len(list))
	for i := range list {
		for time := range 3 {
			turns <- turn{i, time}
		}
	}
	close(turns)
	went := make([][3]outcome, len(list))
	_, err := inPair(j.seats[0], j.seats[1], func(s *seat, _ bool) (any, error) {
		for next := range turns {
			inputs := list[next.check].Inputs
			if next.time == 2 {
				inputs = []json.RawMessage{}
			}
			var err error
			if went[next.check][next.time], err = s.follow(list[next.check], inputs); err != nil {
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
		first, second, without := went[i][0].wrong, went[i][1].wrong, went[i][2].wrong
		name := fmt.Sprintf("check %q", t.Name)
		switch {
		case first != "":
			j.report.check("G13", true, false, name+": "+first)
		case second != "":
			j.report.check("G13", true, false, name+" holds the first time and not the second: "+second)
		case without == "":
			j.report.check("G13", true, false, name+" holds without its inputs as well: it proves nothing")
		default:
			j.report.check("G13", true, true, name)
		}
	}
	return nil
}
