package analytics

import (
	"math"

	"github.com/svc-games/svc/sidecar/store"
)

// engagement is how much, and how often, the game is played.
func (v *looking) engagement() error {
	if err := v.summary(); err != nil {
		return err
	}
	if err := v.playersByDay(); err != nil {
		return err
	}
	if err := v.read("lengths", "Sessions by active time", []string{"fromSecond", "toSecond", "sessions"}, func(scan store.Scan) ([]any, error) {
		var bucket, streams int64
		err := scan(&bucket, &streams)
		return []any{secondsOf(bucket), secondsOf(bucket + 4), streams}, err
	}, `SELECT bucket / 4 * 4, CAST(sum(streams) AS BIGINT) FROM play_lengths
		WHERE game = ? AND class = 'public' AND day BETWEEN ? AND ? GROUP BY bucket / 4 ORDER BY 1`); err != nil {
		return err
	}
	if err := v.read("scores", "Runs by score", []string{"fromScore", "toScore", "ended"}, func(scan store.Scan) ([]any, error) {
		var bucket, runs int64
		err := scan(&bucket, &runs)
		if bucket < 0 {
			return []any{nil, 0, runs}, err
		}
		return []any{scoreOf(bucket), scoreOf(bucket + 2), runs}, err
	}, `SELECT CASE WHEN bucket < 0 THEN -2 ELSE bucket / 2 * 2 END, CAST(sum(runs) AS BIGINT) FROM play_scores
		WHERE game = ? AND class = 'public' AND day BETWEEN ? AND ? GROUP BY 1 ORDER BY 1`); err != nil {
		return err
	}
	return v.builds()
}

// secondsOf is where a bucket of times begins.
func secondsOf(bucket int64) int64 { return int64(math.Round(math.Exp2(float64(bucket) / 4))) }

// scoreOf is where a bucket of scores begins.
func scoreOf(bucket int64) float64 { return math.Round((math.Exp2(float64(bucket)/4)-1)*10) / 10 }

// summary adds the players of the last days, weeks and months.
func (v *looking) summary() error {
	week, err := v.players(v.last-6, v.last)
	if err != nil {
		return err
	}
	month, err := v.players(v.last-29, v.last)
	if err != nil {
		return err
	}
	var sum, named, plays int64
	if err := v.Row(`SELECT count(*), CAST(coalesce(sum(plays), 0) AS BIGINT) FROM play_player_days
		WHERE game = ? AND class = 'public' AND plays > 0 AND day > ?`, v.game, v.last-30).Scan(&sum, &named); err != nil {
		return err
	}
	if err := v.Row(`SELECT CAST(coalesce(sum(plays), 0) AS BIGINT) FROM play_days WHERE game = ? AND class = 'public' AND day > ?`,
		v.game, v.last-30).Scan(&plays); err != nil {
		return err
	}
	v.add("players", "Players", []string{"dau", "wau", "mau", "stickiness", "unnamed"},
		[][]any{{mean(sum, 30), week, month, share(sum, 30*month), share(plays-named, plays)}})
	return nil
}

// playersByDay adds how many players each day had.
func (v *looking) playersByDay() error {
	found := make(map[int64][2]int64)
	for i, query := range []string{playersByDay, newByDay} {
		if err := v.Each(func(scan store.Scan) error {
			var day, n int64
			err := scan(&day, &n)
			counts := found[day]
			counts[i] = n
			found[day] = counts
			return err
		}, query, v.game, v.first, v.last); err != nil {
			return err
		}
	}
	var rows [][]any
	for day := v.first; day <= v.last; day++ {
		n := found[day]
		rows = append(rows, []any{dateOf(day), n[0], n[1], max(0, n[0]-n[1])})
	}
	v.add("days", "Players by day", []string{"day", "players", "newPlayers", "returning"}, rows)
	return nil
}

// back are the days after the first on which players are looked for again, and the
// columns of these.
var (
	back        = []int64{1, 2, 3, 4, 5, 6, 7, 14, 30}
	backColumns = []string{"d1", "d2", "d3", "d4", "d5", "d6", "d7", "d14", "d30"}
)

// cohort are the players who played first on a day, or those of a build.
type cohort struct {
	players  int64
	eligible [maxAfter + 1]int64 // players whose day is over
	again    [maxAfter + 1]int64 // of these, who played on it
}

func (c *cohort) row(name any) []any {
	row := []any{name, c.players}
	for _, n := range back {
		row = append(row, share(c.again[n], c.eligible[n]))
	}
	return row
}

// retention is which players came back, by their first day and by the build that they
// played first.
func (v *looking) retention() error {
	days, builds := make(map[int64]*cohort), make(map[string]*cohort)
	at := func(day int64, build string) [2]*cohort {
		if days[day] == nil {
			days[day] = &cohort{}
		}
		if builds[build] == nil {
			builds[build] = &cohort{}
		}
		return [2]*cohort{days[day], builds[build]}
	}
	if err := v.Each(func(scan store.Scan) error {
		var day, after, n int64
		var build string
		err := scan(&day, &build, &after, &n)
		for _, c := range at(day, build) {
			if after == 0 {
				c.players += n
				for over := range c.eligible {
					if day+int64(over) < v.last {
						c.eligible[over] += n
					}
				}
			} else if day+after < v.last {
				c.again[after] += n
			}
		}
		return err
	}, "SELECT first_day, build, after, players FROM play_stays WHERE game = ? AND first_day BETWEEN ? AND ? AND players > 0", v.game, v.first, v.last); err != nil {
		return err
	}
	v.addCohorts(days, builds)
	return nil
}

func (v *looking) addCohorts(days map[int64]*cohort, builds map[string]*cohort) {
	var rows [][]any
	for day := v.last; day >= v.first; day-- {
		if c := days[day]; c != nil {
			rows = append(rows, c.row(dateOf(day)))
		}
	}
	v.add("cohorts", "By first day", append([]string{"cohort", "newPlayers"}, backColumns...), rows)
	rows = nil
	names := sorted(builds)
	for i := range names {
		name := names[len(names)-1-i]
		rows = append(rows, builds[name].row(name))
	}
	v.add("builds", "By the build that they played first", append([]string{"build", "newPlayers"}, backColumns...), rows)
}

// passed are the sessions that reached a step of a funnel.
type passed struct {
	funnel, build, name string
	step                int64
	buckets             []bucket
}

func (p passed) streams() (n int64) {
	for _, b := range p.buckets {
		n += b.streams
	}
	return n
}

// funnels are how far sessions came, of all builds and of each.
func (v *looking) funnels() error {
	for _, of := range []struct{ name, title, build string }{
		{"steps", "By step", "''"}, {"builds", "By build, newest first", "build"},
	} {
		steps, err := v.passed(of.build)
		if err != nil {
			return err
		}
		var rows [][]any
		var first, previous int64
		for i, p := range steps {
			n := p.streams()
			if i == 0 || p.funnel != steps[i-1].funnel || p.build != steps[i-1].build || p.step == 1 {
				first, previous = n, n
			}
			since := any(nil)
			if p.step > 1 {
				since = middle(p.buckets)
			}
			row := []any{p.funnel, p.step, p.name, n, share(n, first), share(n, previous), since}
			if of.build == "build" {
				row = append([]any{p.build}, row...)
			}
			rows, previous = append(rows, row), n
		}
		figures := []string{"funnel", "step", "event", "reached", "ofFirst", "ofPrevious", "medianSince"}
		if of.build == "build" {
			figures = append([]string{"build"}, figures...)
		}
		v.add(of.name, of.title, figures, rows)
	}
	return nil
}

// passed reads the steps of all funnels, those of a funnel in order.
func (v *looking) passed(build string) ([]passed, error) {
	var steps []passed
	err := v.Each(func(scan store.Scan) error {
		var p passed
		var b bucket
		err := scan(&p.build, &p.funnel, &p.step, &p.name, &b.n, &b.streams)
		if last := len(steps) - 1; last >= 0 && steps[last].funnel == p.funnel && steps[last].build == p.build && steps[last].step == p.step && steps[last].name == p.name {
			steps[last].buckets = append(steps[last].buckets, b)
			return err
		}
		p.buckets = []bucket{b}
		steps = append(steps, p)
		return err
	}, `SELECT `+build+` AS of, funnel, step, name, bucket, CAST(sum(streams) AS BIGINT) FROM play_funnels
		WHERE game = ? AND class = 'public' AND day BETWEEN ? AND ?
		GROUP BY 1, funnel, step, name, bucket ORDER BY 1 DESC, funnel, step, name, bucket`, v.game, v.first, v.last)
	return steps, err
}
