package analytics_test

import (
	"testing"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store"
)

// formerSteps are the steps of the schema before runs were played again.
const formerSteps = 8

// formerPlace has a sidecar of before runs were played again put a run onto a board.
const formerPlace = `INSERT INTO play_boards (game, span, player, rank_key, score, at) VALUES (?, 'all', ?, ?, ?, ?)
	ON CONFLICT (game, span, player) DO UPDATE SET rank_key = excluded.rank_key, score = excluded.score, at = excluded.at`

// TestRunsOfAFormerVersionStayOnTheBoardUnverified, and the same board goes on, with
// sidecars of both versions writing to it.
func TestRunsOfAFormerVersionStayOnTheBoardUnverified(t *testing.T) {
	before := func(t *testing.T, b *bench) {
		open := store.OpenSQLiteOf
		if store.IsPostgresURL(b.address) {
			open = store.OpenPostgresOf
		}
		former, err := open(t.Context(), b.address, analytics.FormerSchema(t, formerSteps))
		if err != nil {
			t.Fatal(err)
		}
		err = former.Update(t.Context(), func(tx *store.Tx) error {
			at := b.now.UnixMilli() - 1000
			if _, err := tx.Exec(formerPlace, game, id(1), 20, 20, at); err != nil {
				return err
			}
			_, err := tx.Exec(`INSERT INTO play_runs (game, stream, run, player, day, at, score, outcome, state) VALUES (?, ?, 1, ?, ?, ?, 20, 'lose', 'accepted')`,
				game, id(5001), id(1), at/(24*3600*1000), at)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := former.Close(); err != nil {
			t.Fatal(err)
		}
	}
	onEachBefore(t, before, func(t *testing.T, b *bench) {
		if top := b.board(1, play.WindowAll).Top; len(top) != 1 || top[0].Score != 20 || top[0].Verified {
			t.Fatalf("the board is %+v", top)
		}
		b.pass()
		if a := b.submit(recorded(runOf(1, 1, 20))); a.State != play.StateAccepted || a.Note != play.NoteNone || *a.Rank != 1 {
			t.Errorf("the run that is reported again is answered %+v", a)
		}
		b.submit(recorded(runOf(2, 1, 3)))
		if n := b.replayed(func(*contract.ReplayEnding) {}); n != 1 {
			t.Errorf("%d runs are played again", n)
		}
		if top := b.board(2, play.WindowAll).Top; len(top) != 2 || top[0].Verified || !top[1].Verified {
			t.Errorf("the board is %+v", top)
		}
		b.exec(formerPlace, game, id(2), 40, 40, b.now.UnixMilli()+5000)
		if top := b.board(2, play.WindowAll).Top; len(top) != 2 || top[0].Score != 40 || top[0].Verified {
			t.Errorf("with another run by a former sidecar the board is %+v", top)
		}
	})
}
