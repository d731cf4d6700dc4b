package fleet

import (
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/svc-games/svc/engine-proxy/remote"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/peer"
)

// handler is what is served on the data directory's socket.
func (p *Proxy) handler() http.Handler {
	if p.opts.Serve == nil {
		return remote.NewOperatorHandler(p, p.log)
	}
	return p.opts.Serve(p)
}

// listen begins to listen there. Who asks waits until the gate is opened.
func (p *Proxy) listen() error {
	p.gate = peer.NewGate()
	server, err := peer.Start(peer.ServerOptions{
		Address: peer.Address{Network: "unix", Name: filepath.Join(p.layout.Root, state.SocketName)},
		Handler: p.gate, TakeOver: p.opts.TakeOver, Logger: p.log,
	})
	if err != nil {
		return fmt.Errorf("serving operators: %w", err)
	}
	p.server = server
	return nil
}

// takenOver reports whether another process has our socket.
func (p *Proxy) takenOver() bool {
	if p.server == nil {
		return false
	}
	select {
	case <-p.server.TakenOver():
		return true
	default:
		return false
	}
}
