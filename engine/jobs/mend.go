package jobs

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/revs"
)

// ErrLocked: what could be mended is in a file that is locked.
var ErrLocked = errors.New("the file is locked")

// Mend rewrites what is wrong with the game in a way that leaves no choice, as a new
// revision. Where there is nothing of the kind nothing changes, and Mended is empty.
func (m *Manager) Mend(ctx context.Context) (contract.Saved, error) {
	return m.byHand(ctx, func() (contract.Saved, error) {
		game, err := m.gameFiles()
		if err != nil {
			return contract.Saved{}, err
		}
		next := maps.Clone(game)
		mended := gen.Mend(next)
		for _, name := range m.Locks() { // it is as its owner wants it
			if was, there := game[name]; there && !bytes.Equal(was, next[name]) {
				return contract.Saved{}, ErrLocked
			}
		}
		head, err := m.here()
		if err != nil || len(mended) == 0 {
			return contract.Saved{Head: head.ID, Problems: []contract.Problem{}}, err
		}
		problems, err := gen.Rebuild(ctx, next, "")
		if err != nil {
			return contract.Saved{}, err
		}
		if err := m.replaceGame(game, next, false); err != nil {
			return contract.Saved{}, err
		}
		message := "Mended without a model: " + strings.Join(mended, "; ")
		now, err := m.keep(revs.Revision{Kind: revs.Authored, Author: contract.AuthorUser, Message: clip(message, maxRevisionMessage)})
		return contract.Saved{Head: now, Problems: problems, Mended: mended}, err
	}, func() (contract.Saved, error) { return contract.Saved{}, ErrWorking }, false)
}
