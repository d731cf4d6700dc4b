package brief

import (
	"strings"
	"testing"
)

func TestTimesTablesThatAreNamedAreAsked(t *testing.T) {
	for text, want := range map[string]string{
		"the 7 and 8 times tables": "7 8", "times tables of 3, 4 and 9": "3 4 9", "multiplication tables from 2 to 5": "2 3 4 5", "the seven and eight times table": "7 8",
		"die 6er- und die 7er-Reihe": "6 7", "Einmaleins mit 3, 4 und 5": "3 4 5", "las tablas del 3 y del 4": "3 4", "tablas del 2 al 4": "2 3 4", "les tables de 6 et de 9": "6 9",
		"the 7 times table": "", "the 7 times table, 3 lives and 2 levels": "", "addition up to 20": "", "Einmaleins mit 7 bis 100": "",
	} {
		r := Read(text)
		s := r.Write(Order{ProjectID: "p", Seed: 1})
		if got := strings.Join(s.Content, " "); s.Mechanic != "tables" || got != want || want != "" && s.Params["table"] != 0 || len(r.Unmet) > 0 {
			t.Errorf("%q: %s asks %q, table %v, unmet %q; want %q", text, s.Mechanic, got, s.Params["table"], r.Unmet, want)
		}
	}
}

func TestPaddleIsAsLargeAsItIsSaidToBe(t *testing.T) {
	for text, want := range map[string]float64{
		"brick breaker with a really short paddle": 1, "brick breaker with a wide paddle": 3, "brick breaker with a paddle": 2, "Breakout mit breitem Schläger": 3, "rompe ladrillos con una pala corta": 1, "casse-briques avec une raquette large": 3,
	} {
		r := Read(text)
		s := r.Write(Order{ProjectID: "p", Seed: 1})
		if s.Mechanic != "bricks" || s.Params["paddle"] != want || s.Play.Size != 1 || len(r.Unmet) > 0 {
			t.Errorf("%q: %s, paddle %v, size %v, unmet %q; want %v", text, s.Mechanic, s.Params["paddle"], s.Play.Size, r.Unmet, want)
		}
	}
}
