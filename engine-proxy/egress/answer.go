package egress

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/internal/bounded"
)

var (
	errNoAnswer = errors.New("the answer is of another type")
	errTooLong  = errors.New("the answer is longer than what was asked for")
)

// mediaType is that of an answer, "" when it is malformed.
func mediaType(answer *http.Response) string {
	kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// whole relays an answer that is one of a media type, and has at most so many
// bytes, after all of it has come. read returns what is passed on and what the
// call cost, the latter also with an error.
func whole(one func(mediaType string) bool, most int64, read func(raw []byte) ([]byte, []contract.Unit, error)) relay {
	return func(w http.ResponseWriter, answer *http.Response) ([]contract.Unit, *refusal, error) {
		kind := mediaType(answer)
		if !one(kind) {
			return []contract.Unit{}, failed(errNoAnswer), nil
		}
		raw, err := io.ReadAll(bounded.Reader(answer.Body, most, errTooLong))
		if err != nil {
			return nil, asRefusal(err), nil
		}
		out, cost, err := read(raw)
		if err != nil {
			return cost, asRefusal(err), nil
		}
		w.Header().Set("Content-Type", kind)
		holdEnd(w, out)
		return cost, nil, nil
	}
}

// wholeJSON is whole for JSON.
func wholeJSON(most int64, read func(raw []byte) ([]byte, []contract.Unit, error)) relay {
	return whole(func(kind string) bool { return kind == "application/json" }, most, func(raw []byte) ([]byte, []contract.Unit, error) {
		out, cost, err := read(raw)
		return append(out, '\n'), cost, err
	})
}

// asRefusal tells a provider that was too slow, and one that says what is wrong, from
// one that failed.
func asRefusal(err error) *refusal {
	if said := (saidError{}); errors.As(err, &said) {
		return said.refusal(said.status(), 0, err)
	}
	var timeout net.Error
	if errors.Is(err, errStalled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return slow(err)
	}
	return failed(err)
}

// holdEnd has the end of an answer sent once the call is charged.
func holdEnd(w http.ResponseWriter, body []byte) {
	w.(*heldEnd).hold(body)
}
