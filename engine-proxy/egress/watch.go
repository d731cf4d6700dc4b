package egress

import (
	"context"
	"errors"
	"io"
	"time"
)

var errStalled = errors.New("the provider sent nothing for too long")

// watchedBody is an answer's body that breaks the call off when nothing comes
// for too long.
type watchedBody struct {
	io.ReadCloser
	ctx     context.Context // of the call; its cause says why a read failed
	cancel  context.CancelCauseFunc
	silence time.Duration
	timer   *time.Timer
}

func watched(ctx context.Context, body io.ReadCloser, silence time.Duration, cancel context.CancelCauseFunc) *watchedBody {
	return &watchedBody{
		ReadCloser: body, ctx: ctx, cancel: cancel, silence: silence,
		timer: time.AfterFunc(silence, func() { cancel(errStalled) }),
	}
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		return n, causeOf(b.ctx, err)
	}
	b.timer.Reset(b.silence)
	return n, err
}

func (b *watchedBody) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	return b.ReadCloser.Close()
}
