package gen

import (
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/spec"
)

func TestInstructionsCountOnFollowUpsAsOnTheFirstJob(t *testing.T) {
	p := newProject(t, nil)
	if err := p.root.Mkdir(".svc", 0o755); err != nil {
		t.Fatal(err)
	}
	job := func(prompt, instructions string) decision {
		t.Helper()
		d, err := decide(t.Context(), Request{Prompt: prompt, Instructions: instructions, ProjectID: "p", Workspace: p.root}, nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := spec.Marshal(d.spec)
		if err != nil {
			t.Fatal(err)
		}
		p.write(specFile, string(data))
		return d
	}
	const winter = "Always use the winter theme and a dark palette."
	if d := job("A frog jumps in space", winter); d.spec.Theme != "space" || d.spec.Look.Mood != "dark" {
		t.Errorf("first job: theme %s, mood %s", d.spec.Theme, d.spec.Look.Mood)
	}
	if d := job("make it faster", winter); d.spec.Theme != "space" || len(d.did) != 1 {
		t.Errorf("instructions that were heeded undo what a brief said: %s, %q", d.spec.Theme, d.did)
	}
	d := job("make it faster", "The hero is always a penguin, in winter.")
	if d.spec.Theme != "winter" || d.spec.Cast.Hero.Noun != "penguin" || !strings.Contains(strings.Join(d.did, "; "), "as the instructions say") {
		t.Errorf("new instructions: theme %s, hero %s, did %q", d.spec.Theme, d.spec.Cast.Hero.Noun, d.did)
	}
}
