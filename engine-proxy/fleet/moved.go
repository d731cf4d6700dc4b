package fleet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.uber.org/zap"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// errMoved refuses an engine that would find an empty volume, because another
// driver keeps the project's: its games would seem to be lost, and its jobs be.
var errMoved = fmt.Errorf("the project's volume is where the driver before this one kept it: %w", driver.ErrFatalSpec)

// checkMoved refuses a start away from the project's volume. Whoever has copied
// the volume moves the folder away, or to its place.
func (p *Proxy) checkMoved(projectID string, before entry) error {
	here, err := p.layout.keeps(projectID)
	if err != nil {
		return &volumeError{err}
	}
	if p.remote != nil && here || p.remote == nil && before.elsewhere() && !here {
		return &driver.ReasonError{Reason: "The project's volume is where another driver keeps it.", Err: errMoved}
	}
	return nil
}

// elsewhere reports whether the project's volume is on another machine, as far as
// is known here. Journals of before Away say so by an address.
func (e *entry) elsewhere() bool { return e.Away || e.Address != "" }

// keeps reports whether there is something in a project's volume on this
// machine.
func (l layout) keeps(projectID string) (bool, error) {
	found, err := os.ReadDir(l.volume(projectID))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("looking for a volume: %w", err)
	}
	return len(found) > 0, nil
}

// warnOfMoved says that a deletion leaves a volume that this driver can't reach.
func (p *Proxy) warnOfMoved(projectID string) {
	if e, err := readEntry(p.layout.state(projectID)); err == nil && p.remote == nil && e.elsewhere() {
		p.log.Warn("the volume of a deleted project is left where another driver keeps it", zap.String("project", projectID))
	}
}
