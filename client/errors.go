package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Kinds of refusals, for errors.Is on an *Error.
var (
	ErrBadRequest    = errors.New("the request is not valid")         // 400, 413, 415, 422
	ErrUnauthorized  = errors.New("the API key is not accepted")      // 401
	ErrForbidden     = errors.New("no access to the project")         // 403
	ErrNotFound      = errors.New("not found")                        // 404
	ErrConflict      = errors.New("not possible in this state")       // 409
	ErrLimitExceeded = errors.New("a limit of the API key is hit")    // 429
	ErrUnavailable   = errors.New("the service is not available now") // 502, 503, 504
)

// Errors of a download.
var (
	ErrNoFiles = errors.New("the job has no files")
	ErrCorrupt = errors.New("the download does not match the job's record")
)

// ErrForeign: what answers at the base URL is not the service.
var ErrForeign = errors.New("what answers is not the service")

// Error is a refusal by the service.
type Error struct {
	StatusCode int
	Message    string        // one sentence for people
	Reason     string        // of a 401 or 429, else empty
	Limit      string        // of a 429: the limit's name
	RetryAfter time.Duration // 0 when the service gave none
	RequestID  string        // names the request in the service's log
	Method     string
	Path       string

	foreign bool // no error of the service's
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s (%d)", e.Message, e.StatusCode)
	if e.RequestID != "" {
		text += ", request " + e.RequestID
	}
	return text
}

// kinds are the kinds of refusals by their status.
var kinds = map[int]error{
	http.StatusBadRequest: ErrBadRequest, http.StatusRequestEntityTooLarge: ErrBadRequest,
	http.StatusUnsupportedMediaType: ErrBadRequest, http.StatusUnprocessableEntity: ErrBadRequest,
	http.StatusUnauthorized: ErrUnauthorized, http.StatusForbidden: ErrForbidden, http.StatusNotFound: ErrNotFound,
	http.StatusConflict: ErrConflict, http.StatusTooManyRequests: ErrLimitExceeded,
	http.StatusBadGateway: ErrUnavailable, http.StatusServiceUnavailable: ErrUnavailable, http.StatusGatewayTimeout: ErrUnavailable,
}

// Is reports whether the refusal is of the kind of target, one of the Err…
// variables of this package.
func (e *Error) Is(target error) bool {
	if target == ErrForeign {
		return e.foreign
	}
	kind, known := kinds[e.StatusCode]
	return known && target == kind
}

// readError makes an Error of an answer, whose body may be anything when it
// comes from something between the client and the service.
func (c *Client) readError(method, path string, resp *http.Response) *Error {
	e := &Error{
		StatusCode: resp.StatusCode,
		Message:    http.StatusText(resp.StatusCode),
		RequestID:  resp.Header.Get("X-Request-Id"),
		Method:     method,
		Path:       path,
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	var body struct {
		Error             string `json:"error"`
		Reason            string `json:"reason"`
		Limit             string `json:"limit"`
		RetryAfterSeconds int    `json:"retryAfterSeconds"`
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if e.StatusCode < 400 || err != nil || json.Unmarshal(text, &body) != nil {
		// The status says enough, where a proxy of the service may have set it.
		e.foreign = e.StatusCode < 400 || err == nil && (e.StatusCode == http.StatusNotFound || e.StatusCode == http.StatusMethodNotAllowed)
		if e.foreign {
			e.Message = fmt.Sprintf("What answers at %s is not the service%s.", c.base.Redacted(), redirect(resp))
		}
		return e
	}
	if body.Error != "" {
		e.Message = body.Error
	}
	e.Reason, e.Limit = body.Reason, body.Limit
	if body.RetryAfterSeconds > 0 {
		e.RetryAfter = time.Duration(body.RetryAfterSeconds) * time.Second
	}
	return e
}

// redirect says where an answer sends its request, if it does.
func redirect(resp *http.Response) string {
	location, err := resp.Location()
	if err != nil {
		return ""
	}
	return ": it redirects to " + location.Redacted()
}
