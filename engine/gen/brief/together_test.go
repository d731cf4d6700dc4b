package brief

import (
	"slices"
	"testing"
)

func TestWhoPlayTogetherAreTwoAndNoFigures(t *testing.T) {
	for text, want := range map[string]struct {
		players int
		versus  bool
		lang    string
	}{
		"Memory where two people take turns on one tablet":            {2, false, "en"},
		"Four in a row that I can play with my daughter":              {2, false, "en"},
		"Tic tac toe for two":                                         {2, false, "en"},
		"My sister and I want to play memory":                         {2, false, "en"},
		"Pong, 1 on 1":                                                {2, true, "en"},
		"Pong against my best friend":                                 {2, true, "en"},
		"Connect four versus the computer":                            {0, false, "en"},
		"Tic tac toe where you and the computer take turns":           {0, false, "en"},
		"Robots versus dinosaurs":                                     {0, false, "en"},
		"A prince fights against his evil brother":                    {0, false, "en"},
		"Pinball with two balls":                                      {0, false, "en"},
		"Memory, bei dem zwei Kinder abwechselnd spielen":             {2, false, "de"},
		"Vier gewinnt, meine Schwester und ich":                       {2, false, "de"},
		"Pong gegen meinen kleinen Bruder":                            {2, true, "de"},
		"Vier gewinnt gegen den Computer":                             {0, false, "de"},
		"memoria para dos, por turnos":                                {2, false, "es"},
		"tres en raya contra mi hermana":                              {2, true, "es"},
		"morpion où chacun joue à son tour, avec mon frère":           {2, false, "fr"},
		"puissance 4 pour deux, l'un contre l'autre":                  {2, true, "fr"},
		"un jeu de memory à tour de rôle":                             {2, false, "fr"},
		"un cerf sur un vélo à deux roues évite les rochers":          {0, false, "fr"},
		"Ein Hase mit zwei Ohren springt über Steine und gegen Wände": {0, false, "de"},
	} {
		r := Read(text)
		if r.Rules.Players != want.players || r.Rules.Versus != want.versus || r.Lang != want.lang || slices.Contains(r.Nouns, "kid") {
			t.Errorf("%q: %d players, versus %v, in %s, nouns %v", text, r.Rules.Players, r.Rules.Versus, r.Lang, r.Nouns)
		}
	}
}

func TestMyPupilsAreNoFigures(t *testing.T) {
	for _, text := range []string{"My pupils should practise, a fox catches apples", "Meine Schüler sollen üben, ein Fuchs fängt Äpfel", "Mis alumnos deben practicar, un zorro atrapa manzanas"} {
		if r := Read(text); r.Hero != "fox" || slices.Contains(r.Nouns, "kid") {
			t.Errorf("%q: hero %q, nouns %v", text, r.Hero, r.Nouns)
		}
	}
}

func TestWhatOneHopsAlongIsNotWhatIsCollected(t *testing.T) {
	for text, want := range map[string]string{
		"a cat jumps from star to star and collects fish": "fish", "an astronaut hops from planet to planet and collects apples": "apple",
		"un astronauta salta de planeta en planeta y recoge manzanas": "apple", "a cat jumps from star to star": "star",
	} {
		if r := Read(text); r.Pickup != want {
			t.Errorf("%q: pickup %q, want %q", text, r.Pickup, want)
		}
	}
}
