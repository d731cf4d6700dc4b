package sim

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/test/long"
)

func play(speed, gravity, density, size, ramp float64, lives, duration int) spec.Play {
	return spec.Play{Speed: speed, Gravity: gravity, Density: density, Size: size, Ramp: ramp, Lives: lives, Duration: duration, Levels: 1, Players: 1}
}

var usual = play(1, 1, 1, 1, 1, 3, 45)

func load(t *testing.T, mechanic string) *Game {
	t.Helper()
	format := spec.Short
	if catalog.Mechanics[mechanic].Wide {
		format = spec.Platform
	}
	g, err := Load(context.Background(), spec.Spec{Mechanic: mechanic, Format: format})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func loadShort(t *testing.T, mechanic string) *Game {
	t.Helper()
	g, err := Load(t.Context(), spec.Spec{Mechanic: mechanic, Format: spec.Short})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// inTallWindow is a wide game's field in a tall window.
func inTallWindow(s spec.Spec) []byte {
	return bytes.Replace(compile.Field(s), []byte("tall = "), []byte("tall = true || "), 1)
}

func TestWideGamesArePlayedInATallWindow(t *testing.T) {
	for _, mechanic := range kit.Mechanics() {
		if !catalog.Mechanics[mechanic].Wide {
			continue
		}
		t.Run(mechanic, func(t *testing.T) {
			t.Parallel()
			s := spec.Spec{Mechanic: mechanic, Format: spec.Platform}
			g, err := bundle(t.Context(), s, ours(inTallWindow(s)), counted)
			if err != nil {
				t.Fatal(err)
			}
			v, err := g.Judge(t.Context(), catalog.Usual(mechanic, spec.Platform), []uint32{11})
			if err != nil || !v.OK() {
				t.Errorf("%v, %v; %+v", err, v.Problems, v.Trials)
			}
		})
	}
}

func TestWideGamesArePlayedInTheShortFormat(t *testing.T) {
	for _, mechanic := range kit.Mechanics() {
		if !catalog.Mechanics[mechanic].Wide {
			continue
		}
		t.Run(mechanic, func(t *testing.T) {
			t.Parallel()
			v, err := loadShort(t, mechanic).Judge(t.Context(), catalog.Usual(mechanic, spec.Short), []uint32{11})
			// They were made for longer runs, in which skill pays more.
			if err != nil || v.SkillRatio < 1.3 || v.BestScore < 3 || v.IdleEnd > Judged+1 {
				t.Errorf("%v, %v; %+v", err, v.Problems, v.Trials)
			}
		})
	}
}

func TestEveryMechanicRewardsSkillAndPunishesIdleness(t *testing.T) {
	for _, mechanic := range kit.Mechanics() {
		t.Run(mechanic, func(t *testing.T) {
			t.Parallel()
			play := usual
			if catalog.Mechanics[mechanic].Wide {
				play = catalog.Usual(mechanic, spec.Platform)
			}
			seeds := []uint32{11}
			if long.Asked() {
				seeds = append(seeds, 22, 33)
			}
			v, err := load(t, mechanic).Judge(context.Background(), play, seeds)
			if err != nil {
				t.Fatal(err)
			}
			if !v.OK() {
				t.Errorf("%v; %+v", v.Problems, v.Trials)
			}
			if v.IdleEnd > 40 && !catalog.Mechanics[mechanic].Wide && !catalog.Mechanics[mechanic].Turns {
				t.Errorf("doing nothing lasts %.0f s", v.IdleEnd)
			}
		})
	}
}

func TestStateStaysFiniteBoundedAndFreshAtEveryTuning(t *testing.T) {
	tunings := map[string]spec.Play{
		"smallest": play(0.5, 0.5, 0.5, 0.6, 0, 1, 15),
		"largest":  play(2, 2, 2, 1.6, 2, 5, 20),
		"mixed":    play(2, 0.5, 2, 0.6, 2, 1, 20),
	}
	for _, mechanic := range kit.Mechanics() {
		t.Run(mechanic, func(t *testing.T) {
			t.Parallel()
			g := load(t, mechanic)
			for name, p := range tunings {
				if name == "mixed" && !long.Asked() {
					continue // its values are among those of the other two
				}
				before, err := g.First(context.Background(), p, 5)
				if err != nil {
					t.Fatal(err)
				}
				for i, policy := range Policies {
					if !long.Asked() && (policy == "hold" || policy == "periodic") {
						continue // they are much like the other two that don't look
					}
					r, err := g.Play(context.Background(), p, uint32(100+i), policy, p.Duration+5)
					if err != nil {
						t.Fatal(err)
					}
					if r.Bad != "" || r.Entities > MaxEntities || r.Score < 0 {
						t.Errorf("%s, %s: %+v", name, policy, r)
					}
					if r.Outcome == "" {
						t.Errorf("%s, %s: the run did not end in %d seconds", name, policy, p.Duration+5)
					}
				}
				if after, err := g.First(context.Background(), p, 5); err != nil || after != before {
					t.Errorf("%s: a run leaves something behind (%v)", name, err)
				}
			}
		})
	}
}

func TestSameSeedPlaysTheSame(t *testing.T) {
	for _, mechanic := range kit.Mechanics() {
		a, errA := load(t, mechanic).Play(context.Background(), usual, 9, Skilled, 8)
		b, errB := load(t, mechanic).Play(context.Background(), usual, 9, Skilled, 8)
		if errA != nil || errB != nil || a != b {
			t.Errorf("%s: %+v and %+v (%v, %v)", mechanic, a, b, errA, errB)
		}
	}
}

func TestLevelsFollowTheClockOrTheStage(t *testing.T) {
	timed := usual
	timed.Levels = 3
	r, err := load(t, "dial").Play(context.Background(), timed, 3, Skilled, 50)
	if err != nil || r.Level != 3 || r.Outcome != "win" {
		t.Errorf("a timed run with three levels: %+v, %v", r, err)
	}
	staged := catalog.Usual("match", spec.Platform)
	staged.Levels = 2
	r, err = load(t, "match").Play(context.Background(), staged, 3, Skilled, 240)
	if err != nil || r.Level != 2 || r.Outcome != "win" {
		t.Errorf("a staged run with two levels: %+v, %v", r, err)
	}
}

func TestLastBricksOfALevelAreMet(t *testing.T) {
	g := load(t, "breakout")
	for _, seed := range []uint32{3, 5} {
		r, err := g.Play(context.Background(), catalog.Usual("breakout", spec.Platform), seed, Skilled, 240)
		if err != nil || r.Outcome != "win" {
			t.Errorf("who loses no ball comes to %+v, %v", r, err)
		}
	}
}

func TestBossMustBeBeaten(t *testing.T) {
	play := usual
	play.Boss, play.Lives = true, spec.MaxLives
	for _, mechanic := range catalog.Choices(false) {
		if catalog.Mechanics[mechanic].Turns {
			continue
		}
		play.Duration = catalog.Usual(mechanic, spec.Short).Duration
		won := 0
		for seed := range uint32(4) {
			if won > 0 && !long.Asked() {
				break
			}
			r, err := loadShort(t, mechanic).Play(context.Background(), play, seed, Skilled, play.Duration+5)
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome == "win" {
				won++
				if r.Seconds > float64(play.Duration)-0.1 {
					t.Errorf("%s: the run was won by the clock, with the boss alive", mechanic)
				}
			}
		}
		if won == 0 {
			t.Errorf("%s: skilled play never beats the boss", mechanic)
		}
	}
	// Those who score nothing never beat it: survival alone is no win.
	play.Speed, play.Density, play.Ramp = spec.MinFactor, spec.MinFactor, 0
	if r, err := load(t, "orbit").Play(context.Background(), play, 1, "hold", 50); err != nil || r.Outcome == "win" {
		t.Errorf("a run without skill: %+v, %v", r, err)
	}
}

func TestPowersAndCombosPay(t *testing.T) {
	g := load(t, "dial")
	plain, err := g.Play(context.Background(), usual, 3, Skilled, 50)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*spec.Play){
		"powers": func(p *spec.Play) { p.Powers = true }, "combo": func(p *spec.Play) { p.Combo = true },
	} {
		play := usual
		change(&play)
		r, err := g.Play(context.Background(), play, 3, Skilled, 50)
		if err != nil || r.Score <= plain.Score {
			t.Errorf("%s: %v points, without %v (%v)", name, r.Score, plain.Score, err)
		}
	}
}

func TestSimulationStopsSoonAfterItsContext(t *testing.T) {
	g := load(t, "zigzag")
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	before := used(t)
	seeds := make([]uint32, 1000)
	_, err := g.Judge(ctx, usual, seeds)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if took := used(t) - before; took > 2*time.Second {
		t.Errorf("it computed for %v before it stopped", took)
	}
}

// TestWhatAGetterDoesIsAnError: reading a property runs the game's code outside of
// a call, where goja panics.
func TestWhatAGetterDoesIsAnError(t *testing.T) {
	m := empty()
	if _, err := m.vm.RunString("o = {get endless() { for (;;); }, get bad() { throw new Error('on purpose'); }}"); err != nil {
		t.Fatal(err)
	}
	read := func(ctx context.Context, name string) error {
		return m.run(ctx, func() error {
			m.vm.Get("o").ToObject(m.vm).Get(name)
			return nil
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := read(ctx, "endless"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v, want %v", err, context.Canceled)
	}
	if err := read(t.Context(), "bad"); err == nil || !strings.Contains(err.Error(), "on purpose") {
		t.Errorf("thrown: %v", err)
	}
}

// used is how long this process has computed. On a busy machine it passes more
// slowly than the time.
func used(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestVerdictNamesWhatIsWrong(t *testing.T) {
	// A field without anything to avoid: doing nothing must not pass.
	v, err := load(t, "gap").Judge(context.Background(), play(0.5, 0.5, 0.5, 0.6, 0, 1, 15), []uint32{1})
	if err != nil {
		t.Fatal(err)
	}
	if v.OK() || v.String() == "" {
		t.Errorf("an unplayable tuning passed: %+v", v)
	}
}
