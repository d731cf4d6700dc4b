package analytics_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/sidecar/analytics"
)

const newer = "job_01J0000000000000000000000B"

func (b *bench) view(q api.ViewQuery) api.View {
	b.t.Helper()
	v, err := b.View(b.t.Context(), game, q)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// table writes the rows of a view's table, one a line.
func (b *bench) table(q api.ViewQuery, name string) []string {
	b.t.Helper()
	t, err := requests.TableOf(b.view(q), name)
	if err != nil {
		b.t.Fatal(err)
	}
	lines := []string{}
	for _, row := range t.Rows {
		if len(row) != len(t.Columns) {
			b.t.Errorf("%s: %d cells, %d columns", name, len(row), len(t.Columns))
		}
		line := ""
		for _, cell := range row {
			if cell == nil {
				cell = "-"
			}
			line += fmt.Sprint(cell) + " "
		}
		lines = append(lines, line[:len(line)-1])
	}
	return lines
}

func (b *bench) wantTable(q api.ViewQuery, name string, want ...string) {
	b.t.Helper()
	if got := b.table(q, name); !reflect.DeepEqual(got, append([]string{}, want...)) {
		b.t.Errorf("%s of %s is\n%q, want\n%q", name, q.Name, got, want)
	}
}

// plays records a play of a player.
func (b *bench) plays(stream, player int, build string) {
	b.t.Helper()
	batch := batchOf(stream, 1, play.SessionStart, play.Start, play.End)
	batch.Player, batch.Build = id(player), build
	b.record(batch)
}

func TestRetentionIsThatOfAHandMadeWeek(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		day := func(n int) { b.now = noon.AddDate(0, 0, n) }
		b.plays(1, 1, build) // three begin on day 0, one of them with another build
		b.plays(2, 2, build)
		b.plays(3, 3, newer)
		anybody := batchOf(4, 1, play.SessionStart, play.Start)
		anybody.Player = ""
		b.record(anybody)
		day(1)
		b.plays(5, 1, newer) // comes back; the first build stays
		b.plays(6, 3, newer)
		b.plays(7, 3, newer) // twice, and counts once
		b.plays(8, 4, newer)
		b.record(batchOf(9, 1, play.SessionStart)) // no play
		day(2)
		b.plays(10, 4, newer)
		q := api.ViewQuery{Name: api.ViewRetention, Days: 7}
		b.wantTable(q, "cohorts",
			"2026-11-25 1 - - - - - - - - -", // day 1 is today
			"2026-11-24 3 0.6667 - - - - - - - -")
		day(3)
		b.wantTable(q, "cohorts", "2026-11-25 1 1 - - - - - - - -", "2026-11-24 3 0.6667 0 - - - - - - -")
		b.wantTable(q, "builds", newer+" 2 1 0 - - - - - - -", build+" 2 0.5 0 - - - - - - -")
		day(7)
		b.plays(11, 2, newer)
		day(8)
		b.wantTable(api.ViewQuery{Name: api.ViewRetention, Days: 9}, "cohorts",
			"2026-11-25 1 1 0 0 0 0 0 - - -", "2026-11-24 3 0.6667 0 0 0 0 0 0.3333 - -")
		b.wantPeriod(0, "[2 1 0.3333]")     // player 4 on day 2, player 2 on day 7
		b.wantPeriod(1, "[0 0.6667 <nil>]") // nobody's first week was over
	})
}

// wantPeriod compares who came back in the last seven days (0), or in as many before (1).
func (b *bench) wantPeriod(n int, want string) {
	b.t.Helper()
	table, err := requests.TableOf(api.View{Tables: b.overview(7).Tables}, "periods")
	if err != nil {
		b.t.Fatal(err)
	}
	row := table.Rows[n]
	if got := fmt.Sprint(row[len(row)-3:]); got != want {
		b.t.Errorf("of %v: %s, want %s", row[0], got, want)
	}
}

func TestFunnelCountsEachSessionOnceInOrder(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		funnel := map[string][]string{"run": {"start", "jump", "end"}}
		send := func(stream int, first int64, build string, names ...string) {
			batch := batchOf(stream, first, names...)
			batch.Funnels, batch.Build = funnel, build
			b.record(batch)
		}
		send(1, 1, build, "start", "score", "jump", "jump", "end") // all, others between
		send(2, 1, build, "start", "end", "jump")                  // the end came too early
		send(3, 1, newer, "jump", "end")                           // never began
		send(4, 1, newer, "start", "start")
		send(4, 3, newer, "jump") // in a later batch
		send(4, 3, newer, "jump") // again
		q := api.ViewQuery{Name: api.ViewFunnels, Days: 1}
		b.wantTable(q, "steps", "run 1 start 3 1 1 -", "run 2 jump 3 1 1 2", "run 3 end 1 0.3333 0.3333 2")
		b.wantTable(q, "builds", newer+" run 1 start 1 1 1 -", newer+" run 2 jump 1 1 1 2",
			build+" run 1 start 2 1 1 -", build+" run 2 jump 2 1 1 2", build+" run 3 end 1 0.5 0.5 2")
	})
}

// TestFunnelsOfADayAreSoManyAtMost has a copied key name others in each session.
func TestFunnelsOfADayAreSoManyAtMost(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		send := func(stream int, funnels ...string) {
			batch := batchOf(stream, 1, "start")
			batch.Funnels = make(map[string][]string)
			for _, id := range funnels {
				batch.Funnels[id] = []string{"start"}
			}
			b.record(batch)
		}
		send(1, "run")
		for stream := 2; stream < 10; stream++ {
			var others []string
			for n := range play.MaxFunnels {
				others = append(others, fmt.Sprintf("%d of %d", n, stream))
			}
			send(stream, others...)
		}
		send(10, "run", "late")
		rows := b.table(api.ViewQuery{Name: api.ViewFunnels, Days: 1}, "steps")
		if len(rows) != analytics.MaxDayFunnels || !slices.Contains(rows, "run 1 start 2 1 1 -") {
			t.Errorf("%d funnels are counted, want %d: %q", len(rows), analytics.MaxDayFunnels, rows)
		}
	})
}

func TestEngagementCountsPlayersOfDaysWeeksAndMonths(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.now = noon.AddDate(0, 0, -20)
		b.plays(1, 1, build)
		b.now = noon
		b.plays(2, 1, build)
		b.plays(3, 2, build)
		score := batchOf(4, 1, play.Start, play.End)
		score.Player, score.Active, score.Sent = "", 9000, 10_000
		score.Events[1].Props = []byte(`{"score":10}`)
		b.record(score)
		q := api.ViewQuery{Name: api.ViewEngagement, Days: 2}
		b.wantTable(q, "players", "0.1 2 2 0.05 0.25")
		b.wantTable(q, "days", "2026-11-23 0 0 0", "2026-11-24 2 1 1")
		b.wantTable(q, "lengths", "8 16 1")
		b.wantTable(q, "scores", "7 10.3 1")
		b.wantTable(q, "builds", build+" 2026-11-24 3 3 0 3 1 3")
	})
}

func TestLiveShowsTheLastHalfHour(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.now = noon.Add(-40 * time.Minute)
		b.plays(1, 1, build)
		b.now = noon.Add(-10 * time.Minute)
		b.plays(2, 2, build)
		b.now = noon
		b.plays(3, 3, build)
		b.recordAs(analytics.ClassOwner, batchOf(4, 1, play.SessionStart))
		q := api.ViewQuery{Name: api.ViewLive}
		b.wantTable(q, "now", "1 1 2")
		b.wantTable(q, "last", "2026-11-24T12:00:00Z end "+build, "2026-11-24T11:59:59Z start "+build, "2026-11-24T11:59:58Z session_start "+build,
			"2026-11-24T11:50:00Z end "+build, "2026-11-24T11:49:59Z start "+build, "2026-11-24T11:49:58Z session_start "+build)
		minutes := b.table(q, "minutes")
		if len(minutes) != 30 || minutes[29] != "2026-11-24T12:00:00Z 1" || minutes[28] != "2026-11-24T11:59:00Z 2" {
			t.Errorf("the minutes are %q", minutes)
		}
	})
}

func TestEventsAndCostsAddUpToTheRows(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		batch := batchOf(1, 1, play.SessionStart, play.Start, "jump", "jump", play.End)
		batch.Definitions = map[string]play.Texts{"jump": {"height": "number"}}
		batch.Events[2].Props = []byte(`{"height":2}`)
		b.record(batch)
		b.recordAs(analytics.ClassOwner, batchOf(2, 1, play.SessionStart, play.Start))
		q := api.ViewQuery{Name: api.ViewEvents, Days: 1}
		b.wantTable(q, "names", "end 1 1 2026-11-24", "jump 1 1 2026-11-24", "session_start 1 1 2026-11-24", "start 1 1 2026-11-24")
		b.wantTable(q, "dropped", "type 1 not what the game declared")
		b.wantTable(q, "declared", "jump height number")
		q.Name = api.ViewCosts
		b.wantTable(q, "days", "2026-11-24 3 3 0")
		b.wantTable(q, "names", "end 1", "jump 1", "start 1")
		q = api.ViewQuery{Name: api.ViewRows, After: id(1) + ".3"}
		b.wantTable(q, "rows", "2026-11-24T12:00:00Z "+id(1)+" 5 public end {}",
			"2026-11-24T11:59:59Z "+id(2)+" 1 owner session_start {}", "2026-11-24T12:00:00Z "+id(2)+" 2 owner start {}")
		q.Day, q.After = "2026-11-23", ""
		b.wantTable(q, "rows")
	})
}

func TestEveryFigureOfEveryViewHasItsDefinition(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.plays(1, 1, build)
		for _, name := range api.Views() {
			v := b.view(api.ViewQuery{Name: name, Days: 7})
			if len(v.Tables) == 0 {
				t.Errorf("%s has no table", name)
			}
			for _, table := range v.Tables {
				for _, c := range table.Columns {
					if c.Title == "" || c.Unit == "" || c.Definition == "" {
						t.Errorf("%s: the figure %q of %s is %+v", name, c.Name, table.Name, c)
					}
				}
			}
		}
	})
}
