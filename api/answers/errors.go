// Package answers holds what the service answers with besides the wire types of package api:
// refusals, when to try again, and the headers of what is on its way out. Clients need none
// of it.
package answers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Error is a refusal as the client sees it. Its JSON body holds error, and
// where they are set reason, limit and retryAfterSeconds: nothing else.
type Error struct {
	// Status is the HTTP status.
	Status int
	// Message says in one sentence what is wrong, and to whom: the client.
	Message string
	// Reason is the machine-readable reason of a 401 or 429.
	Reason string
	// Limit names the limit of a 429.
	Limit string
	// RetryAfter becomes the Retry-After header, in seconds rounded up.
	RetryAfter time.Duration
	// Starting marks the cold-start 503: RetryAfter is then in the body too.
	Starting bool
	// Header holds further response headers, Allow for one.
	Header http.Header
	// Cause is for the log; the client never sees it.
	Cause error
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%d %s: %v", e.Status, e.Message, e.Cause)
	}
	return fmt.Sprintf("%d %s", e.Status, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

type errorBody struct {
	Error             string `json:"error"`
	Reason            string `json:"reason,omitempty"`
	Limit             string `json:"limit,omitempty"`
	RetryAfterSeconds *int   `json:"retryAfterSeconds,omitempty"`
}

// Body returns the JSON body.
func (e *Error) Body() []byte {
	b := errorBody{Error: e.Message, Reason: e.Reason, Limit: e.Limit}
	if e.Starting {
		s := e.retryAfterSeconds()
		b.RetryAfterSeconds = &s
	}
	out, err := json.Marshal(b)
	if err != nil {
		panic(err) // strings and an int always marshal
	}
	return append(out, '\n')
}

// WriteTo answers a request with the error.
func (e *Error) WriteTo(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range e.Header {
		h[name] = values
	}
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(e.retryAfterSeconds()))
	}
	if e.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Del("Content-Length")
	w.WriteHeader(e.Status)
	_, _ = w.Write(e.Body())
}

func (e *Error) retryAfterSeconds() int {
	return int((e.RetryAfter + time.Second - 1) / time.Second)
}

// BadRequest is a 400 that names the field.
func BadRequest(format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...)}
}

// EngineStarting is the cold-start 503.
func EngineStarting(retryAfter time.Duration) *Error {
	return &Error{
		Status:     http.StatusServiceUnavailable,
		Message:    "The project's engine is starting. Submit the same request again later.",
		RetryAfter: retryAfter,
		Starting:   true,
	}
}

// Unavailable is a 503 that promises nothing about when; cause is for the log.
func Unavailable(message string, retryAfter time.Duration, cause error) *Error {
	return &Error{Status: http.StatusServiceUnavailable, Message: message, RetryAfter: retryAfter, Cause: cause}
}
