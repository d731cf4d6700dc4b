package egress

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/engine/model"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/puppets"
)

// An author's pictures and sounds are the operator's models' where the settings want
// that: each is paid once, announced, and a file of the game.
func TestAuthorHasPicturesAndSoundsMadeByModels(t *testing.T) {
	p := puppet(t, "snake")
	script := slices.Insert(p.Script(nil), 1,
		puppets.Step{Calls: []puppets.Call{
			{Name: "make_image", Arguments: map[string]any{"name": "apple", "role": "pickup", "subject": "a red apple", "w": 64, "h": 64}},
			{Name: "make_image", Arguments: map[string]any{"name": "orchard", "role": "background", "subject": "an orchard", "w": 480, "h": 720}},
			{Name: "make_sound", Arguments: map[string]any{"name": "bite", "role": "score", "subject": "a bite"}},
		}},
		puppets.Step{After: []string{`Made assets/apple\.png.*A model painted it`, `Made assets/orchard\.jpg`, `Made assets/bite\.wav.*A model recorded it`}, Calls: []puppets.Call{
			{Name: "make_image", Arguments: map[string]any{"name": "apple", "role": "pickup", "subject": "a red apple", "w": 64, "h": 64}}, // again
			{Name: "list_files"}, {Name: "search_files", Arguments: map[string]any{"pattern": `"kind"|d\.ts`}},
		}})
	a := puppets.Act(script, "")
	r := newRigWith(t, func(c *egress.Config) {
		c.Endpoints[0].Chat, c.Endpoints[0].Models = nil, []egress.Model{{Name: "writer"}}
	}, fakeprovider.ByPath(map[string]fakeprovider.Answer{
		"/chat/completions": fakeprovider.Strict(fakeprovider.Rules{}, a.Answer()), "/images/generations": fakeprovider.Pictures(fakeprovider.Picture(t)),
		"/audio/speech": fakeprovider.Speech(fakeprovider.Tone()),
	}))
	settings := asks(p)
	settings.AIImages, settings.AIAudio = new(true), new(true)
	o := r.engine(model.Options{Attempts: 1}, judging(t)).work(p.Prompt, settings)
	o.checkGame("")
	if problems := a.Problems(); !a.Finished() || len(problems) > 0 {
		t.Errorf("it came to step %d: %s", a.Steps(), strings.Join(a.Problems(), "\n"))
	}
	made := map[string]string{}
	for _, e := range o.events {
		if e.Type == api.EventAssetCreated {
			made[e.Members["path"].(string)] = e.Members["name"].(string) + " " + e.Members["kind"].(string) + " " + e.Members["source"].(string)
		}
	}
	for file, want := range map[string]string{"apple.png": "apple image model", "orchard.jpg": "orchard image model", "bite.wav": "bite audio model"} {
		if made["game/assets/"+file] != want || o.files["assets/"+file] == "" {
			t.Errorf("%s: announced as %q, with %d bytes", file, made["game/assets/"+file], len(o.files["assets/"+file]))
		}
	}
	calls := map[string]int{}
	for _, q := range r.provider.Requests() {
		calls[q.Path]++
	}
	if len(made) != 3 || calls["/v1/images/generations"] != 2 || calls["/v1/audio/speech"] != 1 {
		t.Errorf("announced were %v; the models were called %v", made, calls)
	}
	// 100 TIK are the user's, 1,000,000 the engine's; a job, two pictures and a sound cost 1 each.
	r.wantBalance(1_000_100*api.MicroPerTIK - costs(a.Bills.Took()) - 4*api.MicroPerTIK)
}
