package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/playtest"
)

const (
	usualTrial = 10.0 // seconds
	maxInputs  = 1000
)

// What an input and an expectation are made of. Each object has its members named, for
// some servers take none without.
const (
	inputParameter = `{"type":"object","properties":{"at":{"type":"integer"},"key":{"type":"string"},"keyUp":{"type":"string"},"text":{"type":"string"},` +
		`"tap":{"type":"boolean"},"down":{"type":"boolean"},"move":{"type":"boolean"},"up":{"type":"boolean"},"x":{"type":"number"},"y":{"type":"number"}},"required":["at"]}`
	expectParameter = `{"type":"object","properties":{"score":{"type":"object","properties":{"min":{"type":"number"},"max":{"type":"number"}}},` +
		`"ended":{"type":"boolean"},"outcome":{"type":"string"},"phase":{"type":"string"},"started":{"type":"integer"},"text":{"type":"string"},` +
		`"state":{"type":"object","properties":{"score":{"type":"number"}},"description":"paths of the state, as ball.x, with their values"}}}`
)

const traceParameter = `"trace":{"type":"object","properties":{"seed":{"type":"integer"},"frames":{"type":"integer"},"inputs":{"type":"array","items":` + inputParameter + `}},` +
	`"required":["inputs"],"description":"as in checks/*.json, from the opening of the game"}`

// playTools play the game and show what is to be seen.
var playTools = []tool{
	{"play", "Plays the game as it is: a trace, or a policy that starts it and plays for some seconds (60 at most). Returns events, the state at five moments, the console, the frame rate, and ids of shots to look at.",
		traceParameter + `,"policy":{"type":"string","enum":["` + strings.Join(playtest.Policies, `","`) + `"]},"seconds":{"type":"number"},"seed":{"type":"integer"}`, nil, staged, onStage("play", play)},
	lookTool,
}

type traceArguments struct {
	Seed   int64
	Frames int
	Inputs []json.RawMessage
}

// trial checks a trace. A second passes after its last input if it does not say how long
// it goes on.
func (t traceArguments) trial() (playtest.Trial, error) {
	if len(t.Inputs) > maxInputs {
		return playtest.Trial{}, fmt.Errorf("a trace has at most %d inputs", maxInputs)
	}
	last, err := playtest.LastInput(t.Inputs)
	if err != nil {
		return playtest.Trial{}, err
	}
	if t.Frames <= 0 {
		t.Frames = last + 60
	}
	return playtest.Trial{Inputs: t.Inputs, Frames: t.Frames, Seed: uint32(t.Seed)}, nil
}

type playArguments struct {
	Trace   *traceArguments
	Policy  string
	Seconds float64
	Seed    int64
}

func (a playArguments) trial(game *sources) (playtest.Trial, error) {
	if a.Trace != nil && a.Policy != "" {
		return playtest.Trial{}, errors.New("play a trace or a policy, not both")
	}
	if a.Trace != nil {
		return a.Trace.trial()
	}
	_, there := game.files[compile.PlayerFile]
	switch {
	case a.Policy == "player" && !there:
		return playtest.Trial{}, fmt.Errorf("there is no %s, by which the player plays", compile.PlayerFile)
	case a.Policy == "" && there:
		a.Policy = "player"
	case a.Policy == "":
		a.Policy = "mash"
	}
	if !slices.Contains(playtest.Policies, a.Policy) {
		return playtest.Trial{}, fmt.Errorf("policy is one of %s", strings.Join(playtest.Policies, ", "))
	}
	if a.Seconds <= 0 {
		a.Seconds = usualTrial
	}
	return playtest.Trial{Policy: a.Policy, Frames: int(60 * min(a.Seconds, playtest.MaxTrial)), Seed: uint32(a.Seed)}, nil
}

func play(ctx context.Context, s *session, a playArguments) (result, error) {
	trial, err := a.trial(s.game)
	if err != nil {
		return bad(err), nil
	}
	stage := s.task.Stage
	shown, err := stage.Theatre.Try(ctx, s.game.copy(), trial)
	if err != nil {
		return result{}, err
	}
	var b strings.Builder
	b.WriteString(shown.Words())
	for i, id := range stage.album.Add(shown.Scenes) {
		fmt.Fprintf(&b, "%s: %s\n", id, shown.Scenes[i].Moment())
	}
	return result{ok: shown.Trouble == "", text: limited(b.String(), maxResult)}, nil
}
