package sim

import (
	"testing"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// duels are matches of two rounds against the best that the game can do, by a player
// who moves anywhere; they come to how often that player won, and to how many moves
// broke a rule.
const duels = `[1, 2, 3].map((seed) => {
	const s = m.create(seed, { lives: 1, levels: 1, duration: 0, players: 1, params: { level: 3, rounds: 2 } });
	let broken = 0;
	for (let i = 0, n = seed; i < 6000 && !s.over; i++) {
		const before = s.cells.slice();
		n = (n * 1103515245 + 12345) % 2147483648;
		m.step(s, { tapped: i % 7 === 0, x: 30 + n % 420, y: 180 + (n >> 8) % 420, move: '', key: '' });
		const fresh = s.cells.filter((v, k) => v !== before[k] && v >= 0);
		if (fresh.length > 1 || s.cells.some((v, k) => before[k] >= 0 && v >= 0 && v !== before[k])) broken++;
	}
	return { won: s.wins[0], broken, over: s.over };
})`

func TestStrongestOpponentObeysTheRulesAndIsNotBeatenByChance(t *testing.T) {
	for _, mechanic := range []string{"tictactoe", "fourinrow"} {
		var matches []struct {
			Won, Broken int
			Over        bool
		}
		asked(t, mechanic, duels, &matches)
		for seed, r := range matches {
			if r.Won != 0 || r.Broken != 0 || !r.Over {
				t.Errorf("%s, seed %d: %+v", mechanic, seed+1, r)
			}
		}
	}
}

func TestFirstDiscsOfFourInARowScore(t *testing.T) {
	for seed := range uint32(12) {
		r, err := load(t, "fourinrow").Play(t.Context(), catalog.Usual("fourinrow", spec.Platform), seed, Skilled, 9)
		if err != nil || r.Score < 1 {
			t.Errorf("seed %d: %+v, %v", seed, r, err)
		}
	}
}
