package gen

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/agent"
	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/sim"
	"github.com/svc-games/svc/engine/gen/studio"
	"github.com/svc-games/svc/engine/kit"
	"github.com/svc-games/svc/engine/model"
)

// frame is a new game on the kit, drawn on a canvas, with edits of its main module.
func frame(t *testing.T, edits ...string) compile.Files {
	t.Helper()
	files, err := kit.Frame(kit.Start{Title: "Frame", Lang: "en", Kind: "arcade", Renderer: "canvas", Short: true})
	if err != nil {
		t.Fatal(err)
	}
	main := string(files["src/main.js"])
	for i := 0; i < len(edits); i += 2 {
		if !strings.Contains(main, edits[i]) {
			t.Fatalf("%q is not in the frame", edits[i])
		}
		main = strings.Replace(main, edits[i], edits[i+1], 1)
	}
	files["src/main.js"] = []byte(main)
	return files
}

func theatreOf(t *testing.T, models agent.Models) *theatre {
	t.Helper()
	browser(t) // skips where there is none
	g := &embedded{frameworks: standIns(), strangers: sim.Here{}, browser: chromium, agents: models}
	on := true
	p := newProject(t, g)
	req := Request{Prompt: "catch the ball", Workspace: p.root, Settings: api.Settings{Model: "wise", VisualQAActive: &on}}
	stage := g.stageFor(t.Context(), req, &recorder{})
	if !stage.Eyes {
		t.Fatalf("%+v", stage)
	}
	return stage.Theatre.(*theatre)
}

func TestAuthorsGameIsPlayedAndNoSecretOfItGoesToAModel(t *testing.T) {
	h := theatreOf(t, nil)
	const secret = "sk-ant-0123456789abcdef0123456789abcdef"
	files := frame(t, "run({", "console.log('key', '"+secret+"');\nrun({",
		"g.fillStyle = '#ffd75e';", "hud.text('label', '"+secret+"', 240, 300, 30);\n  g.fillStyle = '#ffd75e';", "{ run,", "{ hud, run,")
	shown, err := h.Try(t.Context(), files, playtest.Trial{Policy: "arrows", Frames: 120})
	if err != nil || shown.Trouble != "" || len(shown.Scenes) < 5 {
		t.Fatalf("%s (%v)", shown.Words(), err)
	}
	if words := shown.Words(); !strings.Contains(words, "started it") || !strings.Contains(words, mask) || strings.Contains(words, "0123456789abcdef") {
		t.Errorf("it says %s", words)
	}
	if words := shown.Scenes[len(shown.Scenes)-1].Geometry(nil); !strings.Contains(words, mask) || strings.Contains(words, "sk-ant") {
		t.Errorf("a picture says %s", words)
	}
	if _, built := files[compile.Script]; built {
		t.Error("what an author wrote was changed")
	}
	refused := agent.Refusal{}
	if _, err := h.Try(t.Context(), frame(t, "run({", "run({{"), playtest.Trial{Policy: "idle", Frames: 60}); !errors.As(err, &refused) || !strings.Contains(refused.Why, "src/main.js:") {
		t.Errorf("what does not build: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Try(ended, files, playtest.Trial{Policy: "idle", Frames: 60}); !errors.Is(err, context.Canceled) {
		t.Errorf("a job that was cancelled: %v", err)
	}
	if why, err := h.TryCheck(t.Context(), files, files["checks/starts.json"]); err != nil || why != "" {
		t.Errorf("its own check: %q (%v)", why, err)
	}
}

// What is made is a file that the game can show at once, on each way of making it.
func TestPictureThatWasMadeIsSeenInTheGame(t *testing.T) {
	h := theatreOf(t, nil)
	wish, err := studio.Wish{Name: "hero", Role: "hero", Subject: "a red fox", W: 200, H: 200}.Picture()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := h.Picture(t.Context(), wish)
	if err != nil || !strings.Contains(picture.Note, "fox") {
		t.Fatalf("%s (%v)", picture.Note, err)
	}
	ground, err := h.Picture(t.Context(), studio.Wish{Name: "sky", Role: "background", Subject: "a desert", W: 480, H: 720})
	if err != nil || !strings.Contains(ground.Note, "desert") {
		t.Fatalf("%s (%v)", ground.Note, err)
	}
	sound, err := h.Sound(t.Context(), studio.Wish{Name: "bump", Role: "hit"})
	if err != nil {
		t.Fatal(err)
	}
	files := frame(t, "const { w", "import heroUrl from '../assets/hero.png';\nimport skyUrl from '../assets/sky.jpg';\nimport bumpUrl from '../assets/bump.wav';\nimport { assets, sfx } from './kit/kit.js';\nconst { w",
		"s.t++;", "if (++s.t === 30) sfx('bump');",
		"g.fillRect(0, 0, w, h);", "g.drawImage(assets.sky, 0, 0);\n  g.drawImage(assets.hero, 40, 200);",
		"run({", "run({ assets: { hero: heroUrl, sky: skyUrl, bump: bumpUrl },")
	files["assets/hero.png"], files["assets/sky.jpg"], files["assets/bump.wav"] = picture.Data, ground.Data, sound.Data
	shown, err := h.Try(t.Context(), files, playtest.Trial{Policy: "idle", Frames: 60})
	if err != nil || !shown.Whole || len(shown.Console) > 0 {
		t.Fatalf("%s (%v)", shown.Words(), err)
	}
	plain, err := h.Try(t.Context(), frame(t), playtest.Trial{Policy: "idle", Frames: 60})
	if err != nil || !plain.Whole {
		t.Fatalf("%s (%v)", plain.Words(), err)
	}
	last, bare := shown.Scenes[len(shown.Scenes)-1], plain.Scenes[len(plain.Scenes)-1]
	if last.Print == bare.Print || last.Colours.Count < 2*bare.Colours.Count {
		t.Errorf("%d colours are seen, and %d without pictures", last.Colours.Count, bare.Colours.Count)
	}
}

// looker answers as a model with eyes.
type looker struct {
	says  string
	err   error
	asked []model.Request
}

func (l *looker) Chat(_ context.Context, r model.Request) (model.Reply, error) {
	l.asked = append(l.asked, r)
	return model.NewReply(l.says), l.err
}

func TestEyesSayWhatIsWrongInBoundedWords(t *testing.T) {
	l := &looker{}
	h := theatreOf(t, l)
	files := frame(t, "g.fillStyle = '#ffd75e';", "hud.text('label', 'Far out', 470, 300, 30);\n  g.fillStyle = '#ffd75e';", "{ run,", "{ hud, run,")
	found, err := h.Look(t.Context(), files, false)
	if err != nil || len(l.asked) > 0 || !slices.ContainsFunc(found, func(s string) bool { return strings.Contains(s, `"label`) }) {
		t.Errorf("measured %q (%v)", found, err)
	}
	l.says = "Here: ```json\n" + `{"findings":["picture 2:\n the ball is nowhere sk-ant-0123456789abcdef", "", "b", "c", "d", "e", "f"]}` + "```"
	if found, err = h.Look(t.Context(), files, true); err != nil || len(found) != mostFindings || found[0] != "picture 2: the ball is nowhere "+mask {
		t.Errorf("seen %q (%v)", found, err)
	}
	images := 0
	for _, p := range l.asked[0].Messages[0].Parts {
		if p.Image != nil && p.Image.Type == "image/jpeg" {
			images++
		}
	}
	if images == 0 || images > mostSeen || len(l.asked[0].Tools) > 0 {
		t.Errorf("it is shown %d pictures", images)
	}
	refused := agent.Refusal{}
	l.says = "All is fine!"
	if found, err = h.Look(t.Context(), files, true); !errors.As(err, &refused) || len(found) > 0 {
		t.Errorf("no JSON: %q (%v)", found, err)
	}
	l.says = `{"findings":[]}`
	h.g.studio = listed{offers: []model.Offer{{Name: "wise", Use: model.UseChat}, {Name: "watcher", Use: model.UseChat, Vision: true, Eyes: true}}}
	if found, err = h.Look(t.Context(), files, false); err != nil || len(found) > 0 || l.asked[0].Model != "wise" || l.asked[len(l.asked)-1].Model != "watcher" {
		t.Errorf("the operator's eyes: %q (%v), asked %s", found, err, l.asked[len(l.asked)-1].Model)
	}
	l.err = model.ErrExhausted
	if _, err = h.Look(t.Context(), files, true); !errors.Is(err, model.ErrExhausted) {
		t.Errorf("no balance: %v", err)
	}
}

// An author plays, looks, proves and has pictures made on its way to a game, which is
// looked at once it passed.
func TestAuthorSeesAndPlaysWhatItWrites(t *testing.T) {
	calls := writing(t, "blocks")
	done := calls[len(calls)-1]
	tap := []map[string]any{{"at": 5, "tap": true}}
	calls = append(calls[:len(calls)-1],
		toolCall(t, "play", map[string]any{"policy": "arrows", "seconds": 2}), toolCall(t, "look", map[string]any{"shot": "shot-3"}),
		toolCall(t, "save_check", map[string]any{"name": "waits", "trace": map[string]any{"inputs": tap}, "expect": map[string]any{"score": map[string]any{"max": 99}}}),
		toolCall(t, "save_check", map[string]any{"name": "begins", "trace": map[string]any{"inputs": tap}, "expect": map[string]any{"started": 1}}),
		toolCall(t, "make_image", map[string]any{"name": "gem", "role": "pickup", "subject": "a blue gem", "w": 48, "h": 48, "frames": 2}), done, done)
	s := &sage{calls: calls}
	g := inBrowser(t)
	g.author, g.agents = author.New(s), s
	p := newProject(t, g)
	req := wide("blocks that fall")
	on := true
	req.Settings.VisualQAActive = &on
	result, rep := p.runWith(req)
	var said []string
	for _, m := range s.asked[len(s.asked)-1].Messages {
		if m.Role == model.RoleTool {
			said = append(said, m.Text())
		}
	}
	if !result.Changed || warned(rep) != "" {
		t.Fatalf("%+v, warned %q, the model was told %q", result, warned(rep), said)
	}
	for i, want := range []string{"started it at frame", "The field is", "holds without its inputs", "Kept as checks/begins.json", "frame i: g.drawImage(assets.gem, i * 48"} {
		if got := said[len(calls)-len(calls[len(calls)-7:])+i]; !strings.Contains(got, want) {
			t.Errorf("it was told %q, without %q", got, want)
		}
	}
	if files := p.files(); files["game/checks/begins.json"] == "" || files["game/checks/waits.json"] != "" || !strings.HasPrefix(files["game/assets/gem.png"], "\x89PNG") {
		t.Error("what was made is not in the game")
	}
	if !slices.ContainsFunc(rep.stages, func(p api.Progress) bool { return p.Message == "Looking at the game." }) {
		t.Error("nobody looked at it")
	}
}
