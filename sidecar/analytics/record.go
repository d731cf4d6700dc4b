package analytics

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/store"
)

// maxEssential bounds the library's own events of a stream: a heartbeat a minute.
const maxEssential = 1000

// Record implements Recorder: the stream's row, its events and all counts change in one
// transaction, so that a batch which comes again finds the cursor past its events.
func (l *Log) Record(ctx context.Context, a Arrival) (play.Answer, error) {
	r := recording{Arrival: a, log: l, now: l.now().UnixMilli()}
	err := r.record(ctx)
	if err != nil {
		return play.Answer{}, fmt.Errorf("recording events of game %s: %w", a.Game, err)
	}
	l.known(a.Game, r.named)
	return r.answer(), nil
}

// record makes attempts until there is room for the events, or none to be had.
func (r *recording) record(ctx context.Context) (err error) {
	if r.unpaid, err = r.log.unpaid(ctx, r.Game); err != nil {
		return err
	}
	for range maxPurchases {
		err = r.log.store.Update(ctx, func(tx *store.Tx) error {
			r.begin(tx)
			return r.run()
		})
		var room errNoRoom
		if !errors.As(err, &room) {
			return err
		}
		bought, err := r.log.buy(ctx, r.Game, room.next)
		if err != nil {
			return err
		}
		r.unpaid = !bought
	}
	return err
}

// recording is one batch on its way into the store.
type recording struct {
	Arrival
	log    *Log
	now    int64
	unpaid bool // the next block is refused

	tx      *store.Tx
	stream  stream
	before  stream // as it was found
	fresh   bool   // it was not there
	given   int64  // bytes of it that were free before
	free    int64  // of the game's day, -1 for not read yet
	counts  map[string]int64
	drops   map[drop]int64
	reached map[reached]int64
	scores  map[int64]int64       // of runs that ended, by bucket
	named   []string              // events that are in play_names
	running map[string]Experiment // of the game, by parameter; nil until they are read
	allowed int64                 // custom events of the player's day that there is room for
	spent   int64                 // of these
	granted int64                 // blocks of the game
	left    int64                 // events of these
	paid    int64                 // events that were taken off
}

// drop is what events are counted by that are not kept.
type drop struct {
	hour  int64
	cause play.Cause
}

// begin starts anew: the store may run an operation twice.
func (r *recording) begin(tx *store.Tx) {
	*r = recording{
		Arrival: r.Arrival, log: r.log, now: r.now, unpaid: r.unpaid, tx: tx, counts: make(map[string]int64), drops: make(map[drop]int64),
		reached: make(map[reached]int64), scores: make(map[int64]int64), free: -1,
	}
}

func (r *recording) run() error {
	if err := r.load(); err != nil {
		return err
	}
	r.merge()
	if err := r.room(); err != nil {
		return err
	}
	if err := r.loadMeter(); err != nil {
		return err
	}
	for _, e := range r.Events {
		if r.Former { // whose times count from the first event of this request
			e.Seq, e.At = r.stream.cursor+1, e.At+r.now-r.Sent-r.stream.anchor
		}
		if e.Seq <= r.stream.cursor {
			continue // it was here before
		}
		if !r.discarded() {
			r.stream.lost += e.Seq - r.stream.cursor - 1
		}
		r.stream.cursor = e.Seq
		at := min(max(r.stream.anchor+e.At, r.now-r.Age-play.MaxStream), r.now)
		cause, err := r.cause(e, at)
		if err != nil {
			return err
		}
		if cause != "" {
			r.drops[drop{r.now / msOfHour, cause}]++
			continue
		}
		if err := r.keep(e, at); err != nil {
			return err
		}
	}
	if r.stream.same(r.before) {
		return nil // all of it was here before
	}
	return r.save()
}

// discarded reports whether nothing of the batch is kept, a machine's or what is too late:
// it moves the cursor, is counted by its cause, and changes no figure of the game.
func (r *recording) discarded() bool { return r.Machine || r.Age > play.MaxAge }

// room finds out how many custom events the player may have today.
func (r *recording) room() error {
	r.allowed = play.MaxPlayerEvents
	if r.stream.player == "" {
		return nil
	}
	have, err := optional(r.tx.Row("SELECT custom FROM play_player_days WHERE game = ? AND player = ? AND class = ? AND day = ?",
		r.Game, r.stream.player, r.stream.class, r.stream.day))
	r.allowed -= have
	return err
}

// cause returns why an event is not kept, "" for one that is.
func (r *recording) cause(e play.Event, at int64) (play.Cause, error) {
	essential := play.Essential(e.Name)
	switch {
	case e.Refused != "":
		return e.Refused, nil
	case r.Machine:
		return play.CauseMachine, nil
	case r.Age > play.MaxAge || at < r.now-play.MaxAge:
		return play.CauseLate, nil
	case e.At > play.MaxStream:
		return play.CauseOver, nil
	case essential && r.stream.essential >= maxEssential:
		return play.CauseEssential, nil
	case essential:
		return r.gameFull()
	case r.stream.custom >= play.MaxStreamEvents:
		return play.CauseStreamFull, nil
	case r.spent >= r.allowed:
		return play.CausePlayerFull, nil
	}
	if declared, typed := r.stream.declared.Definitions[e.Name]; typed && !declared.Fits(e.Props) {
		return play.CauseType, nil
	}
	fresh, cause, err := r.admitName(e.Name)
	if cause == "" && err == nil {
		cause, err = r.pay()
	}
	if cause != "" || err != nil || !fresh {
		return cause, err
	}
	_, err = r.tx.Exec("INSERT INTO play_names (game, name) VALUES (?, ?) ON CONFLICT (game, name) DO NOTHING", r.Game, e.Name)
	r.named = append(r.named, e.Name)
	return "", err
}

// keep stores an event, and counts it.
func (r *recording) keep(e play.Event, at int64) error {
	s := &r.stream
	if play.Essential(e.Name) {
		s.essential++
	} else {
		s.custom++
		r.spent++
	}
	s.lastAt = max(s.lastAt, at)
	switch e.Name {
	case play.Start:
		s.runs++
	case play.End:
		s.score(e.Props)
	}
	r.counts[e.Name]++
	r.follow(e)
	if e.Name == play.Exposure {
		if err := r.expose(e.Props); err != nil {
			return err
		}
	}
	_, err := r.tx.Exec("INSERT INTO play_events (day, game, stream, seq, at, class, name, props) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		at/msOfDay, r.Game, r.Stream, e.Seq, at, s.class, e.Name, string(e.Props))
	return err
}

// admitName returns why the game may not have an event of the name, "" if it may, and
// whether it has none yet.
func (r *recording) admitName(name string) (fresh bool, cause play.Cause, err error) {
	if r.log.knows(r.Game, name) {
		return false, "", nil
	}
	there, err := optional(r.tx.Row("SELECT 1 FROM play_names WHERE game = ? AND name = ?", r.Game, name))
	if err != nil || there == 1 {
		r.named = append(r.named, name)
		return false, "", err
	}
	var names int64
	if err := r.tx.Row("SELECT count(*) FROM play_names WHERE game = ?", r.Game).Scan(&names); err != nil {
		return false, "", err
	}
	if names >= play.MaxNames {
		return false, play.CauseTooManyName, nil
	}
	return true, "", nil
}

// maxKnown bounds how many games' names are in memory.
const maxKnown = 1000

// knows reports whether an event's name is known to be in play_names.
func (l *Log) knows(game, name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.names[game][name]
}

// known notes names that are in play_names.
func (l *Log) known(game string, names []string) {
	if len(names) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.names) >= maxKnown {
		clear(l.names)
	}
	if l.names[game] == nil {
		l.names[game] = make(map[string]bool)
	}
	for _, name := range names {
		l.names[game][name] = true
	}
}

// unknown forgets a game's names.
func (l *Log) unknown(game string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.names, game)
}
