package fleet

import (
	"fmt"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/state"
)

// errWeakIsolation refuses an engine that could get at what another owner's
// keep.
var errWeakIsolation = fmt.Errorf("engines of different owners can't be isolated from each other here; allow_weak_isolation runs them anyway: %w", driver.ErrFatalSpec)

// recordStart puts the decision to start an engine on disk. Where the driver can't
// keep engines apart, all volumes must be one owner's: an engine could read
// them whether their own engines run or not.
func (p *Proxy) recordStart(e state.Entry) error {
	if !p.opts.AllowWeakIsolation && !p.opts.Driver.Capabilities().Separates() {
		p.deciding.Lock() // two owners' first starts must see each other
		defer p.deciding.Unlock()
		if err := p.checkOwner(e.OwnerID); err != nil {
			return err
		}
	}
	if err := state.WriteEntry(p.layout.State(e.ProjectID), e); err != nil {
		return &volumeError{err}
	}
	return nil
}

func (p *Proxy) checkOwner(ownerID string) error {
	known, err := p.layout.Projects()
	if err != nil {
		return err
	}
	for _, id := range known {
		other, err := state.ReadEntry(p.layout.State(id))
		if err != nil {
			return fmt.Errorf("looking for other owners' volumes: %w", err)
		}
		if other.Generation > 0 && other.OwnerID != ownerID {
			return &driver.ReasonError{Reason: "This machine can't keep engines of different owners apart.", Err: errWeakIsolation}
		}
	}
	return nil
}

// warnOfWeakIsolation tells the operator what the driver can't do.
func (p *Proxy) warnOfWeakIsolation() {
	switch {
	case p.opts.Driver.Capabilities().Separates():
	case p.opts.AllowWeakIsolation:
		p.log.Warn("engines run although they can't be isolated from each other here: each can read and change the files of all others")
	default:
		p.log.Warn("engines can't be isolated from each other here: only one owner's engines run")
	}
}
