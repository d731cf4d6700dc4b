package analytics

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/svc-games/svc/sidecar/store"
)

// maxAfter is how many days after the first one players are looked for again.
const maxAfter = 30

// came is when a player played.
type came struct {
	first int64 // day
	build string
	days  []int64 // all that are kept, in order
}

// again is a row of play_returns, stay one of play_stays.
type (
	again struct{ day, last int64 }
	stay  struct {
		first int64
		build string
		after int64
	}
)

// shifts are what becomes of the rows by players.
type shifts struct {
	returns map[again]int64
	stays   map[stay]int64
}

func newShifts() shifts { return shifts{make(map[again]int64), make(map[stay]int64)} }

// add adds a player to the counts, or takes one away, by -1.
func (s shifts) add(c came, by int64) {
	s.stays[stay{c.first, c.build, 0}] += by
	last := int64(-1)
	for _, day := range c.days {
		s.returns[again{day, last}] += by
		if after := day - c.first; after > 0 && after <= maxAfter {
			s.stays[stay{c.first, c.build, after}] += by
		}
		last = day
	}
}

// save changes the rows, in the order in which all do.
func (s shifts) save(tx *store.Tx, game string) error {
	maps.DeleteFunc(s.returns, func(_ again, by int64) bool { return by == 0 })
	for _, a := range slices.SortedFunc(maps.Keys(s.returns), func(a, b again) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.last, b.last)) }) {
		if _, err := tx.Exec(`INSERT INTO play_returns (game, day, last, players) VALUES (?, ?, ?, ?)
			ON CONFLICT (game, day, last) DO UPDATE SET players = play_returns.players + excluded.players`, game, a.day, a.last, s.returns[a]); err != nil {
			return err
		}
	}
	maps.DeleteFunc(s.stays, func(_ stay, by int64) bool { return by == 0 })
	for _, a := range slices.SortedFunc(maps.Keys(s.stays), func(a, b stay) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.build, b.build), cmp.Compare(a.after, b.after))
	}) {
		if _, err := tx.Exec(`INSERT INTO play_stays (game, first_day, build, after, players) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (game, first_day, build, after) DO UPDATE SET players = play_stays.players + excluded.players`,
			game, a.first, a.build, a.after, s.stays[a]); err != nil {
			return err
		}
	}
	return nil
}

// Queries of the players of each day, and of those whose first one it was.
const (
	playersByDay = "SELECT day, CAST(sum(players) AS BIGINT) FROM play_returns WHERE game = ? AND day BETWEEN ? AND ? GROUP BY day"
	newByDay     = "SELECT first_day, CAST(sum(players) AS BIGINT) FROM play_stays WHERE game = ? AND first_day BETWEEN ? AND ? AND after = 0 GROUP BY first_day"
)

// players is how many players played on some of the days.
func (v view) players(first, last int64) (n int64, err error) {
	err = v.Row("SELECT CAST(coalesce(sum(players), 0) AS BIGINT) FROM play_returns WHERE game = ? AND day BETWEEN ? AND ? AND last < ?",
		v.game, first, last, first).Scan(&n)
	return n, err
}

// stayed is how many players whose first day is one of the days played so many days after
// it; after 0, all of them.
func (v view) stayed(after, first, last int64) (n int64, err error) {
	err = v.Row("SELECT CAST(coalesce(sum(players), 0) AS BIGINT) FROM play_stays WHERE game = ? AND first_day BETWEEN ? AND ? AND after = ?",
		v.game, first, last, after).Scan(&n)
	return n, err
}

// readCame reads when a player played.
func readCame(r *store.Reader, game, player string) (c came, err error) {
	if err = r.Row("SELECT first_day, build FROM play_players WHERE game = ? AND player = ? AND class = 'public'", game, player).Scan(&c.first, &c.build); err == nil {
		c.days, err = store.All(r, store.Column[int64],
			"SELECT day FROM play_player_days WHERE game = ? AND player = ? AND class = 'public' AND plays > 0 ORDER BY day", game, player)
	}
	return c, err
}

// countReturn notes that the stream's player played on its day for the first time.
func (r *recording) countReturn() error {
	s := &r.stream
	made, err := r.tx.Exec("INSERT INTO play_players (game, class, player, first_day, build) VALUES (?, ?, ?, ?, ?) ON CONFLICT (game, player, class) DO NOTHING",
		r.Game, s.class, s.player, s.day, s.build)
	if err == nil { // one stream of a player at a time
		err = r.tx.LockRow("SELECT first_day FROM play_players WHERE game = ? AND player = ? AND class = ?", r.Game, s.player, s.class)
	}
	if err != nil || s.class != string(ClassPublic) {
		return err
	}
	now, err := readCame(&r.tx.Reader, r.Game, s.player)
	if err != nil {
		return err
	}
	changed := newShifts()
	if made == 0 {
		before := now
		before.days = slices.DeleteFunc(slices.Clone(now.days), func(day int64) bool { return day == s.day })
		changed.add(before, -1)
	}
	if s.day < now.first {
		now.first, now.build = s.day, s.build
		if _, err := r.tx.Exec("UPDATE play_players SET first_day = ?, build = ? WHERE game = ? AND player = ? AND class = ?",
			s.day, s.build, r.Game, s.player, s.class); err != nil {
			return err
		}
	}
	changed.add(now, 1)
	return changed.save(r.tx, r.Game)
}

// forgetCame takes a player out of the counts.
func forgetCame(tx *store.Tx, game, player string) error {
	err := tx.LockRow("SELECT first_day FROM play_players WHERE game = ? AND player = ? AND class = 'public'", game, player)
	var c came
	if err == nil {
		c, err = readCame(&tx.Reader, game, player)
	}
	if errors.Is(err, store.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	changed := newShifts()
	changed.add(c, -1)
	return changed.save(tx, game)
}
