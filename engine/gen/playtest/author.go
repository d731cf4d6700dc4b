package playtest

import (
	"context"

	"github.com/svc-games/svc/engine/gen/brief"
)

// Try plays a game as its author asks, as Browser.Try does.
func (p *Pool) Try(ctx context.Context, g Game, t Trial) (Showing, error) {
	return inPool(ctx, p, func(b *Browser) (Showing, error) { return b.Try(ctx, g, t) })
}

// TryCheck follows a check, as Browser.TryCheck does.
func (p *Pool) TryCheck(ctx context.Context, g Game, check []byte) (why string, err error) {
	return inPool(ctx, p, func(b *Browser) (string, error) { return b.TryCheck(ctx, g, check) })
}

// Paint draws a figure, as Browser.Paint does.
func (p *Pool) Paint(ctx context.Context, figure brief.Drawn) ([]byte, error) {
	return inPool(ctx, p, func(b *Browser) ([]byte, error) { return b.Paint(ctx, figure) })
}

// inPool has the browser do something. One that failed is given to nobody else.
func inPool[T any](ctx context.Context, p *Pool, do func(b *Browser) (T, error)) (out T, err error) {
	browser, release, err := p.Get()
	if err != nil {
		return out, err
	}
	out, err = do(browser)
	release(err != nil && ctx.Err() == nil)
	return out, err
}
