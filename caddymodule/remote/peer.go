// Package remote lets the gateway use a sidecar and an engine proxy in other processes. A
// build of Caddy without package embedded is such a gateway alone.
package remote

import (
	"context"
	"errors"
	"fmt"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/peer"
)

func init() {
	caddy.RegisterModule(Sidecar{})
	caddy.RegisterModule(Engines{})
}

// Peer is the way to a part of the service in another process. Modules that
// need one embed it.
type Peer struct {
	// Where the part listens: host:port, or the path of a Unix socket.
	Address string `json:"address"`

	// Mutual TLS, which host:port needs.
	TLS *PeerTLS `json:"tls,omitempty"`
}

// PeerTLS names the PEM files of mutual TLS. They are read again when they
// change.
type PeerTLS struct {
	// This gateway's certificate, and its key.
	Cert string `json:"cert"`
	Key  string `json:"key"`

	// The authorities that the other end's certificate must come from.
	CA string `json:"ca"`

	// The name that must be in the other end's certificate. Default: the host
	// of the address.
	ServerName string `json:"server_name,omitempty"`
}

// Caddyfile implements caddymodule.Configurable. Syntax:
//
//	{
//	    tls <cert> <key> <ca> [<server name>]
//	}
func (p *Peer) Caddyfile() block.Options {
	return block.Options{{Name: "tls", Form: "<cert> <key> <ca> [<server name>]", Read: p.readTLS, Default: "none",
		Meaning: "needed for `host:port`, refused for a socket: the PEM files of this gateway's certificate and key and of the authority of the other end's " +
			"certificate, and the name in that one where it is not the address's host. They are read again when they change"}}
}

func (p *Peer) readTLS(c *block.Cursor) error {
	args := c.Args()
	if len(args) != 3 && len(args) != 4 {
		return c.Errorf(" takes the files of certificate, key and authority, and perhaps the name in the other end's certificate; got %d arguments", len(args))
	}
	p.TLS = &PeerTLS{Cert: args[0], Key: args[1], CA: args[2]}
	if len(args) == 4 {
		p.TLS.ServerName = args[3]
	}
	return nil
}

// Provision replaces placeholders in the address and the names of files.
func (p *Peer) Provision(caddy.Context) error {
	fields := []*string{&p.Address}
	if p.TLS != nil {
		fields = append(fields, &p.TLS.Cert, &p.TLS.Key, &p.TLS.CA, &p.TLS.ServerName)
	}
	repl := caddy.NewReplacer()
	for _, field := range fields {
		*field = repl.ReplaceKnown(*field, "")
	}
	return nil
}

// Validate checks the options without a look at files.
func (p *Peer) Validate() error {
	address, err := peer.ParseAddress(p.Address)
	if err != nil {
		return err
	}
	switch {
	case address.Unix() && p.TLS != nil:
		return errors.New("a Unix socket has no tls: leave it out")
	case !address.Unix() && p.TLS == nil:
		return fmt.Errorf("%s needs tls: name a certificate, its key and the authority of the other end", address)
	}
	return nil
}

// Key tells one peer from another. Files of TLS are not in it: they may change.
func (p *Peer) Key() string {
	if p.TLS == nil {
		return p.Address
	}
	return p.Address + " " + p.TLS.Cert + " " + p.TLS.ServerName
}

// Location returns the address at which the part listens.
func (p *Peer) Location() string { return p.Address }

// Connect returns a client of the peer, a program of the service, which need not run yet.
// While it can't be reached, the log says why and what to do.
func (p *Peer) Connect(ctx context.Context, program string, logger *zap.Logger) (*peer.Client, error) {
	address, err := peer.ParseAddress(p.Address)
	if err != nil {
		return nil, err
	}
	o := peer.ClientOptions{Address: address, Logger: logger}
	if p.TLS != nil {
		o.TLS = peer.TLS{Cert: p.TLS.Cert, Key: p.TLS.Key, CA: p.TLS.CA}
		o.ServerName = p.TLS.ServerName
	}
	conn, err := peer.NewClient(o)
	if err != nil {
		return nil, err
	}
	caddymodule.UseCertificate(program, o.TLS)
	if err := conn.Reach(ctx, program); err != nil {
		logger.Warn("part not reached; requests are refused until it is", zap.Error(err))
	}
	return conn, nil
}
