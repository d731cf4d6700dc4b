package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/svc-games/svc/engine/gen/author"
)

const (
	maxChecks    = 12
	maxCheckSize = 32 << 10 // bytes
	maxCheckName = 40
	checksFolder = "checks/"
)

// saveTools keep what was played as a check of the game.
var saveTools = []tool{
	{"save_check", "Keeps a trace as checks/NAME.json with what must come of it. It is played twice with its inputs, which must hold, and once without, which must not.",
		`"name":{"type":"string"},` + traceParameter + `,"expect":` + expectParameter,
		[]string{"name", "trace", "expect"}, staged, onStage("save_check", saveCheck)},
}

type checkArguments struct {
	Name   string
	Trace  traceArguments
	Expect json.RawMessage
}

// checkFile is a check as it stands in its file.
type checkFile struct {
	Name   string            `json:"name"`
	Seed   uint32            `json:"seed,omitempty"`
	Frames int               `json:"frames"`
	Inputs []json.RawMessage `json:"inputs"`
	Expect json.RawMessage   `json:"expect"`
}

func saveCheck(ctx context.Context, s *session, a checkArguments) (result, error) {
	name := strings.Trim(strings.Map(plainLetter, strings.ToLower(author.Clip(a.Name, maxCheckName))), "-")
	trial, err := a.Trace.trial()
	if err != nil {
		return bad(err), nil
	}
	if name == "" {
		return bad(errors.New("name is a few letters or digits")), nil
	}
	path := checksFolder + name + ".json"
	if err := s.checksLeft(path); err != nil {
		return bad(err), nil
	}
	shown := author.Clip(strings.Join(strings.Fields(a.Name), " "), 80)
	data, err := json.MarshalIndent(checkFile{shown, trial.Seed, trial.Frames, trial.Inputs, a.Expect}, "", "  ")
	if err != nil {
		return bad(errors.New("the check is no JSON")), nil
	}
	if len(data) > maxCheckSize {
		return bad(fmt.Errorf("the check has %d bytes; at most %d", len(data), maxCheckSize)), nil
	}
	files := s.game.copy()
	why, err := s.task.Stage.Theatre.TryCheck(ctx, files, data)
	if err != nil {
		return result{}, err
	}
	if why != "" {
		return bad(fmt.Errorf("it is not kept. %s", author.Clip(why, maxFeedback))), nil
	}
	if err := s.game.write(path, string(data)+"\n"); err != nil {
		return bad(err), nil
	}
	return good("Kept as %s: it holds twice with its inputs, and not without.", path), nil
}

// checksLeft says whether there is room for one more check.
func (s *session) checksLeft(path string) error {
	n := 0
	for name := range s.game.files {
		if strings.HasPrefix(name, checksFolder) && name != path {
			n++
		}
	}
	if n >= maxChecks {
		return fmt.Errorf("there are %d checks, which is the most: replace one", n)
	}
	return nil
}

// plainLetter makes a name one that can be a file's.
func plainLetter(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return '-'
}
