package gen

import (
	"errors"
	"maps"
	"strings"
	"testing"
)

func TestOnlyAnImperativeAsksForANewGame(t *testing.T) {
	for _, text := range []string{
		"a new game: stack boxes into a tower", "New game: cats in space", "new game", "Make a new game about frogs.", "make me a completely different game", "another game please",
		"I don't like it. Start over!", "start over with a racing game", "Please build it from scratch", "create a new platform game with a knight", "I want a different game",
		"let's make another game", "can you make a brand new game where you fly?", "make the new game",
		"that's boring, make me another game", "make a new game where you jump when the light is green", "throw it away and make a new game about bees",
		"Mach ein neues Spiel über Katzen", "neues Spiel", "ein ganz anderes Spiel", "Ich will ein anderes Spiel", "Fang nochmal von vorne an", "bitte ein völlig neues Spiel",
		"haz un juego nuevo de gatos", "otro juego", "Quiero un juego completamente diferente", "empieza de cero", "un nuevo juego sobre ranas",
		"fais un nouveau jeu", "Crée-moi un autre jeu avec des chats", "un jeu complètement différent", "recommence à zéro", "Je veux un nouveau jeu de course",
	} {
		if !asksAnew(text) {
			t.Errorf("%q asks for a new game", text)
		}
	}
	for _, text := range []string{
		"make the new game button bigger", "add a new game button", "the new game screen is too dark", "create a new game over screen", "when I lose show new game", "make a new game mode",
		"make it harder", "like another game I played", "I saw this in a different game", "when the player dies start over at level 1", "the text says new game", "call it New Game Plus",
		"the player should start over from the last checkpoint", "rename the button to start over now",
		"add a menu: new game, options, quit", "when I lose, start over", "If the player dies: make a new game", "buttons for pause, start over and quit", "when the time is up make a new game",
		"mach den neues Spiel Knopf größer", "der Knopf für ein neues Spiel fehlt", "haz más grande el botón de juego nuevo", "el otro juego era mejor", "agrandis le bouton nouveau jeu",
		"comme dans un autre jeu", "le bouton recommence tout est trop petit",
	} {
		if asksAnew(text) {
			t.Errorf("%q asks for no new game", text)
		}
	}
}

func TestBriefDoesNotPatchAnAuthoredGameWhileTheModelIsDown(t *testing.T) {
	p := swaying(t)
	s := p.gen.(*embedded).agents.(*sage)
	s.down = errors.New("away")
	before := p.files()
	result, rep := p.runWith(wisely("A frog that hops over logs in a dark river"))
	if result.Changed || len(result.Unmet) != 1 || !maps.Equal(before, p.files()) || !strings.Contains(warned(rep), "model") {
		t.Errorf("%+v, warned %q", result, warned(rep))
	}
}
