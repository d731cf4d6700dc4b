package analytics_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

// TestGameWhoseRunsTakeLongHasItsTurnLater, and keeps no other from its own.
func TestGameWhoseRunsTakeLongHasItsTurnLater(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		take := func(want string) contract.Replays {
			t.Helper()
			due, err := b.Replays(t.Context())
			if err != nil || due.ProjectID != want {
				t.Fatalf("it is the turn of %q, want %q (%v)", due.ProjectID, want, err)
			}
			return due
		}
		for player := range 20 {
			b.submit(recorded(runOf(player+1, 1, float64(player))))
		}
		s := recorded(runOf(1, 1, 3))
		s.Game = another
		b.submit(s)
		endings := []contract.ReplayEnding{{Stream: "x", Run: 1, Failed: contract.ReplayTooLong}}
		due := take(game)
		if err := b.Replayed(t.Context(), contract.Replayed{ProjectID: due.ProjectID, Endings: endings, Took: 60_000}); err != nil {
			t.Fatal(err)
		}
		take(another)
		b.now = b.now.Add(59 * time.Minute)
		take(another) // whose engine never answered
		b.now = b.now.Add(2 * time.Minute)
		take(game)
		if err := b.Replayed(t.Context(), contract.Replayed{ProjectID: game, Took: 10_000}); err != nil {
			t.Fatal(err)
		}
		b.now = b.now.Add(80 * time.Second)
		take("")
		b.now = b.now.Add(20 * time.Second)
		take(game)
	})
}

// TestRunThatNoEngineHadLosesNoTry: a host whose places are all at work plays no runs.
func TestRunThatNoEngineHadLosesNoTry(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.submit(recorded(runOf(1, 1, 3)))
		for range 10 {
			b.pass()
			if n := b.replayed(func(e *contract.ReplayEnding) {
				*e = contract.ReplayEnding{Stream: e.Stream, Run: e.Run, Unplayed: true}
			}); n != 1 {
				t.Fatalf("%d runs wait, %v", n, b.results())
			}
		}
		b.pass()
		b.replayed(func(*contract.ReplayEnding) {})
		if b.results() != [3]int64{1, 0, 0} {
			t.Errorf("results are %v", b.results())
		}
	})
}

// TestLookForRunsReadsNone: an engine proxy looks each five seconds, and the runs of all
// games may be 160 MB.
func TestLookForRunsReadsNone(t *testing.T) {
	log, err := analytics.Open(t.Context(), filepath.Join(t.TempDir(), analytics.File), nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for query, args := range map[string][]any{analytics.OldReplay: {1}, analytics.NextTurn: {1, 1}} {
		plan := storetest.Plan(t, log.Store(), query, args...)
		for step := range strings.Lines(plan) {
			if strings.Contains(step, "play_replays") && !strings.Contains(step, "COVERING INDEX") {
				t.Errorf("%s\nreads runs:\n%s", query, plan)
			}
		}
		if !strings.Contains(plan, "play_replays") {
			t.Errorf("the plan is\n%s", plan)
		}
	}
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
		// The newest waits, whoever sent so many before it.
		if waits != 120 || b.results() != [3]int64{0, 0, 20} {
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
// is played again, and some are.
func TestRunsThatNobodySeesAreSampled(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.submit(recorded(runOf(1, 1, 1000)))
		b.replayed(func(*contract.ReplayEnding) {})
		waits, runs := 0, int64(0)
		for ; runs < 50 || waits == 0 && runs < 2000; runs++ {
			b.now = b.now.Add(2 * time.Minute)
			if a := b.submit(recorded(runOf(1, runs+2, 3))); a.Note == play.NoteWaits {
				waits++
			}
		}
		if waits == 0 || waits > 10 {
			t.Errorf("%d of %d wait", waits, runs)
		}
	})
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
