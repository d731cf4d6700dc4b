package fleet

import (
	"fmt"

	"go.uber.org/zap"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/state"
)

// errVolumeElsewhere refuses an engine that would find an empty volume, because another
// driver keeps the project's: its games would seem to be lost, and its jobs be.
var errVolumeElsewhere = fmt.Errorf("the project's volume is where the driver before this one kept it: %w", driver.ErrFatalSpec)

// checkVolume refuses a start away from the project's volume. Whoever has copied
// the volume moves the folder away, or to its place.
func (p *Proxy) checkVolume(projectID string, before state.Entry) error {
	here, err := p.layout.HasVolume(projectID)
	if err != nil {
		return &volumeError{err}
	}
	if p.remote != nil && here || p.remote == nil && before.VolumeElsewhere() && !here {
		return &driver.ReasonError{Reason: "The project's volume is where another driver keeps it.", Err: errVolumeElsewhere}
	}
	return nil
}

// warnOfLeftVolume says that a deletion leaves a volume that this driver can't reach.
func (p *Proxy) warnOfLeftVolume(projectID string) {
	if e, err := state.ReadEntry(p.layout.State(projectID)); err == nil && p.remote == nil && e.VolumeElsewhere() {
		p.log.Warn("the volume of a deleted project is left where another driver keeps it", zap.String("project", projectID))
	}
}
