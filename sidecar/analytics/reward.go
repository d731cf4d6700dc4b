package analytics

import (
	"context"
	"fmt"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/store"
)

// Kinds of a reward: what must be reached.
const (
	RewardWin   = api.RewardWin
	RewardScore = api.RewardScore
	RewardRuns  = api.RewardRuns
	RewardDays  = api.RewardDays
)

// Reward is an owner's rule: who reaches it gets a name and an icon, never TIK.
type Reward struct {
	play.Reward
	Kind  string
	Least float64 // of what Kind says
	Daily bool    // once a day, else once
}

// grant gives the run's player each reward that is reached and was not given before.
func (e *ending) grant() error {
	rules, err := readRewards(&e.tx.Reader, e.Game)
	if err != nil {
		return err
	}
	for _, rule := range rules {
		reached, err := e.reaches(rule)
		if err != nil {
			return err
		}
		if !reached {
			continue
		}
		period := ""
		if rule.Daily {
			period = dateOf(e.now / msOfDay)
		}
		if _, err := e.tx.Exec(`INSERT INTO play_grants (game, player, reward, period, stream, run, at) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (game, player, reward, period) DO NOTHING`, e.Game, e.Player, rule.ID, period, e.Stream, e.Run, e.now); err != nil {
			return err
		}
	}
	return nil
}

func (e *ending) reaches(rule Reward) (bool, error) {
	switch rule.Kind {
	case RewardWin:
		return e.Outcome == "win", nil
	case RewardScore:
		if e.settings.Lower {
			return e.Score.Score <= rule.Least, nil
		}
		return e.Score.Score >= rule.Least, nil
	case RewardRuns:
		var runs int64
		err := e.tx.Row("SELECT count(*) FROM play_runs WHERE game = ? AND player = ? AND state IN ('accepted', 'verified')", e.Game, e.Player).Scan(&runs)
		return float64(runs) >= rule.Least, err
	case RewardDays:
		return e.daysInARow(int64(rule.Least))
	}
	return false, nil
}

// daysInARow reports whether the player ended runs on each of the last days.
func (e *ending) daysInARow(days int64) (bool, error) {
	var n int64
	err := e.tx.Row("SELECT count(DISTINCT day) FROM play_runs WHERE game = ? AND player = ? AND state IN ('accepted', 'verified') AND day > ?",
		e.Game, e.Player, e.now/msOfDay-days).Scan(&n)
	return n >= days, err
}

func readRewards(r *store.Reader, game string) ([]Reward, error) {
	return store.All(r, func(scan store.Scan) (w Reward, err error) {
		var daily int64
		err = scan(&w.ID, &w.Name, &w.Icon, &w.Kind, &w.Least, &daily)
		w.Daily = daily == 1
		return w, err
	}, "SELECT id, name, icon, kind, least, daily FROM play_rewards WHERE game = ? ORDER BY id", game)
}

// BoardRules are an owner's settings of a board, with rewards.
type BoardRules struct {
	BoardSettings
	Rewards []Reward
}

// RewardOf is a reward as its owner writes it.
func RewardOf(w api.RewardRule) Reward {
	out := Reward{Reward: play.Reward{ID: w.ID, Name: w.Name, Icon: w.Icon}, Kind: w.Kind, Daily: w.Often == api.OftenDaily}
	if w.Least != nil {
		out.Least = *w.Least
	}
	return out
}

// BoardRulesOf are rules as their owner writes them.
func BoardRulesOf(r api.BoardRules) BoardRules {
	out := BoardRules{BoardSettings: BoardSettings{Lower: r.Better == api.BetterLower, Least: r.Least, Most: r.Most, PerSecond: r.PerSecond}}
	for _, w := range r.Rewards {
		out.Rewards = append(out.Rewards, RewardOf(w))
	}
	return out
}

// Shown are the rules as their owner reads them.
func (r BoardRules) Shown() api.BoardRules {
	out := api.BoardRules{Better: api.BetterHigher, Least: r.Least, Most: r.Most, PerSecond: r.PerSecond, Rewards: []api.RewardRule{}}
	if r.Lower {
		out.Better = api.BetterLower
	}
	for _, w := range r.Rewards {
		rule := api.RewardRule{ID: w.ID, Name: w.Name, Icon: w.Icon, Kind: w.Kind, Often: api.OftenOnce}
		if w.Daily {
			rule.Often = api.OftenDaily
		}
		if w.Kind != RewardWin {
			rule.Least = &w.Least
		}
		out.Rewards = append(out.Rewards, rule)
	}
	return out
}

// BoardRules returns those of a game.
func (l *Log) BoardRules(ctx context.Context, game string) (rules BoardRules, err error) {
	err = l.store.View(ctx, func(r *store.Reader) error {
		if rules.BoardSettings, err = readBoardSettings(r, game); err != nil {
			return err
		}
		rules.Rewards, err = readRewards(r, game)
		return err
	})
	if err != nil {
		return BoardRules{}, fmt.Errorf("reading the board's rules of game %s: %w", game, err)
	}
	return rules, nil
}

// SetBoardRules replaces those of a game. What was given stays given. A board on which
// the other score becomes the better one begins anew.
func (l *Log) SetBoardRules(ctx context.Context, game string, rules BoardRules) error {
	err := l.emptyBoard(ctx, game, rules.Lower)
	if err != nil {
		return err
	}
	err = l.store.Update(ctx, func(tx *store.Tx) error {
		before, err := readBoardSettings(&tx.Reader, game)
		if err != nil {
			return err
		}
		if before.Lower != rules.Lower {
			before.since = l.now().UnixMilli()
			for _, table := range []string{"play_ranks", "play_boards"} { // no part counts who goes
				if _, err := tx.Exec("DELETE FROM "+table+" WHERE game = ?", game); err != nil {
					return err
				}
			}
		}
		if _, err := tx.Exec(`INSERT INTO play_board_settings (game, lower, least, most, per_second, since) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (game) DO UPDATE SET lower = excluded.lower, least = excluded.least, most = excluded.most,
				per_second = excluded.per_second, since = excluded.since`,
			game, flag(rules.Lower), rules.Least, rules.Most, rules.PerSecond, before.since); err != nil {
			return err
		}
		if _, err := tx.Exec("DELETE FROM play_rewards WHERE game = ?", game); err != nil {
			return err
		}
		for _, w := range rules.Rewards {
			if _, err := tx.Exec("INSERT INTO play_rewards (game, id, name, icon, kind, least, daily) VALUES (?, ?, ?, ?, ?, ?, ?)",
				game, w.ID, w.Name, w.Icon, w.Kind, w.Least, flag(w.Daily)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("setting the board's rules of game %s: %w", game, err)
	}
	return nil
}

// emptyBoard takes all from a board on which the other score becomes the better one, but for
// those who come meanwhile: a large one in one transaction would keep all others waiting.
func (l *Log) emptyBoard(ctx context.Context, game string, lower bool) error {
	before, err := store.Read(ctx, l.store, func(r *store.Reader) (BoardSettings, error) { return readBoardSettings(r, game) })
	if err != nil {
		return fmt.Errorf("reading the board's rules of game %s: %w", game, err)
	}
	if before.Lower == lower {
		return nil
	}
	for _, table := range []string{"play_ranks", "play_boards"} { // no part counts who goes
		if _, err := l.deleteRows(ctx, table, "game = ?", game); err != nil {
			return err
		}
	}
	return nil
}

func flag(set bool) int64 {
	if set {
		return 1
	}
	return 0
}
