package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/state"
)

var errNoAddress = errors.New("where the engine listens is not known yet")

// spec says what the driver is to run, and opens the engine's way to models.
func (p *Proxy) spec(e state.Entry, token string) (driver.Spec, error) {
	s := driver.Spec{
		Incarnation: driver.Incarnation{ProjectID: e.ProjectID, Generation: e.Generation, InstanceID: e.InstanceID},
		OwnerID:     e.OwnerID,
		Volume:      p.layout.Volume(e.ProjectID),
		StateDir:    p.layout.State(e.ProjectID),
	}
	models, err := p.serveEgress(e, token)
	if err != nil {
		return s, err
	}
	if p.remote == nil {
		s.RuntimeDir, s.Socket, s.TokenFile, s.Egress = p.layout.Runtime(e.ProjectID), e.Socket, p.layout.Token(e.ProjectID), models
		return s, nil
	}
	s.Remote = &driver.RemoteSpec{Token: token, CA: p.authority.PEM(), Egress: models}
	s.Remote.Cert, s.Remote.Key, err = p.authority.Issue(e.InstanceID)
	return s, err
}

// locate asks the driver where an instance listens until it is known. An
// instance that has ended is an *exitError.
func (p *Proxy) locate(ctx context.Context, h driver.Handle) (driver.Endpoint, error) {
	for began := p.clock.Now(); ; {
		once, cancel := clock.Within(ctx, p.clock, callDeadline)
		obs, met := p.look(once, h)
		cancel()
		switch {
		case met == nil && !obs.Running:
			return obs.Endpoint, &exitError{obs.Exit}
		case met == nil && !obs.Endpoint.IsZero():
			return obs.Endpoint, nil
		case met == nil:
			met = errNoAddress
		}
		waited := p.clock.Now().Sub(began)
		if err := clock.Sleep(ctx, p.clock, pace(waited)); err != nil {
			return driver.Endpoint{}, fmt.Errorf("%w: waited %s: %w", err, waited.Round(time.Second), met)
		}
	}
}
