package gen

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/spec"
)

// withBrowser is the real generator with a browser at path, but for the
// simulation.
func withBrowser(t *testing.T, path string) Generator {
	t.Helper()
	g, err := New(Options{Frameworks: frameworksDir(t), Chromium: path})
	if err != nil {
		t.Fatal(err)
	}
	made := g.(*embedded)
	made.simulate = unplayed
	t.Cleanup(made.browser.Close)
	return made
}

func tiers(rep *recorder) []string {
	var out []string
	for _, e := range rep.of(api.EventPlaytestResult) {
		tier, _ := e.Members["tier"].(string)
		out = append(out, tier)
	}
	return out
}

func TestJobPlaysItsGameInTheBrowserAndKeepsPictures(t *testing.T) {
	on := true
	p := newProject(t, inBrowser(t))
	_, rep := p.runWith(Request{Prompt: briefs["dial"], Settings: api.Settings{VisualQAActive: &on, ReasoningLevel: api.ReasoningLow}})
	if !slices.Contains(tiers(rep), "browser") {
		t.Errorf("playtests %v", tiers(rep))
	}
	results := rep.of(api.EventPlaytestResult)
	last := results[len(results)-1].Members
	if last["ok"] != true {
		t.Errorf("the last playtest: %v", last)
	}
	files, bytes := p.files(), 0
	want := []string{"playtest/ready.jpg", "playtest/early.jpg", "playtest/mid.jpg", "playtest/over.jpg", "playtest/again.jpg"}
	if named := last["pictures"]; !reflect.DeepEqual(named, want) {
		t.Errorf("it names the pictures %v", named)
	}
	for _, name := range want {
		shot := files[Deliverable+"/"+name]
		bytes += len(shot)
		if !strings.HasPrefix(shot, "\xff\xd8\xff") {
			t.Errorf("%s is no picture", name)
		}
	}
	if bytes > 300_000 {
		t.Errorf("the pictures have %d bytes", bytes)
	}
	game, err := readGame(p.root)
	if err != nil || game[want[0]] != nil {
		t.Errorf("the pictures are part of the game (%v)", err)
	}
}

func TestBrowserThatDoesNotStartLeavesItToTheSimulation(t *testing.T) {
	p := newProject(t, withBrowser(t, "/nonexistent/chromium"))
	result, rep := p.run(briefs["dial"])
	if !result.Changed || p.files()["game/index.html"] == "" {
		t.Errorf("%+v", result)
	}
	warnings := rep.of(api.EventWarning)
	if len(warnings) != 1 || warnings[0].Members["code"] != "playtest_inconclusive" {
		t.Errorf("warnings %v", warnings)
	}
}

func TestEngineWithoutABrowserSaysSo(t *testing.T) {
	_, rep := newProject(t, quickGenerator()).run(briefs["dial"])
	warnings := rep.of(api.EventWarning)
	if len(warnings) != 1 || warnings[0].Members["code"] != "no_browser" {
		t.Errorf("warnings %v", warnings)
	}
}

func TestKindThatCannotBePlayedIsTheFirstThatIsUnmet(t *testing.T) {
	for prompt, asked := range map[string]string{
		"a snake that eats apples in the garden":                                           "snake",
		"A quiz. Questions: Capital of France? Paris, Rome; Capital of Italy? Rome, Paris": "quiz",
	} {
		g := quickGenerator().(*embedded)
		g.simulate = func(ctx context.Context, rep Reporter, s *spec.Spec, e effort) ([]string, error) {
			if s.Mechanic == asked {
				return nil, &unplayableError{why: "nobody can win it"}
			}
			return unplayed(ctx, rep, s, e)
		}
		p := newProject(t, g)
		result, _ := p.run(prompt)
		kind, _ := p.spec()["mechanic"].(string)
		want := asked + ": it could not be made playable; this is " + brief.Article(kind+" game")
		if kind == asked || len(result.Unmet) == 0 || result.Unmet[0] != want || !strings.Contains(p.files()["game/README.txt"], want) {
			t.Errorf("%q became %s, unmet %q", prompt, kind, result.Unmet)
		}
		listed := slices.ContainsFunc(result.Unmet, func(u string) bool { return strings.HasPrefix(u, "the list: ") })
		if content, _ := p.spec()["content"].([]any); asked == "quiz" && listed == (len(content) > 0) {
			t.Errorf("%q: content %v, unmet %q", prompt, content, result.Unmet)
		}
	}
}

func TestFindingsAreMendedInTheSpec(t *testing.T) {
	fresh := func() spec.Spec {
		return brief.Read("A big frog jumps, called \"The Very Long Story Of A Frog\"").Write(brief.Order{ProjectID: "p", Seed: 1})
	}
	for rule, c := range map[string]struct {
		blocking bool
		mended   func(s spec.Spec) bool
	}{
		"G03": {true, func(s spec.Spec) bool { return s.Renderer == "canvas" }},
		"V01": {false, func(s spec.Spec) bool { return s.Play.Size == 1 }},
		"V02": {false, func(s spec.Spec) bool { return s.Play.Size == 1 && s.Play.Speed == 1 && s.Play.Gravity == 1 }},
		"V03": {false, func(s spec.Spec) bool { return s.Look.Mood == "dark" && s.Palette != fresh().Palette }},
		"P15": {false, func(s spec.Spec) bool { return len([]rune(s.Title)) <= 20 }},
	} {
		s := fresh()
		change := mend(&s, []playtest.Check{{Rule: rule, Blocking: c.blocking}})
		if change == "" || !c.mended(s) {
			t.Errorf("%s: %q, %+v", rule, change, s)
		}
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", rule, err)
		}
	}
	s := fresh()
	if change := mend(&s, []playtest.Check{{Rule: "P04"}}); change != "" {
		t.Errorf("a slow machine changed the game: %s", change)
	}
}

func TestRendererFollowsTheBriefAndComesWithItsLicence(t *testing.T) {
	for words, renderer := range map[string]string{"": "phaser", ", with PixiJS": "pixi", ", on a plain canvas": "canvas", ", using pixi.js": "pixi"} {
		p := newProject(t, quickGenerator())
		result, _ := p.run(briefs["hop"] + words)
		files := p.files()
		if p.spec()["renderer"] != renderer || len(result.Unmet) != 0 {
			t.Errorf("%q: %v, unmet %q", words, p.spec()["renderer"], result.Unmet)
		}
		var libraries []string
		for name := range maps.Keys(files) {
			if strings.HasPrefix(name, "game/licenses/") {
				libraries = append(libraries, name)
			}
		}
		want := []string{"game/licenses/kit.txt", "game/licenses/" + renderer + "-0.0.0.txt"}
		if renderer == "canvas" {
			want = want[:1]
		}
		slices.Sort(libraries)
		if !slices.Equal(libraries, want) {
			t.Errorf("%q: licences %v", words, libraries)
		}
	}
}

func TestPicturesAndSoundsComeWithTheirSettings(t *testing.T) {
	on := true
	p := newProject(t, quickGenerator())
	_, rep := p.runWith(Request{Prompt: briefs["gap"], Settings: api.Settings{AIImages: &on, AIAudio: &on}})
	files := p.files()
	if !strings.HasPrefix(files["game/assets/background.png"], "\x89PNG") || !strings.HasPrefix(files["game/assets/music.wav"], "RIFF") {
		t.Error("background or music are not there")
	}
	if !strings.Contains(files["game/game.js"], "data:image/png;base64") || !strings.Contains(files["game/game.js"], "data:audio/") {
		t.Error("the bundle does not hold them")
	}
	for _, e := range rep.of(api.EventAssetCreated) {
		if e.Members["source"] != "procedural" {
			t.Errorf("asset %v", e.Members)
		}
	}
	off := false
	_, rep = p.runWith(Request{Prompt: "a bit faster", Settings: api.Settings{AIImages: &off, AIAudio: &off}})
	files = p.files()
	if files["game/assets/background.png"] != "" || files["game/assets/music.wav"] != "" || strings.Contains(files["game/game.js"], ";base64,") {
		t.Error("with the settings off, the assets are still there")
	}
	for _, e := range rep.of(api.EventAssetCreated) {
		if e.Members["source"] != "placeholder" {
			t.Errorf("asset %v", e.Members)
		}
	}
}

func TestGameFollowsItsProjectsSettings(t *testing.T) {
	p := newProject(t, quickGenerator())
	p.run(briefs["lane"])
	result, _ := p.runWith(Request{Prompt: "add lives", Settings: api.Settings{DimensionMode: api.Dimension3D}})
	if p.spec()["mechanic"] != "drive3d" || p.spec()["renderer"] != "three" || !result.Changed {
		t.Errorf("in 3D: %v by %v", p.spec()["mechanic"], p.spec()["renderer"])
	}
	p.runWith(Request{Prompt: "a maze game from scratch: a mouse in a maze", Settings: api.Settings{GameType: api.GamePlatform}})
	if p.spec()["mechanic"] != "maze" {
		t.Fatalf("platform: %v", p.spec()["mechanic"])
	}
	p.runWith(Request{Prompt: "make it pink", Settings: api.Settings{GameType: api.GameShort}})
	if p.spec()["format"] != "short" || p.spec()["mechanic"] != "maze" {
		t.Errorf("short again: %v, %v", p.spec()["format"], p.spec()["mechanic"])
	}
}

func TestWishesBeyondTheSettingsAreUnmetByName(t *testing.T) {
	for prompt, want := range map[string]string{
		"A frog jumps, 90 seconds":               "90 seconds",
		"A frog jumps, endless":                  "without a limit of time",
		"A frog jumps, in 3D":                    "settings.dimensionMode is 2d",
		"A frog jumps, with music":               "settings.aiAudio is off",
		"A frog jumps, with three.js":            "shown by phaser",
		"A frog jumps, for three players":        "three players",
		"A frog jumps and collects 20 coins":     "20 coins",
		"A frog jumps. With an online inventory": "inventory",
	} {
		result, _ := newProject(t, quickGenerator()).run(prompt)
		if !strings.Contains(strings.Join(result.Unmet, "; "), want) {
			t.Errorf("%q: unmet %q", prompt, result.Unmet)
		}
	}
}

func TestEffortGrowsWithTheReasoningLevel(t *testing.T) {
	low, medium, high := effortOf(api.Settings{ReasoningLevel: api.ReasoningLow}), effortOf(api.Settings{ReasoningLevel: api.ReasoningMedium}), effortOf(api.Settings{ReasoningLevel: api.ReasoningHigh})
	if !(low.seeds < medium.seeds && medium.seeds < high.seeds && low.fixes < medium.fixes && medium.fixes < high.fixes) {
		t.Errorf("%+v, %+v, %+v", low, medium, high)
	}
}
