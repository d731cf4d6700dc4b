package caddymodule

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule/gateway"
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
		if c := e.logger.Check(zapcore.WarnLevel, "request failed"); c != nil {
			c.Write(zap.Int("status", answer.Status), zap.String("request_id", id), zap.Error(cause))
		}
	}
	if r.ProtoMajor == 1 && r.Header.Get("Expect") != "" {
		// The client waits for 100 Continue before it sends its body. Caddy's
		// reader hides that from net/http, which would wait for the body in turn.
		w.Header().Set("Connection", "close")
	}
	answer.WriteTo(w)
	return nil
}

// requestID names the request to its client and returns the name.
func requestID(w http.ResponseWriter, r *http.Request) string {
	repl := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	id, ok := repl.GetString("http.request.uuid")
	if ok {
		w.Header().Set("X-Request-Id", id)
	}
	return id
}

// answerTo returns what the client is told about err.
func answerTo(err error) *api.Error {
	var ours *api.Error
	if errors.As(err, &ours) {
		return ours
	}
	status := http.StatusInternalServerError
	var handler caddyhttp.HandlerError
	if errors.As(err, &handler) && handler.StatusCode >= 400 {
		status = handler.StatusCode
	}
	message := http.StatusText(status)
	if message == "" {
		message = "Error"
	}
	return &api.Error{Status: status, Message: message + ".", Cause: err}
}

// refuse turns the refusal into an error that Caddy hands to handle_errors.
func refuse(e *api.Error) error { return caddyhttp.Error(e.Status, e) }

// handOn gives a refusal of the core its status. Errors of later handlers stay as
// they are.
func handOn(err error) error {
	if ours, is := err.(*api.Error); is {
		return refuse(ours)
	}
	return err
}

// toHandlerError gives our refusals their status, and makes of a connection
// that could not be made, where nothing was sent, the cold-start 503.
func toHandlerError(err error, retryAfter time.Duration) error {
	var ours *api.Error
	if errors.As(err, &ours) {
		return refuse(ours)
	}
	if errors.Is(err, gateway.ErrNotSent) {
		starting := api.EngineStarting(retryAfter)
		starting.Cause = err
		return refuse(starting)
	}
	return err
}

// requestOf returns what the chain learned about the request before a step, and the
// backend. Named routes are put together by each request, so that a step which is
// missing is found out here.
func requestOf(app *App, r *http.Request, s step) (*gateway.Request, *Shared, error) {
	q := gateway.RequestOf(r)
	switch {
	case q == nil:
		return nil, nil, comesBefore(stepAuth, s)
	case s != stepAccess && q.Route.Action == "":
		return nil, nil, comesBefore(stepAccess, s)
	}
	shared, err := app.Shared(r.Context())
	if err != nil {
		return nil, nil, refuse(api.Unavailable("The service is starting.", time.Second, err))
	}
	return q, shared, nil
}

// comesBefore is the error of a request whose route lacks a step.
func comesBefore(first, s step) error {
	return caddyhttp.Error(http.StatusInternalServerError, fmt.Errorf("%s must come before %s", first, s))
}

// Interface guards
var (
	_ caddy.Provisioner           = (*ErrorRenderer)(nil)
	_ caddyhttp.MiddlewareHandler = (*ErrorRenderer)(nil)
)
