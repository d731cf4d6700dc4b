package analytics

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

// What the live view covers.
const (
	liveMinutes = 30
	nowMinutes  = 2
	liveEvents  = 50
)

// live is what happens now. It reads the sessions of today and yesterday, and events of
// the last half hour.
func (v *looking) live() error {
	now := v.now.UnixMilli()
	since := now - liveMinutes*60_000
	var active, players, recent int64
	if err := v.Row(`SELECT count(*), count(DISTINCT CASE WHEN player <> '' AND last_at >= ? THEN player END),
			CAST(coalesce(sum(CASE WHEN last_at >= ? THEN 1 ELSE 0 END), 0) AS BIGINT)
		FROM play_streams WHERE game = ? AND day >= ? AND class = 'public' AND last_at >= ?`,
		now-nowMinutes*60_000, now-nowMinutes*60_000, v.game, v.last-1, since).Scan(&recent, &players, &active); err != nil {
		return err
	}
	v.add("now", "Now", []string{"activeNow", "playersNow", "last30"}, [][]any{{active, players, recent}})
	counts := make(map[int64]int64)
	const of = ` FROM play_streams s JOIN play_events e ON e.game = s.game AND e.stream = s.stream
		WHERE s.game = ? AND s.day >= ? AND s.class = 'public' AND s.last_at >= ? AND e.at >= ? AND e.day >= ?`
	if err := v.Each(func(scan store.Scan) error {
		var minute, n int64
		err := scan(&minute, &n)
		counts[minute] = n
		return err
	}, "SELECT e.at / 60000, count(*)"+of+" GROUP BY e.at / 60000", v.game, v.last-1, since, since, since/msOfDay); err != nil {
		return err
	}
	var rows [][]any
	for minute := now/60_000 - liveMinutes + 1; minute <= now/60_000; minute++ {
		rows = append(rows, []any{timeOf(minute * 60_000), counts[minute]})
	}
	v.add("minutes", "Events by minute", []string{"minute", "events"}, rows)
	rows, err := store.All(v.Reader, func(scan store.Scan) ([]any, error) {
		var at int64
		var name, build string
		err := scan(&at, &name, &build)
		return []any{timeOf(at), name, build}, err
	}, "SELECT e.at, e.name, s.build"+of+" ORDER BY e.at DESC, e.stream, e.seq DESC LIMIT "+strconv.Itoa(liveEvents), v.game, v.last-1, since, since, since/msOfDay)
	if err == nil {
		v.add("last", "Last events", []string{"at", "event", "build"}, rows)
	}
	return err
}

// timeOf writes an instant, in ms.
func timeOf(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

// schemaStreams is how many of the last sessions' declarations are read.
const schemaStreams = 20

// declared adds what the last sessions declared of their events.
func (v *looking) declared() error {
	kinds := make(map[string]map[string]string)
	if err := v.Each(func(scan store.Scan) error {
		var text string
		var said declared
		if err := scan(&text); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), &said); err != nil {
			return fmt.Errorf("reading what a session declared: %w", err)
		}
		for event, members := range said.Definitions {
			if kinds[event] == nil {
				kinds[event] = members
			}
		}
		return nil
	}, "SELECT declared FROM play_streams WHERE game = ? AND class = 'public' AND day BETWEEN ? AND ? AND declared <> '{}' ORDER BY day DESC LIMIT "+
		strconv.Itoa(schemaStreams), v.game, v.first, v.last); err != nil {
		return err
	}
	var rows [][]any
	for _, event := range sorted(kinds) {
		for _, member := range sorted(kinds[event]) {
			rows = append(rows, []any{event, member, kinds[event][member]})
		}
	}
	v.add("declared", "As declared by the game", []string{"event", "member", "kind"}, rows)
	return nil
}

// pageRows is how many events one page of the rows has.
const pageRows = 5000

// rows are the events of a day, those of a session in their order.
func (v *looking) rows() error {
	stream, seq := "", int64(0)
	if before, after, ok := strings.Cut(v.query.After, "."); ok {
		stream = before
		seq, _ = strconv.ParseInt(after, 10, 64) // as requests.ParseViewQuery has checked
	}
	rows, err := store.All(v.Reader, func(scan store.Scan) ([]any, error) {
		var at, seq int64
		var stream, class, name, props string
		err := scan(&at, &stream, &seq, &class, &name, &props)
		return []any{timeOf(at), stream, seq, class, name, props}, err
	}, `SELECT at, stream, seq, class, name, props FROM play_events WHERE game = ? AND day = ? AND (stream, seq) > (?, ?)
		ORDER BY stream, seq LIMIT `+strconv.Itoa(pageRows), v.game, v.first, stream, seq)
	if err != nil {
		return err
	}
	v.add("rows", "Events", []string{"at", "stream", "seq", "class", "event", "props"}, rows)
	if len(rows) == pageRows {
		last := rows[len(rows)-1]
		v.out.NextCursor = fmt.Sprintf("%s.%d", last[1], last[2])
	}
	return nil
}
