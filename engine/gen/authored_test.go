package gen

import (
	"maps"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/compile"
)

// swaying is a project whose gap mechanic a model has edited.
func swaying(t *testing.T) *project {
	t.Helper()
	p := sagely(t, &sage{reading: wobbly, calls: [][2]string{sway(t), handedIn}})
	p.runWith(wisely("a fox and gates that sway"))
	return p
}

func (p *project) write(name, text string) {
	p.t.Helper()
	if err := p.root.WriteFile(name, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func TestFollowUpOnAnAuthoredGameChangesItsDataAlone(t *testing.T) {
	p := swaying(t)
	// What a release of ours would write otherwise, and a member that we don't know.
	p.write("game/src/core/math.js", "// of an older kit\n"+p.files()["game/src/core/math.js"])
	p.write("game/src/game.json", strings.Replace(p.files()["game/src/game.json"], "{", "{\n  \"mine\":   [1,2],", 1))
	before := p.files()
	result, rep := p.run("make it a bit faster")
	after := p.files()
	if !result.Changed || strings.Contains(warned(rep), "dropped") || !strings.Contains(after["game/src/game.json"], "\"mine\":   [1,2],") {
		t.Fatalf("%+v, warned %q", result, warned(rep))
	}
	for name, text := range before {
		if strings.HasPrefix(name, "game/src/") && name != "game/src/game.json" && after[name] != text {
			t.Errorf("%s is another", name)
		}
	}
	if p.spec()["play"].(map[string]any)["speed"].(float64) <= 1 || !strings.Contains(after["game/game.js"], "s.t * 9") {
		t.Errorf("%v", p.spec()["play"])
	}
}

func TestAuthoredGameIsReplacedOnlyWhenThatIsAsked(t *testing.T) {
	p := swaying(t)
	for _, prompt := range []string{"turn it into a stacking game", "use PixiJS", "A frog that hops over logs in a river"} {
		before := p.files()
		result, _ := p.run(prompt)
		if after := p.files(); result.Changed || len(result.Unmet) == 0 || !maps.Equal(before, after) {
			t.Errorf("%q: %+v", prompt, result)
		}
	}
	result, _ := p.run("make it faster and turn it into a stacking game")
	if !result.Changed || len(result.Unmet) != 1 || p.spec()["mechanic"] != "gap" {
		t.Errorf("%+v", result)
	}
	p.run("a new game: stack boxes into a tower")
	if files := p.files(); p.spec()["mechanic"] != "stack" || files["game/src/mechanics/gap.js"] != "" || !strings.Contains(files[projectFile], modeGenerated) {
		t.Errorf("%v, %s", p.spec()["mechanic"], files[projectFile])
	}
}

func TestChangeThatFailsDropsNoEarlierEdit(t *testing.T) {
	p := swaying(t)
	p.write("game/src/mechanics/gap.js", "export const meta = ;")
	before := p.files()
	result, rep := p.run("make it a bit slower")
	if !maps.Equal(before, p.files()) || result.Changed || len(result.Unmet) != 1 || !strings.Contains(result.Summary, "Nothing was changed") {
		t.Errorf("%+v, warned %q", result, warned(rep))
	}
}

func TestProjectWithEditsOfAFormerVersionIsAuthored(t *testing.T) {
	for what, record := range map[string]string{"whole": `{"v":1,"files":{"src/mechanics/gap.js":"00"}}`, "spoilt": `{"v":1,"fil`} {
		p := swaying(t)
		if err := p.root.Remove(projectFile); err != nil {
			t.Fatal(err)
		}
		p.write(editsFile, record)
		edited := p.files()["game/src/mechanics/gap.js"]
		result, _ := p.run("make it a bit faster")
		files := p.files()
		if !result.Changed || files["game/src/mechanics/gap.js"] != edited || files[editsFile] != "" || !strings.Contains(files[projectFile], modeAuthored) {
			t.Errorf("%s: %+v, %s", what, result, files[projectFile])
		}
	}
}

func TestAuthoredGameOfWhichNothingIsKnownStaysAsItIs(t *testing.T) {
	p := swaying(t)
	p.write(specFile, "spoilt")
	before := p.files()
	if result, _ := p.run("make it faster"); result.Changed || len(result.Unmet) != 1 || !maps.Equal(before, p.files()) {
		t.Errorf("%+v", result)
	}
}

func TestDeliveredGameIsNobodysEditWhateverItLacks(t *testing.T) {
	p := newProject(t, quickGenerator())
	for _, prompt := range []string{"a fox that flies through gaps, in online multiplayer with a shop", "make it faster, and add a shop", "make it slower"} {
		p.run(prompt)
		if authored, err := Authored(p.root); authored || err != nil {
			t.Errorf("%q: %v, %v; %s", prompt, authored, err, p.files()["game/README.txt"])
		}
		if edited, claim, err := Edited(p.root, nil); edited || claim != nil || err != nil {
			t.Errorf("%q: edited %v, %v, %v", prompt, edited, claim, err)
		}
	}
	p.write("game/README.txt", "Mine.")
	if authored, err := Authored(p.root); !authored || err != nil {
		t.Errorf("a README by hand: %v, %v", authored, err)
	}
}

// TestSourcesOfAFormerReleaseAreNotToldWhatTheyDoNotRead: a change that nothing follows is
// said not to be one.
func TestSourcesOfAFormerReleaseAreNotToldWhatTheyDoNotRead(t *testing.T) {
	const mechanic = "game/src/mechanics/chase.js"
	p := newProject(t, quickGenerator())
	p.run("pac-man")
	for _, c := range []struct {
		source, wish string
		changed      bool
	}{
		{p.files()[mechanic] + "// mine\n", "only 2 ghosts", true},
		{strings.ReplaceAll(p.files()[mechanic], ".params", ".older"), "only 1 ghost", false},
	} {
		p.write(mechanic, c.source)
		before := p.files()
		result, _ := p.run(c.wish)
		if result.Changed != c.changed || !c.changed && (!maps.Equal(before, p.files()) || !strings.Contains(result.Summary, "no tunable ghosts")) {
			t.Errorf("%+v", result)
		}
	}
}

func TestEveryTunableIsReadByTheSources(t *testing.T) {
	for mechanic, m := range catalog.Mechanics {
		p := newProject(t, quickGenerator())
		if len(m.Params) == 0 {
			continue
		}
		p.run(m.Example)
		game := &authored{files: compile.Files{}}
		for name, text := range p.files() {
			if rest, ok := strings.CutPrefix(name, "game/"); ok {
				game.files[rest] = []byte(text)
			}
		}
		for name := range m.Params {
			if p.spec()["mechanic"] == mechanic && !game.reads(name) {
				t.Errorf("%s: nothing reads %s", mechanic, name)
			}
		}
	}
}
