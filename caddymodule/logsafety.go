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
	errTokenInLog = errors.New("a log of this configuration would show stream tokens, which stand in addresses: " +
		"give each log that takes requests \"format svc\", or \"format filter\" with \"request>uri delete\"")
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
	if !logged {
		return nil
	}
	switch shown := shownBy(logger.Core()); {
	case shown.key:
		return errKeyInLog
	case shown.address:
		return errTokenInLog
	}
	return nil
}

// shownBy returns what any encoder behind core would write of a request as it is:
// the header with a key, the address, in which a stream token may stand. Nothing is logged to find out: adding a field to a core encodes
// it into a buffer that is thrown away, and an encoder that filters the header
// never asks for its value.
func shownBy(core zapcore.Core) *keyProbe {
	probe := new(keyProbe)
	core.With([]zapcore.Field{zap.Object("request", probe)})
	return probe
}

// keyProbe looks to an encoder like a request with a key.
type keyProbe struct{ key, address bool } // what was asked for

// MarshalLogObject implements zapcore.ObjectMarshaler.
func (p *keyProbe) MarshalLogObject(request zapcore.ObjectEncoder) error {
	// An object, so that it is seen whether anyone asks for what is in it.
	if err := request.AddObject("uri", zapcore.ObjectMarshalerFunc(func(zapcore.ObjectEncoder) error {
		p.address = true
		return nil
	})); err != nil {
		return err
	}
	return request.AddObject("headers", zapcore.ObjectMarshalerFunc(func(headers zapcore.ObjectEncoder) error {
		return headers.AddArray("X-Api-Key", zapcore.ArrayMarshalerFunc(func(zapcore.ArrayEncoder) error {
			p.key = true
			return nil
		}))
	}))
}

// Interface guards
var _ zapcore.ObjectMarshaler = (*keyProbe)(nil)
