package change

import (
	"slices"
	"strings"
	"testing"
)

// phrases are requests as people type them, by the one thing that they ask for.
var phrases = map[string][]string{
	"speed 1 → 1.25": {
		"can you make it go faster", "speed it up", "not so slow please", "mach es schneller", "zu langsam", "hazlo más rápido", "demasiado lento",
		"plus vite", "trop lent", "più veloce", "mais rápido",
	},
	"speed 1 → 0.8": {"please slow down", "it's too fast", "not so fast", "nicht so schnell", "zu schnell", "no tan rápido", "trop vite", "más despacio"},
	"lives 3 → 5": {
		"more lives", "add lives", "I want 5 lives", "give me 5 lives", "add 2 lives", "mehr Leben", "gib mir fünf Leben", "añade vidas", "dame 5 vidas",
		"ajoute des vies", "donne-moi 5 vies", "aggiungi vite", "mais vidas",
	},
	"lives 3 → 4": {"an extra life", "give the player one more life"},
	"#ff6fb5":     {"make everything pink", "pink please", "mach alles rosa", "hazlo rosa", "que sea rosa", "rends-le rose", "fallo rosa", "deixe rosa"},
	"players 1 → 2": {
		"2 players", "I want to play with my friend", "für zwei Spieler", "dos jugadores", "à deux joueurs", "due giocatori", "dois jogadores", "avec un ami",
	},
	"a boss at the end: added": {
		"there should be a boss fight at the end", "mit einem Endgegner", "añade un jefe al final", "ajoute un boss à la fin", "un boss alla fine", "um chefe no final",
	},
	"density 1 → 0.85": {"it's impossible", "I always die", "too hard", "es ist zu schwer", "más fácil", "demasiado difícil", "trop difficile", "not so hard"},
	"density 1 → 1.18": {"make it harder", "too boring", "zu leicht", "más difícil", "trop facile"},
	"hero: duck → robot": {
		"replace the duck with a robot", "the hero should be a robot", "I want a robot instead of the duck", "die Ente soll ein Roboter sein",
		"mach den Helden zu einem Roboter", "cambia el pato por un robot", "que el héroe sea un robot", "remplace le canard par un robot", "que le héros soit un robot",
	},
	"theme farm → space":        {"put it in space", "im Weltraum", "en el espacio", "dans l'espace"},
	"length of a run 45 s → 33": {"the game is too long", "das Spiel ist zu lang", "demasiado largo", "le jeu est trop long"},
	"the mechanic gap → stack":  {"make it a stacking game", "mach ein Stapelspiel daraus", "conviértelo en un juego de apilar", "transforme-le en jeu d'empilage"},
}

func TestWishesAreUnderstoodInTheWordsOfUsers(t *testing.T) {
	for want, requests := range phrases {
		for _, request := range requests {
			out := Apply(duckGame(), request, nil)
			if len(out.Did) != 1 || !strings.Contains(out.Did[0], want) || len(out.Unmet) > 0 {
				t.Errorf("%q: did %q, unmet %q, want %s", request, out.Did, out.Unmet, want)
			}
		}
	}
}

func TestWhatIsNotUnderstoodIsSaidAndChangesNothing(t *testing.T) {
	for _, request := range []string{
		"make it prettier", "undo that", "don't make it faster", "less pink", "make the rocks bigger", "the lives are hard to see",
		"add a high score table online", "the gaps should be round", "add music",
	} {
		out := Apply(duckGame(), request, nil)
		if len(out.Did) > 0 || !slices.ContainsFunc(out.Unmet, func(u string) bool { return strings.HasPrefix(u, request) }) {
			t.Errorf("%q: did %q, unmet %q", request, out.Did, out.Unmet)
		}
	}
}
