package gen

import (
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/spec"
)

func TestPatchChangesOnlyWhatDiffers(t *testing.T) {
	before, after := `{"a":{"b":1,"c":[1]},"d":"x"}`, `{"a":{"b":2,"c":[1]},"d":"x"}`
	for ours, want := range map[string]string{
		`{ "own": 1, "d":"mine", "a" : {"c":[7], "b" :1 } }`: `{ "own": 1, "d":"mine", "a" : {"c":[7], "b" :2 } }`,
		`{"a":{"b":0},"a":{"b":5}}`:                          `{"a":{"b":0},"a":{"b":2}}`,
	} {
		if got, err := patch([]byte(ours), []byte(before), []byte(after)); err != nil || string(got) != want {
			t.Errorf("%s became %s, %v", ours, got, err)
		}
	}
	for _, ours := range []string{`{}`, `{"a":3}`, `{"a":`, ``, `[]`} {
		if got, err := patch([]byte(ours), []byte(before), []byte(after)); err == nil {
			t.Errorf("%s became %s", ours, got)
		}
	}
}

func TestPatchKeepsMembersThatItDoesNotKnowWhereOthersComeAndGo(t *testing.T) {
	before, after := `{"hero":{"noun":"fox","body":"fox","features":["ears"]}}`, `{"hero":{"noun":"car","art":"car"}}`
	for ours, want := range map[string]string{
		`{"hero":{"noun":"fox","body":"fox","features":["ears"]}}`:                                                        `{"hero":{"noun":"car", "art": "car"}}`,
		"{\n \"hero\": {\n  \"body\": \"fox\",\n  \"mine\": {\"a\": 1},\n  \"noun\": \"fox\",\n  \"features\": []\n }\n}": "{\n \"hero\": {\n  \"mine\": {\"a\": 1},\n  \"noun\": \"car\", \"art\": \"car\"\n }\n}",
		`{"hero":{"noun":"fox","art":"mine"}}`:                                                                            `{"hero":{"noun":"car","art":"car"}}`,
	} {
		if got, err := patch([]byte(ours), []byte(before), []byte(after)); err != nil || string(got) != want {
			t.Errorf("%s became %s, %v", ours, got, err)
		}
	}
	if got, err := patch([]byte(`{ "a":1 }`), []byte(`{"a":1}`), []byte(`{"b":2}`)); err != nil || string(got) != `{ "b": 2 }` {
		t.Errorf("%s, %v", got, err)
	}
}

func TestValueOutOfBoundsHidesNoOtherOfTheGamesData(t *testing.T) {
	p := newProject(t, quickGenerator())
	p.run(briefs["hop"])
	s := specOf(t, Request{Workspace: p.root})
	data := strings.NewReplacer(`"speed": 1,`, `"speed": 99,`, `"lives": 3`, `"lives": 4`, `"over": "`, `"over": "<b>`, `"win": "`, `"win": "Yes! `).
		Replace(p.files()["game/src/game.json"])
	got := withData(s, []byte(data))
	if got.Play.Speed != spec.MaxFactor || got.Text.Over != s.Text.Over || !strings.HasPrefix(got.Text.Win, "Yes! ") || got.Cast.Hero.Noun != s.Cast.Hero.Noun {
		t.Errorf("%+v", got)
	}
	for _, spoilt := range []string{"", "[]", "null", `{"play":7,"cast":{"hero":{"noun":"x"}},"mechanic":"stack","a\"b":1}`} {
		if got := withData(s, []byte(spoilt)); got.Mechanic != s.Mechanic || got.Check() != nil {
			t.Errorf("%s: %+v", spoilt, got)
		}
	}
}

func TestGameWithAValueOutOfBoundsCanBeChangedByAModel(t *testing.T) {
	s := &sage{reading: wobbly, calls: [][2]string{sway(t), handedIn}}
	p := sagely(t, s)
	p.runWith(wisely("a fox and gates that sway"))
	data := p.files()["game/src/game.json"]
	p.write("game/src/game.json", strings.Replace(data, `"levels": 1`, `"levels": 99`, 1))
	s.reading, s.asked = `{"wishes":[],"unmet":["gates that sway more"]}`, nil
	s.calls = [][2]string{alter(t, "s.t * 9) * 3", "s.t * 9) * 4"), handedIn}
	result, rep := p.runWith(wisely("let them sway more"))
	if files := p.files(); !result.Changed || !strings.Contains(files["game/"+compile.DataFile], `"levels": 99`) || !strings.Contains(files["game/game.js"], "s.t * 9) * 4") {
		t.Errorf("%+v, warned %q", result, warned(rep))
	}
}
