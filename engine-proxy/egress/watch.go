package egress

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

var errStalled = errors.New("the provider sent nothing for too long")

// watchedBody is an answer's body that breaks the call off when nothing comes
// for too long. A model may think for minutes before it writes; what comes until
// then, signs of life among it, gives it no more time.
type watchedBody struct {
	io.ReadCloser
	ctx    context.Context // of the call; its cause says why a read failed
	cancel context.CancelCauseFunc
	timer  *time.Timer // runs since the call went out
	idle   time.Duration
	writes bool
}

// begin says that the model writes: from now on the answer must not stand still.
func (b *watchedBody) begin() {
	if !b.writes {
		b.writes = true
		b.timer.Reset(b.idle)
	}
}

// beginOf returns how to say of an answer that the model writes.
func beginOf(answer *http.Response) func() {
	if b, ok := answer.Body.(*watchedBody); ok {
		return b.begin
	}
	return func() {}
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		return n, causeOf(b.ctx, err)
	}
	if b.writes {
		b.timer.Reset(b.idle)
	}
	return n, err
}

func (b *watchedBody) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	return b.ReadCloser.Close()
}
