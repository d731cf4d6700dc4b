package caddymodule

import (
	"encoding/json"
	"fmt"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"go.uber.org/zap/buffer"
	"go.uber.org/zap/zapcore"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/block"
)

// KeyEncoder is a log encoder that takes API keys out of what another encoder
// wrote, wherever they stand: in a header that should not hold one, in an
// address, in an error of some other module.
type KeyEncoder struct {
	// The encoder whose output it is. Default: {"format": "json"}.
	WrappedRaw json.RawMessage `json:"wrap,omitempty" caddy:"namespace=caddy.logging.encoders inline_key=format"`

	zapcore.Encoder `json:"-"`
}

// CaddyModule returns the Caddy module information.
func (KeyEncoder) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "caddy.logging.encoders.svc", New: func() caddy.Module { return new(KeyEncoder) }}
}

// Provision loads the wrapped encoder.
func (e *KeyEncoder) Provision(ctx caddy.Context) error {
	if e.WrappedRaw == nil {
		e.WrappedRaw = json.RawMessage(`{"format":"json"}`)
	}
	mod, err := ctx.LoadModule(e, "WrappedRaw")
	if err != nil {
		return fmt.Errorf("loading wrapped encoder: %w", err)
	}
	e.Encoder = mod.(zapcore.Encoder)
	return nil
}

// ConfigureDefaultFormat lets the wrapped encoder choose its format by where
// the log goes.
func (e *KeyEncoder) ConfigureDefaultFormat(to caddy.WriterOpener) error {
	if chooser, ok := e.Encoder.(caddy.ConfiguresFormatterDefault); ok {
		return chooser.ConfigureDefaultFormat(to)
	}
	return nil
}

// UnmarshalCaddyfile sets up the encoder from Caddyfile tokens. Syntax:
//
//	svc {
//	    wrap <encoder>
//	}
func (e *KeyEncoder) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	return block.Directive(d, block.Options{{Name: "wrap", Form: "<encoder>", Read: func(c *block.Cursor) error {
		if !d.NextArg() {
			return c.Errorf(" takes the name of an encoder")
		}
		name := d.Val()
		mod, err := caddyfile.UnmarshalModule(d, "caddy.logging.encoders."+name)
		if err != nil {
			return err
		}
		e.WrappedRaw = caddyconfig.JSONModuleObject(mod, "format", name, nil)
		return nil
	}}})
}

// AddObject implements zapcore.ObjectEncoder. checkLogs finds out here that
// nothing that is asked of this encoder shows a key.
func (e *KeyEncoder) AddObject(key string, object zapcore.ObjectMarshaler) error {
	if _, asking := object.(*keyProbe); asking {
		return nil
	}
	return e.Encoder.AddObject(key, object)
}

// Clone implements zapcore.Encoder.
func (e *KeyEncoder) Clone() zapcore.Encoder { return &KeyEncoder{Encoder: e.Encoder.Clone()} }

// EncodeEntry implements zapcore.Encoder.
func (e *KeyEncoder) EncodeEntry(entry zapcore.Entry, fields []zapcore.Field) (*buffer.Buffer, error) {
	out, err := e.Encoder.EncodeEntry(entry, fields)
	if err == nil {
		mint.MaskKeys(out.Bytes())
	}
	return out, err
}

// Interface guards
var (
	_ caddy.Provisioner                = (*KeyEncoder)(nil)
	_ caddy.ConfiguresFormatterDefault = (*KeyEncoder)(nil)
	_ caddyfile.Unmarshaler            = (*KeyEncoder)(nil)
	_ zapcore.Encoder                  = (*KeyEncoder)(nil)
)
