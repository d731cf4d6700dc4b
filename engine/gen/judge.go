package gen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Judge plays games that no job works on, without a model. A Generator may be one.
type Judge interface {
	// Prove plays a game in every way, and returns what speaks against it. Its error is
	// ctx's, ErrNoBrowser, or means that nothing can be said.
	Prove(ctx context.Context, game map[string][]byte) (against []string, err error)
	// Follow follows a check of a game, as a job would, and returns what speaks against
	// it, "" for nothing. Its errors are those of Prove.
	Follow(ctx context.Context, game map[string][]byte, check []byte) (against string, err error)
}

// ErrNoBrowser: there is nothing to play a game in.
var ErrNoBrowser = errors.New("the engine has no browser to play the game in")

// Prove implements Judge.
func (g *embedded) Prove(ctx context.Context, game map[string][]byte) ([]string, error) {
	game = maps.Clone(game)
	problems, err := Rebuild(ctx, game, "")
	if err != nil {
		return nil, err
	}
	var against []string
	for _, p := range problems {
		against = append(against, p.String())
	}
	if len(against) > 0 {
		return against, nil
	}
	if g.browser == nil {
		return nil, ErrNoBrowser
	}
	report, err := g.browser.Play(ctx, playable(game))
	if err != nil && ctx.Err() == nil {
		report, err = g.browser.Play(ctx, playable(game)) // a browser may die of anything
	}
	for _, c := range report.Failed(true) {
		against = append(against, Masked(c.Rule+" "+c.Note))
	}
	return against, err
}

// Follow implements Judge.
func (g *embedded) Follow(ctx context.Context, game map[string][]byte, check []byte) (string, error) {
	if len(checksOfGame(game)) >= playtest.MaxTraces {
		return fmt.Sprintf("The game has %d checks already: delete one first.", playtest.MaxTraces), nil
	}
	house, ok := g.browser.(playhouse)
	if !ok {
		return "", ErrNoBrowser
	}
	against, err := house.TryCheck(ctx, playable(game), check)
	return Masked(against), err
}

// playable is a game as it is played, by what its files say of it.
func playable(files compile.Files) playtest.Game {
	var manifest struct{ SVC compile.About }
	_ = json.Unmarshal(files[compile.Manifest], &manifest) // what says nothing is taken for a game of any length
	w, h := fieldOf(files)
	return playtest.Game{
		Files: files, Width: w, Height: h, Short: manifest.SVC.Format == spec.Short,
		Trusted: files[kitMark] == nil && manifest.SVC.Kind != "", // by the simulation of its mechanic
	}
}

// Interface guards
var (
	_ Judge = (*embedded)(nil)
)
