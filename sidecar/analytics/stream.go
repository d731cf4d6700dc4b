package analytics

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/store"
)

// stream is the row of a stream.
type stream struct {
	cursor, anchor, day     int64
	class, build, player    string
	declared                declared
	progress                map[string]place // by funnel
	lastAt, active, runs    int64
	best                    *float64
	essential, custom, lost int64
	errors                  int64 // that no code of the game caught
}

// declared is what a game declared in a stream.
type declared struct {
	Definitions map[string]play.Texts `json:"defs,omitempty"`
	Funnels     map[string][]string   `json:"fun,omitempty"`

	changed bool
	size    int // bytes, about
}

// same reports whether a stream has nothing that its row lacks.
func (s stream) same(before stream) bool {
	return s.cursor == before.cursor && s.anchor == before.anchor && s.active == before.active && s.errors == before.errors && !s.declared.changed
}

// score notes what a run ended with.
func (s *stream) score(props json.RawMessage) {
	var end struct {
		Score *float64 `json:"score"`
	}
	if json.Unmarshal(props, &end) == nil && end.Score != nil && (s.best == nil || *end.Score > *s.best) {
		s.best = end.Score
	}
}

// bucket is that of play_lengths, -1 for a stream that was not active yet.
func (s stream) bucket() int64 {
	if s.active < 1000 {
		return -1
	}
	return lengthBucket(s.active)
}

// load reads the stream's row, and keeps others from it until the end of the
// transaction. A new stream gets one.
func (r *recording) load() error {
	began := max(r.now-r.Sent-r.Age, r.now-play.MaxAge-play.MaxStream)
	text, err := json.Marshal(r.Variants)
	if err != nil {
		return err
	}
	if len(text) > maxDeclared {
		text = []byte("{}")
	}
	made, err := r.tx.Exec(`INSERT INTO play_streams (game, stream, cursor, anchor, day, class, build, player, device, language, variants, declared,
			last_at, active, runs, essential, custom, lost, seen)
		VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, '{}', ?, 0, 0, 0, 0, 0, ?) ON CONFLICT (game, stream) DO NOTHING`,
		r.Game, r.Stream, began, began/msOfDay, string(r.Class), r.Build, r.Player, r.Client.Device, r.Client.Language, string(text), began, r.now)
	if err != nil {
		return err
	}
	if err := r.tx.LockRow("SELECT cursor FROM play_streams WHERE game = ? AND stream = ?", r.Game, r.Stream); err != nil {
		return err
	}
	s := &r.stream
	var declared, progress string
	err = r.tx.Row(`SELECT cursor, anchor, day, class, build, player, declared, progress, last_at, active, runs, best, essential, custom, lost, errors
		FROM play_streams WHERE game = ? AND stream = ?`, r.Game, r.Stream).
		Scan(&s.cursor, &s.anchor, &s.day, &s.class, &s.build, &s.player, &declared, &progress, &s.lastAt, &s.active, &s.runs, &s.best, &s.essential, &s.custom, &s.lost, &s.errors)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(declared), &s.declared); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(progress), &s.progress); err != nil {
		return err
	}
	s.declared.size = len(declared)
	r.before = *s
	if r.fresh = made == 1; !r.fresh {
		r.given = s.free()
	}
	return nil
}

// merge adds to the stream what the batch says of it. Delay on the way can only make a
// stream seem to have begun later than it did: the least time is the nearest.
func (r *recording) merge() {
	if r.discarded() {
		return
	}
	s := &r.stream
	if began := r.now - r.Sent - r.Age; began < s.anchor && began >= r.now-play.MaxAge-play.MaxStream {
		s.anchor = began
	}
	s.active = max(s.active, min(r.Active, r.Sent, play.MaxStream))
	s.errors = max(s.errors, min(r.Errors, play.MaxStreamErrors))
	for _, name := range sorted(r.Definitions) {
		members := r.Definitions[name]
		had, there := s.declared.Definitions[name]
		if there && maps.Equal(had, members) || !there && len(s.declared.Definitions) >= play.MaxDefinitions ||
			!s.declared.takes(map[string]play.Texts{name: members}) {
			continue
		}
		if s.declared.Definitions == nil {
			s.declared.Definitions = make(map[string]play.Texts)
		}
		s.declared.Definitions[name], s.declared.changed = members, true
	}
	for _, id := range sorted(r.Funnels) {
		steps := r.Funnels[id]
		had, there := s.declared.Funnels[id]
		if there && slices.Equal(had, steps) || !there && len(s.declared.Funnels) >= play.MaxFunnels || !s.declared.takes(map[string][]string{id: steps}) {
			continue
		}
		if s.declared.Funnels == nil {
			s.declared.Funnels = make(map[string][]string)
		}
		s.declared.Funnels[id], s.declared.changed = steps, true
	}
}

// save writes the stream's row and all counts.
func (r *recording) save() error {
	s := &r.stream
	if r.fresh && s.essential+s.custom == 0 { // it would be a row of nothing
		full, err := r.gameFull()
		if err == nil && full != "" {
			_, err = r.tx.Exec("DELETE FROM play_streams WHERE game = ? AND stream = ?", r.Game, r.Stream)
		}
		if err != nil {
			return err
		}
		if full != "" {
			return r.countDrops()
		}
	}
	text, err := json.Marshal(s.declared)
	if err != nil {
		return err
	}
	progress, err := json.Marshal(s.progress)
	if err != nil {
		return err
	}
	if _, err := r.tx.Exec(`UPDATE play_streams SET cursor = ?, anchor = ?, declared = ?, progress = ?, last_at = ?, active = ?, runs = ?, best = ?,
			essential = ?, custom = ?, lost = ?, errors = ? WHERE game = ? AND stream = ?`,
		s.cursor, s.anchor, string(text), string(progress), s.lastAt, s.active, s.runs, s.best, s.essential, s.custom, s.lost, s.errors, r.Game, r.Stream); err != nil {
		return err
	}
	if err := r.countFree(); err != nil {
		return err
	}
	if r.discarded() {
		return r.countDrops()
	}
	if err := r.countMeter(); err != nil {
		return err
	}
	if err := r.countDay(); err != nil {
		return err
	}
	if err := r.countLength(); err != nil {
		return err
	}
	for _, name := range sorted(r.counts) {
		if _, err := r.tx.Exec(`INSERT INTO play_counts (game, day, class, name, events) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (game, day, class, name) DO UPDATE SET events = play_counts.events + excluded.events`,
			r.Game, s.day, s.class, name, r.counts[name]); err != nil {
			return err
		}
	}
	if err := r.countPlayer(); err != nil {
		return err
	}
	if err := r.countProgress(); err != nil {
		return err
	}
	return r.countDrops()
}

// optional scans a number that may not be there.
func optional(row store.Row) (int64, error) {
	var n int64
	err := row.Scan(&n)
	if errors.Is(err, store.ErrNoRows) {
		return 0, nil
	}
	return n, err
}
