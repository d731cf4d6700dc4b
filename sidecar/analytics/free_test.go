package analytics_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store"
)

// number reads one from the database.
func (b *bench) number(query string, args ...any) int64 {
	b.t.Helper()
	n, err := store.Read(b.t.Context(), b.Store(), func(r *store.Reader) (n int64, err error) { return n, r.Row(query, args...).Scan(&n) })
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// TestWhatASessionDeclaresIsBounded has a copied key send as much as a request holds.
func TestWhatASessionDeclaresIsBounded(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		for stream := range 20 {
			for first := range int64(2) {
				batch := batchOf(stream, first+1, play.SessionStart)
				batch.Definitions, batch.Variants = make(map[string]play.Texts), make(play.Texts)
				for n := range play.MaxDefinitions {
					batch.Definitions[fmt.Sprintf("d%d_%d", first, n)] = play.Texts{strings.Repeat("x", play.MaxName): "number", strings.Repeat("y", play.MaxName): "string"}
				}
				for n := range play.MaxVariants {
					batch.Variants[fmt.Sprintf("%02d%s", n, strings.Repeat("🎮", play.MaxName-2))] = strings.Repeat("🎮", play.MaxName)
				}
				b.record(batch)
			}
		}
		if got := b.number("SELECT CAST(max(length(declared)) AS BIGINT) FROM play_streams"); got < 100 || got > analytics.MaxDeclared {
			t.Errorf("%d bytes are declared", got)
		}
		if n := b.number("SELECT count(*) FROM play_streams WHERE variants = '{}'"); n != 20 {
			t.Errorf("%d sessions keep no more variants than they may", n)
		}
	})
}

func TestWhatNobodyPaysForOfAGameHasABoundADay(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.record(batchOf(1, 1, play.SessionStart))
		b.record(batchOf(2, 1, play.SessionStart, "jump"))
		bytes := "SELECT CAST(sum(bytes) AS BIGINT) FROM play_free"
		first := b.number(bytes)
		if first < 512 || first > 4096 {
			t.Errorf("a session of one event takes %d bytes, and one that pays none", first)
		}
		if b.record(batchOf(1, 2, "jump")); b.number(bytes) != 0 {
			t.Errorf("once both pay %d bytes are free", b.number(bytes))
		}
		b.record(batchOf(3, 1, play.SessionStart))
		b.exec("UPDATE play_free SET bytes = ?", int64(analytics.MaxFree))
		machine := batchOf(4, 1, play.SessionStart)
		machine.Machine = true
		b.record(machine)
		b.record(batchOf(5, 1, play.SessionStart, play.Heartbeat))
		b.record(batchOf(3, 2, play.Heartbeat))
		if answer := b.record(batchOf(5, 3, play.Heartbeat)); answer.Ack != 3 {
			t.Errorf("what is not kept is answered %+v", answer)
		}
		if n := b.number("SELECT count(*) FROM play_streams"); n != 3 {
			t.Errorf("there are %d sessions", n)
		}
		b.record(batchOf(6, 1, play.SessionStart, "jump", play.Heartbeat))
		o := b.overview(1)
		if o.Dropped["game_full"] != 5 || o.Events["jump"] != 3 || o.Events[play.Heartbeat] != 1 || o.Total.Sessions != 4 {
			t.Errorf("kept %v of %+v, dropped %v", o.Events, o.Total, o.Dropped)
		}
		other := batchOf(7, 1, play.SessionStart)
		other.Game = another
		b.record(other)
		b.now = b.now.AddDate(0, 0, 1)
		b.record(batchOf(8, 1, play.SessionStart))
		if n := b.number("SELECT count(*) FROM play_events WHERE stream = ? OR stream = ?", id(7), id(8)); n != 2 {
			t.Errorf("of another game, and of the next day, %d events are kept", n)
		}
		b.wantMeters()
	})
}

func TestRunsThatNobodyPaysForHaveThatBoundToo(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.submit(runOf(1, 1, 1))
		if n := b.number("SELECT CAST(sum(bytes) AS BIGINT) FROM play_free"); n != 1024 {
			t.Errorf("a run of a session that is not known takes %d bytes", n)
		}
		paying := batchOf(5002, 1, play.SessionStart, "jump")
		paying.Sent = 60_000
		b.record(paying)
		b.exec("UPDATE play_free SET bytes = ?", int64(analytics.MaxFree))
		b.submit(runOf(1, 1, 1)) // which is there
		b.wantRefusal(runOf(3, 1, 1), http.StatusTooManyRequests)
		for run := range int64(8) {
			b.now = b.now.Add(time.Minute)
			b.submit(runOf(2, run+1, 1))
		}
		b.now = b.now.Add(time.Minute)
		b.wantRefusal(runOf(2, 9, 1), http.StatusTooManyRequests)
		b.now = b.now.AddDate(0, 0, 1)
		b.submit(runOf(2, 9, 1))
	})
}
