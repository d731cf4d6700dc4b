package skills

import (
	"fmt"
	"slices"
	"testing"

	"github.com/svc-games/svc/api"
)

var stored = []api.Skill{
	{Key: "double-jump", Title: "Double jump", Prompt: "a runner that jumps over obstacles", Mechanics: []string{"jump", "runner"}, Engine: "phaser"},
	{Key: "tower", Title: "Falling blocks", Prompt: "stack blocks into a tower", Mechanics: []string{"stack"}},
	{Key: "orbit-camera", Title: "Orbit camera", Prompt: "turn around a planet", Mechanics: []string{"orbit"}, Engine: "three"},
	{Key: "score-popup", Title: "Score popup", Prompt: "show points where they are won"},
}

func keys(list []api.Skill) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s.Key
	}
	return out
}

func TestSkillIsFoundByWhatItSolves(t *testing.T) {
	for request, want := range map[string]string{
		"A cat jumping over fences":               "double-jump",
		"jumpers and runners, please":             "double-jump",
		"I want to stack boxes into a tall tower": "tower",
		"points should pop up in the score":       "score-popup",
	} {
		if got := keys(Rank(request, "phaser", stored, 1)); !slices.Equal(got, []string{want}) {
			t.Errorf("%q: %q, want %s", request, got, want)
		}
	}
}

func TestSkillOfAnotherEngineIsLeftOut(t *testing.T) {
	if got := keys(Rank("orbit around a planet", "phaser", stored, 3)); len(got) != 0 {
		t.Errorf("for phaser: %q", got)
	}
	if got := keys(Rank("orbit around a planet", "three", stored, 3)); !slices.Equal(got, []string{"orbit-camera"}) {
		t.Errorf("for three: %q", got)
	}
	if got := keys(Rank("orbit around a planet", "", stored, 3)); !slices.Equal(got, []string{"orbit-camera"}) {
		t.Errorf("for any: %q", got)
	}
}

func TestWhatIsNotAlikeIsNotFound(t *testing.T) {
	for _, request := range []string{"", "a fish swims through gaps", "the and of a", "make me a game", "日本語のゲーム"} {
		if got := keys(Rank(request, "phaser", stored, 3)); len(got) != 0 {
			t.Errorf("%q: %q", request, got)
		}
	}
}

func TestOrderIsTheSameEachTimeAndBounded(t *testing.T) {
	var many []api.Skill
	for i := range 100 {
		many = append(many, api.Skill{Key: fmt.Sprintf("k%02d", i), Title: "jumping frog"})
	}
	slices.Reverse(many)
	for range 20 {
		if got := keys(Rank("a jumping frog", "", many, 3)); !slices.Equal(got, []string{"k00", "k01", "k02"}) {
			t.Fatalf("got %q", got)
		}
	}
}

func TestMoreAlikeComesFirst(t *testing.T) {
	list := []api.Skill{
		{Key: "a", Title: "Jump", Prompt: "jump"},
		{Key: "b", Title: "Jump over logs", Prompt: "a fox jumps over logs in a forest", Mechanics: []string{"jump"}},
	}
	if got := keys(Rank("a fox that jumps over logs", "", list, 2)); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("got %q", got)
	}
}
