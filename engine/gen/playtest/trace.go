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
	if inputs == nil {
		inputs = []json.RawMessage{}
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

// traced follows each check twice with its inputs and once without.
func (j *judge) traced() error {
	list, problems := traces(j.game.Files)
	for _, p := range problems {
		j.report.check("G13", true, false, p)
	}
	for i, t := range list {
		both, err := inPair(j.seats[0], j.seats[1], func(s *seat, _ bool) (outcome, error) { return s.follow(t, t.Inputs) })
		if err != nil {
			return err
		}
		j.keep(both[0].tale, true)
		without, err := j.seats[i%2].follow(t, nil)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("check %q", t.Name)
		switch {
		case both[0].wrong != "":
			j.report.check("G13", true, false, name+": "+both[0].wrong)
		case both[1].wrong != "":
			j.report.check("G13", true, false, name+" holds the first time and not the second: "+both[1].wrong)
		case without.wrong == "":
			j.report.check("G13", true, false, name+" holds without its inputs as well: it proves nothing")
		default:
			j.report.check("G13", true, true, name)
		}
	}
	return nil
}
