package egress

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/model"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/puppets"
)

// judging has an engine play games in the browser, with the real frameworks.
func judging(t *testing.T) func(o *gen.Options) {
	t.Helper()
	browser, err := playtest.Find()
	if errors.Is(err, playtest.ErrNoBrowser) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	frameworks := os.Getenv("SVC_FRAMEWORKS")
	if frameworks == "" {
		frameworks = filepath.Join("..", "..", "bin", "frameworks")
	}
	return func(o *gen.Options) { o.Chromium, o.Frameworks = browser, frameworks }
}

// asks are the settings of a job for a puppet's game.
func asks(p puppets.Puppet) api.Settings {
	s := api.Settings{Model: "writer", ReasoningLevel: api.ReasoningMedium, GameType: api.GamePlatform}
	if p.Start.Renderer == "three" {
		s.DimensionMode = api.Dimension3D
	}
	return s
}

// handsOver has a puppet's game made by a whole job, and checks that the job ended
// with it, that the puppet was answered as it expected, and that each token was
// charged.
func handsOver(t *testing.T, p puppets.Puppet, f *puppets.Fault, wire string) outcome {
	t.Helper()
	w := wires[wire]
	a := puppets.Act(p.Script(f), w.rules.Manner)
	r := stage(t, w.rules, w.can, a.Answer())
	o := r.engine(model.Options{Attempts: 1}, judging(t)).work(p.Prompt, asks(p))
	o.checkGame("")
	if problems := a.Problems(); len(problems) > 0 || !a.Finished() {
		t.Errorf("%d steps: %s", a.Steps(), strings.Join(problems, "\n"))
	}
	for name, want := range p.Files {
		if strings.HasPrefix(name, "src/") && o.files[name] != string(want) {
			t.Errorf("%s is not the puppet's", name)
		}
	}
	r.wantBalance(2*stageTIK - costs(a.Bills.Took()) - api.MicroPerTIK) // its engine topped up once more
	return o
}

// Case 1 of the author's acceptance. The long run has all puppets, each over the next wire.
func TestPuppetsGameIsDeliveredAndEachTokenIsCharged(t *testing.T) {
	all, err := puppets.All()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"chat", "responses", "budget", "DeepSeek", "Gemini", "adaptive"}
	for i, p := range all {
		t.Run(p.Name, func(t *testing.T) {
			if p.Name != "snake" && p.Name != os.Getenv("SVC_PUPPET") && !long.Asked() {
				return
			}
			o := handsOver(t, p, nil, names[i%len(names)])
			for name := range o.files {
				if strings.Contains(name, "mechanics/") {
					t.Errorf("there is %s", name)
				}
			}
		})
	}
}

// Case 4: what is wrong is named before it is mended. The long run has all faults.
func TestFaultsAreNamedToThePuppetThatMendsThem(t *testing.T) {
	short := []string{"network call", "black screen"}
	for _, f := range puppets.Faults {
		t.Run(f.Name, func(t *testing.T) {
			if !strings.Contains(strings.Join(short, "|")+"|"+os.Getenv("SVC_FAULT"), f.Name) && !long.Asked() {
				return
			}
			handsOver(t, puppet(t, f.Puppet), &f, "chat")
		})
	}
}
