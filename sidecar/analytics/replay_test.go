package analytics_test

import (
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/experiment"
)

// recorded is a run with what it was.
func recorded(s play.Score) play.Score {
	s.Log = `{"v":1}`
	return s
}

// honest is how a run ends that was played as its page says.
func honest(s play.Score) contract.ReplayEnding {
	return contract.ReplayEnding{Over: true, Outcome: s.Outcome, Score: s.Score, Steps: s.Length * 60 / 1000, Sure: true}
}

// replayed has all runs that wait be played again. Each comes to what change makes of the
// end of a run of 3 points.
func (b *bench) replayed(change func(*contract.ReplayEnding)) int {
	b.t.Helper()
	due, err := b.Replays(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	var endings []contract.ReplayEnding
	for _, run := range due.Runs {
		e := honest(runOf(1, 1, 3))
		e.Stream, e.Run = run.Stream, run.Run
		change(&e)
		endings = append(endings, e)
	}
	for range 2 { // an answer may be lost
		if err := b.Replayed(b.t.Context(), due.ProjectID, endings); err != nil {
			b.t.Fatal(err)
		}
	}
	return len(endings)
}

// pass lets a minute pass, after which a player may end another run.
func (b *bench) pass() { b.now = b.now.Add(time.Minute) }

// results are how many runs were verified, refused and not verified.
func (b *bench) results() [3]int64 {
	b.t.Helper()
	var out [3]int64
	table, err := b.view(api.ViewQuery{Name: api.ViewBoard, Days: 7}).Table("replays")
	if err != nil {
		b.t.Fatal(err)
	}
	for _, row := range table.Rows {
		for i, result := range []string{"verified", "refused", "unverified"} {
			if row[0] == result {
				out[i] = row[1].(int64)
			}
		}
	}
	return out
}

func TestRunThatComesToTheSameEndIsVerified(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		if a := b.submit(recorded(runOf(1, 1, 3))); a.Verified || a.Note != play.NoteWaits || a.State != play.StateAccepted {
			t.Errorf("at first it is answered %+v", a)
		}
		if a := b.submit(runOf(2, 1, 5)); a.Note != play.NoteNone {
			t.Errorf("a run that nobody recorded is answered %+v", a)
		}
		if n := b.replayed(func(*contract.ReplayEnding) {}); n != 1 {
			t.Fatalf("%d runs wait", n)
		}
		if a := b.submit(recorded(runOf(1, 1, 3))); !a.Verified || a.Note != play.NoteVerified || a.State != play.StateVerified {
			t.Errorf("then it is answered %+v", a)
		}
		for _, window := range play.Windows() {
			top := b.board(1, window).Top
			if len(top) != 2 || top[0].Verified || !top[1].Verified {
				t.Errorf("%s: %+v", window, top)
			}
		}
		b.pass()
		b.submit(runOf(1, 2, 9))
		if top := b.board(1, play.WindowAll).Top; top[0].Score != 9 || top[0].Verified {
			t.Errorf("a better run that is not verified: %+v", top)
		}
		if n := b.replayed(func(*contract.ReplayEnding) {}); n != 0 || b.results() != [3]int64{1, 0, 0} {
			t.Errorf("%d runs wait still, %v", n, b.results())
		}
	})
}

// TestRunThatComesToAnotherEndIsOnNoBoard: who edits a run, or its score, has neither a
// place nor a reward by it.
func TestRunThatComesToAnotherEndIsOnNoBoard(t *testing.T) {
	for name, change := range map[string]func(*contract.ReplayEnding){
		"another score":               func(e *contract.ReplayEnding) { e.Score = 1 },
		"another outcome":             func(e *contract.ReplayEnding) { e.Score, e.Outcome = 30, "win" },
		"it goes on":                  func(e *contract.ReplayEnding) { e.Score, e.Over = 30, false },
		"more steps than it had time": func(e *contract.ReplayEnding) { e.Score, e.Steps = 30, 60*70 },
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, b *bench) {
				b.rules(analytics.BoardRules{Rewards: []analytics.Reward{{Reward: play.Reward{ID: "ten", Name: "Ten"}, Kind: analytics.RewardScore, Least: 10}}})
				b.submit(recorded(runOf(1, 1, 3)))
				b.replayed(func(*contract.ReplayEnding) {})
				b.pass()
				if a := b.submit(recorded(runOf(1, 2, 30))); *a.Best != 30 || len(a.Rewards) != 1 {
					t.Fatalf("the forged one is answered %+v", a)
				}
				b.replayed(change)
				if a := b.submit(recorded(runOf(1, 2, 30))); a.State != play.StateRefused || a.Note != play.NoteRefused || *a.Best != 3 || len(a.Rewards) != 0 {
					t.Errorf("then it is answered %+v", a)
				}
				for _, window := range play.Windows() {
					if top := b.board(1, window).Top; len(top) != 1 || top[0].Score != 3 || !top[0].Verified {
						t.Errorf("%s: %+v", window, top)
					}
				}
				if b.results() != [3]int64{1, 1, 0} {
					t.Errorf("results are %v", b.results())
				}
			})
		})
	}
}

func TestRunThatIsRefusedLeavesTheBestOfItsWindow(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.now = time.Date(2026, 11, 29, 23, 0, 0, 0, time.UTC) // a Sunday
		b.submit(runOf(1, 1, 20))
		b.now = b.now.Add(2 * time.Hour)
		b.submit(runOf(1, 2, 5))
		b.pass()
		b.submit(recorded(runOf(1, 3, 30)))
		b.replayed(func(e *contract.ReplayEnding) { e.Score = 1 })
		for window, want := range map[string]float64{play.WindowAll: 20, play.WindowWeek: 5, play.WindowDay: 5} {
			if top := b.board(1, window).Top; len(top) != 1 || top[0].Score != want {
				t.Errorf("%s: %+v, want %v", window, top, want)
			}
		}
		b.submit(recorded(runOf(2, 1, 30)))
		b.replayed(func(e *contract.ReplayEnding) { e.Score = 1 })
		if board := b.board(2, play.WindowAll); board.Rank != nil || len(board.Top) != 1 {
			t.Errorf("who has no other run: %+v", board)
		}
	})
}

func TestRunThatWasHeldBackIsPlacedOnceItIsVerified(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		per := 0.01
		b.rules(analytics.BoardRules{
			BoardSettings: analytics.BoardSettings{PerSecond: &per},
			Rewards:       []analytics.Reward{{Reward: play.Reward{ID: "first", Name: "First"}, Kind: analytics.RewardRuns, Least: 1}},
		})
		if a := b.submit(recorded(runOf(1, 1, 3))); a.State != play.StateHeld || a.Note != play.NoteWaits || a.Rank != nil || len(a.Rewards) != 0 {
			t.Fatalf("it is answered %+v", a)
		}
		b.replayed(func(*contract.ReplayEnding) {})
		if a := b.submit(recorded(runOf(1, 1, 3))); a.Rank == nil || *a.Rank != 1 || !a.Top[0].Verified || len(a.Rewards) != 1 {
			t.Errorf("then it is answered %+v", a)
		}
	})
}

// TestRunOfAGameThatMayComeToAnotherEndIsRefusedOnceOneDidNot: a game that was written
// by hand may come to another end by itself, and then no honest player loses a place.
func TestRunOfAGameThatMayComeToAnotherEndIsRefusedOnceOneDidNot(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.submit(recorded(runOf(1, 1, 30)))
		b.replayed(func(e *contract.ReplayEnding) { e.Sure = false })
		if a := b.submit(recorded(runOf(1, 1, 30))); a.State != play.StateAccepted || a.Note != play.NoteNone || *a.Rank != 1 {
			t.Errorf("before any run was verified: %+v", a)
		}
		b.submit(recorded(runOf(2, 1, 3)))
		b.replayed(func(e *contract.ReplayEnding) { e.Sure = false })
		if top := b.board(2, play.WindowAll).Top; len(top) != 1 || top[0].Score != 3 || !top[0].Verified || b.results() != [3]int64{1, 1, 0} {
			t.Errorf("after one was: %+v, %v", top, b.results())
		}
		b.submit(recorded(runOf(3, 1, 30)))
		b.replayed(func(e *contract.ReplayEnding) { e.Sure = false })
		if len(b.board(3, play.WindowAll).Top) != 1 || b.results() != [3]int64{1, 2, 0} {
			t.Errorf("the next that differs: %v", b.results())
		}
	})
}

func TestRunThatNobodyCanPlayAgainStaysUnverified(t *testing.T) {
	for name, change := range map[string]func(*contract.ReplayEnding){
		"it can't be played":           func(e *contract.ReplayEnding) { e.Failed = "the game needs a page" },
		"its mathematics are a page's": func(e *contract.ReplayEnding) { e.Score, e.Foreign = 1, "Math.sin" },
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, b *bench) {
				b.submit(recorded(runOf(1, 1, 30)))
				b.replayed(change)
				if a := b.submit(recorded(runOf(1, 1, 30))); a.State != play.StateAccepted || a.Note != play.NoteNone || *a.Rank != 1 || b.results() != [3]int64{0, 0, 1} {
					t.Errorf("it is answered %+v, %v", a, b.results())
				}
			})
		})
	}
}

func TestRunThatWasTakenAndNeverAnsweredIsGivenAgainAndThenGivenUp(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.submit(recorded(runOf(1, 1, 30)))
		for n := range 3 {
			if due, err := b.Replays(t.Context()); err != nil || len(due.Runs) != 1 || due.JobID != build || due.ProjectID != game {
				t.Fatalf("the %d. time: %+v, %v", n+1, due, err)
			}
			if due, err := b.Replays(t.Context()); err != nil || len(due.Runs) != 0 {
				t.Fatalf("somebody else got it meanwhile: %+v, %v", due, err)
			}
			b.now = b.now.Add(6 * time.Minute)
		}
		if due, err := b.Replays(t.Context()); err != nil || len(due.Runs) != 0 || b.results() != [3]int64{0, 0, 1} {
			t.Errorf("at last %+v, %v, %v", due, err, b.results())
		}
		b.submit(recorded(runOf(2, 1, 40)))
		b.now = b.now.Add(25 * time.Hour)
		if _, err := b.Prune(t.Context()); err != nil { // where there are no engines
			t.Fatal(err)
		}
		if a := b.submit(recorded(runOf(2, 1, 40))); a.Note != play.NoteNone {
			t.Errorf("a day later it is answered %+v", a)
		}
	})
}

// TestRunThatWasPlayedWithOtherParametersIsNotPlayedAgain: a game that is slower than
// what the service gives its player would be easier.
func TestRunThatWasPlayedWithOtherParametersIsNotPlayedAgain(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.draft("speed", experiment.Even([]string{"own", "1.5"}))
		b.move("speed", analytics.ExperimentRunning, "")
		b.move("speed", analytics.ExperimentWinner, "1.5")
		run := int64(0)
		for given, want := range map[string]string{
			`{"speed":"1.5"}`: play.NoteWaits, `{"speed":1.5}`: play.NoteWaits, `{}`: play.NoteWaits,
			`{"speed":"0.5"}`: play.NoteNone, `{"speed":2}`: play.NoteNone, `{"lives":"5"}`: play.NoteNone, `{"speed":null}`: play.NoteNone, `[]`: play.NoteNone,
		} {
			b.pass()
			run++
			s := runOf(1, run, float64(run)) // the player's best so far
			s.Log = `{"v":1,"given":` + given + `}`
			if a := b.submit(s); a.Note != want {
				t.Errorf("%s: %+v, want %s", given, a, want)
			}
		}
	})
}

// TestAtMostSoManyRunsOfAGameWait: who copies a key can't have the service play for ever.
func TestAtMostSoManyRunsOfAGameWait(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		waits := 0
		for player := range 120 {
			if a := b.submit(recorded(runOf(player+1, 1, float64(player)))); a.Note == play.NoteWaits {
				waits++
			}
		}
		if waits != 100 || b.results() != [3]int64{0, 0, 20} {
			t.Errorf("%d runs wait, %v", waits, b.results())
		}
		taken := 0
		for {
			due, err := b.Replays(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if taken += len(due.Runs); len(due.Runs) == 0 {
				break
			}
			if len(due.Runs) > contract.MaxReplays {
				t.Fatalf("%d runs at once", len(due.Runs))
			}
		}
		if taken != 100 {
			t.Errorf("%d runs were given away", taken)
		}
	})
}

// TestRunsThatNobodySeesAreSampled: of those that are not their player's best hardly any
// is played again.
func TestRunsThatNobodySeesAreSampled(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.submit(recorded(runOf(1, 1, 1000)))
		b.replayed(func(*contract.ReplayEnding) {})
		waits := 0
		for run := range int64(50) {
			b.now = b.now.Add(2 * time.Minute)
			if a := b.submit(recorded(runOf(1, run+2, 3))); a.Note == play.NoteWaits {
				waits++
			}
		}
		if waits > 10 {
			t.Errorf("%d of 50 wait", waits)
		}
	})
}
