package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
)

// Errors of checks.
var (
	ErrChecking = errors.New("a version of the game is checked already")
	ErrNoJudge  = errors.New("the engine can't play games by itself")
)

// checkTime bounds a check of a revision, and of a play.
const checkTime = 5 * time.Minute

// Bounds of what a check says.
const (
	maxAgainst     = 20
	maxAgainstText = 400 // bytes of each
)

// Check begins to play the newest revision in every way, as a job does before it delivers,
// without a model. What is found is in Workspace, and what passed in Revisions.
func (m *Manager) Check() (contract.Check, error) {
	judge, ok := m.cfg.Generator.(gen.Judge)
	if !ok {
		return contract.Check{}, ErrNoJudge
	}
	head, there := m.history.Head()
	if !there {
		return contract.Check{}, ErrNoFile
	}
	game, err := m.gameAt(head.ID)
	if err != nil {
		return contract.Check{}, err
	}
	begun := contract.Check{Rev: head.ID, Running: true}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.checked != nil && m.checked.Running {
		return contract.Check{}, ErrChecking
	}
	m.checked = &begun
	m.checks.Go(func() { m.check(judge, begun.Rev, game) })
	return begun, nil
}

func (m *Manager) check(judge gen.Judge, rev int, game map[string][]byte) {
	ctx, cancel := context.WithTimeout(m.opened, checkTime)
	defer cancel()
	against, err := prove(ctx, judge, game)
	if err == nil && len(against) == 0 {
		err = m.history.MarkProven(rev)
	}
	switch {
	case errors.Is(err, gen.ErrNoBrowser):
		against = []string{"The engine has no browser: the game was built, and not played."}
	case err != nil:
		m.cfg.Log.Warn("revision not checked", zap.Int("revision", rev), zap.Error(err))
		against = []string{"The game could not be played: nothing is known of it. Check it again."}
	}
	m.Touch()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checked = &contract.Check{Rev: rev, OK: len(against) == 0, Against: bounded(against)}
}

// follow has a judge follow a check, and returns an error for one that panics.
func follow(ctx context.Context, judge gen.Judge, game map[string][]byte, check []byte) (against string, err error) {
	defer recovered(&err)
	return judge.Follow(ctx, game, check)
}

// prove has a judge play a game, and returns an error for one that panics.
func prove(ctx context.Context, judge gen.Judge, game map[string][]byte) (against []string, err error) {
	defer recovered(&err)
	return judge.Prove(ctx, game)
}

// recovered makes a panic of a judge an error.
func recovered(err *error) {
	if value := recover(); value != nil {
		*err = fmt.Errorf("the judge panicked with a %T: %s", value, debug.Stack())
	}
}

func bounded(list []string) []string {
	list = slices.Clone(list[:min(len(list), maxAgainst)])
	for i := range list {
		list[i] = clip(list[i], maxAgainstText)
	}
	return list
}

// Play follows a check of the game as it is, as a job will before it delivers, and returns
// what speaks against it, "" for nothing. It is not kept. One is followed at a time.
func (m *Manager) Play(ctx context.Context, check []byte) (contract.Played, error) {
	judge, ok := m.cfg.Generator.(gen.Judge)
	if !ok {
		return contract.Played{}, ErrNoJudge
	}
	if !m.following.TryLock() {
		return contract.Played{}, ErrChecking
	}
	defer m.following.Unlock()
	game, err := m.present()
	if err != nil {
		return contract.Played{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	against, err := follow(ctx, judge, game, check)
	if err != nil && !errors.Is(err, gen.ErrNoBrowser) && ctx.Err() == nil {
		err = fmt.Errorf("following a check: %w", err)
	}
	m.Touch()
	return contract.Played{Against: clip(against, maxAgainstText)}, err
}
