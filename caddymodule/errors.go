package caddymodule

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/block"
)

// ErrorRenderer writes the JSON body of every error. It belongs inside
// handle_errors. An error that is not one of the service's own gets a body
// that says no more than its status; what happened is in the log.
type ErrorRenderer struct {
	logger *zap.Logger
}

// Caddyfile implements Configurable. Syntax:
//
//	svc_error
func (*ErrorRenderer) Caddyfile() block.Options { return nil }

// CaddyModule returns the Caddy module information.
func (ErrorRenderer) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_error", New: func() caddy.Module { return new(ErrorRenderer) }}
}

// Provision takes the logger.
func (e *ErrorRenderer) Provision(ctx caddy.Context) error {
	e.logger = ctx.Logger()
	return nil
}

func (e *ErrorRenderer) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	err, _ := r.Context().Value(caddyhttp.ErrorCtxKey).(error)
	if err == nil {
		return caddyhttp.Error(http.StatusInternalServerError, errors.New("svc_error must stand inside handle_errors"))
	}
	id := requestID(w, r)
	answer := answerTo(err)
	// A refusal for a rate, or for open streams, is counted instead.
	if cause := answer.Unwrap(); cause != nil && answer.Status >= http.StatusInternalServerError && noRoomFor(cause) == nil && overRate(cause) == nil {
		e.logger.Warn("request failed", zap.Int("status", answer.Status), zap.String(fieldRequestID, id), zap.Error(cause))
	}
	if r.ProtoMajor == 1 && r.Header.Get("Expect") != "" {
		// The client waits for 100 Continue before it sends its body. Caddy's
		// reader hides that from net/http, which would wait for the body in turn.
		w.Header().Set("Connection", "close")
	}
	answer.WriteTo(w)
	return nil
}

// answerTo returns what the client is told about err.
func answerTo(err error) *answers.Error {
	if ours, ok := errors.AsType[*answers.Error](err); ok {
		return ours
	}
	status := http.StatusInternalServerError
	if handler, ok := errors.AsType[caddyhttp.HandlerError](err); ok && handler.StatusCode >= 400 {
		status = handler.StatusCode
	}
	message := http.StatusText(status)
	message = cmp.Or(message, "Error")
	return &answers.Error{Status: status, Message: message + ".", Cause: err}
}

// refuse turns the refusal into an error that Caddy hands to handle_errors. With the
// refusal as its cause caddyhttp.Error would return the HandlerError that is in it.
func refuse(e *answers.Error) error {
	handler := caddyhttp.Error(e.Status, nil)
	handler.Err = e
	return handler
}

// Interface guards
var (
	_ caddy.Provisioner           = (*ErrorRenderer)(nil)
	_ caddyhttp.MiddlewareHandler = (*ErrorRenderer)(nil)
)
