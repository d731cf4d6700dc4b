package spec

import (
	"bytes"
	"math"
	"testing"
)

func sample() Spec {
	c, x := "#102030", "x"
	return Spec{
		Format: Short, Art: Placeholder, Text: Text{x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x},
		Version: Version, ID: "svc-p", Title: "Zoom", Lang: "en", Renderer: "phaser", Mechanic: "gap", Theme: "sky", Seed: 7,
		Play:    Play{Speed: 1, Gravity: 1, Density: 1, Size: 1, Ramp: 1, Lives: 3, Duration: 45, Levels: 1, Players: 1},
		Cast:    Cast{Hero: Actor{Noun: "bird", Body: "round", Features: []string{"beak"}}, Hazard: Actor{Noun: "rock", Art: "rock"}, Pickup: Actor{Noun: "star", Art: "star"}},
		Scene:   Scene{Far: "hills", Near: "bushes", Orb: "sun", Motes: Motes{Kind: "dust", Move: "still", Count: 5, Size: 5}},
		Palette: Palette{c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c},
	}
}

func TestSpecComesBackAsItWasWritten(t *testing.T) {
	first, err := Marshal(sample())
	if err != nil {
		t.Fatal(err)
	}
	read, err := Unmarshal(first)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Marshal(read)
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("written again: %v\n%s\n%s", err, first, second)
	}
}

func TestCheckRefusesWhatMakesNoGame(t *testing.T) {
	for name, spoil := range map[string]func(*Spec){
		"other version":            func(s *Spec) { s.Version = 1 },
		"no title":                 func(s *Spec) { s.Title = "" },
		"markup in the title":      func(s *Spec) { s.Title = "<b>" },
		"speed out of bounds":      func(s *Spec) { s.Play.Speed = 9 },
		"speed is no number":       func(s *Spec) { s.Play.Speed = math.NaN() },
		"no lives":                 func(s *Spec) { s.Play.Lives = 0 },
		"a minute and a half":      func(s *Spec) { s.Play.Duration = 90 },
		"no limit of time":         func(s *Spec) { s.Play.Duration = 0 },
		"three players":            func(s *Spec) { s.Play.Players = 3 },
		"no levels":                func(s *Spec) { s.Play.Levels = 0 },
		"unknown format":           func(s *Spec) { s.Format = "tall" },
		"unknown art":              func(s *Spec) { s.Art = "oil" },
		"an empty text":            func(s *Spec) { s.Text.Again = "" },
		"markup in a text":         func(s *Spec) { s.Text.HowTo = "<img>" },
		"path as mechanic":         func(s *Spec) { s.Mechanic = "../../secret" },
		"path as renderer":         func(s *Spec) { s.Renderer = "/etc/passwd" },
		"code as feature":          func(s *Spec) { s.Cast.Hero.Features = []string{"x();"} },
		"body and art":             func(s *Spec) { s.Cast.Hero.Art = "rock" },
		"neither body nor art":     func(s *Spec) { s.Cast.Hazard.Art = "" },
		"boss without a body":      func(s *Spec) { s.Cast.Boss = &Actor{Noun: "dragon"} },
		"boss of no colour":        func(s *Spec) { s.Cast.Boss = &Actor{Noun: "dragon", Body: "dragon", Color: "red"} },
		"colour that is no colour": func(s *Spec) { s.Palette.Ink = "red" },
	} {
		s := sample()
		spoil(&s)
		if s.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if s := sample(); s.Check() != nil {
		t.Errorf("the unspoiled spec is refused: %v", s.Check())
	}
}
