package egress

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
)

var errNoAnswer = errors.New("the answer is of another type")

// isType reports whether an answer has a media type.
func isType(answer *http.Response, want string) bool {
	kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	return err == nil && kind == want
}

// bounded reads at most left bytes; more is an error.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errTooLong
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n, errTooLong
	}
	return n, err
}

// readAll reads a whole answer of at most so many bytes.
func readAll(r io.Reader, most int64) ([]byte, *refusal) {
	raw, err := io.ReadAll(&bounded{r: r, left: most})
	if err != nil {
		return nil, asRefusal(err)
	}
	return raw, nil
}

// asRefusal tells a provider that was too slow from one that failed.
func asRefusal(err error) *refusal {
	var timeout net.Error
	if errors.Is(err, errStalled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return slow(err)
	}
	return failed(err)
}

// sendEnd sends a whole answer once the call is charged.
func sendEnd(w http.ResponseWriter, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	holdEnd(w, body)
}

func holdEnd(w http.ResponseWriter, body []byte) {
	w.(*heldEnd).hold(body)
}
