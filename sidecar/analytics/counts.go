package analytics

import (
	"cmp"
	"maps"
	"slices"
)

// countDay adds what the batch changed to the day of its stream. A stream that is not
// kept at all, a machine's, is none.
func (r *recording) countDay() error {
	s, b := &r.stream, &r.before
	kept := s.essential + s.custom - b.essential - b.custom
	first := int64(0)
	if b.essential+b.custom == 0 && kept > 0 {
		first = 1
	}
	_, err := r.tx.Exec(`INSERT INTO play_days (game, day, class, build, streams, plays, runs, active, events, custom, lost)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (game, day, class, build) DO UPDATE SET
			streams = play_days.streams + excluded.streams, plays = play_days.plays + excluded.plays, runs = play_days.runs + excluded.runs,
			active = play_days.active + excluded.active, events = play_days.events + excluded.events,
			custom = play_days.custom + excluded.custom, lost = play_days.lost + excluded.lost`,
		r.Game, s.day, s.class, s.build, first, r.newPlay(), s.runs-b.runs, s.active-b.active, kept, s.custom-b.custom, s.lost-b.lost)
	return err
}

// newPlay is 1 if the batch holds the first run of its stream.
func (r *recording) newPlay() int64 {
	if r.before.runs == 0 && r.stream.runs > 0 {
		return 1
	}
	return 0
}

// countLength moves the stream to the bucket of its length.
func (r *recording) countLength() error {
	for _, move := range []struct{ bucket, by int64 }{{r.before.bucket(), -1}, {r.stream.bucket(), 1}} {
		if move.bucket < 0 || r.before.bucket() == r.stream.bucket() {
			continue
		}
		if _, err := r.tx.Exec(`INSERT INTO play_lengths (game, day, class, bucket, streams) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (game, day, class, bucket) DO UPDATE SET streams = play_lengths.streams + excluded.streams`,
			r.Game, r.stream.day, r.stream.class, move.bucket, move.by); err != nil {
			return err
		}
	}
	return nil
}

// countPlayer adds to the day of the stream's player, if there is one.
func (r *recording) countPlayer() error {
	s := &r.stream
	if s.player == "" || r.newPlay() == 0 && r.spent == 0 {
		return nil
	}
	if _, err := r.tx.Exec(`INSERT INTO play_player_days (game, day, class, player, plays, custom) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (game, player, class, day) DO UPDATE SET
			plays = play_player_days.plays + excluded.plays, custom = play_player_days.custom + excluded.custom`,
		r.Game, s.day, s.class, s.player, r.newPlay(), r.spent); err != nil {
		return err
	}
	if r.newPlay() == 0 {
		return nil
	}
	var plays int64
	err := r.tx.Row("SELECT plays FROM play_player_days WHERE game = ? AND player = ? AND class = ? AND day = ?", r.Game, s.player, s.class, s.day).Scan(&plays)
	if err != nil || plays > 1 {
		return err
	}
	return r.countReturn()
}

func (r *recording) countDrops() error {
	causes := slices.SortedFunc(maps.Keys(r.drops), func(a, b drop) int { return cmp.Or(cmp.Compare(a.hour, b.hour), cmp.Compare(a.cause, b.cause)) })
	for _, d := range causes {
		if _, err := r.tx.Exec(`INSERT INTO play_drops (game, hour, cause, events) VALUES (?, ?, ?, ?)
			ON CONFLICT (game, hour, cause) DO UPDATE SET events = play_drops.events + excluded.events`,
			r.Game, d.hour, string(d.cause), r.drops[d]); err != nil {
			return err
		}
	}
	return nil
}

// sorted returns the names in the order in which all lock rows.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
