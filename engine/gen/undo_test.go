package gen

import (
	"math"
	"testing"
)

func TestUndoIsReadInFourLanguages(t *testing.T) {
	for _, text := range []string{
		"undo", "Undo that", "undo it please", "undo the last change", "Undo my last change.", "no, undo that!", "revert", "revert the last change", "roll back", "take that back", "go back", "Go back to the previous version",
		"as before", "like before", "make it as before", "make it like it was before", "back to how it was", "restore the old version", "I want the old version back", "bring back the previous version", "one step back", "put it back",
		"mach das rückgängig", "Mach das bitte rückgängig", "rückgängig machen", "bitte rückgängig", "wie vorher", "mach es wie vorher", "so wie es vorher war", "zurück zur letzten Version", "die alte Version bitte", "geh zurück", "mach die letzte Änderung rückgängig", "stell die vorherige Version wieder her",
		"deshacer", "deshaz eso", "deshaz el último cambio", "como antes", "déjalo como estaba antes", "vuelve atrás", "vuelve a la versión anterior", "quiero la versión anterior", "revierte el último cambio",
		"annule", "annuler", "annule ça", "annule la dernière modification", "comme avant", "remets comme avant", "reviens en arrière", "retour à la version précédente", "je veux la version précédente", "remets tout comme c'était avant",
	} {
		if u, asked := ReadUndo(text); !asked || u.Steps != 1 || u.Rest != "" || u.Redo {
			t.Errorf("%q: %+v, %v", text, u, asked)
		}
	}
}

func TestOnlyAnImperativeUndoes(t *testing.T) {
	for _, text := range []string{
		"add an undo button", "the player can undo a move", "undo the speed", "make it as fast as before", "go back to the menu on escape", "when he falls go back to the start", "make the back wall red", "let the hero walk back", "as before a storm",
		`call it "Undo"`, `write "go left, go back, undo" on the sign`, "füge einen Zurück-Knopf hinzu", "wie vorher die Katze", "zurückspringen", "un botón de deshacer", "como antes los gatos", "ajoute un bouton annuler", "comme avant le chat", "the previous version was a racing game",
		"add buttons: undo, redo, restart", "buttons for pause, undo and quit", "when he touches the wall, go back", "If I press Z: undo", "let the ghost walk to the wall, then go back", "three enemies, the last one, a boss", "one step", "the old game", "reverse", "reverse gravity",
		"make it faster", "a game about time travel", "redo the level", "undo buttons times", "undo the hero",
	} {
		if u, asked := ReadUndo(text); asked {
			t.Errorf("%q: %+v", text, u)
		}
	}
}

func TestUndoMayComeWithMore(t *testing.T) {
	for text, want := range map[string]Undo{
		"as before, but faster":                            {Steps: 1, Rest: "faster"},
		"undo that and make level 2 harder":                {Steps: 1, Rest: "make level 2 harder"},
		"wie vorher, aber schneller":                       {Steps: 1, Rest: "schneller"},
		"como antes pero más rápido":                       {Steps: 1, Rest: "más rápido"},
		"comme avant mais plus rapide":                     {Steps: 1, Rest: "plus rapide"},
		`That is worse. Undo. Call it "Stop, and go back"`: {Steps: 1, Rest: `Call it "Stop, and go back"`},
		"undo twice":                                  {Steps: 2},
		"undo the last three changes":                 {Steps: 3},
		"go back two versions":                        {Steps: 2},
		"mach die letzten zwei Änderungen rückgängig": {Steps: 2},
		"deshaz los últimos dos cambios":              {Steps: 2},
		"annule les deux dernières modifications":     {Steps: 2},
		"undo everything":                             {Steps: math.MaxInt},
		"mach alles rückgängig":                       {Steps: math.MaxInt},
		"go back to the original version":             {Steps: math.MaxInt},
		"redo":                                        {Redo: true},
		"undo the undo":                               {Redo: true},
		"rehacer":                                     {Redo: true},
		"redo that, and make it a bit slower":         {Redo: true, Rest: "make it a bit slower"},
	} {
		if got, asked := ReadUndo(text); !asked || got != want {
			t.Errorf("%q: %+v, %v", text, got, asked)
		}
	}
}
