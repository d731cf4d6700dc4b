package analytics_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

// parts returns how many events each part of the table of events has.
func (b *bench) parts() map[string]int64 {
	b.t.Helper()
	parts := make(map[string]int64)
	if err := b.Store().View(b.t.Context(), func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			var name string
			var n int64
			err := scan(&name, &n)
			parts[strings.TrimPrefix(name, "play_events_")] = n
			return err
		}, `SELECT CAST(c.relname AS TEXT), (SELECT count(*) FROM play_events e WHERE e.tableoid = c.oid)
			FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass('play_events')`)
	}); err != nil {
		b.t.Fatal(err)
	}
	return parts
}

// onPostgres is a log in PostgreSQL that is not open yet.
func onPostgres(t *testing.T) *bench {
	t.Helper()
	return &bench{t: t, now: noon, address: postgrestest.URL(t) + "&synchronous_commit=off", seller: &seller{can: 1000, paid: make(map[int64]bool)}}
}

// TestADayOfEventsIsAPartThatIsDroppedWhole: what is too old goes without a row's being
// deleted, and a day for which no part was made in time loses nothing.
func TestADayOfEventsIsAPartThatIsDroppedWhole(t *testing.T) {
	b := onPostgres(t)
	b.open()
	defer b.close()
	today := noon.Unix() / (24 * 3600)
	part := func(after int64) string { return fmt.Sprint(today + after) }
	b.record(batchOf(1, 1, "start", "end"))
	b.now = noon.AddDate(0, 0, 1)
	b.record(batchOf(2, 1, "start"))
	b.now = noon.AddDate(0, 0, 10) // nobody made its part
	b.record(batchOf(3, 1, "start"))
	wantParts(t, b.parts(), map[string]int64{part(0): 2, part(1): 1, part(2): 0, "rest": 1})
	if _, err := b.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.now = noon.AddDate(0, 0, 11)
	b.record(batchOf(4, 1, "start"))
	wantParts(t, b.parts(), map[string]int64{part(0): 2, part(1): 1, part(2): 0, "rest": 1, part(11): 1, part(12): 0})
	b.now = noon.AddDate(0, 0, 92)
	if n, err := b.Prune(t.Context()); n != 3 || err != nil {
		t.Errorf("deleted %d events of two days, %v", n, err)
	}
	wantParts(t, b.parts(), map[string]int64{part(2): 0, "rest": 1, part(11): 1, part(12): 0, part(92): 0, part(93): 0, part(94): 0})
	b.wantMeters()
}

// TestEventsOfBeforeStayWhereTheyWere: a database that had one table goes on, and the
// days after the upgrade have parts.
func TestEventsOfBeforeStayWhereTheyWere(t *testing.T) {
	b := onPostgres(t)
	s, err := store.OpenPostgresOf(t.Context(), b.address, analytics.FormerSchema(t, 9))
	if err == nil {
		err = s.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec("INSERT INTO play_events (day, game, stream, seq, at, class, name, props) VALUES (?, ?, ?, 1, ?, 'public', 'jump', '{}')",
				noon.Unix()/(24*3600), game, id(1), noon.UnixMilli())
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b.open()
	defer b.close()
	b.record(batchOf(2, 1, "start"))
	if kept := b.kept(); len(kept[id(1)]) != 1 || len(kept[id(2)]) != 1 {
		t.Errorf("kept are %v", kept)
	}
	today := noon.Unix() / (24 * 3600)
	wantParts(t, b.parts(), map[string]int64{"rest": 2, fmt.Sprint(today + 1): 0, fmt.Sprint(today + 2): 0})
}

func wantParts(t *testing.T, got, want map[string]int64) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the parts are %v, want %v", got, want)
	}
}
