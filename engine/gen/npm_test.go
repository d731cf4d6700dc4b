package gen

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
)

// manifest is what the tests look at of a game's package.json.
type manifest struct {
	Name    string            `json:"name"`
	Scripts map[string]string `json:"scripts"`
	Dev     map[string]string `json:"devDependencies"`
	About   compile.About     `json:"svc"`
}

func (p *project) manifest() (m manifest) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.files()["game/package.json"]), &m); err != nil {
		p.t.Fatal(err)
	}
	return m
}

func TestGamesManifestSaysWhatItIsAndWhatItLacks(t *testing.T) {
	p := newProject(t, quickGenerator())
	result, _ := p.run(`a fox that flies through gaps, called "Füchse & Gänse", in online multiplayer with a shop`)
	m := p.manifest()
	if m.Name != "fuchse-ganse" || m.Scripts["build"] == "" || m.Scripts["start"] == "" || m.Dev["esbuild"] != build.Version {
		t.Errorf("%+v", m)
	}
	if a := m.About; a.GameID != p.id || a.Engine == "" || a.Kind != "gap" || a.Format != "short" || a.Dimension != "2d" || a.Language != "en" {
		t.Errorf("%+v", a)
	}
	if len(result.Unmet) == 0 || len(m.About.Unmet) != len(result.Unmet) {
		t.Fatalf("%+v, unmet %q", m.About, result.Unmet)
	}
	for i, wish := range m.About.Unmet {
		if wish != Wish(result.Unmet[i]) || wish.Phrase == "" {
			t.Errorf("%+v for %q", wish, result.Unmet[i])
		}
	}
	p.run("make it faster")
	if a := p.manifest().About; len(a.Unmet) != 0 {
		t.Errorf("after a change that was made: %+v", a.Unmet)
	}
}

func TestGameOfNoProjectBecomesOneAndThatOfAnotherStays(t *testing.T) {
	p := swaying(t)
	for _, name := range []string{"game/package.json", "game/build.mjs"} { // as an older release left it
		if err := os.Remove(p.dir + "/" + name); err != nil {
			t.Fatal(err)
		}
	}
	p.run("make it a bit faster, and add a shop")
	if m := p.manifest(); m.Name == "" || len(m.About.Unmet) != 1 || p.files()["game/build.mjs"] == "" {
		t.Errorf("%+v", m)
	}
	edited := strings.Replace(p.files()["game/package.json"], `"node build.mjs"`, `"my own"`, 1)
	p.write("game/package.json", edited)
	p.run("make it slower")
	if m := p.manifest(); m.Scripts["build"] != "my own" || len(m.About.Unmet) != 0 {
		t.Errorf("%+v", m)
	}
	p.run(`call it "Night & Owl"`)
	if m := p.manifest(); m.Name != "night-owl" || !strings.Contains(p.files()["game/package.json"], `"description": "Night & Owl"`) || m.Scripts["build"] != "my own" {
		t.Errorf("under another name: %+v", m)
	}
	const own = "{\"name\": \"mine\"}"
	p.write("game/package.json", own)
	if p.run("make it faster"); p.files()["game/package.json"] != own {
		t.Errorf("someone's own became %s", p.files()["game/package.json"])
	}
}

func TestManifestThatSomeoneEditedMakesTheGameTheirs(t *testing.T) {
	p := newProject(t, quickGenerator())
	p.run("a fox that flies through gaps")
	p.write("game/package.json", strings.Replace(p.files()["game/package.json"], `"1.0.0"`, `"2.0.0"`, 1))
	if authored, err := Authored(p.root); !authored || err != nil {
		t.Errorf("%v, %v", authored, err)
	}
	p.runWith(Request{Prompt: "make it faster", Settings: api.Settings{}})
	if !strings.Contains(p.files()["game/package.json"], `"2.0.0"`) {
		t.Error("the edit is gone")
	}
}
