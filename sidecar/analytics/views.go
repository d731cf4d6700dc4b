package analytics

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store"
)

// looking is a view that is being read.
type looking struct {
	view
	now         time.Time
	first, last int64 // days
	query       api.ViewQuery
	out         api.View
}

// readers read the tables of each view.
var readers = map[string]func(*looking) error{
	api.ViewOverview: (*looking).overview, api.ViewLive: (*looking).live, api.ViewEngagement: (*looking).engagement,
	api.ViewRetention: (*looking).retention, api.ViewFunnels: (*looking).funnels, api.ViewEvents: (*looking).events,
	api.ViewExperiments: (*looking).experiments, api.ViewBoard: (*looking).board, api.ViewCosts: (*looking).costs, api.ViewRows: (*looking).rows,
}

// View returns how a game was played by the public, as one of api.Views shows it. All
// views but the live one and the rows are read from counts.
func (l *Log) View(ctx context.Context, game string, q api.ViewQuery) (api.View, error) {
	read, ok := readers[q.Name]
	if !ok {
		return api.View{}, fmt.Errorf("there is no view %q", q.Name)
	}
	at := l.looking(game, q)
	err := l.store.View(ctx, func(r *store.Reader) error {
		at.view = view{r, game}
		return read(at)
	})
	if err != nil {
		return api.View{}, fmt.Errorf("reading the view %s of game %s: %w", q.Name, game, err)
	}
	return at.out, nil
}

// looking returns the view that a query asks for, without tables.
func (l *Log) looking(game string, q api.ViewQuery) *looking {
	now := l.now().UTC()
	last := now.UnixMilli() / msOfDay
	at := &looking{now: now, first: last - int64(max(q.Days, 1)) + 1, last: last, query: q}
	if day, err := time.Parse(time.DateOnly, q.Day); q.Name == api.ViewRows && err == nil {
		at.first, at.last = day.UnixMilli()/msOfDay, day.UnixMilli()/msOfDay
	}
	at.out = api.View{ProjectID: game, View: q.Name, From: dateOf(at.first), To: dateOf(at.last), Tables: []api.ViewTable{}}
	return at
}

// add adds a table.
func (v *looking) add(name, title string, figures []string, rows [][]any) {
	v.out.Tables = append(v.out.Tables, Table(name, title, figures, rows))
}

// Table is a table of figures that have a definition here.
func Table(name, title string, figures []string, rows [][]any) api.ViewTable {
	t := api.ViewTable{Name: name, Title: title, Rows: rows}
	if rows == nil {
		t.Rows = [][]any{}
	}
	for _, figure := range figures {
		t.Columns = append(t.Columns, Column(figure))
	}
	return t
}

// read adds a table whose rows are those of a query over the days of the view, as row
// makes them.
func (v *looking) read(name, title string, figures []string, row func(scan store.Scan) ([]any, error), query string) error {
	rows, err := store.All(v.Reader, row, query, v.game, v.first, v.last)
	if err == nil {
		v.add(name, title, figures, rows)
	}
	return err
}

// share is a part of a whole, null of nothing.
func share(part, whole int64) any {
	if whole == 0 {
		return nil
	}
	return math.Round(float64(part)/float64(whole)*10000) / 10000
}

// mean is a quotient to two places, null of nothing.
func mean(sum, n int64) any {
	if n == 0 {
		return nil
	}
	return math.Round(float64(sum)/float64(n)*100) / 100
}

// overview is Overview as tables.
func (v *looking) overview() error {
	o := api.Overview{Days: make([]api.PlayCounts, v.last-v.first+1)}
	if err := v.fill(&o, v.first, v.last); err != nil {
		return err
	}
	return v.showOverview(o)
}

// showOverview adds an overview's tables.
func (v *looking) showOverview(o api.Overview) error {
	figures := []string{"sessions", "plays", "runs", "players", "newPlayers", "activeSeconds", "medianSessionSeconds", "events", "lost"}
	row := func(first string, c api.PlayCounts) []any {
		return []any{first, c.Sessions, c.Plays, c.Runs, c.Players, c.NewPlayers, c.ActiveSeconds, c.MedianSessionSeconds, c.Events, c.Lost}
	}
	unpaid, err := v.unpaid()
	if err != nil {
		return err
	}
	var days [][]any
	for _, d := range o.Days {
		days = append(days, append(row(d.Day, d), unpaid[d.Day]))
	}
	v.add("days", "By day", append(append([]string{"day"}, figures...), "unpaid"), days)
	these, err := v.whoCameBack(row("these days", o.Total), o.Total, v.first, v.last)
	if err != nil {
		return err
	}
	before, err := v.whoCameBack(row("before", o.Previous), o.Previous, 2*v.first-v.last-1, v.first-1)
	if err != nil {
		return err
	}
	v.add("periods", "These days and as many before", append(append([]string{"period"}, figures...), "returning", "nextDay", "nextWeek"), [][]any{these, before})
	return v.builds()
}

// whoCameBack adds to a row of days from first to last the players who had played before,
// and the shares of those who came back on one of these days, a day and a week after their
// first one.
func (v *looking) whoCameBack(row []any, c api.PlayCounts, first, last int64) ([]any, error) {
	row = append(row, max(0, c.Players-c.NewPlayers))
	last = min(last, v.last-1) // today is not over
	for _, after := range []int64{1, 7} {
		players, err := v.stayed(0, first-after, last-after)
		if err != nil {
			return nil, err
		}
		again, err := v.stayed(after, first-after, last-after)
		if err != nil {
			return nil, err
		}
		row = append(row, share(again, players))
	}
	return row, nil
}

// builds adds the figures of each build: which change of a game had people stay.
func (v *looking) builds() error {
	return v.read("builds", "By build, newest first",
		[]string{"build", "firstDay", "sessions", "plays", "bounce", "runs", "runsPerPlay", "activePerSession"},
		func(scan store.Scan) ([]any, error) {
			var build string
			var day, streams, plays, runs, active int64
			err := scan(&build, &day, &streams, &plays, &runs, &active)
			return []any{build, dateOf(day), streams, plays, share(streams-plays, streams), runs, mean(runs, plays), mean(active/1000, streams)}, err
		}, `SELECT build, min(day), CAST(sum(streams) AS BIGINT), CAST(sum(plays) AS BIGINT), CAST(sum(runs) AS BIGINT), CAST(sum(active) AS BIGINT)
			FROM play_days WHERE game = ? AND class = 'public' AND day BETWEEN ? AND ? GROUP BY build ORDER BY build DESC`)
}

// events are the names of events, why others were not kept, and what games declare.
func (v *looking) events() error {
	if err := v.read("names", "By name", []string{"event", "events", "days", "lastDay"}, func(scan store.Scan) ([]any, error) {
		var name string
		var n, days, last int64
		err := scan(&name, &n, &days, &last)
		return []any{name, n, days, dateOf(last)}, err
	}, `SELECT name, CAST(sum(events) AS BIGINT), count(DISTINCT day), max(day) FROM play_counts
		WHERE game = ? AND class = 'public' AND day BETWEEN ? AND ? GROUP BY name ORDER BY sum(events) DESC, name`); err != nil {
		return err
	}
	if err := v.dropped(); err != nil {
		return err
	}
	return v.declared()
}

// dropped adds the events that were not kept, by cause.
func (v *looking) dropped() error {
	rows, err := store.All(v.Reader, func(scan store.Scan) ([]any, error) {
		var cause string
		var n int64
		err := scan(&cause, &n)
		return []any{cause, n, causes[cause]}, err
	}, "SELECT cause, CAST(sum(events) AS BIGINT) FROM play_drops WHERE game = ? AND hour BETWEEN ? AND ? GROUP BY cause ORDER BY cause",
		v.game, v.first*24, v.last*24+23)
	if err == nil {
		v.add("dropped", "Not kept", []string{"cause", "notKept", "meaning"}, rows)
	}
	return err
}

// costs are the events that are paid for, and those that are not.
func (v *looking) costs() error {
	if err := v.read("days", "By day", []string{"day", "paid", "free", "unpaid"}, func(scan store.Scan) ([]any, error) {
		var day, custom, free int64
		err := scan(&day, &custom, &free)
		return []any{dateOf(day), custom, free, int64(0)}, err
	}, `SELECT day, CAST(sum(CASE class WHEN 'public' THEN custom ELSE 0 END) AS BIGINT),
			CAST(sum(CASE class WHEN 'public' THEN events - custom ELSE events END) AS BIGINT)
		FROM play_days WHERE game = ? AND day BETWEEN ? AND ? GROUP BY day ORDER BY day`); err != nil {
		return err
	}
	unpaid, err := v.unpaid()
	if err != nil {
		return err
	}
	for _, row := range v.out.Tables[len(v.out.Tables)-1].Rows {
		row[3] = unpaid[fmt.Sprint(row[0])]
	}
	return v.read("names", "By name of the event", []string{"event", "paid"}, func(scan store.Scan) ([]any, error) {
		var name string
		var n int64
		err := scan(&name, &n)
		return []any{name, n}, err
	}, `SELECT name, CAST(sum(events) AS BIGINT) FROM play_counts WHERE game = ? AND class = 'public' AND day BETWEEN ? AND ?
		AND name NOT IN ('session_start', 'session_end', 'heartbeat', 'exposure') GROUP BY name ORDER BY sum(events) DESC, name`)
}

// unpaid returns how many events of each day were not kept as nobody paid for them.
func (v *looking) unpaid() (map[string]int64, error) {
	days := make(map[string]int64)
	return days, v.Each(func(scan store.Scan) error {
		var hour, n int64
		err := scan(&hour, &n)
		days[dateOf(hour/24)] += n
		return err
	}, "SELECT hour, CAST(events AS BIGINT) FROM play_drops WHERE game = ? AND cause = 'unpaid' AND hour BETWEEN ? AND ?",
		v.game, v.first*24, v.last*24+23)
}
