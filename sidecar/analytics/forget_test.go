package analytics_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/experiment"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/test/wait"
)

// leftIn returns how many rows each table of the database that has a column holds of a
// value of it.
func (b *bench) leftIn(column, value string) map[string]int64 {
	b.t.Helper()
	list := "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = ?"
	if store.IsPostgresURL(b.address) {
		list = `SELECT CAST(table_name AS TEXT) FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = ?
			AND NOT (SELECT relispartition FROM pg_class WHERE oid = to_regclass(CAST(table_name AS TEXT)))`
	}
	left := make(map[string]int64)
	if err := b.Store().View(b.t.Context(), func(r *store.Reader) error {
		tables, err := store.All(r, store.Column[string], list, column)
		for _, table := range tables {
			if table == "play_assignments" {
				continue // sidecars of an earlier version alone write to it; it goes with the next one
			}
			var n int64
			if err == nil {
				err = r.Row("SELECT count(*) FROM "+table+" WHERE "+column+" = ?", value).Scan(&n)
			}
			left[table] = n
		}
		return err
	}); err != nil {
		b.t.Fatal(err)
	}
	return left
}

// exec runs a statement in the database.
func (b *bench) exec(query string, args ...any) {
	b.t.Helper()
	if err := b.Store().Update(b.t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	}); err != nil {
		b.t.Fatal(err)
	}
}

// fillAll has a player leave a row in every table.
func (b *bench) fillAll(player int) {
	b.t.Helper()
	b.draft("speed", experiment.Even([]string{"1", "2"}))
	b.move("speed", analytics.ExperimentRunning, "")
	batch := batchOf(player, 1, play.SessionStart, play.Exposure, play.Start, "jump", "none", play.End)
	batch.Player, batch.Active = id(player), 5000
	batch.Funnels = map[string][]string{"run": {play.Start, play.End}}
	batch.Events[1].Props = fmt.Appendf(nil, `{"k":"speed","v":%q}`, b.variant(player))
	batch.Events[4].Refused = play.CauseProps
	batch.Events[5].Props = []byte(`{"score":3}`)
	b.record(batch)
	free := batchOf(player+1, 1, play.SessionStart)
	free.Player = id(player)
	b.record(free)
	b.rules(analytics.BoardRules{Rewards: []analytics.Reward{{Reward: play.Reward{ID: "first", Name: "First"}, Kind: analytics.RewardRuns, Least: 1}}})
	b.submit(recorded(runOf(player, 1, 3)))
	b.replayed(func(e *contract.ReplayEnding) { e.Failed = "no" })
	b.now = b.now.Add(time.Minute)
	b.submit(recorded(runOf(player, 2, 4)))
	b.exec("INSERT INTO play_ranks (game, span, from_key, players) VALUES (?, 'all', 0, 1)", game) // as of a large board
	if err := b.SetAskConsent(b.t.Context(), game, true); err != nil {
		b.t.Fatal(err)
	}
}

// wantRows checks that tables hold rows, or that none does.
func wantRows(t *testing.T, left map[string]int64, some bool) {
	t.Helper()
	for table, n := range left {
		if (n > 0) != some {
			t.Errorf("%s has %d rows", table, n)
		}
	}
}

func TestNoTableHoldsARowOfAGameThatIsForgotten(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.fillAll(1)
		before := b.leftIn("game", game)
		if len(before) < 20 {
			t.Errorf("%d tables have a game", len(before))
		}
		wantRows(t, before, true) // else this test shows nothing of a new table
		if err := b.Forget(t.Context(), game); err != nil {
			t.Fatal(err)
		}
		wantRows(t, b.leftIn("game", game), false)
	})
}

func TestNoTableHoldsARowOfAPlayerWhoIsForgotten(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.fillAll(1)
		before := b.leftIn("player", id(1))
		if len(before) < 7 {
			t.Errorf("%d tables have a player", len(before))
		}
		wantRows(t, before, true)
		if err := b.ForgetPlayer(t.Context(), game, id(1)); err != nil {
			t.Fatal(err)
		}
		wantRows(t, b.leftIn("player", id(1)), false)
		if got := b.board(1, play.WindowAll); len(got.Top) != 0 {
			t.Errorf("the board is %+v", got)
		}
	})
}

func TestNothingIsLeftOfAPlayerWhoIsForgottenButCounts(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		for stream := range 3 {
			batch := batchOf(stream, 1, "session_start", "start", "jump")
			batch.Player = id(stream % 2)
			b.record(batch)
		}
		if err := b.ForgetPlayer(t.Context(), game, id(0)); err != nil {
			t.Fatal(err)
		}
		kept := b.kept()
		if o := b.overview(1); len(kept) != 1 || len(kept[id(1)]) != 3 || o.Total.Players != 1 || o.Total.Plays != 3 || o.Events["jump"] != 3 {
			t.Errorf("kept %v, counted %+v", kept, o.Total)
		}
		if err := b.ForgetPlayer(t.Context(), game, ""); err != nil || len(b.kept()) != 1 {
			t.Errorf("nobody in particular: %v", err)
		}
		b.wantMeters()
	})
}

// TestWhoIsForgottenIsFoundByAnIndex: anybody may ask for it with a name that they made up, and
// SQLite keeps no event meanwhile.
func TestWhoIsForgottenIsFoundByAnIndex(t *testing.T) {
	b := &bench{t: t, now: noon, address: filepath.Join(t.TempDir(), analytics.File), seller: new(seller)}
	b.open()
	defer b.close()
	for table := range b.leftIn("player", "") {
		if table == "play_replays" {
			continue // of a game a hundred wait at most
		}
		plan, err := store.Read(t.Context(), b.Store(), func(r *store.Reader) ([]string, error) {
			return store.All(r, func(scan store.Scan) (detail string, err error) {
				var id, parent, unused int64
				return detail, scan(&id, &parent, &unused, &detail)
			}, "EXPLAIN QUERY PLAN DELETE FROM "+table+" WHERE game = ? AND player = ?", game, id(1))
		})
		if err != nil || len(plan) != 1 || !strings.Contains(plan[0], "player=?") {
			t.Errorf("of %s: %q, %v", table, plan, err)
		}
	}
}

// TestBatchThatIsUnderWayLeavesNothingOfAPlayerWhoIsForgotten holds one up in the middle.
func TestBatchThatIsUnderWayLeavesNothingOfAPlayerWhoIsForgotten(t *testing.T) {
	b := onPostgres(t)
	b.open()
	defer b.close()
	b.record(batchOf(1, 1, play.SessionStart, "jump"))
	waits := func() (n int64) {
		return b.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
	}
	forgot := make(chan error, 1)
	if err := b.Store().Update(t.Context(), func(tx *store.Tx) error {
		if err := tx.LockRow("SELECT cursor FROM play_streams WHERE game = ? AND stream = ?", game, id(1)); err != nil {
			return err
		}
		go func() { forgot <- b.ForgetPlayer(context.WithoutCancel(t.Context()), game, id(1001)) }()
		wait.Until(t, "it waits", func() bool { return waits() > 0 })
		_, err := tx.Exec("INSERT INTO play_events (day, game, stream, seq, at, class, name, props) VALUES (?, ?, ?, 3, ?, 'public', 'jump', '{}')",
			noon.Unix()/(24*3600), game, id(1), noon.UnixMilli())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := <-forgot; err != nil {
		t.Fatal(err)
	}
	if left := b.leftIn("stream", id(1)); left["play_events"] != 0 || left["play_streams"] != 0 {
		t.Errorf("left are %v", left)
	}
}

// endsSoon is a context that ends after so many looks at it.
type endsSoon struct {
	context.Context
	looks *atomic.Int64
}

func (c endsSoon) Err() error {
	if c.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestForgettingABigGameGoesOnWhereItWasInterrupted: its rows are not deleted in one
// transaction, which players of other games would wait for, and PostgreSQL break off.
func TestForgettingABigGameGoesOnWhereItWasInterrupted(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.record(batchOf(1, 1, play.SessionStart))
		const more = 5000
		b.exec(fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO play_events (day, game, stream, seq, at, class, name, props) SELECT 20000, '%s', '%s', i, 0, 'public', 'jump', '{}' FROM n`, more, game, id(2)))
		before := b.leftIn("game", game)["play_events"]
		if before != more+1 {
			t.Fatalf("there are %d events", before)
		}
		parts := 0
		for looks := int64(1); before > 0; looks++ {
			ends := endsSoon{t.Context(), new(atomic.Int64)}
			ends.looks.Store(looks)
			err := b.Forget(ends, game)
			left := b.leftIn("game", game)["play_events"]
			if left < before {
				parts++
			}
			if looks > 1000 {
				t.Fatalf("after %d looks %d are left: %v", looks, left, err)
			}
			before = left
		}
		if parts < 2 {
			t.Errorf("all events went in %d transactions", parts)
		}
		if err := b.Forget(t.Context(), game); err != nil {
			t.Fatal(err)
		}
		wantRows(t, b.leftIn("game", game), false)
	})
}
