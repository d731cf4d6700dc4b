package gen

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/engine/gen/studio"
	"github.com/svc-games/svc/engine/model"
)

// oracle answers every question alike.
type oracle struct {
	text  string
	err   error
	asked int
}

func (o *oracle) Chats(context.Context) ([]string, error) { return []string{"wise"}, nil }

func (o *oracle) Chat(context.Context, model.Request) (model.Reply, error) {
	o.asked++
	return model.NewReply(o.text), o.err
}

func withModel(o *oracle) *embedded {
	g := quickGenerator().(*embedded)
	g.author = author.New(o)
	return g
}

// request asks for a game in an empty project.
func request(t *testing.T, prompt string) Request {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return Request{JobID: "job_1", ProjectID: "p", Prompt: prompt, Workspace: root, Settings: api.Settings{ChatMode: api.ChatAgent}}
}

// specOf reads the project's game.
func specOf(t *testing.T, req Request) spec.Spec {
	t.Helper()
	data, err := req.Workspace.ReadFile(specFile)
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.Unmarshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// warned are the warnings of a job.
func warned(rep *recorder) string {
	var all []string
	for _, e := range rep.events {
		if e.Type == api.EventWarning {
			all = append(all, fmt.Sprint(e.Members["message"]))
		}
	}
	return strings.Join(all, "\n")
}

func TestModelThatIsNamedReadsTheBriefAndTheChange(t *testing.T) {
	o := &oracle{text: `{"mechanic":"stack","theme":"candy","hero":"cat","title":"Gattino","unmet":["meteo"]}`}
	g := withModel(o)
	req := request(t, "un gatto che costruisce una torre")
	req.Settings.Model = "wise"
	var rep recorder
	result, err := g.Generate(t.Context(), req, &rep)
	if err != nil {
		t.Fatal(err)
	}
	if s := specOf(t, req); s.Mechanic != "stack" || s.Theme != "candy" || s.Title != "Gattino" || len(result.Unmet) != 1 {
		t.Errorf("made %s in %s, unmet %q", s.Mechanic, s.Theme, result.Unmet)
	}
	if strings.Contains(warned(&rep), "model") {
		t.Errorf("warnings %q", warned(&rep))
	}
	lives := specOf(t, req).Play.Lives
	o.text = `{"wishes":["add a boss"],"unmet":[]}`
	req.Prompt = "alla fine un cattivo"
	if result, err = g.Generate(t.Context(), req, &rep); err != nil || !result.Changed {
		t.Fatalf("%+v, %v", result, err)
	}
	if s := specOf(t, req); !s.Play.Boss || s.Play.Lives != lives {
		t.Errorf("play %+v", s.Play)
	}
}

func TestModelIsAskedOnlyWhenItIsNamed(t *testing.T) {
	o := &oracle{err: errors.New("must not be asked")}
	g := withModel(o)
	for _, name := range []string{"", api.ModelEmbedded} {
		req := request(t, "a duck that flaps through gaps")
		req.Settings.Model = name
		var rep recorder
		if _, err := g.Generate(t.Context(), req, &rep); err != nil || o.asked != 0 {
			t.Errorf("model %q: asked %d times, %v", name, o.asked, err)
		}
	}
}

// listed is a studio that lists models and makes nothing.
type listed struct {
	studio.Models
	offers []model.Offer
	err    error
}

func (l listed) Offers(context.Context) ([]model.Offer, error) { return l.offers, l.err }

func TestModelOfAJobIsTheOneThatIsWantedOrTheDefault(t *testing.T) {
	offers := []model.Offer{
		{Name: "painter", Use: model.UseImages, Default: true}, {Name: "first", Use: model.UseChat}, {Name: "second", Use: model.UseChat, Default: true},
	}
	for name, tc := range map[string]struct {
		studio       studio.Models
		wanted, want string
		fails        bool
	}{
		"no models":              {nil, "first", "embedded", false},
		"the default":            {listed{offers: offers}, "", "second", false},
		"another":                {listed{offers: offers}, "first", "first", false},
		"one that paints":        {listed{offers: offers}, "painter", "embedded", false},
		"one that is gone":       {listed{offers: offers}, "third", "embedded", false},
		"the generator itself":   {listed{err: errors.New("down")}, "embedded", "embedded", false},
		"no default":             {listed{offers: offers[1:2]}, "", "embedded", false},
		"no one answers":         {listed{err: errors.New("down")}, "", "embedded", true},
		"no one answers for one": {listed{err: errors.New("down")}, "first", "first", true},
	} {
		if got, err := (&embedded{studio: tc.studio}).Choose(t.Context(), tc.wanted); got != tc.want || (err != nil) != tc.fails {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestModelThatFailsLeavesTheGeneratorToItself(t *testing.T) {
	req := request(t, "a duck that flaps through gaps")
	var plain recorder
	if _, err := quickGenerator().Generate(t.Context(), req, &plain); err != nil {
		t.Fatal(err)
	}
	want := specOf(t, req)
	for name, tc := range map[string]struct {
		generator *embedded
		model     string
		says      string
	}{
		"down":        {withModel(&oracle{err: &model.Refusal{Status: http.StatusBadGateway}}), "wise", "could not be used"},
		"talks":       {withModel(&oracle{text: "What a nice idea!"}), "wise", "could not be used"},
		"not there":   {withModel(&oracle{}), "dear", "is not available"},
		"none at all": {quickGenerator().(*embedded), "wise", "No model is configured"},
	} {
		req := request(t, "a duck that flaps through gaps")
		req.Settings.Model = tc.model
		var rep recorder
		if _, err := tc.generator.Generate(t.Context(), req, &rep); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := specOf(t, req); got.Mechanic != want.Mechanic || got.Title != want.Title {
			t.Errorf("%s: made %q, want %q", name, got.Title, want.Title)
		}
		if !strings.Contains(warned(&rep), tc.says) {
			t.Errorf("%s: the record says %q", name, warned(&rep))
		}
	}
}

func TestBalanceThatIsUsedUpEndsTheJob(t *testing.T) {
	req := request(t, "a duck")
	req.Settings.Model = "wise"
	_, err := withModel(&oracle{err: &model.Refusal{Status: http.StatusPaymentRequired}}).Generate(t.Context(), req, &recorder{})
	if !errors.Is(err, ErrExhausted) {
		t.Errorf("got %v", err)
	}
}
