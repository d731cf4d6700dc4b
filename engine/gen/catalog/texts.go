package catalog

import (
	"maps"
	"slices"

	"github.com/svc-games/svc/engine/gen/spec"
)

// Texts returns the words on the screen in a language; English when there are
// none in it.
func Texts(lang string) spec.Text {
	if t, ok := texts[lang]; ok {
		return t
	}
	return texts["en"]
}

// Languages are those that Texts knows, sorted.
func Languages() []string { return slices.Sorted(maps.Keys(texts)) }

// LanguageNames are the languages by their code, in English.
var LanguageNames = map[string]string{"en": "English", "de": "German", "es": "Spanish", "fr": "French"}

var texts = map[string]spec.Text{
	"en": {
		Start: "Tap to start", Over: "Game over", Win: "You made it!", Again: "Tap to play again", Score: "Score", Best: "Best",
		Record: "New best!", Level: "Level", Player: "Player", YourTurn: "your turn!", Wins: "wins!", Draw: "A draw!",
		Perfect: "Perfect!", Streak: "Super!", Boss: "Boss!", Shield: "Shield", Double: "Double points", Slow: "Slow motion",
	},
	"de": {
		Start: "Tippe zum Start", Over: "Vorbei!", Win: "Geschafft!", Again: "Tippe für die nächste Runde", Score: "Punkte", Best: "Rekord",
		Record: "Neuer Rekord!", Level: "Level", Player: "Spieler", YourTurn: "du bist dran!", Wins: "gewinnt!", Draw: "Gleichstand!",
		Perfect: "Perfekt!", Streak: "Super!", Boss: "Endgegner!", Shield: "Schild", Double: "Doppelte Punkte", Slow: "Zeitlupe",
	},
	"es": {
		Start: "Toca para empezar", Over: "Fin del juego", Win: "¡Lo lograste!", Again: "Toca para jugar otra vez", Score: "Puntos", Best: "Récord",
		Record: "¡Nuevo récord!", Level: "Nivel", Player: "Jugador", YourTurn: "¡te toca!", Wins: "¡gana!", Draw: "¡Empate!",
		Perfect: "¡Perfecto!", Streak: "¡Genial!", Boss: "¡Jefe final!", Shield: "Escudo", Double: "Puntos dobles", Slow: "Cámara lenta",
	},
	"fr": {
		Start: "Touche pour jouer", Over: "Perdu !", Win: "Bravo !", Again: "Touche pour rejouer", Score: "Points", Best: "Record",
		Record: "Nouveau record !", Level: "Niveau", Player: "Joueur", YourTurn: "à toi !", Wins: "gagne !", Draw: "Égalité !",
		Perfect: "Parfait !", Streak: "Super !", Boss: "Le boss !", Shield: "Bouclier", Double: "Points doubles", Slow: "Ralenti",
	},
}
