package bench

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

const (
	// viewed is how many events the game has whose views are measured.
	viewed = 10_000_000
	// viewDays are the days on which they came: for so long events are kept.
	viewDays = 90
	// ofSession is how many events a session has.
	ofSession = 20
	// mostLook is what a view takes at most.
	mostLook = 200 * time.Millisecond
)

// views measures what an owner waits for.
func (r *report) views() {
	events := viewed
	if !r.full {
		events = 40_000
	}
	s := r.section("Views", fmt.Sprintf("Of a game with %d events in %d days, in sessions of %d, of players of whom each has three. Medians of a few looks; "+
		"the goal is %v. Of costs the part that is read from what was played.", events, viewDays, ofSession, mostLook), "view", "SQLite, 7 days", "90 days", "PostgreSQL, 7 days", "90 days", "")
	rows := make(map[string][]time.Duration)
	for _, address := range []string{filepath.Join(r.t.TempDir(), analytics.File), postgrestest.URL(r.t)} {
		log, err := analytics.Open(r.t.Context(), address, nil, time.Now)
		if err != nil {
			r.t.Fatal(err)
		}
		fillPlays(r.t, address, events)
		for _, view := range api.Views() {
			for _, days := range []int{7, viewDays} {
				rows[view] = append(rows[view], r.look(log, view, days))
			}
		}
		if err := log.Close(); err != nil {
			r.t.Fatal(err)
		}
	}
	for _, view := range api.Views() {
		cells, kept := []any{view}, true
		for _, took := range rows[view] {
			cells, kept = append(cells, millis(took)), kept && took <= mostLook
		}
		s.row(append(cells, verdict(kept))...)
	}
}

// look returns how long a view takes.
func (r *report) look(log *analytics.Log, view string, days int) time.Duration {
	var times []time.Duration
	for range r.n(5) {
		begun := time.Now()
		var err error
		if view == api.ViewOverview {
			_, err = log.Overview(r.t.Context(), playedGame, days)
		} else {
			_, err = log.View(r.t.Context(), playedGame, api.ViewQuery{Name: view, Days: days})
		}
		if times = append(times, time.Since(begun)); err != nil {
			r.t.Fatal(err)
		}
	}
	return median(times)
}

const playedGame = "0123456789abcdef01234567"

// fillPlays has a game played as often as makes so many events, all rows as recording
// makes them. Recording ten million would take a quarter of an hour.
func fillPlays(t *testing.T, address string, events int) {
	t.Helper()
	driver := "sqlite"
	if store.IsPostgresURL(address) {
		driver = "pgx"
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	sessions := events / ofSession
	fields := strings.NewReplacer(
		"$game", "'"+playedGame+"'", "$sessions", fmt.Sprint(sessions), "$players", fmt.Sprint(max(1, sessions/3)),
		"$events", fmt.Sprint(ofSession), "$today", fmt.Sprintf("CAST(%d AS BIGINT)", time.Now().Unix()/(24*3600)), "$days", fmt.Sprint(viewDays))
	statements := filling
	if driver == "pgx" {
		statements = append(slices.Clone(filling), "ANALYZE") // which it does by itself in the end
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), fields.Replace(statement)); err != nil {
			t.Fatalf("%s: %v", statement, errors.Join(err, db.Close()))
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// filling are statements of both databases. A session's player is its number's rest, and
// its day is scattered, so that a player comes back after some days.
var filling = []string{
	`CREATE TABLE n AS WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $sessions) SELECT i FROM n`,
	`INSERT INTO play_streams (game, stream, cursor, anchor, day, class, build, player, device, language, variants, declared,
			last_at, active, runs, best, essential, custom, lost, seen, progress)
		SELECT $game, 's' || i, $events, ($today - i * 7919 % $days) * 86400000, $today - i * 7919 % $days, 'public', 'job_' || i % 5, 'p' || i % $players, 'touch', 'en', '{}',
			CASE WHEN i % 1000 = 0 THEN '{"defs":{"score":{"score":"number"}}}' ELSE '{}' END, ($today - i * 7919 % $days) * 86400000 + 60000,
			60000 + i % 100000, 1, i % 1000, 2, $events - 2, 0, ($today - i * 7919 % $days) * 86400000, '{}' FROM n`,
	`INSERT INTO play_events (day, game, stream, seq, at, class, name, props)
		SELECT s.day, s.game, s.stream, e.i + 1, s.anchor + e.i * 1000, 'public', CASE WHEN e.i = 0 THEN 'session_start' WHEN e.i = 1 THEN 'start' ELSE 'score' END, '{"score":40,"n":12}'
		FROM play_streams s CROSS JOIN (SELECT i FROM n WHERE i < $events) e`,
	`INSERT INTO play_days (game, day, class, build, streams, plays, runs, active, events, custom, lost)
		SELECT game, day, 'public', build, count(*), count(*), count(*), CAST(sum(active) AS BIGINT), count(*) * $events, CAST(sum(custom) AS BIGINT), 0
		FROM play_streams GROUP BY game, day, build`,
	`INSERT INTO play_counts (game, day, class, name, events) SELECT game, day, class, name, count(*) FROM play_events GROUP BY game, day, class, name`,
	`INSERT INTO play_lengths (game, day, class, bucket, streams) SELECT game, day, class, active / 5000, count(*) FROM play_streams GROUP BY 1, 2, 3, 4`,
	`INSERT INTO play_player_days (game, day, class, player, plays, custom)
		SELECT game, day, class, player, count(*), CAST(sum(custom) AS BIGINT) FROM play_streams GROUP BY game, day, class, player`,
	`INSERT INTO play_players (game, class, player, first_day, build) SELECT game, class, player, min(day), min(build) FROM play_streams GROUP BY game, class, player`,
	`INSERT INTO play_returns (game, day, last, players) SELECT game, day, last, count(*) FROM (SELECT game, day,
		coalesce(lag(day) OVER (PARTITION BY game, player ORDER BY day), -1) AS last FROM play_player_days) d GROUP BY game, day, last`,
	`INSERT INTO play_stays (game, first_day, build, after, players) SELECT p.game, p.first_day, p.build, d.day - p.first_day, count(*) FROM play_players p
		JOIN play_player_days d ON d.game = p.game AND d.player = p.player AND d.class = p.class WHERE d.day <= p.first_day + 30 GROUP BY 1, 2, 3, 4`,
	`INSERT INTO play_funnels (game, day, class, build, funnel, step, name, bucket, streams)
		SELECT s.game, s.day, s.class, s.build, 'run', e.i + 1, 'step' || e.i, CASE WHEN e.i = 0 THEN -1 ELSE s.active / 5000 END, count(*)
		FROM play_streams s CROSS JOIN (SELECT i FROM n WHERE i < 5) e GROUP BY 1, 2, 3, 4, 6, 7, 8`,
	`INSERT INTO play_scores (game, day, class, build, bucket, runs) SELECT game, day, class, build, runs, count(*) FROM play_streams GROUP BY game, day, class, build, runs`,
	`INSERT INTO play_drops (game, hour, cause, events) SELECT game, day * 24, 'type', count(*) FROM play_streams GROUP BY game, day`,
	`INSERT INTO play_boards (game, span, player, rank_key, score, at) SELECT game, 'all', player, max(best), max(best), min(last_at) FROM play_streams GROUP BY game, player`,
	`INSERT INTO play_runs (game, stream, run, player, day, at, score, outcome, state)
		SELECT game, stream, 1, player, day, last_at, best, 'lose', CASE WHEN best = 7 AND day % 9 = 0 THEN 'held' ELSE 'accepted' END FROM play_streams`,
	`INSERT INTO play_rewards (game, id, name, icon, kind, least, daily) VALUES ($game, 'first', 'First', '', 'runs', 1, 0)`,
	`INSERT INTO play_grants (game, player, reward, period, stream, run, at)
		SELECT game, player, 'first', '', min(stream), 1, min(at) FROM play_runs GROUP BY game, player`,
	`INSERT INTO play_experiments (game, id, state, variants, winner, salt, started_at, stopped_at)
		VALUES ($game, 'speed', 'running', '[{"value":"own","weight":5000},{"value":"1.25","weight":5000}]', '', 'x', ($today - 20) * 86400000, 0)`,
	`INSERT INTO play_exposures (game, experiment, player, variant, day, mixed)
		SELECT game, 'speed', player, CASE WHEN min(runs + best) > 500 THEN 'own' ELSE '1.25' END, $today - 20, 0 FROM play_streams WHERE day >= $today - 20 GROUP BY game, player`,
	`DROP TABLE n`,
}
