package caddymodule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"go.uber.org/zap/buffer"
	"go.uber.org/zap/zapcore"

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
		maskKeys(out.Bytes())
	}
	return out, err
}

// secretPrefixes are those of API keys and of stream tokens.
var secretPrefixes = []string{"sk-", "stk-"}

// minKeyLike is how many characters after a prefix make a secret, or what someone
// took for one. A key has 49; one that was cut off is masked too. What stands
// before does not matter: it may be an escaped "=", as in "key%3Dsk-".
const minKeyLike = 16

// maskKeys overwrites everything in text that looks like a key, percent-encoded or
// not: the log has addresses as clients wrote them.
func maskKeys(text []byte) {
	for {
		begin := bytes.IndexAny(text, "s%")
		if begin < 0 {
			return
		}
		text = text[begin:]
		at := 0
		for _, want := range secretPrefixes {
			at = max(at, prefix(text, want))
		}
		if at == 0 {
			text = text[1:]
			continue
		}
		end, n := at, 0
		for {
			c, width := character(text[end:])
			if width == 0 || !isAlphanumeric(c) {
				break
			}
			end += width
			n++
		}
		if n < minKeyLike {
			text = text[1:] // a key may begin in what was looked at
			continue
		}
		for i := at; i < end; i++ {
			text[i] = '*'
		}
		text = text[end:]
	}
}

// prefix returns how many bytes of text stand for want, 0 when it begins otherwise.
func prefix(text []byte, want string) (length int) {
	for i := range len(want) {
		c, width := character(text[length:])
		if width == 0 || c != want[i] {
			return 0
		}
		length += width
	}
	return length
}

// character returns the character that text begins with, also when it is
// percent-encoded, once or more often, and how many bytes it takes.
func character(text []byte) (c byte, width int) {
	if len(text) == 0 {
		return 0, 0
	}
	c, width = text[0], 1
	for c == '%' && width+2 <= len(text) {
		decoded, err := strconv.ParseUint(string(text[width:width+2]), 16, 8)
		if err != nil {
			break
		}
		c, width = byte(decoded), width+2
	}
	return c, width
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// Interface guards
var (
	_ caddy.Provisioner                = (*KeyEncoder)(nil)
	_ caddy.ConfiguresFormatterDefault = (*KeyEncoder)(nil)
	_ caddyfile.Unmarshaler            = (*KeyEncoder)(nil)
	_ zapcore.Encoder                  = (*KeyEncoder)(nil)
)
