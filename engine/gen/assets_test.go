package gen

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/engine/gen/synth"
	"github.com/svc-games/svc/engine/model"
)

// atelier is a studio's models. It counts what it is asked for.
type atelier struct {
	mu      sync.Mutex // guards prompts
	prompts []string
	offers  []model.Offer
	fails   error
}

func openAtelier() *atelier {
	return &atelier{offers: []model.Offer{{Name: "painter", Use: model.UseImages}, {Name: "speaker", Use: model.UseSpeech}}}
}

func (a *atelier) Offers(context.Context) ([]model.Offer, error) { return a.offers, nil }

func (a *atelier) Paint(_ context.Context, p model.Picture) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.prompts = append(a.prompts, p.Prompt)
	img := image.NewNRGBA(image.Rect(0, 0, 120, 160))
	for y := 20; y < 140; y++ {
		for x := 20; x < 100; x++ {
			img.Set(x, y, color.NRGBA{uint8(x * 2), uint8(y), 90, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, err
	}
	return b.Bytes(), a.fails
}

func (a *atelier) Record(_ context.Context, s model.Sound) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.prompts = append(a.prompts, s.Prompt)
	return synth.Sounds(spec.Spec{Seed: 7})["over"], a.fails
}

func (a *atelier) asked() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.prompts)
}

// arty is a request that wants pictures and sounds.
func arty(prompt string, images, audio bool) Request {
	return Request{Prompt: prompt, Settings: api.Settings{AIImages: &images, AIAudio: &audio}}
}

func studioProject(t *testing.T, a *atelier) *project {
	t.Helper()
	g := quickGenerator().(*embedded)
	if a != nil {
		g.studio = a
	}
	return newProject(t, g)
}

// sourcesOf are the sources of a job's assets by name.
func sourcesOf(rep *recorder) map[string]string {
	out := map[string]string{}
	for _, e := range rep.of(api.EventAssetCreated) {
		out[e.Members["name"].(string)] = e.Members["source"].(string)
	}
	return out
}

const flapping = "a yellow duck that flaps through gaps in the forest"

func TestModelsMakePicturesAndSoundsOnce(t *testing.T) {
	a := openAtelier()
	p := studioProject(t, a)
	_, rep := p.runWith(arty(flapping, true, true))
	want := map[string]string{
		"background": "model", "hero": "model", "hazard": "model", "pickup": "model", "music": "model", "score": "model", "hurt": "model", "over": "model", "win": "model",
		"move": "procedural", "hit": "procedural", "power": "procedural", "boss": "procedural",
	}
	if got := sourcesOf(rep); !maps.Equal(got, want) || a.asked() != 9 || strings.Contains(warned(rep), "model") {
		t.Errorf("made %v with %d questions, warned %q", got, a.asked(), warned(rep))
	}
	files := p.files()
	for name, magic := range map[string]string{
		"game/assets/background.jpg": "\xff\xd8\xff", "game/assets/hero.png": "\x89PNG", "game/assets/music.wav": "RIFF", "game/assets/move.wav": "RIFF",
		"game/game.js": "data:image/jpeg;base64,", assetsFile: "{", styleFile: "{",
	} {
		if !strings.HasPrefix(files[name], magic) && !strings.Contains(files[name], "data:image/jpeg") {
			t.Errorf("%s begins with %q", name, files[name][:min(12, len(files[name]))])
		}
	}
	if files["game/assets/background.png"] != "" {
		t.Error("there are two backgrounds")
	}
	// What stays the same is not paid for again.
	_, rep = p.runWith(arty("make it a bit faster", true, true))
	if got := sourcesOf(rep); !maps.Equal(got, want) || a.asked() != 9 || p.files()["game/assets/hero.png"] != files["game/assets/hero.png"] {
		t.Errorf("then made %v with %d questions", got, a.asked())
	}
	p.runWith(arty("make the hero a cat", true, true))
	if a.asked() != 10 || !strings.Contains(a.prompts[9], "A single cat") {
		t.Errorf("for another hero: %d questions, the last %q", a.asked(), a.prompts[len(a.prompts)-1])
	}
	p.runWith(arty("make it a bit slower", false, false))
	if files := p.files(); files[assetsFile] != "" || files["game/assets/hero.png"] != "" || a.asked() != 10 {
		t.Errorf("switched off there are still assets of models, after %d questions", a.asked())
	}
}

func TestStyleShapesWhatIsAskedForLater(t *testing.T) {
	a := openAtelier()
	p := studioProject(t, a)
	p.runWith(arty(flapping, true, false))
	const settled = "flat vector illustration"
	if style := p.files()[styleFile]; !strings.Contains(style, settled) {
		t.Errorf("the style is %s", style)
	}
	changed := strings.Replace(p.files()[styleFile], settled, "a woodcut in two colours", 1)
	if err := p.root.WriteFile(styleFile, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	from := a.asked()
	p.runWith(arty("make the hero a fox", true, false))
	if later := a.prompts[from:]; len(later) != 4 || slices.ContainsFunc(later, func(p string) bool { return !strings.Contains(p, "a woodcut in two colours") }) {
		t.Errorf("then asked for %q", later)
	}
	if !strings.Contains(p.files()[styleFile], "a woodcut in two colours") {
		t.Error("the style was not kept")
	}
}

func TestGeneratorMakesWhatModelsDoNot(t *testing.T) {
	plain := studioProject(t, nil)
	_, rep := plain.runWith(arty(flapping, true, true))
	if got := warned(rep); !strings.Contains(got, "No image model is configured") || !strings.Contains(got, "No audio model is configured") {
		t.Errorf("warned %q", got)
	}
	want := plain.files()
	for name, a := range map[string]*atelier{
		"down":      {offers: openAtelier().offers, fails: &model.Refusal{Status: http.StatusBadGateway}},
		"refuses":   {offers: openAtelier().offers, fails: &model.Refusal{Status: http.StatusBadRequest, Reason: "content_policy_violation"}},
		"chat only": {offers: []model.Offer{{Name: "writer", Use: model.UseChat}}},
	} {
		p := studioProject(t, a)
		_, rep := p.runWith(arty(flapping, true, true))
		if got := p.files(); !maps.Equal(got, want) || !strings.Contains(warned(rep), "generator") {
			t.Errorf("%s: another game than without models; warned %q", name, warned(rep))
		}
	}
}

func TestUnwantedPicturesAreNotAskedFor(t *testing.T) {
	a := openAtelier()
	p := studioProject(t, a)
	p.runWith(arty(flapping, false, false))
	plan := arty(flapping, true, true)
	plan.Settings.ChatMode = api.ChatPlan
	p.runWith(plan)
	if a.asked() != 0 {
		t.Errorf("%d questions", a.asked())
	}
}

func TestBalanceThatIsUsedUpByPicturesEndsTheJob(t *testing.T) {
	p := studioProject(t, &atelier{offers: openAtelier().offers, fails: &model.Refusal{Status: http.StatusPaymentRequired}})
	req := arty(flapping, true, false)
	req.JobID, req.ProjectID, req.Workspace = "job_1", p.id, p.root
	if _, err := p.gen.Generate(t.Context(), req, &recorder{}); !errors.Is(err, ErrExhausted) {
		t.Errorf("got %v", err)
	}
}

func TestAssetThatAnyoneChangedOrAddedIsTheirsAndStays(t *testing.T) {
	drawn, err := openAtelier().Paint(t.Context(), model.Picture{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"game/assets/hero.png", "game/assets/mine.png"} {
		a := openAtelier()
		p := studioProject(t, a)
		p.runWith(arty(flapping, true, false))
		p.write(name, string(drawn))
		if edited, _, err := Edited(p.root, nil); !edited || err != nil {
			t.Errorf("%s: edited %v, %v", name, edited, err)
		}
		result, _ := p.runWith(arty("make it a bit faster", true, false))
		if !result.Changed || a.asked() != 4 || p.files()[name] != string(drawn) || !strings.Contains(p.files()[projectFile], modeAuthored) {
			t.Errorf("%s: %+v, %d questions, %d bytes", name, result, a.asked(), len(p.files()[name]))
		}
	}
}

func TestProjectThatDoesNotSayWhatItsAssetsWereIsNobodysEdit(t *testing.T) {
	p := studioProject(t, nil)
	p.runWith(arty(flapping, true, true))
	record, _, _ := strings.Cut(p.files()[projectFile], `,
  "assets"`)
	p.write(projectFile, record+"}")
	authored, err := Authored(p.root)
	if edited, claim, unread := Edited(p.root, nil); authored || err != nil || edited || claim != nil || unread != nil {
		t.Errorf("authored %v, %v; edited %v, %v, %v; %s", authored, err, edited, claim, unread, p.files()[projectFile])
	}
}
