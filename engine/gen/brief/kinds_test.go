package brief

import "testing"

func TestWordGamesAreReadInFourLanguages(t *testing.T) {
	for _, c := range []struct {
		text, mechanic, lang, param string
		value                       float64
	}{
		{"the 7 times table", "tables", "en", "table", 7},
		{"Einmaleins mit 7", "tables", "de", "table", 7},
		{"die 7er-Reihe üben", "tables", "de", "table", 7},
		{"tablas del 6", "tables", "es", "table", 6},
		{"table de 9", "tables", "fr", "table", 9},
		{"addition up to 20", "tables", "en", "max", 20},
		{"Plusaufgaben bis 100", "tables", "de", "op", 1},
		{"sumas y restas hasta 20", "tables", "es", "op", 4},
		{"additions jusqu'à 20", "tables", "fr", "max", 20},
		{"division practice", "tables", "en", "op", 3},
		{"a quiz about animals", "quiz", "en", "topic", 1},
		{"Ein Quiz über Hauptstädte", "quiz", "de", "topic", 2},
		{"a trivia game", "quiz", "en", "", 0},
		{"Ein Spiel, in dem man Fragen beantworten muss", "quiz", "de", "", 0},
		{"un juego de preguntas y respuestas", "quiz", "es", "", 0},
		{"un quiz", "quiz", "fr", "", 0},
		{"words fall down and you type them", "typing", "en", "", 0},
		{"fallende Wörter abtippen", "typing", "de", "", 0},
		{"palabras que caen y hay que teclear", "typing", "es", "", 0},
		{"un jeu pour taper des mots au clavier", "typing", "fr", "", 0},
		{"guess the word letter by letter, 5 mistakes", "hangman", "en", "balloons", 5},
		{"Galgenmännchen", "hangman", "de", "", 0},
		{"adivinar la palabra", "hangman", "es", "", 0},
		{"deviner le mot", "hangman", "fr", "", 0},
		{"cookie clicker with upgrades", "clicker", "en", "", 0},
		{"Ein Klickspiel mit Upgrades", "clicker", "de", "", 0},
		{"un juego de clics", "clicker", "es", "", 0},
		{"un clicker avec des améliorations", "clicker", "fr", "", 0},
		{"an adventure with rooms, a key and a locked door", "adventure", "en", "", 0},
		{"Ein Abenteuer: Räume erkunden und den Schlüssel finden", "adventure", "de", "", 0},
		{"una aventura con habitaciones y una llave", "adventure", "es", "", 0},
		{"une aventure avec des salles et une clé", "adventure", "fr", "", 0},
		{"repeat the sequence with 6 colors", "sequence", "en", "pads", 6},
		{"Reihenfolge merken wie Senso", "sequence", "de", "", 0},
		{"repetir la secuencia de luces", "sequence", "es", "", 0},
		{"répéter la séquence de lumières", "sequence", "fr", "", 0},
	} {
		r := Read(c.text)
		s := r.Write(Order{ProjectID: "p", Seed: 1})
		if s.Mechanic != c.mechanic || s.Lang != c.lang || len(r.Unmet) > 0 {
			t.Errorf("%q: %s in %s, unmet %q; want %s in %s", c.text, s.Mechanic, s.Lang, r.Unmet, c.mechanic, c.lang)
		}
		if c.param != "" && s.Params[c.param] != c.value {
			t.Errorf("%q: %v, want %s %v", c.text, s.Params, c.param, c.value)
		}
	}
}

func TestRoundsOfADuelAreNoLevels(t *testing.T) {
	for text, levels := range map[string]int{"connect four, 7 rounds": 1, "Vier gewinnt mit 7 Runden": 1, "tres en raya, 7 rondas": 1, "morpion en 7 manches": 1, "a jumping frog, 7 rounds": 7} {
		r := Read(text)
		s := r.Write(Order{ProjectID: "p", Seed: 1})
		if s.Play.Levels != levels || levels == 1 && s.Params["rounds"] != 7 {
			t.Errorf("%q: %d levels, %v", text, s.Play.Levels, s.Params)
		}
	}
}
