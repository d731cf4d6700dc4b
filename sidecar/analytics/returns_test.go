package analytics_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store"
)

// Queries of what is counted by players, from the rows of these.
const (
	returnsOfPlayers = `SELECT CAST(day AS TEXT) || ' after ' || CAST(last AS TEXT), count(*) FROM (
		SELECT day, coalesce(lag(day) OVER (PARTITION BY player ORDER BY day), -1) AS last FROM play_player_days WHERE class = 'public' AND plays > 0) d GROUP BY day, last`
	returnsCounted = "SELECT CAST(day AS TEXT) || ' after ' || CAST(last AS TEXT), players FROM play_returns WHERE players <> 0"
	staysOfPlayers = `SELECT p.build || ' ' || CAST(p.first_day AS TEXT) || ' ' || CAST(d.day - p.first_day AS TEXT), count(*) FROM play_players p
		JOIN play_player_days d ON d.game = p.game AND d.player = p.player AND d.class = p.class
		WHERE p.class = 'public' AND d.plays > 0 AND d.day <= p.first_day + 30 GROUP BY p.build, p.first_day, d.day - p.first_day`
	staysCounted = "SELECT build || ' ' || CAST(first_day AS TEXT) || ' ' || CAST(after AS TEXT), players FROM play_stays WHERE players <> 0"
)

// counted reads a query of names and numbers.
func (b *bench) counted(query string) map[string]int64 {
	b.t.Helper()
	found := make(map[string]int64)
	if err := b.Store().View(b.t.Context(), func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			var name string
			var n int64
			err := scan(&name, &n)
			found[name] = n
			return err
		}, query)
	}); err != nil {
		b.t.Fatal(err)
	}
	return found
}

func (b *bench) wantCounted() {
	b.t.Helper()
	for counted, of := range map[string]string{returnsCounted: returnsOfPlayers, staysCounted: staysOfPlayers} {
		if got, want := b.counted(counted), b.counted(of); !reflect.DeepEqual(got, want) {
			b.t.Errorf("%s is\n%v, want\n%v", counted, got, want)
		}
	}
}

// TestPlayersAreCountedAsTheirRowsSay plays at random, late batches included, with players
// who are forgotten, and counts players of days from their rows.
func TestPlayersAreCountedAsTheirRowsSay(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		random := rand.New(rand.NewPCG(11, 12))
		for stream := range 150 {
			b.now = noon.AddDate(0, 0, stream/4)
			batch := batchOf(stream, 1, play.Start)
			batch.Player, batch.Build = id(random.IntN(12)), []string{"job_a", "job_b"}[random.IntN(2)]
			batch.Age, batch.Active = random.Int64N(play.MaxAge), 1000
			class := analytics.ClassPublic
			if random.IntN(10) == 0 {
				class = analytics.ClassOwner
			}
			b.recordAs(class, batch)
			if random.IntN(20) == 0 {
				if err := b.ForgetPlayer(t.Context(), game, id(random.IntN(12))); err != nil {
					t.Fatal(err)
				}
			}
		}
		b.wantCounted()
		for _, days := range []int{1, 7, 40} {
			last := b.now.Unix() / (24 * 3600)
			want := b.number("SELECT count(DISTINCT player) FROM play_player_days WHERE class = 'public' AND plays > 0 AND day > ?", last-int64(days))
			if got := b.overview(days).Total.Players; got != want {
				t.Errorf("%d players of %d days, want %d", got, days, want)
			}
		}
		end, lines := b.now, b.overview(40).Days
		for i, line := range lines {
			b.now = end.AddDate(0, 0, i+1-len(lines))
			want := b.overview(1).Total
			if want.Day = line.Day; line != want {
				t.Errorf("a line is %+v, want %+v", line, want)
			}
		}
	})
}

// TestPlayersOfBeforeAreCountedByTheUpgrade: a database without the counts gets those of
// its rows.
func TestPlayersOfBeforeAreCountedByTheUpgrade(t *testing.T) {
	onEachBefore(t, func(t *testing.T, b *bench) {
		open := store.OpenSQLiteOf
		if store.IsPostgresURL(b.address) {
			open = store.OpenPostgresOf
		}
		s, err := open(t.Context(), b.address, analytics.FormerSchema(t, 9))
		if err == nil {
			err = s.Update(t.Context(), func(tx *store.Tx) error {
				for player := range 6 {
					if _, err := tx.Exec("INSERT INTO play_players (game, class, player, first_day, build) VALUES (?, 'public', ?, 100, 'job_a')", game, id(player)); err != nil {
						return err
					}
					for day := range player {
						if _, err := tx.Exec("INSERT INTO play_player_days (game, day, class, player, plays, custom) VALUES (?, ?, 'public', ?, ?, 0)",
							game, 100+day*day*player, id(player), min(1, 4-day)); err != nil {
							return err
						}
					}
				}
				return nil
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}, func(t *testing.T, b *bench) {
		if n := b.counted(returnsCounted); len(n) < 4 {
			t.Errorf("counted %v", n)
		}
		if got, want := b.counted(returnsCounted), b.counted(returnsOfPlayers); !reflect.DeepEqual(got, want) {
			t.Errorf("counted %v, want %v", got, want)
		}
	})
}
