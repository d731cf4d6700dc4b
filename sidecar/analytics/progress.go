package analytics

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/svc-games/svc/api/play"
)

// place is how far a stream came in a funnel.
type place struct {
	Step int64 `json:"n"`  // the last one reached, from 1
	At   int64 `json:"at"` // when, in ms of the stream's clock
}

// reached is what streams that reach a step of a funnel are counted by.
type reached struct {
	funnel string
	step   int64
	name   string
	bucket int64
}

// lengthBucket is that of a time in ms: bucket n begins at 2^(n/4) seconds.
func lengthBucket(ms int64) int64 { return int64(4 * math.Log2(max(1, float64(ms)/1000))) }

// scoreBucket is that of a score: bucket n begins at 2^(n/4) - 1.
func scoreBucket(score float64) int64 {
	if score < 0 {
		return -1
	}
	return int64(math.Floor(4 * math.Log2(1+score)))
}

// follow counts an event that is kept in the funnels of its stream, and the score of a
// run that it ends. Other events may stand between two steps; a stream passes each step
// once.
func (r *recording) follow(e play.Event) {
	s := &r.stream
	for _, id := range sorted(s.declared.Funnels) {
		steps, here := s.declared.Funnels[id], s.progress[id]
		if here.Step >= int64(len(steps)) || steps[here.Step] != e.Name {
			continue
		}
		bucket := int64(-1)
		if here.Step > 0 {
			bucket = lengthBucket(e.At - here.At)
		}
		if s.progress == nil {
			s.progress = make(map[string]place)
		}
		s.progress[id] = place{here.Step + 1, e.At}
		r.reached[reached{id, here.Step + 1, e.Name, bucket}]++
	}
	var end struct {
		Score *float64 `json:"score"`
	}
	if e.Name == play.End && json.Unmarshal(e.Props, &end) == nil && end.Score != nil {
		r.scores[scoreBucket(*end.Score)]++
	}
}

// maxDayFunnels bounds the funnels that are counted of a build's day. Whoever copies a key may
// name as many as they like, each of which would stay as long as the game.
const maxDayFunnels = 50

// admitsFunnel reports whether a funnel is counted on the stream's day.
func (r *recording) admitsFunnel(id string) (bool, error) {
	const ofDay = " FROM play_funnels WHERE game = ? AND day = ? AND class = ? AND build = ?"
	s := &r.stream
	there, err := optional(r.tx.Row("SELECT 1"+ofDay+" AND funnel = ? LIMIT 1", r.Game, s.day, s.class, s.build, id))
	if err != nil || there == 1 {
		return there == 1, err
	}
	var n int64
	err = r.tx.Row("SELECT count(DISTINCT funnel)"+ofDay, r.Game, s.day, s.class, s.build).Scan(&n)
	return n < maxDayFunnels, err
}

// countProgress adds what follow found.
func (r *recording) countProgress() error {
	s := &r.stream
	for _, at := range slices.SortedFunc(maps.Keys(r.reached), func(a, b reached) int {
		return cmp.Or(cmp.Compare(a.funnel, b.funnel), cmp.Compare(a.step, b.step), cmp.Compare(a.name, b.name), cmp.Compare(a.bucket, b.bucket))
	}) {
		if admitted, err := r.admitsFunnel(at.funnel); err != nil {
			return err
		} else if !admitted {
			continue
		}
		if _, err := r.tx.Exec(`INSERT INTO play_funnels (game, day, class, build, funnel, step, name, bucket, streams) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (game, day, class, build, funnel, step, name, bucket) DO UPDATE SET streams = play_funnels.streams + excluded.streams`,
			r.Game, s.day, s.class, s.build, at.funnel, at.step, at.name, at.bucket, r.reached[at]); err != nil {
			return err
		}
	}
	for _, bucket := range slices.Sorted(maps.Keys(r.scores)) {
		if _, err := r.tx.Exec(`INSERT INTO play_scores (game, day, class, build, bucket, runs) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (game, day, class, build, bucket) DO UPDATE SET runs = play_scores.runs + excluded.runs`,
			r.Game, s.day, s.class, s.build, bucket, r.scores[bucket]); err != nil {
			return err
		}
	}
	return nil
}
