package change

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/spec"
)

func TestBriefSaysWhereSingleLevelsAre(t *testing.T) {
	for _, c := range []struct {
		text, theme string
		levels      int
		stages      []string // places from level 2 on
		unmet       string
	}{
		{"a frog jumps over logs. level 2 is in space, level 3 is under water", "jungle", 3, []string{"space", "sea"}, ""},
		{"a platformer with a fox, 3 worlds: forest, desert and ice", "forest", 3, []string{"desert", "winter"}, ""},
		{"platformer with a fox in the forest, the second level is faster", "forest", 3, []string{""}, ""},
		{"platformer with a fox in the forest, level 99 is in space", "forest", 3, nil, "level 99 is in space: a game can have 9 levels"},
		{"Ein Jump'n'Run mit einem Fuchs im Wald mit 3 Leveln", "forest", 3, nil, ""},
	} {
		rest, wishes := CutWishes(c.text)
		s := brief.Read(rest).Write(brief.Order{ProjectID: "p", Seed: 1})
		unmet := Wishes(&s, wishes)
		var stages []string
		for _, st := range s.Stages {
			stages = append(stages, st.Theme)
		}
		if s.Theme != c.theme || s.Play.Levels != c.levels || !slices.Equal(stages, c.stages) || strings.Join(unmet, "; ") != c.unmet {
			t.Errorf("%q: %s, %d levels %q, unmet %q", c.text, s.Theme, s.Play.Levels, stages, unmet)
		}
	}
}

func TestOneComplaintSaidTwiceIsOne(t *testing.T) {
	s := brief.Read("a frog jumps over logs").Write(brief.Order{ProjectID: "p", Seed: 1, Format: spec.Platform})
	once := Apply(s, "it is too fast", nil)
	for _, twice := range []string{"it is too fast, I can't keep up", "too fast. too fast!", "slower, and then slower"} {
		if out := Apply(s, twice, nil); out.Spec.Play != once.Spec.Play || len(out.Unmet) > 0 {
			t.Errorf("%q: %+v, unmet %q; want %+v", twice, out.Spec.Play, out.Unmet, once.Spec.Play)
		}
	}
	if out := Apply(once.Spec, "it is too fast", nil); out.Spec.Play.Speed >= once.Spec.Play.Speed {
		t.Error("another request slows no further")
	}
}

func TestBriefMayAskForAGameThatNobodyLoses(t *testing.T) {
	rest, wishes := CutWishes("a cat jumps, you can't lose, with a high score table")
	s := brief.Read(rest).Write(brief.Order{ProjectID: "p", Seed: 1})
	if unmet := Wishes(&s, wishes); !s.Play.Safe || !s.Play.Table || len(unmet) > 0 || s.Cast.Hero.Noun != "cat" {
		t.Errorf("%+v, unmet %q", s.Play, unmet)
	}
}
