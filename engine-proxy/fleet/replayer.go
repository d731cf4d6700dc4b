package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"

	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/authority"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/internal/durable"
	"github.com/svc-games/svc/engine-proxy/state"
)

// replaysID is by which drivers know the engine without a volume. It can be a project's
// id, and is none.
func (p *Proxy) replaysID() string {
	sum := sha256.Sum256([]byte("replays of " + p.installation.ID))
	return hex.EncodeToString(sum[:12])
}

// withReplayer starts the engine without a volume, and stops it after the use of it.
func (r *replayer) withReplayer(ctx context.Context, use func(ctx context.Context, c *engineclient.Client)) (err error) {
	ctx, cancel := clock.Within(ctx, r.clock, r.opts.Timing.Start+replayWork)
	defer cancel()
	spec, by, token, err := r.replaySpec(r.replaysID())
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.opts.Timing.StopGrace)
		defer cancel()
		ended := errors.Join(r.clearReplays(ctx), state.RemoveSocketDir(spec.Socket, spec.RuntimeDir))
		r.left = ended != nil
		err = errors.Join(err, ended)
	}()
	client, err := r.startReplayer(ctx, spec, by, token)
	if err != nil {
		return err
	}
	defer client.Close()
	use(ctx, client)
	return nil
}

// replaySpec says what the driver is to run, and by which authority's certificates it is known
// on another machine.
func (p *Proxy) replaySpec(id string) (s driver.Spec, by *authority.Authority, token string, err error) {
	now := p.clock.Now()
	s.Incarnation = driver.Incarnation{ProjectID: id, Generation: uint64(now.UnixMilli()), InstanceID: mint.NewInstanceID(now)}
	s.StateDir = p.layout.State(id)
	if s.Socket, err = p.layout.PrepareReplays(id); err != nil {
		return s, nil, "", err
	}
	token = state.NewToken()
	if err := durable.Replace(p.layout.Token(id), []byte(token)); err != nil {
		return s, nil, "", fmt.Errorf("writing engine token: %w", err)
	}
	if p.remote == nil {
		s.RuntimeDir, s.TokenFile = p.layout.Runtime(id), p.layout.Token(id)
		return s, nil, token, nil
	}
	by = p.authorities.Current()
	s.Remote = &driver.RemoteSpec{Token: token, CA: p.authorities.PEM()}
	s.Remote.Cert, s.Remote.Key, err = by.Issue(s.InstanceID)
	return s, by, token, err
}

// startReplayer returns a client of the engine once that is ready.
func (p *Proxy) startReplayer(ctx context.Context, s driver.Spec, by *authority.Authority, token string) (*engineclient.Client, error) {
	handle, err := p.opts.Driver.Start(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	at, dial := driver.UnixEndpoint(s.Socket), p.dial
	if s.Remote != nil {
		if at, err = p.locate(ctx, handle); err != nil {
			return nil, err
		}
		tcp := engineproxy.Endpoint{Network: at.Network, Address: at.Address, InstanceID: s.InstanceID, Token: token, TLS: by.Client(s.InstanceID)}
		dial = func(ctx context.Context, _, _ string) (net.Conn, error) { return tcp.Dial(ctx) }
	}
	client := engineclient.New(engineclient.Target{
		ProjectID: s.ProjectID, InstanceID: s.InstanceID, Network: at.Network, Address: at.Address, Token: token, Dial: dial,
	})
	ready, cancel := clock.Within(ctx, p.clock, p.opts.Timing.Boot)
	defer cancel()
	if _, err := p.probe(ready, client, nil); err != nil {
		client.Close()
		said, logErr := p.opts.Driver.Logs(ctx, handle, 1<<10)
		if logErr == nil && len(said) > 0 {
			err = fmt.Errorf("%w; it says: %s", err, said)
		}
		return nil, err
	}
	return client, nil
}

// clearReplays ends what there is of engines without a volume.
func (p *Proxy) clearReplays(ctx context.Context) error {
	list, err := p.opts.Driver.List(ctx)
	if err != nil {
		return fmt.Errorf("looking for engines that play runs again: %w", err)
	}
	for _, obs := range list {
		if obs.ProjectID != p.replaysID() {
			continue
		}
		if err := p.opts.Driver.Stop(ctx, obs.Handle, replayGrace); err != nil {
			return fmt.Errorf("stopping the engine that plays runs again: %w", err)
		}
		if err := p.opts.Driver.Remove(ctx, obs.Handle); err != nil {
			return fmt.Errorf("removing the engine that plays runs again: %w", err)
		}
	}
	return nil
}
