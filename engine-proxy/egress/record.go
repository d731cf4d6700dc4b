package egress

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"github.com/svc-games/svc/engine-proxy/egress/cassette"
)

// maxRecorded bounds, in bytes, an answer that is recorded.
const maxRecorded = 16 << 20

// recorder keeps what goes to models that write and what comes from them, for who
// wants to play it again. What it keeps has neither keys nor addresses.
type recorder struct {
	folder string
	log    *zap.Logger
}

// listen returns the body of an answer, which is kept once it was read to its end.
func (r *recorder) listen(c *call, answer *http.Response, body io.ReadCloser) io.ReadCloser {
	if r == nil || c.route.use != useChat {
		return body
	}
	return &recordedBody{ReadCloser: body, done: func(body []byte) {
		tape, err := cassette.New(c.route.path, c.body, answer.StatusCode, answer.Header.Get("Content-Type"), body)
		if err == nil {
			_, err = tape.Save(filepath.Join(r.folder, strings.NewReplacer("/", "_", ":", "_").Replace(c.model)))
		}
		if err != nil {
			r.log.Warn("a call could not be recorded", zap.String("model", c.model), zap.Error(err))
		}
	}}
}

// recordedBody keeps what is read of a body.
type recordedBody struct {
	io.ReadCloser
	kept bytes.Buffer
	done func(body []byte) // nil once it was called, or is not to be
}

// Read implements io.Reader.
func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.kept.Len()+n > maxRecorded {
		b.done = nil
	}
	if b.done != nil {
		b.kept.Write(p[:n])
	}
	if err == io.EOF && b.done != nil {
		b.done(b.kept.Bytes())
		b.done = nil
	}
	return n, err
}

// Close implements io.Closer. The end of a stream may be left unread: what there is of
// it is whole when it says so itself.
func (b *recordedBody) Close() error {
	if b.done != nil && ended(b.kept.Bytes()) {
		b.done(b.kept.Bytes())
		b.done = nil
	}
	return b.ReadCloser.Close()
}

// ended reports whether a stream has come to its end.
func ended(stream []byte) bool {
	for _, end := range []string{"data: [DONE]", "event: message_stop", "event: response.completed", "event: response.incomplete"} {
		if bytes.Contains(stream, []byte(end)) {
			return true
		}
	}
	return false
}
