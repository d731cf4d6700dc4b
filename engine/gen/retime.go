package gen

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/agent"
	"github.com/svc-games/svc/engine/gen/compile"
)

// retime has the checks that another pace broke hold at that: their inputs come after a
// share of the time. One that does not hold then either is taken out, and the user is
// warned: what it proved is what was asked to change. Where anything else is wrong the
// verdict stays.
func (d *desk) retime(ctx context.Context, files compile.Files, v agent.Verdict, share float64) (agent.Verdict, error) {
	broken := brokenChecks(files, v)
	if len(broken) == 0 || share == 1 || math.IsInf(share, 0) || math.IsNaN(share) {
		return v, nil
	}
	d.before = maps.Clone(d.before)
	for name := range broken {
		if data, ok := retimed(files[name], share); ok {
			files[name] = data
		}
		delete(d.before, name)
	}
	v, err := d.Prove(ctx, files)
	if err != nil || v.OK {
		return v, err
	}
	if broken = brokenChecks(files, v); len(broken) == 0 {
		return v, nil
	}
	for name := range broken {
		delete(files, name)
		delete(d.before, name)
	}
	if v, err = d.Prove(ctx, files); err == nil && v.OK {
		said := strings.Join(slices.Sorted(maps.Values(broken)), ", ")
		warn(d.rep, "degraded", "What these checks proved of the game is no longer so at this pace, and they were taken out: "+clipped(said)+".")
	}
	return v, err
}

// brokenChecks are the names of the files of checks that are all that is wrong with a
// game, with what they call themselves; none where anything else is.
func brokenChecks(files compile.Files, v agent.Verdict) map[string]string {
	out := map[string]string{}
	for _, finding := range v.Findings {
		if strings.HasPrefix(finding, aside) {
			continue
		}
		found := false
		for file, data := range checksOfGame(files) {
			var check struct{ Name string }
			if json.Unmarshal(data, &check) == nil && strings.HasPrefix(finding, fmt.Sprintf("G13 check %q", check.Name)) {
				out[file], found = check.Name, true
			}
		}
		if !found {
			return nil
		}
	}
	return out
}

// retimed is a check whose inputs come after a share of the time.
func retimed(data []byte, share float64) ([]byte, bool) {
	var check struct {
		Name   json.RawMessage              `json:"name,omitempty"`
		Seed   json.RawMessage              `json:"seed,omitempty"`
		Frames float64                      `json:"frames,omitempty"`
		Inputs []map[string]json.RawMessage `json:"inputs"`
		Expect json.RawMessage              `json:"expect"`
	}
	if json.Unmarshal(data, &check) != nil {
		return nil, false
	}
	check.Frames = math.Ceil(check.Frames * share)
	for _, input := range check.Inputs {
		var at float64
		if json.Unmarshal(input["at"], &at) == nil {
			input["at"] = fmt.Appendf(nil, "%d", int(math.Round(at*share)))
		}
	}
	out, err := json.MarshalIndent(check, "", "  ")
	return append(out, '\n'), err == nil
}
