package analytics

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/sidecar/experiment"
	"github.com/svc-games/svc/sidecar/store"
)

// States of an experiment.
const (
	ExperimentDraft   = api.ExperimentDraft
	ExperimentRunning = api.ExperimentRunning
	ExperimentStopped = api.ExperimentStopped
	ExperimentWinner  = api.ExperimentWinner
)

// MaxExperiments bounds those of a game.
const MaxExperiments = 20

// Experiment gives players different values of one parameter of a game.
type Experiment struct {
	ID       string // the parameter
	State    string
	Variants []experiment.Variant // the first one is the control
	Winner   string               // a value
	salt     string
	started  int64 // ms, 0: not yet
	stopped  int64
}

// Values are those of the variants.
func (e Experiment) Values() []string {
	values := make([]string, len(e.Variants))
	for i, v := range e.Variants {
		values[i] = v.Value
	}
	return values
}

// Shown is the experiment as its owner reads it.
func (e Experiment) Shown() api.Experiment {
	out := api.Experiment{ID: e.ID, State: e.State, Winner: e.Winner, Values: make([]api.ExperimentValue, len(e.Variants))}
	for i, v := range e.Variants {
		out.Values[i] = api.ExperimentValue{Value: v.Value, Percent: float64(v.Weight) * 100 / experiment.Buckets}
	}
	out.StartedAt, out.StoppedAt = instant(e.started), instant(e.stopped)
	return out
}

// instant is a time in ms, nil for 0.
func instant(ms int64) *time.Time {
	if ms == 0 {
		return nil
	}
	at := time.UnixMilli(ms).UTC()
	return &at
}

// ChangeExperiment makes a draft, or takes an experiment to another state. What is as it
// is to be stays so. Its error is an *answers.Error for a change that can't be.
func (l *Log) ChangeExperiment(ctx context.Context, game string, change api.ExperimentChange) error {
	if err := requests.CheckExperiment(change); err != nil {
		return err
	}
	switch change.State {
	case api.ExperimentDraft:
		variants := experiment.Even(change.Values)
		for i, percent := range change.Percents {
			variants[i].Weight = int(math.Round(percent * experiment.Buckets / 100))
		}
		return l.DraftExperiment(ctx, game, change.ID, variants)
	case api.ExperimentRemoved:
		return l.RemoveExperiment(ctx, game, change.ID)
	}
	return l.MoveExperiment(ctx, game, change.ID, change.State, change.Winner)
}

// Experiments returns those of a game.
func (l *Log) Experiments(ctx context.Context, game string) ([]Experiment, error) {
	found, err := store.Read(ctx, l.store, func(r *store.Reader) ([]Experiment, error) { return readExperiments(r, game) })
	if err != nil {
		return nil, fmt.Errorf("reading experiments of game %s: %w", game, err)
	}
	return found, nil
}

func readExperiments(r *store.Reader, game string) ([]Experiment, error) {
	return store.All(r, func(scan store.Scan) (e Experiment, err error) {
		var variants string
		if err := scan(&e.ID, &e.State, &variants, &e.Winner, &e.salt, &e.started, &e.stopped); err != nil {
			return e, err
		}
		return e, json.Unmarshal([]byte(variants), &e.Variants)
	}, "SELECT id, state, variants, winner, salt, started_at, stopped_at FROM play_experiments WHERE game = ? ORDER BY id", game)
}

// DraftExperiment makes an experiment, or replaces one that is a draft. Its error is an
// *answers.Error for one that began, and for too many.
func (l *Log) DraftExperiment(ctx context.Context, game, id string, variants []experiment.Variant) error {
	text, err := json.Marshal(variants)
	if err != nil {
		return err
	}
	salt := rand.Text()
	return l.changeExperiments(ctx, game, func(tx *store.Tx, all []Experiment) error {
		if i := slices.IndexFunc(all, func(e Experiment) bool { return e.ID == id }); i >= 0 && all[i].State != ExperimentDraft {
			return &answers.Error{Status: http.StatusConflict, Message: "The experiment has begun: its variants stay. Remove it to begin another one."}
		} else if i < 0 && len(all) >= MaxExperiments {
			return &answers.Error{Status: http.StatusConflict, Message: fmt.Sprintf("A game has %d experiments at most.", MaxExperiments)}
		}
		_, err := tx.Exec(`INSERT INTO play_experiments (game, id, state, variants, winner, salt, started_at, stopped_at) VALUES (?, ?, 'draft', ?, '', ?, 0, 0)
			ON CONFLICT (game, id) DO UPDATE SET variants = excluded.variants`, game, id, string(text), salt)
		return err
	})
}

// MoveExperiment takes an experiment to another state: a draft to running, a running one
// to stopped, and either of the last to winner with the value that all get. Its error is
// an *answers.Error for another way.
func (l *Log) MoveExperiment(ctx context.Context, game, id, state, winner string) error {
	now := l.now().UnixMilli()
	return l.changeExperiments(ctx, game, func(tx *store.Tx, all []Experiment) error {
		i := slices.IndexFunc(all, func(e Experiment) bool { return e.ID == id })
		if i < 0 {
			return &answers.Error{Status: http.StatusNotFound, Message: "There is no such experiment."}
		}
		e := all[i]
		switch from := e.State; {
		case state == from && winner == e.Winner:
			return nil // who got no answer asks again
		case state == ExperimentRunning && from == ExperimentDraft:
			e.started = now
		case state == ExperimentStopped && from == ExperimentRunning:
			e.stopped = now
		case state == ExperimentWinner && (from == ExperimentRunning || from == ExperimentStopped) && slices.Contains(e.Values(), winner):
			if e.Winner = winner; e.stopped == 0 {
				e.stopped = now
			}
		default:
			return &answers.Error{Status: http.StatusConflict, Message: fmt.Sprintf("An experiment that is %s can't become %s.", from, state)}
		}
		_, err := tx.Exec("UPDATE play_experiments SET state = ?, winner = ?, started_at = ?, stopped_at = ? WHERE game = ? AND id = ?",
			state, e.Winner, e.started, e.stopped, game, id)
		return err
	})
}

// RemoveExperiment removes an experiment with all that is known of it: who read a value, of
// whom there may be very many, before it, but for those who come meanwhile.
func (l *Log) RemoveExperiment(ctx context.Context, game, id string) error {
	if _, err := l.deleteRows(ctx, "play_exposures", "game = ? AND experiment = ?", game, id); err != nil {
		return err
	}
	return l.changeExperiments(ctx, game, func(tx *store.Tx, _ []Experiment) error {
		for _, query := range []string{
			"DELETE FROM play_experiments WHERE game = ? AND id = ?", "DELETE FROM play_exposures WHERE game = ? AND experiment = ?",
		} {
			if _, err := tx.Exec(query, game, id); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *Log) changeExperiments(ctx context.Context, game string, change func(tx *store.Tx, all []Experiment) error) error {
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.LockRow("SELECT id FROM play_experiments WHERE game = ?", game); err != nil && !errors.Is(err, store.ErrNoRows) {
			return err
		}
		all, err := readExperiments(&tx.Reader, game)
		if err != nil {
			return err
		}
		return change(tx, all)
	})
	if err != nil {
		return fmt.Errorf("changing experiments of game %s: %w", game, err)
	}
	return nil
}

// Variants returns the parameters that a player of a game gets: the winners, and of
// running experiments always the same value. Who has no name gets winners alone. It keeps
// nothing: a page that is only looked at costs no write.
func (l *Log) Variants(ctx context.Context, game, player string) (map[string]string, error) {
	all, err := l.Experiments(ctx, game)
	if err != nil {
		return nil, err
	}
	given := make(map[string]string)
	for _, e := range all {
		switch {
		case e.State == ExperimentWinner:
			given[e.ID] = e.Winner
		case e.State == ExperimentRunning && player != "":
			if value, ok := experiment.Assign(e.salt, player, e.Variants); ok {
				given[e.ID] = value
			}
		}
	}
	return given, nil
}

// expose counts the stream's player among those whose game read a value. Only the game's
// own page gives values of experiments that run: who says so without its token made it up.
func (r *recording) expose(props json.RawMessage) error {
	var read struct {
		Key   string `json:"k"`
		Value string `json:"v"`
	}
	s := &r.stream
	if s.class != string(ClassPublic) || s.player == "" || !r.Proven || r.Player != s.player || json.Unmarshal(props, &read) != nil {
		return nil
	}
	if r.running == nil {
		all, err := readExperiments(&r.tx.Reader, r.Game)
		if err != nil {
			return err
		}
		r.running = make(map[string]Experiment)
		for _, e := range all {
			if e.State == ExperimentRunning {
				r.running[e.ID] = e
			}
		}
	}
	e, runs := r.running[read.Key]
	if !runs || !slices.Contains(e.Values(), read.Value) {
		return nil
	}
	want, _ := experiment.Assign(e.salt, s.player, e.Variants)
	_, err := r.tx.Exec(`INSERT INTO play_exposures (game, experiment, player, variant, day, mixed) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (game, experiment, player) DO UPDATE SET
			mixed = CASE WHEN play_exposures.variant = excluded.variant AND excluded.mixed = 0 THEN play_exposures.mixed ELSE 1 END`,
		r.Game, e.ID, s.player, read.Value, s.day, flag(want != read.Value))
	return err
}
