package analytics

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store"
)

// dateOf writes a day of the tables.
func dateOf(day int64) string { return time.Unix(day*24*3600, 0).UTC().Format(time.DateOnly) }

// Overview returns how a game was played by the public in the last days, and in as many
// before. It reads counts alone, never events.
func (l *Log) Overview(ctx context.Context, game string, days int) (api.Overview, error) {
	at := l.looking(game, api.ViewQuery{Name: api.ViewOverview, Days: days})
	o := api.Overview{
		ProjectID: game, From: at.out.From, To: at.out.To, View: api.ViewOverview,
		Days: make([]api.PlayCounts, days), Events: map[string]int64{}, Dropped: map[string]int64{},
	}
	err := l.store.View(ctx, func(r *store.Reader) error {
		at.view, at.out.Tables = view{r, game}, nil
		err := at.fill(&o, at.first, at.last)
		if err == nil {
			err = at.showOverview(o)
		}
		return err
	})
	o.Tables = at.out.Tables
	if err != nil {
		return api.Overview{}, fmt.Errorf("reading how game %s was played: %w", game, err)
	}
	return o, nil
}

// view reads what the public did with a game.
type view struct {
	*store.Reader
	game string
}

// fill reads the figures of the days from first to last, and of as many before.
func (v view) fill(o *api.Overview, first, last int64) (err error) {
	for i := range o.Days {
		o.Days[i].Day = dateOf(first + int64(i))
	}
	if err := v.eachDay(o.Days, first, last); err != nil {
		return err
	}
	if o.Total, err = v.counts(first, last); err != nil {
		return err
	}
	if o.Previous, err = v.counts(2*first-last-1, first-1); err != nil {
		return err
	}
	if o.Builds, err = v.eachBuild(first, last); err != nil || o.Events == nil {
		return err
	}
	if err := v.sums(o.Events, `SELECT name, CAST(sum(events) AS BIGINT) FROM play_counts
		WHERE game = ? AND class = 'public' AND day BETWEEN ? AND ? GROUP BY name`, first, last); err != nil {
		return err
	}
	return v.sums(o.Dropped, "SELECT cause, CAST(sum(events) AS BIGINT) FROM play_drops WHERE game = ? AND hour BETWEEN ? AND ? GROUP BY cause",
		first*24, last*24+23)
}

func (v view) counts(first, last int64) (c api.PlayCounts, err error) {
	var active int64
	if err := v.Row(`SELECT CAST(coalesce(sum(streams), 0) AS BIGINT), CAST(coalesce(sum(plays), 0) AS BIGINT), CAST(coalesce(sum(runs), 0) AS BIGINT),
			CAST(coalesce(sum(active), 0) AS BIGINT), CAST(coalesce(sum(events), 0) AS BIGINT), CAST(coalesce(sum(lost), 0) AS BIGINT)
		FROM play_days WHERE game = ? AND class = 'public' AND day BETWEEN ? AND ?`, v.game, first, last).
		Scan(&c.Sessions, &c.Plays, &c.Runs, &active, &c.Events, &c.Lost); err != nil {
		return c, err
	}
	c.ActiveSeconds = active / 1000
	if c.Sessions == 0 {
		return c, nil
	}
	if c.Players, err = v.players(first, last); err != nil {
		return c, err
	}
	if c.NewPlayers, err = v.stayed(0, first, last); err != nil {
		return c, err
	}
	c.MedianSessionSeconds, err = v.median(first, last)
	return c, err
}

// eachDay is counts of each of the days, by as few queries.
func (v view) eachDay(days []api.PlayCounts, first, last int64) error {
	lengths := make([][]bucket, len(days))
	for query, read := range map[string]func(scan store.Scan, day *int64) (func(*api.PlayCounts), error){
		`SELECT day, CAST(sum(streams) AS BIGINT), CAST(sum(plays) AS BIGINT), CAST(sum(runs) AS BIGINT), CAST(sum(active) AS BIGINT),
				CAST(sum(events) AS BIGINT), CAST(sum(lost) AS BIGINT)
			FROM play_days WHERE game = ? AND class = 'public' AND day BETWEEN ? AND ? GROUP BY day`: func(scan store.Scan, day *int64) (func(*api.PlayCounts), error) {
			var n api.PlayCounts
			err := scan(day, &n.Sessions, &n.Plays, &n.Runs, &n.ActiveSeconds, &n.Events, &n.Lost)
			return func(c *api.PlayCounts) {
				c.Sessions, c.Plays, c.Runs, c.ActiveSeconds, c.Events, c.Lost = n.Sessions, n.Plays, n.Runs, n.ActiveSeconds/1000, n.Events, n.Lost
			}, err
		},
		playersByDay: func(scan store.Scan, day *int64) (func(*api.PlayCounts), error) {
			var n int64
			err := scan(day, &n)
			return func(c *api.PlayCounts) { c.Players = n }, err
		},
		newByDay: func(scan store.Scan, day *int64) (func(*api.PlayCounts), error) {
			var n int64
			err := scan(day, &n)
			return func(c *api.PlayCounts) { c.NewPlayers = n }, err
		},
		`SELECT day, bucket, CAST(sum(streams) AS BIGINT) FROM play_lengths
			WHERE game = ? AND class = 'public' AND day BETWEEN ? AND ? GROUP BY day, bucket ORDER BY day, bucket`: func(scan store.Scan, day *int64) (func(*api.PlayCounts), error) {
			var b bucket
			err := scan(day, &b.n, &b.streams)
			return func(c *api.PlayCounts) {
				lengths[*day-first] = append(lengths[*day-first], b)
				c.MedianSessionSeconds = middle(lengths[*day-first])
			}, err
		},
	} {
		if err := v.Each(func(scan store.Scan) error {
			var day int64
			set, err := read(scan, &day)
			if err == nil {
				set(&days[day-first])
			}
			return err
		}, query, v.game, first, last); err != nil {
			return err
		}
	}
	return nil
}

// bucket is how many streams took a time of a bucket.
type bucket struct{ n, streams int64 }

// median returns the middle of the bucket that holds the middle session.
func (v view) median(first, last int64) (int64, error) {
	buckets, err := store.All(v.Reader, func(scan store.Scan) (b bucket, err error) {
		return b, scan(&b.n, &b.streams)
	}, `SELECT bucket, CAST(sum(streams) AS BIGINT) FROM play_lengths
		WHERE game = ? AND class = 'public' AND day BETWEEN ? AND ? GROUP BY bucket ORDER BY bucket`, v.game, first, last)
	return middle(buckets), err
}

// middle returns the middle of the bucket that holds the middle stream, in seconds.
func middle(buckets []bucket) int64 {
	var all, below int64
	for _, b := range buckets {
		all += b.streams
	}
	for _, b := range buckets {
		if below += b.streams; 2*below >= all && all > 0 {
			return int64(math.Round(math.Exp2((float64(b.n) + 0.5) / 4)))
		}
	}
	return 0
}

// maxBuilds bounds the builds of an overview, newest first.
const maxBuilds = 100

func (v view) eachBuild(first, last int64) ([]api.Build, error) {
	return store.All(v.Reader, func(scan store.Scan) (b api.Build, err error) {
		var active int64
		err = scan(&b.JobID, &b.Sessions, &b.Plays, &b.Runs, &active)
		b.ActiveSeconds = active / 1000
		return b, err
	}, `SELECT build, CAST(sum(streams) AS BIGINT), CAST(sum(plays) AS BIGINT), CAST(sum(runs) AS BIGINT), CAST(sum(active) AS BIGINT) FROM play_days
		WHERE game = ? AND class = 'public' AND day BETWEEN ? AND ? GROUP BY build ORDER BY build DESC LIMIT ?`, v.game, first, last, maxBuilds)
}

// sums reads a number for each name.
func (v view) sums(into map[string]int64, query string, first, last int64) error {
	return v.Each(func(scan store.Scan) error {
		var name string
		var n int64
		err := scan(&name, &n)
		into[name] = n
		return err
	}, query, v.game, first, last)
}

// Event is an event as it is kept.
type Event struct {
	Stream string `json:"stream"`
	Seq    int64  `json:"seq"`
	At     int64  `json:"at"` // ms since 1970
	Class  Class  `json:"class"`
	Name   string `json:"name"`
	Props  string `json:"props"` // JSON
}

// Events calls fn with each event of a game on a day, counted from 1970, those of a
// stream in their order.
func (l *Log) Events(ctx context.Context, game string, day int64, fn func(Event) error) error {
	err := l.store.View(ctx, func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			var e Event
			if err := scan(&e.Stream, &e.Seq, &e.At, &e.Class, &e.Name, &e.Props); err != nil {
				return err
			}
			return fn(e)
		}, "SELECT stream, seq, at, class, name, props FROM play_events WHERE game = ? AND day = ? ORDER BY stream, seq", game, day)
	})
	if err != nil {
		return fmt.Errorf("reading events of game %s: %w", game, err)
	}
	return nil
}
