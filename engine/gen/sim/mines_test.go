package sim

import "testing"

func TestFirstPressIsSafeAndUsualMinesNeedNoGuess(t *testing.T) {
	var runs []struct{ Mines, Near, Shut int }
	asked(t, "mines", `[1, 2, 3, 4, 5, 6].map((seed) => {
		const s = m.create(seed, { lives: 3, levels: 1, duration: 0, density: 1, params: { mines: 10 } });
		m.step(s, { tapped: true, x: 240, y: 400, move: '', key: '' });
		const near = m.around(s.last).concat(s.last).filter((i) => s.field[i] === m.MINE).length;
		const open = (i) => {
			if (s.state[i] === m.OPEN) return;
			s.state[i] = m.OPEN;
			if (s.field[i] === 0) m.around(i).forEach(open);
		};
		for (let found = m.proven(s.field, s.state); found.safe.length + found.mined.length; found = m.proven(s.field, s.state)) {
			found.safe.forEach(open);
			for (const i of found.mined) s.state[i] = m.FLAG;
		}
		const shut = s.field.filter((v, i) => (v === m.MINE) === (s.state[i] === m.OPEN)).length;
		return { mines: s.field.filter((v) => v === m.MINE).length, near, shut };
	})`, &runs)
	for seed, r := range runs {
		if r.Mines != 10 || r.Near != 0 || r.Shut != 0 {
			t.Errorf("seed %d: %+v", seed+1, r)
		}
	}
}
