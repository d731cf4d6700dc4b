package gen

import (
	"context"
	"slices"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/spec"
)

func TestGameThatFailsItsPlaytestIsTuned(t *testing.T) {
	s := brief.Read(briefs["gap"]).Write(brief.Order{ProjectID: "p", Seed: 5})
	s.Play = spec.Play{Speed: 0.5, Gravity: 0.5, Density: 0.5, Size: 0.6, Ramp: 0, Lives: 1, Duration: 15, Levels: 1, Players: 1}
	rep := &recorder{}
	tuned, err := simulateAndTune(context.Background(), rep, &s, effortOf(api.Settings{}))
	if err != nil {
		t.Fatal(err)
	}
	if len(tuned) == 0 || len(rep.of(api.EventFixApplied)) != len(tuned) || len(tuned) > effortOf(api.Settings{}).tunes {
		t.Errorf("tuned %q, reported %v", tuned, rep.of(api.EventFixApplied))
	}
	results := rep.of(api.EventPlaytestResult)
	if results[0].Members["ok"] != false || results[len(results)-1].Members["ok"] != true {
		t.Errorf("results %v", results)
	}
}

func TestGameThatBlindPlayIsLuckyInGetsAnotherCourse(t *testing.T) {
	const lucky = 98 // a tap now and then comes far in this one
	s := brief.Read("a yellow duck that flaps through gaps").Write(brief.Order{ProjectID: "x", Seed: 1})
	s.Seed = lucky
	rep := &recorder{}
	tuned, err := simulateAndTune(context.Background(), rep, &s, effortOf(api.Settings{ReasoningLevel: api.ReasoningLow}))
	if err != nil {
		t.Fatal(err)
	}
	if rep.of(api.EventPlaytestResult)[0].Members["ok"] != false {
		t.Fatal("it passes there: look for a seed in which it does not")
	}
	if !slices.Equal(tuned, []string{"the course"}) || s.Seed == lucky || s.Mechanic != "gap" {
		t.Errorf("tuned %q, a %s of seed %d", tuned, s.Mechanic, s.Seed)
	}
}

func TestTuningComesBackFromTheCorners(t *testing.T) {
	smallest := spec.Play{Speed: 0.5, Gravity: 0.5, Density: 0.5, Size: 0.6, Ramp: 0, Lives: 1, Duration: 15}
	largest := spec.Play{Speed: 2, Gravity: 2, Density: 2, Size: 1.6, Ramp: 2, Lives: 5, Duration: 15}
	for mechanic, play := range map[string]spec.Play{"hop": largest, "lane": largest, "catch": smallest} {
		play.Levels, play.Players = 1, 1
		s := spec.Spec{Mechanic: mechanic, Format: spec.Short, Play: play, Seed: 77}
		if _, err := simulateAndTune(context.Background(), &recorder{}, &s, effortOf(api.Settings{})); err != nil {
			t.Errorf("%s from %+v: %v", mechanic, play, err)
		}
	}
}
