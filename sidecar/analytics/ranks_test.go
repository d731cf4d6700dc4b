package analytics_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/test/long"
)

// mostRank is what a place on a large board takes at most.
const mostRank = 20 * time.Millisecond

// fillBoard has so many players on the boards of spans, a third of whom have one score.
func (b *bench) fillBoard(players int, spans ...string) {
	b.t.Helper()
	const atOnce = 10_000 // within the time of a transaction
	for from := 0; from < players; from += atOnce {
		b.exec(fmt.Sprintf(`INSERT INTO play_boards (game, span, player, rank_key, score, at)
			WITH RECURSIVE n(i) AS (SELECT CAST(%d AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d)
			SELECT '%s', w.span, 'p' || n.i, CASE WHEN n.i %% 3 = 0 THEN 500 ELSE n.i * 7919 %% 100003 END,
				CASE WHEN n.i %% 3 = 0 THEN 500 ELSE n.i * 7919 %% 100003 END, %d + n.i
			FROM n CROSS JOIN (SELECT '%s' AS span) w`, from, min(from+atOnce, players), game, noon.UnixMilli(), strings.Join(spans, "' AS span UNION ALL SELECT '")))
	}
}

// wantRanks compares what players are told, twenty of them, with a count of those who are better.
func (b *bench) wantRanks(after string, players ...string) (times []time.Duration) {
	b.t.Helper()
	for n, player := range players {
		var got play.Board
		var err error
		took := time.Hour
		for range 3 { // what else the machine does counts for none
			begun := time.Now()
			got, err = b.Board(b.t.Context(), game, player, play.WindowAll, 10, 1)
			took = min(took, time.Since(begun))
		}
		times = append(times, took)
		if err != nil || got.Rank == nil {
			b.t.Fatalf("%s: player %s has %+v, %v", after, player, got, err)
		}
		for i, row := range got.Around {
			if n%(1+len(players)/20) > 0 {
				continue // a count takes long
			}
			want := b.number("SELECT 1 + count(*) FROM play_boards WHERE game = ? AND span = 'all' AND rank_key > ?", game, row.Score)
			if row.Rank != want {
				b.t.Errorf("%s: row %d around player %s with %v has rank %d, want %d", after, i, player, row.Score, row.Rank, want)
			}
		}
	}
	return times
}

// TestRankOnALargeBoardIsThatOfACount has a million players in a long run.
func TestRankOnALargeBoardIsThatOfACount(t *testing.T) {
	players, looks := 20_000, 20
	if long.Asked() {
		players, looks = 1_000_000, 200
	}
	onEach(t, func(t *testing.T, b *bench) {
		b.fillBoard(players, play.WindowAll)
		if _, err := b.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.exec("ANALYZE") // which PostgreSQL does by itself in the end
		parts := b.number("SELECT count(*) FROM play_ranks WHERE span = 'all'")
		most := b.number("SELECT max(players) FROM play_ranks WHERE from_key <> 500")
		if parts < 5 || most > 2*analytics.PartPlayers || b.number("SELECT CAST(sum(players) AS BIGINT) FROM play_ranks WHERE span = 'all'") != int64(players) {
			t.Errorf("%d players are in %d parts of at most %d", players, parts, most)
		}
		var some []string
		for n := range looks {
			some = append(some, fmt.Sprint("p", n*(players/looks)))
		}
		times := b.wantRanks("at first", some...)
		slices.Sort(times)
		p99 := times[(looks-1)*99/100]
		t.Logf("a board of %d takes %v, p99 %v", players, times[looks/2], p99)
		if long.Asked() && p99 > mostRank {
			t.Errorf("p99 is %v, want at most %v", p99, mostRank)
		}
		for n, score := range []float64{-5, 0, 500, 501, 70_000, 1e9} { // new ones, and then better ones
			b.submit(runOf(n+1, 1, score))
			some = append(some, id(n+1))
		}
		b.wantRanks("after runs of others", some...)
		b.now = b.now.Add(time.Minute)
		for n, score := range []float64{-4, 2, 600, 400, 99_000, 2e9} {
			b.submit(runOf(n+1, 2, score))
		}
		b.wantRanks("after better ones", some...)
		for n, score := range []float64{3, 450, 80_000} { // and those that a sidecar of a former version keeps
			b.exec(formerPlace, game, id(n+1), score, score, b.now.UnixMilli())
		}
		b.wantRanks("after runs that a former version kept", some...)
		for _, gone := range []string{id(2), id(5), "p1000"} {
			if err := b.ForgetPlayer(t.Context(), game, gone); err != nil {
				t.Fatal(err)
			}
			some = slices.DeleteFunc(some, func(player string) bool { return player == gone })
		}
		b.wantRanks("after some are forgotten", some...)
		b.wantParts()
		if got := b.number("SELECT CAST(sum(players) AS BIGINT) FROM play_ranks WHERE span = 'all'"); got != int64(players)+6-3 {
			t.Errorf("%d players are in parts", got)
		}
		b.rules(analytics.BoardRules{BoardSettings: analytics.BoardSettings{Lower: true}})
		b.now = b.now.Add(time.Minute)
		b.submit(runOf(1, 3, 9))
		if got := b.board(1, play.WindowAll); *got.Rank != 1 || b.number("SELECT count(*) FROM play_ranks") != 0 {
			t.Errorf("on a board that began anew: %+v", got)
		}
	})
}

// wantParts compares the players of each part with a count of them.
func (b *bench) wantParts() {
	b.t.Helper()
	if wrong := b.number(`SELECT count(*) FROM (SELECT game, span, from_key, players, lead(from_key) OVER (PARTITION BY game, span ORDER BY from_key) AS next FROM play_ranks) r
		WHERE players <> (SELECT count(*) FROM play_boards b WHERE b.game = r.game AND b.span = r.span AND b.rank_key >= r.from_key
			AND (r.next IS NULL OR b.rank_key < r.next))`); wrong != 0 {
		b.t.Errorf("%d parts have other players than they say", wrong)
	}
}

// TestPartsCountEachPlayerWhateverHappensAtOnce: runs, players who are forgotten, boards that
// are pruned and parts that are made anew wait in no circle, and miss nobody.
func TestPartsCountEachPlayerWhateverHappensAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.fillBoard(6000, play.WindowAll, "2026-W48")
		prune := func() error { _, err := b.Prune(t.Context()); return err }
		atTimes := func(n int) error {
			if n%20 > 0 {
				return nil
			}
			return prune()
		}
		if err := prune(); err != nil {
			t.Fatal(err)
		}
		b.now = b.now.AddDate(0, 0, 15) // so that pruning takes the week's board
		const each = 60
		submit := func(kind int, player string, score float64) func(n int) error {
			return func(n int) error {
				s := runOf(1000*kind+n, 1, score+float64(n*977%90_000))
				s.Player = fmt.Sprint(player, 1000*kind+n)
				_, err := b.Submit(t.Context(), analytics.Submission{Score: s, Class: analytics.ClassPublic})
				return err
			}
		}
		var wg sync.WaitGroup
		for _, does := range []func(n int) error{
			submit(1, "new", 0), submit(2, "p", 5000), submit(3, "p", 20_000),
			func(n int) error { return b.ForgetPlayer(t.Context(), game, fmt.Sprint("p", n*7)) },
			atTimes, atTimes,
		} {
			wg.Go(func() {
				for n := range each {
					if err := does(n); err != nil {
						t.Errorf("step %d: %v", n, err)
						return
					}
				}
			})
		}
		wg.Wait()
		b.wantParts()
	})
}

// TestPartsThatWereNotAllMadeCountAsTheyAreAndAreMadeAnew: they are made in many transactions,
// the best first.
func TestPartsThatWereNotAllMadeCountAsTheyAreAndAreMadeAnew(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.fillBoard(6000, play.WindowAll)
		prune := func() {
			t.Helper()
			if _, err := b.Prune(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		prune()
		all := b.number("SELECT count(*) FROM play_ranks")
		b.exec("DELETE FROM play_ranks WHERE from_key < 50000")
		if left := b.number("SELECT count(*) FROM play_ranks"); left == 0 || left == all {
			t.Fatalf("of %d parts %d are left", all, left)
		}
		some := []string{"p0", "p1000", "p2999", "p5999"}
		for n, score := range []float64{-5, 49_999, 50_000, 1e9} {
			b.submit(runOf(n+1, 1, score))
			some = append(some, id(n+1))
		}
		b.wantRanks("with some parts", some...)
		b.now = b.now.AddDate(0, 0, 1)
		prune()
		if got := b.number("SELECT count(*) FROM play_ranks"); got < all {
			t.Errorf("of %d parts %d are made anew", all, got)
		}
		b.wantParts()
		b.wantRanks("with all parts", some...)
	})
}

// TestBoardThatBeginsAnewGoesInManyTransactions: all players of the service wait for one.
func TestBoardThatBeginsAnewGoesInManyTransactions(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.fillBoard(6000, play.WindowAll, "2026-W48")
		lower := analytics.BoardRules{BoardSettings: analytics.BoardSettings{Lower: true}}
		before, parts := b.leftIn("game", game)["play_boards"], 0
		for looks := int64(1); before > 0; looks++ {
			ends := endsSoon{t.Context(), new(atomic.Int64)}
			ends.looks.Store(looks)
			err := b.SetBoardRules(ends, game, lower)
			left := b.leftIn("game", game)["play_boards"]
			if left < before {
				parts++
			}
			if looks > 1000 {
				t.Fatalf("after %d looks %d are left: %v", looks, left, err)
			}
			before = left
		}
		if parts < 3 {
			t.Errorf("all places went in %d transactions", parts)
		}
		b.rules(lower)
		if rules, err := b.BoardRules(t.Context(), game); err != nil || !rules.Lower {
			t.Errorf("the rules are %+v, %v", rules, err)
		}
	})
}

// TestPartsOfABoardGoWithIt and are made anew when one of them is full.
func TestPartsOfABoardGoWithIt(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		prune := func() {
			t.Helper()
			if _, err := b.Prune(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		b.fillBoard(6000, play.WindowAll, "2026-W48")
		prune()
		before := b.number("SELECT count(*) FROM play_ranks")
		for n := range 6 {
			b.exec(`INSERT INTO play_boards (game, span, player, rank_key, score, at)
				SELECT game, span, 'x' || player, rank_key + 200000, score + 200000, at FROM play_boards WHERE at % 6 = ? AND player LIKE 'p%'`, n)
		}
		prune()
		b.wantParts()
		if after := b.number("SELECT count(*) FROM play_ranks"); after <= before || b.number("SELECT max(players) FROM play_ranks WHERE from_key NOT IN (500, 200500)") > 2*analytics.PartPlayers {
			t.Errorf("%d parts became %d", before, after)
		}
		b.now = b.now.AddDate(0, 0, 15) // the week is over
		prune()
		if n := b.number("SELECT count(*) FROM play_ranks WHERE span <> 'all'"); n != 0 {
			t.Errorf("%d parts are left of a week that is over", n)
		}
		b.wantRanks("later", "p1", "xp1")
	})
}
