package jobs

import (
	"context"
	"errors"
	"fmt"
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
func (m *Manager) Check(ctx context.Context) (contract.Check, error) {
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
	go m.check(context.WithoutCancel(ctx), judge, begun.Rev, game)
	return begun, nil
}

func (m *Manager) check(ctx context.Context, judge gen.Judge, rev int, game map[string][]byte) {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	against, err := judge.Prove(ctx, game)
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

func bounded(list []string) []string {
	list = slices.Clone(list[:min(len(list), maxAgainst)])
	for i := range list {
		list[i] = clip(list[i], maxAgainstText)
	}
	return list
}

// Play follows a check of the game as it is, as a job will before it delivers, and returns
// what speaks against it, "" for nothing. It is not kept.
func (m *Manager) Play(ctx context.Context, check []byte) (contract.Played, error) {
	judge, ok := m.cfg.Generator.(gen.Judge)
	if !ok {
		return contract.Played{}, ErrNoJudge
	}
	game, err := m.present()
	if err != nil {
		return contract.Played{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	against, err := judge.Follow(ctx, game, check)
	if err != nil && !errors.Is(err, gen.ErrNoBrowser) && ctx.Err() == nil {
		err = fmt.Errorf("following a check: %w", err)
	}
	m.Touch()
	return contract.Played{Against: clip(against, maxAgainstText)}, err
}
