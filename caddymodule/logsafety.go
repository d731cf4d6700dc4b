package caddymodule

import (
	"errors"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

var (
	errKeyInLog = errors.New("a log of this configuration would show API keys: " +
		"give each log that takes requests \"format svc\", or \"format filter\" with \"request>headers>X-Api-Key delete\"")
	errCredentialsInLog = errors.New("log_credentials would write API keys into the access log: remove it")
)

// checkLogs refuses a configuration whose logs would show API keys. Caddy
// copies a request for its logs before any handler sees it, so no handler can
// take the key out; Caddy itself hides Authorization, but not X-Api-Key.
//
// Requests are logged by an access log, by the error log at debug level, and
// by the error log at error level on a server without handle_errors. When none
// of these can happen, nothing is asked of the configuration.
func checkLogs(ctx caddy.Context) error {
	server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if !ok {
		return nil // no server, no log of requests
	}
	if server.Logs != nil && server.Logs.ShouldLogCredentials {
		return errCredentialsInLog
	}
	// The logger under which the HTTP app logs requests.
	logger := ctx.Logger(new(caddyhttp.App))
	logged := server.Logs != nil || server.Errors == nil || logger.Core().Enabled(zapcore.DebugLevel)
	if logged && showsKeys(logger.Core()) {
		return errKeyInLog
	}
	return nil
}

// showsKeys reports whether any encoder behind core would write the header
// with a key. Nothing is logged to find out: adding a field to a core encodes
// it into a buffer that is thrown away, and an encoder that filters the header
// never asks for its value.
func showsKeys(core zapcore.Core) bool {
	probe := new(keyProbe)
	core.With([]zapcore.Field{zap.Object("request", probe)})
	return probe.asked
}

// keyProbe looks to an encoder like a request with a key.
type keyProbe struct {
	asked bool // for the key
}

// MarshalLogObject implements zapcore.ObjectMarshaler.
func (p *keyProbe) MarshalLogObject(request zapcore.ObjectEncoder) error {
	return request.AddObject("headers", zapcore.ObjectMarshalerFunc(func(headers zapcore.ObjectEncoder) error {
		return headers.AddArray("X-Api-Key", zapcore.ArrayMarshalerFunc(func(zapcore.ArrayEncoder) error {
			p.asked = true
			return nil
		}))
	}))
}

// Interface guards
var _ zapcore.ObjectMarshaler = (*keyProbe)(nil)
