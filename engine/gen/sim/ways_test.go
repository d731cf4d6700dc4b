package sim

import "testing"

const plain = `{ lives: 9, levels: 1, players: 1, duration: 0, speed: 1, gravity: 1, density: 1, size: 1, ramp: 1, `

func TestEyesOfPursuersThatWanderGoHome(t *testing.T) {
	var steps []int
	asked(t, "chase", `[1, 2, 3, 4, 5, 6].map((seed) => {
		const s = m.create(seed, `+plain+`params: { ghosts: 4, foes: 2 } });
		s.safe = 1e9;
		for (let i = 0; i < 600; i++) m.step(s, {});
		s.foes[0].mode = 'eyes';
		let n = 0;
		while (s.foes[0].mode === 'eyes' && n < 6000) { m.step(s, {}); n++; }
		return n;
	})`, &steps)
	for seed, n := range steps {
		if n > 300 {
			t.Errorf("seed %d: %d steps until they are home", seed+1, n)
		}
	}
}

func TestNumberOfPursuersThatWasAskedForHolds(t *testing.T) {
	var counts []int
	asked(t, "chase", `[1, 2, 3].map((ghosts) => m.create(1, `+plain+`density: 1.5, params: { ghosts } }).foes.length)`, &counts)
	for i, n := range counts {
		if n != i+1 {
			t.Errorf("%d pursuers are %d", i+1, n)
		}
	}
}

func TestHunterOfAJumperDoesNotStickToTheEdge(t *testing.T) {
	var apart []float64
	asked(t, "jumper", `[[60, 400], [420, 80]].map(([from, to]) => {
		const s = m.create(1, `+plain+`params: { foes: 1 } });
		s.foes = [{ x: from, x0: from, h: 99999, t: 0 }];
		for (let i = 0; i < 900; i++) { Object.assign(s, { x: to, vx: 0, h: s.cam + 300, vy: 0 }); m.step(s, {}); }
		return Math.abs(s.foes[0].x0 - to);
	})`, &apart)
	for i, by := range apart {
		if by > 10 {
			t.Errorf("run %d: it stays %v away", i, by)
		}
	}
}

func TestBallIsSavedOnce(t *testing.T) {
	var lives []int
	asked(t, "pinball", `(() => {
		const s = m.create(1, `+plain+`params: { saver: 1 } });
		return [1, 2, 3, 4].map(() => {
			Object.assign(s.ball, { lane: false, x: 220, y: 760, vy: 1, since: s.t });
			s.safe = 0;
			m.step(s, {});
			return s.lives;
		});
	})()`, &lives)
	for i, want := range []int{9, 8, 8, 7} {
		if i >= len(lives) || lives[i] != want {
			t.Fatalf("lives %v", lives)
		}
	}
}
