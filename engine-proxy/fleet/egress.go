package fleet

import (
	"context"
	"crypto/tls"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/state"
)

// serveEgress opens the way to models for an engine and returns where it is
// for the engine: a socket, or the URL for one elsewhere; "" when there is none.
func (p *Proxy) serveEgress(e state.Entry, token string) (string, error) {
	switch {
	case p.opts.Egress == nil:
		return "", nil
	case p.remote != nil:
		return p.opts.Egress.Admit(e.ProjectID, e.InstanceID, token)
	}
	path := state.EgressSocket(e.Socket)
	return path, p.opts.Egress.Serve(e.ProjectID, path, token)
}

// reopenEgress opens it for an engine that was started by an earlier
// engine proxy. Without it the engine works as far as it can without models.
func (p *Proxy) reopenEgress(e state.Entry, token string) {
	if _, err := p.serveEgress(e, token); err != nil {
		p.log.Error("opening egress for a running engine failed", zap.String("project", e.ProjectID), zap.Error(err))
	}
}

// Models implements Engines.
func (p *Proxy) Models(ctx context.Context) ([]api.Model, error) {
	if p.opts.Egress == nil {
		return nil, nil
	}
	return p.opts.Egress.Models(ctx)
}

// startEgress starts it.
func (p *Proxy) startEgress(ctx context.Context) error {
	if p.opts.Egress == nil {
		return nil
	}
	var remote *tls.Config
	if p.authorities != nil {
		remote = p.authorities.Server()
	}
	return p.opts.Egress.Start(ctx, remote)
}

// stopEgress closes it.
func (p *Proxy) stopEgress(projectID string) {
	if p.opts.Egress != nil {
		p.opts.Egress.Stop(projectID)
	}
}
