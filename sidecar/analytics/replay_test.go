package analytics_test

import (
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/api/requests"
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
	return contract.ReplayEnding{Over: true, Outcome: s.Outcome, Score: s.Score, Steps: 30 * 60, Sure: true}
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
		if err := b.Replayed(b.t.Context(), contract.Replayed{ProjectID: due.ProjectID, Endings: endings}); err != nil {
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
	table, err := requests.TableOf(b.view(api.ViewQuery{Name: api.ViewBoard, Days: 7}), "replays")
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
		"another score":   func(e *contract.ReplayEnding) { e.Score = 1 },
		"another outcome": func(e *contract.ReplayEnding) { e.Score, e.Outcome = 30, "win" },
		"it goes on":      func(e *contract.ReplayEnding) { e.Score, e.Over = 30, false },
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

// TestRunOfAGameThatTheEngineDoesNotKnowIsNeverRefused: a game that was written by hand may
// come to another end by itself, and a run that lost at once is the same in almost any.
func TestRunOfAGameThatTheEngineDoesNotKnowIsNeverRefused(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.submit(recorded(runOf(1, 1, 3)))
		b.replayed(func(e *contract.ReplayEnding) { e.Sure = false })
		if top := b.board(2, play.WindowAll).Top; len(top) != 1 || !top[0].Verified {
			t.Fatalf("one that comes to the same end: %+v", top)
		}
		b.submit(recorded(runOf(2, 1, 30)))
		b.replayed(func(e *contract.ReplayEnding) { e.Sure = false })
		if a := b.submit(recorded(runOf(2, 1, 30))); a.State != play.StateAccepted || a.Note != play.NoteNone || *a.Rank != 1 || b.results() != [3]int64{1, 0, 1} {
			t.Errorf("one that doesn't: %+v, %v", a, b.results())
		}
	})
}

// TestRunHasTheTimeThatTheServiceSaw: what a page says of its own clock, a player may write.
func TestRunHasTheTimeThatTheServiceSaw(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		per := 0.01
		b.rules(analytics.BoardRules{BoardSettings: analytics.BoardSettings{PerSecond: &per}})
		s := recorded(runOf(1, 1, 30))
		s.Sent, s.Length = 36_000_000, 36_000_000 // of a stream that was never seen
		b.submit(s)
		due, err := b.Replays(t.Context())
		if err != nil || len(due.Runs) != 1 || due.Runs[0].Steps != 35*60 {
			t.Fatalf("it has %+v, %v", due.Runs, err)
		}
		ten := contract.ReplayEnding{Stream: s.Stream, Run: 1, Over: true, Outcome: s.Outcome, Score: 30, Steps: 36_000 * 60, Sure: true}
		if err := b.Replayed(t.Context(), contract.Replayed{ProjectID: game, Endings: []contract.ReplayEnding{ten}}); err != nil {
			t.Fatal(err)
		}
		if a := b.submit(s); a.State != play.StateHeld || a.Verified || a.Rank != nil || b.results() != [3]int64{0, 0, 1} {
			t.Errorf("ten hours in a minute: %+v, %v", a, b.results())
		}
	})
}

// TestPlaceThatIsFreeGoesToNoRunThatTheRulesBar: one of when the other score was better, or
// that the owner's bounds refuse now.
func TestPlaceThatIsFreeGoesToNoRunThatTheRulesBar(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.submit(runOf(1, 1, 0))
		b.pass()
		b.rules(analytics.BoardRules{BoardSettings: analytics.BoardSettings{Lower: true}})
		b.pass()
		b.submit(runOf(1, 2, 4))
		b.pass()
		b.submit(runOf(1, 3, 9))
		b.pass()
		b.submit(recorded(runOf(1, 4, 3)))
		least := 5.0
		b.rules(analytics.BoardRules{BoardSettings: analytics.BoardSettings{Lower: true, Least: &least}})
		b.replayed(func(e *contract.ReplayEnding) { e.Score = 1 })
		if top := b.board(1, play.WindowAll).Top; len(top) != 1 || top[0].Score != 9 {
			t.Errorf("the board is %+v", top)
		}
	})
}

func TestRunThatNobodyCanPlayAgainStaysUnverified(t *testing.T) {
	for name, change := range map[string]func(*contract.ReplayEnding){
		"it can't be played":           func(e *contract.ReplayEnding) { e.Failed = "the game needs a page" },
		"its mathematics are a page's": func(e *contract.ReplayEnding) { e.Score, e.Foreign = 1, "Math.sin" },
		"it is longer than its stream": func(e *contract.ReplayEnding) { e.Score, e.Steps = 30, 60*36 },
		"of a game of another's hand":  func(e *contract.ReplayEnding) { e.Score, e.Sure = 1, false },
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

// TestRunIsPlayedAgainWithWhatTheServiceGave, whatever its page says: a game that is slower
// than its player's would be easier.
func TestRunIsPlayedAgainWithWhatTheServiceGave(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.draft("speed", experiment.Even([]string{"own", "1.5"}))
		b.move("speed", analytics.ExperimentRunning, "")
		b.move("speed", analytics.ExperimentWinner, "1.5")
		for i, log := range []string{`{"given":{}}`, `{"given":{"speed":"0.5"},"Given":null}`, `{"given":{"speed":"1.5"}}`} {
			b.pass()
			s := runOf(1, int64(i+1), float64(i))
			s.Log = log
			b.submit(s)
			due, err := b.Replays(t.Context())
			if err != nil || len(due.Runs) != 1 || due.Runs[0].Log != log || len(due.Runs[0].Given) != 1 || due.Runs[0].Given["speed"] != "1.5" {
				t.Errorf("%s: %+v, %v", log, due.Runs, err)
			}
		}
	})
}
