package gateway

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/svc-games/svc/api"
)

// DefaultMaxBody is the largest request body, in bytes, unless configured.
const DefaultMaxBody = 8 << 20

// readBody reads the body of a request, at most limit bytes, once, and returns the
// 413, 415 or 400 that it deserves, or the 503 of one for which share has no room.
// Its media type is not looked at: the body is JSON or it is not.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, share *Share) ([]byte, *api.Error) {
	// The bytes are read as they are; the JSON would be another one.
	for _, encoding := range r.Header.Values("Content-Encoding") {
		if !strings.EqualFold(encoding, "identity") {
			return nil, &api.Error{Status: http.StatusUnsupportedMediaType, Message: "The body must not be encoded; send it without Content-Encoding."}
		}
	}
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	body, err := io.ReadAll(counted{body: http.MaxBytesReader(w, r.Body, limit), share: share, limit: limit})
	if errors.Is(err, errBodies) {
		return nil, api.Unavailable("Too many large bodies are being sent right now.", retrySoon, err)
	}
	if err != nil {
		var over *http.MaxBytesError
		if errors.As(err, &over) {
			return nil, tooLarge(limit)
		}
		return nil, &api.Error{Status: http.StatusBadRequest, Message: "The body could not be read.", Cause: err}
	}
	r.Header.Del("Expect") // the client waits for nothing any more
	return body, nil
}

// replaceBody makes body the body of r, complete and of known length: it was
// read, and what was said about it when it arrived no longer holds.
func replaceBody(r *http.Request, body []byte) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.TransferEncoding = nil
	r.Trailer = nil
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Del("Transfer-Encoding")
	r.Header.Del("Expect")
	r.Header.Del("Trailer")
	r.Header.Del("Content-Encoding")
}

func tooLarge(limit int64) *api.Error {
	return &api.Error{
		Status:  http.StatusRequestEntityTooLarge,
		Message: "The body is larger than " + strconv.FormatInt(limit, 10) + " bytes.",
	}
}
